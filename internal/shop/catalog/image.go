package catalog

import (
	"time"

	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
)

// ImageID identifies an image.
type ImageID = imagefile.ID

// Image is a picture whose bytes are in the blob store under its id. The bytes never change.
type Image struct {
	Key        int64
	ID         ImageID
	ExternalID *string
	// ProductID is the product that owns the image; nil if no product does.
	ProductID *ProductID
	imagefile.Image
	Width, Height int64 // in pixels
	Version       int64
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// AppendPath appends the path of one file of the image in the public API.
func (im *Image) AppendPath(b []byte, storeID store.ID, size imagefile.Size) []byte {
	b = append(b, "/images/"...)
	b = storeID.Append(b)
	b = append(b, '/')
	b = im.ID.Append(b)
	b = append(b, '/')
	return append(b, im.File(size)...)
}
