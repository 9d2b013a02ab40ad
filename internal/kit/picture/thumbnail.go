package picture

import (
	"bytes"
	"context"
	"image"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/draw"
)

// thumbnailQuality is that of thumbnails that are JPEGs.
const thumbnailQuality = 85

// Thumbnails makes smaller pictures of a clean one: at most longest[i] pixels on the longer side, the largest first, never larger than it
// is, and at least one on the shorter side. They are JPEGs where it is opaque and PNGs otherwise; of an animation they show the first frame. It fails as Clean does.
func (d *Decoder) Thumbnails(ctx context.Context, content io.ReadSeeker, sides ...int) ([]Picture, error) {
	format, size, err := probe(content)
	if err != nil {
		return nil, err
	}
	release, err := d.acquireSlot(ctx, size)
	if err != nil {
		return nil, err
	}
	defer release()
	b, err := readAll(content)
	if err != nil {
		return nil, err
	}
	o, err := stripAndDecode(format, b)
	if err != nil {
		return nil, err
	}
	thumbnails := make([]Picture, len(sides))
	opaque, from := isOpaque(o.image), o.image
	for i, side := range sides {
		small := image.NewRGBA(fitWithin(from.Bounds(), side))
		draw.CatmullRom.Scale(small, small.Rect, from, from.Bounds(), draw.Src, nil)
		if thumbnails[i], err = encodeThumbnail(small, opaque, o.profile); err != nil {
			return nil, err
		}
		from = small // the next is made of this one: the whole picture is walked over once
	}
	return thumbnails, nil
}

func encodeThumbnail(img *image.RGBA, opaque bool, profile iccProfile) (Picture, error) {
	p := Picture{Format: PNG, Width: img.Rect.Dx(), Height: img.Rect.Dy(), Opaque: opaque}
	var b bytes.Buffer
	if opaque {
		p.Format = JPEG
		err := jpeg.Encode(&b, img, &jpeg.Options{Quality: thumbnailQuality})
		p.Bytes = insertJPEGProfile(b.Bytes(), profile, "RGB ")
		return p, err
	}
	err := png.Encode(&b, img)
	if p.Bytes = b.Bytes(); err == nil && profile.hasColourSpace("RGB ") {
		p.Bytes = insertPNGProfile(p.Bytes, profile)
	}
	return p, err
}

// insertPNGProfile puts a profile into a PNG that has none, behind its first chunk.
func insertPNGProfile(file []byte, p iccProfile) []byte {
	const head = len(pngSignature) + 12 + 13
	out := appendICCPChunk(append([]byte(nil), file[:head]...), p)
	return append(out, file[head:]...)
}

// fitWithin is the size of a picture whose longer side has at most so many pixels.
func fitWithin(r image.Rectangle, side int) image.Rectangle {
	w, h := r.Dx(), r.Dy()
	if longer := max(w, h); longer > side {
		w, h = max(1, (w*side+longer/2)/longer), max(1, (h*side+longer/2)/longer)
	}
	return image.Rect(0, 0, w, h)
}
