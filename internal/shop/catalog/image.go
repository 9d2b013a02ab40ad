package catalog

import (
	"time"

	"vitrine/internal/shop/imagefile"
)

// ImageID names an image.
type ImageID = imagefile.ID

// Image is a picture whose bytes are in the blob store under its id. They never change.
type Image struct {
	Key        int64
	ID         ImageID
	ExternalID *string
	// ProductID is the product that owns it; nil while nothing does.
	ProductID *ProductID
	imagefile.Image
	Width, Height int64 // in pixels
	Version       int64
	CreatedAt     time.Time
	UpdatedAt     time.Time
}
