package imagefile

import "vitrine/internal/kit/id"

// ID identifies an image.
type ID = id.Of[Image]

// Image has the properties of an image that determine the names of its files.
type Image struct {
	// Format is jpeg, png, webp or gif.
	Format string
	// Opaque says that no pixel is transparent.
	Opaque bool
}

// Size is one of the sizes in which an image is stored.
type Size string

// The sizes. Original is the image itself. The thumbnails Small and Medium have at most 160 and 640 pixels on the
// longer side.
const (
	Original Size = "original"
	Small    Size = "small"
	Medium   Size = "medium"
)

// File returns the name of the image's file of this size, which is also the last part of its URL. A thumbnail is a JPEG
// if the image is opaque, and a PNG otherwise.
func (im *Image) File(size Size) string {
	switch {
	case size == Original && im.Format == "jpeg", size != Original && im.Opaque:
		return string(size) + ".jpg"
	case size == Original:
		return string(size) + "." + im.Format
	}
	return string(size) + ".png"
}
