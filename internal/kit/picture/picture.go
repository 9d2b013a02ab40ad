// Package picture reads pictures that strangers send: it tells their format by their content, holds them against limits before they are
// decoded, takes their metadata off without encoding them anew, and makes thumbnails. It knows nothing of shops and keeps nothing.
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

// The limits of a picture.
const (
	// MaxBytes is the longest file.
	MaxBytes = 10 << 20
	// MaxPixels is the largest picture, whatever its format.
	MaxPixels = 24_000_000
	// MaxSide is the longest side, that of JPEG and GIF: to make something smaller takes memory by the length of a side, too.
	MaxSide = 65_535
	// MaxFrames is the longest animation.
	MaxFrames = 1000
	// maxAnimationPixels is how many pixels the frames of an animation have together at most, each counted as large as the whole.
	maxAnimationPixels = 10 * MaxPixels
)

// Format is a kind of file.
type Format string

// The formats.
const (
	JPEG Format = "jpeg"
	PNG  Format = "png"
	WebP Format = "webp"
	GIF  Format = "gif"
)

// Picture is a file that can be decoded, without its metadata. Of an animation the first frame was decoded; the form of the others was
// checked, not their pixels.
type Picture struct {
	Format        Format
	Width, Height int // as it is seen
	// Opaque says that no part of it lets the ground shine through; of an animation, that its first frame does not.
	Opaque bool
	Bytes  []byte
}

// Refusal says why a file is not taken, in words for who sent it.
type Refusal struct {
	// Code is unsupported_image, broken_image, too_many_pixels or too_many_frames.
	Code    string
	Message string
}

func (r *Refusal) Error() string { return r.Code + ": " + r.Message }

func errUnsupported() error {
	return &Refusal{"unsupported_image", "This is no JPEG, PNG, WebP or GIF. Save the picture in one of these formats and send it again."}
}

func errBroken(format Format, why string) error {
	return &Refusal{"broken_image", fmt.Sprintf("This begins as a %s but cannot be read to its end: %s. Send the whole file; if it is complete, save it again.", format.name(), why)}
}

func errPixels(width, height int) error {
	return &Refusal{"too_many_pixels", fmt.Sprintf("This has %d × %d pixels; at most %d million are taken, and at most %d on a side. Make it smaller and send it again.",
		width, height, MaxPixels/1_000_000, MaxSide)}
}

// name is how people write the format.
func (f Format) name() string {
	switch f {
	case JPEG:
		return "JPEG"
	case PNG:
		return "PNG"
	case WebP:
		return "WebP"
	}
	return "GIF"
}

// formatHeaderSize is how many bytes tell the format.
const formatHeaderSize = 12

// formatOf tells the format by the first bytes; empty for all that is not taken.
func formatOf(head []byte) Format {
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

// probe reads the format and the size of a picture without decoding it, and holds them against the limits.
func probe(r io.ReadSeeker) (Format, image.Config, error) {
	head := make([]byte, formatHeaderSize)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", image.Config{}, err
	}
	if n == 0 {
		return "", image.Config{}, &Refusal{"broken_image", "The file is empty. Send a JPEG, PNG, WebP or GIF."}
	}
	format := formatOf(head[:n])
	if format == "" {
		return "", image.Config{}, errUnsupported()
	}
	if _, err = r.Seek(0, io.SeekStart); err != nil {
		return "", image.Config{}, err
	}
	var c image.Config
	switch format {
	case JPEG:
		c, err = jpeg.DecodeConfig(r)
	case PNG:
		c, err = png.DecodeConfig(r)
	case GIF:
		c, err = gif.DecodeConfig(r)
	case WebP:
		c, err = webp.DecodeConfig(r)
	}
	if err == nil && (c.Width <= 0 || c.Height <= 0) {
		return "", image.Config{}, errBroken(format, "it has no pixels")
	}
	if err != nil {
		return "", image.Config{}, refusalFor(format, err)
	}
	if max(c.Width, c.Height) > MaxSide || exceedsPixels(c.Width, c.Height, MaxPixels) {
		return "", image.Config{}, errPixels(c.Width, c.Height)
	}
	return format, c, nil
}

// exceedsPixels compares without overflow, whatever a file claims.
func exceedsPixels(width, height int, limit int64) bool { return int64(width) > limit/int64(height) }

// checkAnimation holds an animation against the limits before anybody composes its frames.
func checkAnimation(frames, width, height int) error {
	if frames > MaxFrames {
		return &Refusal{"too_many_frames", fmt.Sprintf("This animation has more than %d frames. Make it shorter and send it again.", MaxFrames)}
	}
	if frames > 0 && exceedsPixels(width, height, maxAnimationPixels/int64(frames)) {
		return &Refusal{"too_many_pixels", fmt.Sprintf("This animation has %d frames of %d × %d pixels; together at most %d million are taken. Make it smaller or shorter and send it again.",
			frames, width, height, maxAnimationPixels/1_000_000)}
	}
	return nil
}
