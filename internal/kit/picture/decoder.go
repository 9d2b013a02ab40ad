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
	// decodeSlots is how many pictures are decoded at once: a decoded one of the largest has up to 200 MB.
	decodeSlots = 2
	// largeImagePixels is from how many pixels on a picture takes all slots: those of a few such would not fit into memory.
	largeImagePixels = MaxPixels / decodeSlots
)

// Decoder decodes pictures, few at a time. It is safe for concurrent use.
type Decoder struct{ slots *semaphore.Weighted }

// NewDecoder makes the decoder; a program needs one.
func NewDecoder() *Decoder { return &Decoder{semaphore.NewWeighted(decodeSlots)} }

// Clean reads a picture, decodes it, of an animation the first frame, and returns it without its metadata: EXIF, XMP, comments, and all
// bytes that are no part of it. Animations, colour profiles and gamma stay. Its pixels are encoded anew only if EXIF says that it lies on its side. It returns a
// Refusal for what is not taken, or the error of ctx, if that ends while other pictures are being decoded.
func (d *Decoder) Clean(ctx context.Context, content io.ReadSeeker) (Picture, error) {
	format, size, err := probe(content)
	if err != nil {
		return Picture{}, err
	}
	release, err := d.acquireSlot(ctx, size)
	if err != nil {
		return Picture{}, err
	}
	defer release()
	b, err := readAll(content)
	if err != nil {
		return Picture{}, err
	}
	o, err := stripAndDecode(format, b)
	if err != nil {
		return Picture{}, err
	}
	p := Picture{Format: format, Bytes: o.bytes, Width: o.image.Bounds().Dx(), Height: o.image.Bounds().Dy(), Opaque: isOpaque(o.image)}
	if o.orientation == 1 {
		return p, nil
	}
	var upright image.Image
	if p.Bytes, upright, err = encodeUpright(o.image, o.orientation, o.profile); err != nil {
		return Picture{}, fmt.Errorf("apply the EXIF orientation: %w", err)
	}
	p.Width, p.Height = upright.Bounds().Dx(), upright.Bounds().Dy()
	return p, nil
}

// acquireSlot waits until there is room to decode a picture of that size.
func (d *Decoder) acquireSlot(ctx context.Context, size image.Config) (release func(), err error) {
	weight := int64(1)
	if size.Width*size.Height > largeImagePixels {
		weight = decodeSlots
	}
	if err := d.slots.Acquire(ctx, weight); err != nil {
		return nil, err
	}
	return func() { d.slots.Release(weight) }, nil
}

func readAll(r io.ReadSeeker) ([]byte, error) {
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// decodedImage is a picture that was decoded from its clean form; of an animation, its first frame on the whole ground.
type decodedImage struct {
	bytes       []byte
	image       image.Image
	profile     iccProfile
	orientation int // what is still to be done for it to be seen upright; 1 is nothing
}

func stripAndDecode(format Format, b []byte) (decodedImage, error) {
	o := decodedImage{orientation: 1}
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

// decodeGIF decodes the first frame.
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

// decode decodes the picture, or the first frame of an animation; whole is the clean file.
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

// drawOnCanvas puts a frame at its place on a ground that shines through where the frame is not.
func drawOnCanvas(frame image.Image, canvas image.Rectangle, at image.Point) image.Image {
	if frame.Bounds() == canvas && at == (image.Point{}) {
		return frame
	}
	out := image.NewNRGBA(canvas)
	draw.Draw(out, frame.Bounds().Sub(frame.Bounds().Min).Add(at), frame, frame.Bounds().Min, draw.Src)
	return out
}

// isOpaque asks the picture; all that the decoders make can tell.
func isOpaque(img image.Image) bool {
	o, ok := img.(interface{ Opaque() bool })
	return ok && o.Opaque()
}

// refusalFor turns what a decoder says into words for who sent the picture.
func refusalFor(format Format, err error) error {
	var refusal *Refusal
	var unsupportedJPEG jpeg.UnsupportedError
	var unsupportedPNG png.UnsupportedError
	switch {
	case errors.As(err, &refusal):
		return err
	case errors.As(err, &unsupportedJPEG), errors.As(err, &unsupportedPNG):
		return &Refusal{"unsupported_image", fmt.Sprintf("This kind of %s is not supported. Save the picture as an ordinary JPEG, PNG, WebP or GIF and send it again.", format.name())}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		err = errTruncated
	}
	return errBroken(format, err.Error())
}
