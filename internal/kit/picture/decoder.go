package picture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/webp"
	"golang.org/x/sync/semaphore"
)

const (
	// decodeSlots limits how many images are decoded at once. An image of MaxPixels takes up to 200 MB when decoded.
	decodeSlots = 2
	// largeImagePixels is the number of pixels above which an image takes all slots, so that it is decoded alone.
	largeImagePixels = MaxPixels / decodeSlots
)

// Decoder decodes images and limits how many are decoded at once. It is safe for concurrent use.
type Decoder struct{ slots *semaphore.Weighted }

// NewDecoder returns a decoder. A process should use a single decoder, since each has its own limit.
func NewDecoder() *Decoder { return &Decoder{semaphore.NewWeighted(decodeSlots)} }

// Clean decodes an image and returns the file without its metadata: EXIF, XMP, comments and all bytes that do not
// belong to the image. Animations, colour profiles and gamma are kept, but only the first frame of an animation is
// decoded. The pixels are not re-encoded, except for a JPEG with an EXIF orientation other than 1.
//
// Clean returns a *Refusal for a file that is not accepted, or the error of ctx if ctx ends while Clean waits for a
// slot.
func (d *Decoder) Clean(ctx context.Context, content io.ReadSeeker) (Picture, error) {
	var p Picture
	err := d.withDecoded(ctx, content, func(o decodedImage) (err error) {
		p = Picture{Format: o.format, Bytes: o.bytes, Opaque: isOpaque(o.image)}
		upright := o.image
		if o.orientation != 1 {
			if p.Bytes, upright, err = encodeUpright(o.image, o.orientation, o.profile); err != nil {
				return fmt.Errorf("apply the EXIF orientation: %w", err)
			}
		}
		p.Width, p.Height = upright.Bounds().Dx(), upright.Bounds().Dy()
		return nil
	})
	return p, err
}

// withDecoded checks the limits, waits for slots, decodes the image and calls fn with it.
func (d *Decoder) withDecoded(ctx context.Context, content io.ReadSeeker, fn func(decodedImage) error) error {
	format, size, err := probeImage(content)
	if err != nil {
		return err
	}
	weight := int64(1)
	if size.Width*size.Height > largeImagePixels {
		weight = decodeSlots
	}
	if err := d.slots.Acquire(ctx, weight); err != nil {
		return err
	}
	defer d.slots.Release(weight)
	if _, err := content.Seek(0, io.SeekStart); err != nil {
		return err
	}
	b, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	o, err := stripMetadataAndDecode(format, b)
	if err != nil {
		return err
	}
	return fn(o)
}

// decodedImage is an image together with the clean file that it was decoded from. For an animation, image is the first
// frame, drawn on a canvas of full size.
type decodedImage struct {
	format      Format
	bytes       []byte
	image       image.Image
	profile     iccProfile
	orientation int // the EXIF orientation that has yet to be applied; 1 is none
}

func stripMetadataAndDecode(format Format, b []byte) (decodedImage, error) {
	o := decodedImage{format: format, orientation: 1}
	var err error
	switch format {
	case JPEG:
		var f *jpegFile
		if f, err = parseJPEG(b); err == nil {
			o.bytes, o.profile, o.orientation = f.assemble(), f.profile, f.orientation
			o.image, err = jpeg.Decode(bytes.NewReader(o.bytes))
		}
	case PNG:
		var f *pngFile
		if f, err = parsePNG(b); err == nil {
			o.bytes, o.profile = f.out, f.profile
			o.image, err = png.Decode(bytes.NewReader(o.bytes))
		}
	case GIF:
		if o.bytes, err = cleanGIF(b); err == nil {
			o.image, err = decodeGIF(o.bytes)
		}
	case WebP:
		var f *webpFile
		if f, err = parseWebP(b); err == nil {
			o.bytes, o.profile = f.assemble(), f.profile
			o.image, err = f.decode(o.bytes)
		}
	}
	if err != nil {
		return decodedImage{}, refusalFor(format, err)
	}
	return o, nil
}

// decodeGIF decodes the first frame of a GIF.
func decodeGIF(b []byte) (image.Image, error) {
	size, err := gif.DecodeConfig(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	frame, err := gif.Decode(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return drawOnCanvas(frame, image.Rect(0, 0, size.Width, size.Height), frame.Bounds().Min), nil
}

// decode decodes the image, or the first frame of an animation. clean is the assembled file.
func (f *webpFile) decode(clean []byte) (image.Image, error) {
	if !f.isAnimated() {
		return webp.Decode(bytes.NewReader(clean))
	}
	file := f.firstFrame.asFile()
	size, err := webp.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	if size.Width != f.firstFrame.width || size.Height != f.firstFrame.height {
		return nil, errStructure
	}
	frame, err := webp.Decode(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	return drawOnCanvas(frame, image.Rect(0, 0, f.width, f.height), image.Pt(f.firstFrame.x, f.firstFrame.y)), nil
}

// drawOnCanvas draws a frame at its offset on a transparent canvas.
func drawOnCanvas(frame image.Image, canvas image.Rectangle, at image.Point) image.Image {
	if frame.Bounds() == canvas && at == (image.Point{}) {
		return frame
	}
	out := image.NewNRGBA(canvas)
	draw.Draw(out, frame.Bounds().Sub(frame.Bounds().Min).Add(at), frame, frame.Bounds().Min, draw.Src)
	return out
}

// isOpaque reports whether no pixel is transparent. All image types that the decoders return implement Opaque.
func isOpaque(img image.Image) bool {
	o, ok := img.(interface{ Opaque() bool })
	return ok && o.Opaque()
}

// refusalFor converts a decoder's error to a *Refusal with a message for the user.
func refusalFor(format Format, err error) error {
	var refusal *Refusal
	var unsupportedJPEG jpeg.UnsupportedError
	var unsupportedPNG png.UnsupportedError
	switch {
	case errors.As(err, &refusal):
		return err
	case errors.As(err, &unsupportedJPEG), errors.As(err, &unsupportedPNG):
		return &Refusal{"unsupported_image", fmt.Sprintf("This kind of %s is not supported. Save the picture as an "+
			"ordinary JPEG, PNG, WebP or GIF and send it again.", codecs[format].name)}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		err = errTruncated
	}
	return errBrokenImage(format, err.Error())
}
