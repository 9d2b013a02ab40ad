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
	"time"

	"golang.org/x/image/webp"
	"golang.org/x/sync/semaphore"
)

const (
	// decodeSlots limits how many images are decoded at once. Large images take at most one slot, so that small images
	// never wait behind several of them.
	decodeSlots = 2
	// largeImagePixels is the number of pixels above which an image is large.
	largeImagePixels = 4_000_000
	// defaultTimeout limits the decoding of one image. The limits on its pixels, frames and scans keep it within a few
	// seconds of CPU time; the rest is for a busy machine.
	defaultTimeout = 20 * time.Second
	// defaultMemory is the memory that images may take together if Options.Admit is nil.
	defaultMemory = 512 << 20
)

// errTooSlow is the cause of a context that ended because of Options.Timeout.
var errTooSlow = errors.New("decoding the image took too long")

// Options are the settings of a Decoder.
type Options struct {
	// Admit reserves memory, in bytes, before an image is decoded; release gives it back. Its error is returned to the
	// caller unchanged. A request for more than there will ever be must be cut to what there is: the estimates are
	// upper bounds. If Admit is nil, all images together may take 512 MiB and wait for each other.
	Admit func(ctx context.Context, bytes int64) (release func(), err error)
	// Timeout limits the decoding of one image, without the time that it waits for others; 0 means 20 seconds.
	Timeout time.Duration
}

// Decoder decodes images. It limits how many are decoded at once, and the memory and the time that they take. It is
// safe for concurrent use.
type Decoder struct {
	Options
	slots *semaphore.Weighted
	large *semaphore.Weighted // held by the one large image that has a slot or waits for it
}

// NewDecoder returns a decoder. A process should use a single decoder, since each has its own limit.
func NewDecoder(o Options) *Decoder {
	if o.Admit == nil {
		o.Admit = admitUpTo(defaultMemory)
	}
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	return &Decoder{Options: o, slots: semaphore.NewWeighted(decodeSlots), large: semaphore.NewWeighted(1)}
}

// admitUpTo returns a function for Options.Admit that waits until the memory is free.
func admitUpTo(limit int64) func(context.Context, int64) (func(), error) {
	free := semaphore.NewWeighted(limit)
	return func(ctx context.Context, n int64) (func(), error) {
		n = min(n, limit)
		if err := free.Acquire(ctx, n); err != nil {
			return nil, err
		}
		return func() { free.Release(n) }, nil
	}
}

// Clean decodes an image and returns the file without its metadata: EXIF, XMP, comments and all bytes that do not
// belong to the image. Animations, colour profiles and gamma are kept, but only the first frame of an animation is
// decoded. The pixels are not re-encoded, except for a JPEG with an EXIF orientation other than 1.
//
// Clean returns a *Refusal for a file that is not accepted, the error of ctx if ctx ends before the image is decoded,
// or the error of Options.Admit.
func (d *Decoder) Clean(ctx context.Context, content io.ReadSeeker) (Picture, error) {
	var p Picture
	err := d.withDecoded(ctx, content, 0, func(o decodedImage) (err error) {
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

// withDecoded checks the limits, waits for a slot and for memory, decodes the image and calls fn with it. scaledSide is
// the longer side to which fn scales the image; 0 if it does not.
func (d *Decoder) withDecoded(
	ctx context.Context, content io.ReadSeeker, scaledSide int, fn func(decodedImage) error,
) error {
	format, size, err := probeImage(content)
	if err != nil {
		return err
	}
	release, err := d.acquireSlot(ctx, size.Width*size.Height > largeImagePixels)
	if err != nil {
		return err
	}
	defer release()
	if _, err := content.Seek(0, io.SeekStart); err != nil {
		return err
	}
	b, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	parsing, cancel := context.WithTimeoutCause(ctx, d.Timeout, errTooSlow)
	defer cancel()
	f, err := parseFile(parsing, format, b)
	if err != nil {
		return decodeError(parsing, format, err)
	}
	free, err := d.Admit(ctx, f.memory(size, scaledSide))
	if err != nil {
		return err
	}
	defer free()
	limited, cancel := context.WithTimeoutCause(ctx, d.Timeout, errTooSlow)
	defer cancel()
	img, err := f.decode(limited, f.bytes)
	if err != nil {
		return decodeError(limited, format, err)
	}
	if err := limited.Err(); err != nil {
		return decodeError(limited, format, err)
	}
	return fn(decodedImage{format: format, cleanFile: f, image: img})
}

// acquireSlot waits for a slot. A large image first waits for all earlier large images, without holding a slot.
func (d *Decoder) acquireSlot(ctx context.Context, large bool) (release func(), err error) {
	release = func() { d.slots.Release(1) }
	if large {
		if err := d.large.Acquire(ctx, 1); err != nil {
			return nil, err
		}
		release = func() { d.slots.Release(1); d.large.Release(1) }
	}
	if err := d.slots.Acquire(ctx, 1); err != nil {
		if large {
			d.large.Release(1)
		}
		return nil, err
	}
	return release, nil
}

// decodeError converts the error of a decoder. If ctx ended, that is the reason, whatever the decoder made of it.
func decodeError(ctx context.Context, format Format, err error) error {
	switch {
	case ctx.Err() == nil:
		return refusalFor(format, err)
	case errors.Is(context.Cause(ctx), errTooSlow):
		return &Refusal{"too_complex", fmt.Sprintf("Decoding this %s takes too long. Save the picture again, as an "+
			"ordinary JPEG or PNG or with fewer pixels, and send it again.", codecs[format].name)}
	}
	return ctx.Err()
}

// interruptibleReader reads b until ctx ends. The decoders do not know contexts, but they stop when a read fails. A
// read returns few bytes, since a decoder can work for a long time on a buffer full of tiny parts.
type interruptibleReader struct {
	ctx context.Context
	b   []byte
}

func newReader(ctx context.Context, b []byte) io.Reader { return &interruptibleReader{ctx, b} }

func (r *interruptibleReader) Read(p []byte) (int, error) {
	const maxRead = 512
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	if len(r.b) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), maxRead)], r.b)
	r.b = r.b[n:]
	return n, nil
}

