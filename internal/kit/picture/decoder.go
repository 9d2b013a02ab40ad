package picture

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/image/webp"
	"golang.org/x/sync/semaphore"

	"vitrine/internal/kit/admission"
)

const (
	// smallSlots and largeSlots are how many small and large images are decoded at once. They have queues of their own,
	// so that a small image never waits for a large one.
	smallSlots, largeSlots = 2, 1
	// memoryParts, largeParts and keptParts divide Options.Memory: each small image may take one of 16 parts, a large
	// one 12, and 2 are for the results. However much memory there is, no image over maxSmallBytes is small: it takes
	// too long.
	memoryParts, largeParts, keptParts = 16, 12, 2
	maxSmallBytes                      = 16 << 20
	// freeBytes is the memory of an image from which on it is given back to the operating system at once. The garbage
	// collector would start only after the next image has taken as much again.
	freeBytes = 32 << 20
	// defaultTimeout limits the decoding of one image. The limits on its pixels, frames and scans keep it within a few
	// seconds of CPU time; the rest is for a busy machine.
	defaultTimeout = 20 * time.Second
	// defaultMemory is the default of Options.Memory.
	defaultMemory = 512 << 20
	// maxWait limits how long an image waits for a slot; the context of the caller ends earlier. maxWaiting limits how
	// many wait.
	maxWait, maxWaiting = time.Hour, 4096
)

// errTooSlow is the cause of a context that ended because of Options.Timeout.
var errTooSlow = errors.New("decoding the image took too long")

// Options are the settings of a Decoder.
type Options struct {
	// Memory is how many bytes all images together may take; 0 means 512 MiB. One image may take 3/4 of it.
	Memory int64
	// Timeout limits the decoding of one image, without the time that it waits for others; 0 means 20 seconds.
	Timeout time.Duration
}

// Decoder decodes images. It limits how many are decoded at once, and the memory and the time that they take. Images
// wait for each other; the owners take turns, so that an owner with many images does not delay the others. It is safe
// for concurrent use.
type Decoder struct {
	Options
	small, large imageClass
	kept         *semaphore.Weighted // bytes of results; see Picture.Release
	used         atomic.Int64
	beforeDecode func(need int64) // for tests; may be nil
}

// imageClass is a class of images: those that take at most limit bytes while they are decoded.
type imageClass struct {
	limit int64
	slots *admission.Class
}

// NewDecoder returns a decoder. A process should use a single decoder, since each has its own limit.
func NewDecoder(o Options) *Decoder {
	o.Memory, o.Timeout = cmp.Or(o.Memory, defaultMemory), cmp.Or(o.Timeout, defaultTimeout)
	part := o.Memory / memoryParts
	class := func(limit int64, slots int) imageClass {
		return imageClass{limit,
			admission.New(admission.Limits{Slots: slots, Waiting: maxWaiting, MaxWait: maxWait})}
	}
	return &Decoder{Options: o, small: class(min(part, maxSmallBytes), smallSlots),
		large: class(part*largeParts, largeSlots), kept: semaphore.NewWeighted(part * keptParts)}
}

// MemoryError is the error for an image that takes more memory than one image may. Its numbers are in bytes.
type MemoryError struct{ Need, Limit int64 }

func (e *MemoryError) Error() string {
	return fmt.Sprintf("decoding the image takes %d bytes; one image may take %d", e.Need, e.Limit)
}

// Used returns how many bytes the images that are being decoded, and the results, may take.
func (d *Decoder) Used() int64 { return d.used.Load() }

// IsLarge reports whether Clean would decode the image as a large one. It reads the header only. It returns a *Refusal
// for a file whose header is not accepted, and leaves content at its start.
func (d *Decoder) IsLarge(content io.ReadSeeker) (bool, error) {
	h, err := probeImage(content)
	if err != nil {
		return false, err
	}
	_, err = content.Seek(0, io.SeekStart)
	return d.classOf(h, 0) == &d.large, err
}

// classOf returns the class of an image.
func (d *Decoder) classOf(h imageHeader, scaledSide int) *imageClass {
	if h.memory(h.config, h.length, scaledSide) > d.small.limit {
		return &d.large
	}
	return &d.small
}

// Clean decodes an image and returns the file without its metadata: EXIF, XMP, comments and all bytes that do not
// belong to the image. Animations, colour profiles and gamma are kept, but only the first frame of an animation is
// decoded. The pixels are not re-encoded, except for a JPEG with an EXIF orientation other than 1. owner says on whose
// behalf it works, such as the id of a store. The caller calls Picture.Release.
//
// Clean returns a *Refusal for a file that is not accepted, a *MemoryError, the error of ctx if ctx ends before the
// image is decoded, or fault.Unavailable if too many images wait.
func (d *Decoder) Clean(ctx context.Context, owner string, content io.ReadSeeker) (Picture, error) {
	var p Picture
	err := d.withDecoded(ctx, owner, content, 0, func(o decodedImage) (err error) {
		p = Picture{Format: o.format, Bytes: o.bytes, Opaque: isOpaque(o.image),
			Color: DominantColor(o.image)}
		upright := o.image
		if o.orientation != 1 {
			if p.Bytes, upright, err = encodeUpright(o.image, o.orientation, o.profile); err != nil {
				return fmt.Errorf("apply the EXIF orientation: %w", err)
			}
		}
		p.Width, p.Height = upright.Bounds().Dx(), upright.Bounds().Dy()
		return d.keep(ctx, &p)
	})
	return p, err
}

