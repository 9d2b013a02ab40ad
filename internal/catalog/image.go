package catalog

import (
	"time"

	"vitrine/internal/id"
)

// ImageID names an image.
type ImageID = id.Of[Image]

// Image is a picture whose bytes are in the blob store under its id. They never change.
type Image struct {
	Key        int64
	ID         ImageID
	ExternalID *string
	// ProductID is the product that owns it; nil while nothing does.
	ProductID *ProductID
	// Format is jpeg, png, webp or gif.
	Format string
	// Opaque says that no part of it lets the ground shine through.
	Opaque        bool
	Width, Height int64 // in pixels
	Size          int64 // in bytes
	Version       int64
	CreatedAt     time.Time
	UpdatedAt     time.Time
}
