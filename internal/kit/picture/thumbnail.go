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
func (d *Decoder) Thumbnails(ctx context.Context, content io.ReadSeeker, longest ...int) ([]Picture, error) {
	format, size, err := measure(content)
	if err != nil {
		return nil, err
	}
	done, err := d.begin(ctx, size)
	if err != nil {
		return nil, err
	}
	defer done()
	b, err := readAll(content)
	if err != nil {
		return nil, err
	}
	o, err := open(format, b)
	if err != nil {
		return nil, err
	}
	made := make([]Picture, len(longest))
	opaque, from := isOpaque(o.image), o.image
	for i, most := range longest {
		small := image.NewRGBA(shrink(from.Bounds(), most))
		draw.CatmullRom.Scale(small, small.Rect, from, from.Bounds(), draw.Src, nil)
		if made[i], err = encode(small, opaque, o.profile); err != nil {
			return nil, err
		}
		from = small // the next is made of this one: the whole picture is walked over once
	}
	return made, nil
}

func encode(img *image.RGBA, opaque bool, colours profile) (Picture, error) {
	p := Picture{Format: PNG, Width: img.Rect.Dx(), Height: img.Rect.Dy(), Opaque: opaque}
	var b bytes.Buffer
	if opaque {
		p.Format = JPEG
		err := jpeg.Encode(&b, img, &jpeg.Options{Quality: thumbnailQuality})
		p.Bytes = withProfile(b.Bytes(), colours, "RGB ")
		return p, err
	}
	err := png.Encode(&b, img)
	if p.Bytes = b.Bytes(); err == nil && colours.fits("RGB ") {
		p.Bytes = withICCP(p.Bytes, colours)
	}
	return p, err
}

// withICCP puts a profile into a PNG that has none, behind its first chunk.
func withICCP(file []byte, p profile) []byte {
	const head = len(pngSignature) + 12 + 13
	out := appendICCP(append([]byte(nil), file[:head]...), p)
	return append(out, file[head:]...)
}

// shrink is the size of a picture whose longer side has at most so many pixels.
func shrink(r image.Rectangle, longest int) image.Rectangle {
	w, h := r.Dx(), r.Dy()
	if most := max(w, h); most > longest {
		w, h = max(1, (w*longest+most/2)/most), max(1, (h*longest+most/2)/most)
	}
	return image.Rect(0, 0, w, h)
}
