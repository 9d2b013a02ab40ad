package picture

import (
	"bytes"
	"context"
	"fmt"
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
// they show the first frame. Thumbnails returns the same errors as Clean. They need no call of Release.
func (d *Decoder) Thumbnails(
	ctx context.Context, owner string, content io.ReadSeeker, sides ...int,
) ([]Picture, error) {
	thumbnails := make([]Picture, len(sides))

	err := d.withDecoded(ctx, owner, content, slices.Max(sides), func(o decodedImage) (err error) {
		full := o.image.Bounds()
		opaque := isOpaque(o.image)
		from := o.image
		if n := blockSide(full.Dx(), full.Dy(), sides[0]); n > 1 {
			from = averageBlocks(from, n)
		}

		for i, side := range sides {
			small := image.NewRGBA(fitWithin(full, side))
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

// WidthError is the error for an image that is to be made wider than it is.
type WidthError struct{ Width int }

func (e *WidthError) Error() string { return fmt.Sprintf("the image is %d pixels wide", e.Width) }

// Narrower returns a clean image in the given width, in the format of a thumbnail. It returns a *WidthError if the
// image is not as wide, and otherwise the same errors as Thumbnails.
func (d *Decoder) Narrower(ctx context.Context, owner string, content io.ReadSeeker, width int) (Picture, error) {
	_, size, err := probeSize(content)
	if err != nil {
		return Picture{}, err
	}
	if size.Width < width {
		return Picture{}, &WidthError{size.Width}
	}
	if _, err := content.Seek(0, io.SeekStart); err != nil {
		return Picture{}, err
	}

	side := width
	if size.Height > size.Width { // the sides are at most MaxSide, so the product is small
		side = (size.Height*width + size.Width/2) / size.Width
	}
	made, err := d.Thumbnails(ctx, owner, content, side)
	if err != nil {
		return Picture{}, err
	}
	return made[0], nil
}

// blockSide returns the side of the blocks of pixels that are averaged before an image is scaled. What is left has at
// least twice the pixels of the result on the longer side, which is enough for the scaler.
func blockSide(w, h, side int) int { return max(1, max(w, h)/(2*side)) }

// averageBlocks returns an image that has one pixel for each block of n × n pixels. It makes the source of the scaler
// smaller: the scaler takes 32 bytes for each pixel of a column of its result and a row of its source, which can be
// more than the image itself.
func averageBlocks(img image.Image, n int) *image.RGBA {
	r := img.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, (r.Dx()+n-1)/n, (r.Dy()+n-1)/n))
	rows := image.NewRGBA(image.Rect(0, 0, r.Dx(), n))
	sums := make([]int, 4*out.Rect.Dx())
	for y := range out.Rect.Dy() {
		height := min(n, r.Dy()-y*n)
		draw.Draw(rows, rows.Rect, img, image.Pt(r.Min.X, r.Min.Y+y*n), draw.Src)
		clear(sums)
		for row := range height {
			pixels := rows.Pix[row*rows.Stride:][:4*r.Dx()]
			for x := range out.Rect.Dx() {
				sum := sums[4*x:][:4]
				for p := pixels[4*n*x : min(4*n*(x+1), len(pixels))]; len(p) >= 4; p = p[4:] {
					sum[0], sum[1] = sum[0]+int(p[0]), sum[1]+int(p[1])
					sum[2], sum[3] = sum[2]+int(p[2]), sum[3]+int(p[3])
				}
			}
		}

		for i, sum := range sums {
			count := height * min(n, r.Dx()-i/4*n)
			out.Pix[y*out.Stride+i] = uint8((sum + count/2) / count)
		}
	}

	return out
}

// scaleBytes returns how much memory averageBlocks and the scaler take for a result with the longer side.
func scaleBytes(w, h, side int) int64 {
	n := blockSide(w, h, side)
	use := int64(0)
	if n > 1 {
		use = 4*int64(n)*int64(w) + 32*int64(w/n+1)
		w, h = (w+n-1)/n, (h+n-1)/n
		use += 4 * int64(w) * int64(h)
	}
	return use + 32*int64(min(w, side))*int64(h) // four floats for each column of the result and row of the source
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
	w := r.Dx()
	h := r.Dy()
	if longer := max(w, h); longer > side {
		w = max(1, (w*side+longer/2)/longer)
		h = max(1, (h*side+longer/2)/longer)
	}
	return image.Rect(0, 0, w, h)
}
