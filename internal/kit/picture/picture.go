// Package picture checks and cleans images that users upload. It detects the format from the content, checks limits
// before it decodes, removes metadata without re-encoding the pixels, and makes thumbnails. It does not store images.
// See docs/adr/0011-pictures.md.
package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/webp"
)

// The limits of an image.
const (
	// MaxBytes is the maximum length of a file. The caller enforces it.
	MaxBytes = 10 << 20
	// MaxPixels is the maximum of width times height, for every format.
	MaxPixels = 24_000_000
	// MaxSide is the maximum width and height. JPEG and GIF cannot have more. The other formats are limited because
	// scaling allocates memory in proportion to the sides.
	MaxSide = 65_535
	// MaxFrames is the maximum number of frames of an animation.
	MaxFrames = 1000
	// maxAnimationPixels is the maximum number of pixels of all frames of an animation together. Each frame counts with
	// the size of the whole canvas.
	maxAnimationPixels = 10 * MaxPixels
)

// Format is an image file format.
type Format string

// The supported formats.
const (
	JPEG Format = "jpeg"
	PNG  Format = "png"
	WebP Format = "webp"
	GIF  Format = "gif"
)

// Picture is an image file without metadata that has been decoded successfully. Of an animation only the first frame
// was decoded; of the other frames the chunk structure was checked, but not the pixels.
type Picture struct {
	Format        Format
	Width, Height int // in pixels, after the EXIF orientation was applied
	// Opaque reports whether no pixel is transparent. For an animation it refers to the first frame.
	Opaque bool
	// Color is the dominant color as #rrggbb; see Decoder.Color. Only Clean sets it.
	Color string
	Bytes []byte

	release func()
}

// Release gives back the memory of Bytes, which the caller does not use any more.
func (p *Picture) Release() {
	if p.release != nil {
		p.release()
	}
}

// Refusal is the error for a file that is not accepted. Message is meant for the user who sent it.
type Refusal struct {
	// Code is unsupported_image, broken_image, too_many_pixels, too_many_frames, too_many_scans or too_complex.
	Code    string
	Message string
}

// TooComplex is the code of the refusal of an image that took too long to decode. It depends on the load of the
// machine.
const TooComplex = "too_complex"

func (r *Refusal) Error() string { return r.Code + ": " + r.Message }

func errUnsupportedImage() error {
	return &Refusal{"unsupported_image",
		"This is no JPEG, PNG, WebP or GIF. Save the image in one of these formats and send it again."}
}

func errBrokenImage(format Format, why string) error {
	return &Refusal{"broken_image", fmt.Sprintf("This begins as a %s but cannot be read to its end: %s. "+
		"Send the whole file; if it is complete, save it again.", codecs[format].name, why)}
}

func errTooManyPixels(width, height int) error {
	return &Refusal{"too_many_pixels", fmt.Sprintf("This has %d × %d pixels; at most %d million are taken, and at "+
		"most %d on a side. Make it smaller and send it again.", width, height, MaxPixels/1_000_000, MaxSide)}
}

// codecs holds the usual spelling of each format's name, and the function that reads the size of an image.
var codecs = map[Format]struct {
	name         string
	decodeConfig func(io.Reader) (image.Config, error)
}{
	JPEG: {"JPEG", jpeg.DecodeConfig},
	PNG:  {"PNG", png.DecodeConfig},
	WebP: {"WebP", webp.DecodeConfig},
	GIF:  {"GIF", gif.DecodeConfig},
}

// formatHeaderSize is the number of leading bytes that imageFormatOf needs.
const formatHeaderSize = 12

// imageFormatOf returns the format that the first bytes of a file indicate, or "" if it is not supported.
func imageFormatOf(head []byte) Format {
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return JPEG
	case bytes.HasPrefix(head, []byte(pngSignature)):
		return PNG
	case bytes.HasPrefix(head, []byte("GIF87a")), bytes.HasPrefix(head, []byte("GIF89a")):
		return GIF
	case len(head) >= formatHeaderSize && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP":
		return WebP
	}
	return ""
}

// imageHeader is what the header of a file says about an image. memoryUse is an upper bound; for a WebP it is known
// better when the file is parsed.
type imageHeader struct {
	memoryUse
	format Format
	config image.Config
	length int64 // of the file, in bytes
}

// probeImage reads the header of an image without decoding it, and checks the limits.
func probeImage(r io.ReadSeeker) (h imageHeader, err error) {
	if h.format, h.config, err = probeSize(r); err != nil {
		return h, err
	}
	if h.length, err = r.Seek(0, io.SeekEnd); err != nil {
		return h, err
	}
	if _, err = r.Seek(0, io.SeekStart); err != nil {
		return h, err
	}

	switch h.format {
	case JPEG:
		var f *jpegFile
		if f, err = probeJPEG(r); err == nil {
			h.memoryUse = f.memoryUse()
		}
	case PNG:
		h.memoryUse, err = probePNG(r)
	case GIF:
		h.memoryUse = perPixel(h.config, 5, 5) // a byte of the frame and four of the canvas
	case WebP:
		h.memoryUse, err = probeWebP(r, h.config, h.length)
	}

	if err != nil {
		err = refusalFor(h.format, err)
	}

	return h, err
}

// probeSize reads the format and the size of an image without decoding it, and checks the limits.
func probeSize(r io.ReadSeeker) (Format, image.Config, error) {
	head := make([]byte, formatHeaderSize)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", image.Config{}, err
	}
	if n == 0 {
		return "", image.Config{}, &Refusal{"broken_image", "The file is empty. Send a JPEG, PNG, WebP or GIF."}
	}

	format := imageFormatOf(head[:n])
	if format == "" {
		return "", image.Config{}, errUnsupportedImage()
	}
	if _, err = r.Seek(0, io.SeekStart); err != nil {
		return "", image.Config{}, err
	}

	c, err := codecs[format].decodeConfig(r)
	if err != nil {
		return "", image.Config{}, refusalFor(format, err)
	}
	if c.Width <= 0 || c.Height <= 0 {
		return "", image.Config{}, errBrokenImage(format, "it has no pixels")
	}
	if max(c.Width, c.Height) > MaxSide || exceedsPixels(c.Width, c.Height, MaxPixels) {
		return "", image.Config{}, errTooManyPixels(c.Width, c.Height)
	}

	return format, c, nil
}

// exceedsPixels reports whether width times height exceeds limit. It divides, so that no size can cause an overflow.
func exceedsPixels(width, height int, limit int64) bool { return int64(width) > limit/int64(height) }

// checkAnimationLimits checks the number and the total size of frames against the limits, before any is decoded.
func checkAnimationLimits(frames, width, height int) error {
	if frames > MaxFrames {
		return &Refusal{"too_many_frames",
			fmt.Sprintf("This animation has more than %d frames. Make it shorter and send it again.", MaxFrames)}
	}
	if frames > 0 && exceedsPixels(width, height, maxAnimationPixels/int64(frames)) {
		return &Refusal{"too_many_pixels", fmt.Sprintf("This animation has %d frames of %d × %d pixels; together at "+
			"most %d million are taken. Make it smaller or shorter and send it again.",
			frames, width, height, maxAnimationPixels/1_000_000)}
	}
	return nil
}
