package imagefile

import "vitrine/internal/kit/id"

// ID names an image.
type ID = id.Of[Image]

// Image is what the names of an image's files follow from.
type Image struct {
	// Format is jpeg, png, webp or gif.
	Format string
	// Opaque says that no part of it lets the ground shine through.
	Opaque bool
}

// Size is one of the sizes in which an image is kept.
type Size string

// The sizes. Original is the image itself; the thumbnails are at most 160 and 640 pixels on the longer side.
const (
	Original Size = "original"
	Small    Size = "small"
	Medium   Size = "medium"
)

// File is the name of an image's file of that size, as its address ends: a thumbnail is a JPEG where the image is opaque, a PNG otherwise.
func (im *Image) File(size Size) string {
	switch {
	case size == Original && im.Format == "jpeg", size != Original && im.Opaque:
		return string(size) + ".jpg"
	case size == Original:
		return string(size) + "." + im.Format
	}
	return string(size) + ".png"
}