// cleanFile is a file without its metadata, not yet decoded.
type cleanFile struct {
	bytes       []byte
	profile     iccProfile
	orientation int // the EXIF orientation that has yet to be applied; 1 is none
	// decode decodes the bytes, or stops when ctx ends.
	decode func(ctx context.Context, bytes []byte) (image.Image, error)
	// decodeBytes is an upper bound of the memory per pixel while the image is decoded, imageBytes that of the result;
	// extraBytes is added to both.
	decodeBytes, imageBytes, extraBytes int64
}

// decodedImage is an image together with the clean file that it was decoded from. For an animation, image is the first
// frame, drawn on a canvas of full size.
type decodedImage struct {
	format Format
	cleanFile
	image image.Image
}

// memory returns an upper bound of the memory, in bytes, that the file takes from parsing to the last use of the image.
func (f *cleanFile) memory(size image.Config, scaledSide int) int64 {
	pixels := int64(size.Width) * int64(size.Height)
	use := f.imageBytes * pixels
	if f.orientation != 1 {
		use += 8 * pixels // applyOrientation makes two RGBA images
	}
	if scaledSide > 0 {
		// The scaler keeps four floats for each column of the result and each row of the source.
		use += 32 * int64(min(size.Width, scaledSide)) * int64(size.Height)
	}
	return max(f.decodeBytes*pixels, use) + f.extraBytes + 3*int64(len(f.bytes))
}

// parseFile removes the metadata of a file and finds out what decoding it takes.
func parseFile(ctx context.Context, format Format, b []byte) (cleanFile, error) {
	out := cleanFile{orientation: 1}
	switch format {
	case JPEG:
		f, err := parseJPEG(b)
		if err != nil {
			return out, err
		}
		out.bytes, out.profile, out.orientation = f.assemble(), f.profile, f.orientation
		out.decode = decodeWith(jpeg.Decode)
		out.decodeBytes, out.imageBytes = f.decodeBytes(), f.imageBytes()
	case PNG:
		f, err := parsePNG(ctx, b)
		if err != nil {
			return out, err
		}
		out.bytes, out.profile, out.decode = f.out, f.profile, decodeWith(png.Decode)
		out.decodeBytes, out.imageBytes = f.header.decodeBytes(), f.header.imageBytes()
	case GIF:
		clean, err := cleanGIF(b)
		if err != nil {
			return out, err
		}
		out.bytes, out.decode = clean, decodeGIF
		out.decodeBytes, out.imageBytes = 5, 5 // a byte of the frame and four of the canvas
	case WebP:
		f, err := parseWebP(b)
		if err != nil {
			return out, err
		}
		out.bytes, out.profile = f.assemble(), f.profile
		out.decode = f.decode
		out.decodeBytes, out.imageBytes, out.extraBytes = webpDecodeBytes, webpImageBytes, f.prefixCodeBytes()
	}
	return out, nil
}

// decodeWith returns a function for cleanFile.decode.
func decodeWith(decode func(io.Reader) (image.Image, error)) func(context.Context, []byte) (image.Image, error) {
	return func(ctx context.Context, b []byte) (image.Image, error) { return decode(newReader(ctx, b)) }
}

// decodeGIF decodes the first frame of a GIF.
func decodeGIF(ctx context.Context, b []byte) (image.Image, error) {
	size, err := gif.DecodeConfig(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	frame, err := gif.Decode(newReader(ctx, b))
	if err != nil {
		return nil, err
	}
	return drawOnCanvas(frame, image.Rect(0, 0, size.Width, size.Height), frame.Bounds().Min), nil
}

// decode decodes the image, or the first frame of an animation. clean is the assembled file.
func (f *webpFile) decode(ctx context.Context, clean []byte) (image.Image, error) {
	if !f.isAnimated() {
		return webp.Decode(newReader(ctx, clean))
	}
	file := f.firstFrame.asFile()
	size, err := webp.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	if size.Width != f.firstFrame.width || size.Height != f.firstFrame.height {
		return nil, errStructure
	}
	frame, err := webp.Decode(newReader(ctx, file))
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