// keep reserves the memory of a result until the caller releases it. It is called while the image has its slot, so that
// the results that wait for a slow caller are bounded.
func (d *Decoder) keep(ctx context.Context, p *Picture) error {
	n := min(int64(len(p.Bytes)), d.Memory/memoryParts*keptParts)
	if err := d.kept.Acquire(ctx, n); err != nil {
		return err
	}
	d.used.Add(n)
	p.release = sync.OnceFunc(func() {
		d.used.Add(-n)
		d.kept.Release(n)
	})
	return nil
}

// withDecoded checks the limits, waits for a slot, decodes the image and calls fn with it. scaledSide is the longer
// side to which fn scales the image; 0 if it does not.
func (d *Decoder) withDecoded(
	ctx context.Context, owner string, content io.ReadSeeker, scaledSide int, fn func(decodedImage) error,
) error {
	h, err := probeImage(content)
	if err != nil {
		return err
	}

	class := d.classOf(h, scaledSide)
	release, err := class.slots.Acquire(ctx, admission.Key{Tenant: owner})
	if err != nil {
		return err
	}
	defer release()

	if _, err := content.Seek(0, io.SeekStart); err != nil {
		return err
	}

	need, err := d.decode(ctx, class, h, content, scaledSide, fn)
	if need >= freeBytes {
		debug.FreeOSMemory() // the next image gets the slot afterwards
	}

	return err
}

// decode reads and decodes an image, which has a slot of its class, and calls fn with it. It returns the memory that
// the image took.
func (d *Decoder) decode(
	ctx context.Context, class *imageClass, h imageHeader, content io.Reader, scaledSide int,
	fn func(decodedImage) error,
) (need int64, err error) {
	limited, cancel := context.WithTimeoutCause(ctx, d.Timeout, errTooSlow)
	defer cancel()

	b, err := io.ReadAll(content)
	if err != nil {
		return 0, err
	}
	f, err := parseFile(limited, h, b)
	if err != nil {
		return 0, decodeError(limited, h.format, err)
	}
	if need = f.memory(h.config, int64(len(f.bytes)), scaledSide); need > class.limit {
		return 0, &MemoryError{need, d.large.limit}
	}

	d.used.Add(need)
	defer d.used.Add(-need)

	if d.beforeDecode != nil {
		d.beforeDecode(need)
	}

	img, err := f.decode(limited, f.bytes)
	if err == nil {
		err = limited.Err()
	}

	if err != nil {
		return need, decodeError(limited, h.format, err)
	}

	return need, fn(decodedImage{format: h.format, cleanFile: f, image: img})
}

// decodeError converts the error of a decoder. If ctx ended, that is the reason, whatever the decoder made of it.
func decodeError(ctx context.Context, format Format, err error) error {
	switch {
	case ctx.Err() == nil:
		return refusalFor(format, err)
	case errors.Is(context.Cause(ctx), errTooSlow):
		return &Refusal{TooComplex, fmt.Sprintf("Decoding this %s takes too long. Save the image again, as an "+
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

// memoryUse has upper bounds of the memory of an image in bytes.
type memoryUse struct {
	// decoding is for decoding it, image for the result, and upright for applying the EXIF orientation to the result.
	decoding, image, upright int64
}

// memory returns an upper bound of the memory that a file takes from parsing to the last use of the image.
func (m memoryUse) memory(size image.Config, length int64, scaledSide int) int64 {
	use := m.image
	if m.upright > 0 {
		use += m.upright + 2*length // the encoded file
	}
	if scaledSide > 0 {
		use += scaleBytes(size.Width, size.Height, scaledSide)
	}
	return max(m.decoding, use) + 2*length
}

// perPixel returns the use of an image of a format with fixed numbers of bytes per pixel.
func perPixel(size image.Config, decoding, result int64) memoryUse {
	pixels := int64(size.Width) * int64(size.Height)
	return memoryUse{decoding: decoding * pixels, image: result * pixels}
}

// cleanFile is a file without its metadata, not yet decoded.
type cleanFile struct {
	memoryUse
	bytes       []byte
	profile     iccProfile
	orientation int // the EXIF orientation that has yet to be applied; 1 is none
	// decode decodes the bytes, or stops when ctx ends.
	decode func(ctx context.Context, bytes []byte) (image.Image, error)
}

// decodedImage is an image together with the clean file that it was decoded from. For an animation, image is the first
// frame, drawn on a canvas of full size.
type decodedImage struct {
	format Format
	cleanFile
	image image.Image
}

// parseFile removes the metadata of a file and finds out what decoding it takes.
func parseFile(ctx context.Context, h imageHeader, b []byte) (cleanFile, error) {
	out := cleanFile{orientation: 1, memoryUse: h.memoryUse}
	switch h.format {
	case JPEG:
		f, err := parseJPEG(b)
		if err != nil {
			return out, err
		}
		out.bytes = f.assemble()
		out.profile = f.profile
		out.orientation = f.orientation
		out.decode, out.memoryUse = decodeWith(jpeg.Decode), f.memoryUse()

	case PNG:
		f, err := parsePNG(ctx, b)
		if err != nil {
			return out, err
		}
		out.bytes, out.profile, out.decode = f.out, f.profile, decodeWith(png.Decode)

	case GIF:
		clean, err := cleanGIF(b)
		if err != nil {
			return out, err
		}
		out.bytes, out.decode = clean, decodeGIF

	case WebP:
		f, err := parseWebP(b)
		if err != nil {
			return out, err
		}
		out.bytes = f.assemble()
		out.profile = f.profile
		out.decode, out.memoryUse = f.decode, f.memoryUse(h.config)
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
		return &Refusal{"unsupported_image", fmt.Sprintf("This kind of %s is not supported. Save the image as an "+
			"ordinary JPEG, PNG, WebP or GIF and send it again.", codecs[format].name)}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		err = errTruncated
	}
	return errBrokenImage(format, err.Error())
}
