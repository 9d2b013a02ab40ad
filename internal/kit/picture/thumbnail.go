package picture

import (
	"bytes"
	"context"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"slices"

	"golang.org/x/image/draw"
)

// thumbnailQuality is the JPEG quality of thumbnails.
const thumbnailQuality = 85

// Thumbnails returns one smaller version of a clean image per element of sides, which are in descending order. The
// longer side of a thumbnail has at most as many pixels as its element of sides says, the shorter side at least one
// pixel. Images are never enlarged. Thumbnails are JPEGs if the image is opaque and PNGs otherwise; of an animation
// they show the first frame. Thumbnails returns the same errors as Clean.
func (d *Decoder) Thumbnails(ctx context.Context, content io.ReadSeeker, sides ...int) ([]Picture, error) {
	thumbnails := make([]Picture, len(sides))
	err := d.withDecoded(ctx, content, slices.Max(sides), func(o decodedImage) (err error) {
		opaque, from := isOpaque(o.image), o.image
		for i, side := range sides {
			small := image.NewRGBA(fitWithin(from.Bounds(), side))
			draw.CatmullRom.Scale(small, small.Rect, from, from.Bounds(), draw.Src, nil)
			if thumbnails[i], err = encodeThumbnail(small, opaque, o.profile); err != nil {
				return err
			}
			from = small // scale the next one from this one, so that the full image is read once
		}
		return nil
	})
	if err != nil {
		return nil, err
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

// insertPNGProfile inserts a profile after the IHDR chunk of a PNG that has none.
func insertPNGProfile(file []byte, p iccProfile) []byte {
	const head = len(pngSignature) + 12 + 13
	return slices.Concat(file[:head], appendICCPChunk(nil, p), file[head:])
}

// fitWithin returns the size of r after scaling it down. Its longer side then has at most the given number of pixels.
func fitWithin(r image.Rectangle, side int) image.Rectangle {
	w, h := r.Dx(), r.Dy()
	if longer := max(w, h); longer > side {
		w, h = max(1, (w*side+longer/2)/longer), max(1, (h*side+longer/2)/longer)
	}
	return image.Rect(0, 0, w, h)
}
