// Package drawing draws pictures of products: a lamp looks like a lamp, in the colour of the product. A picture depends
// only on its Spec. The drawings are vector graphics in Go; parts of a product are flat, soft, turned on a lathe or
// boxes, and are all lit from the upper left.
package drawing

import (
	"bytes"
	"image"
	"image/jpeg"
	"math/rand/v2"

	"vitrine/internal/kit/picture"
)

// Side is the width and height of a picture, in pixels: that of a medium thumbnail, which needs no scaling then.
const Side = 640

// Styles is how many products of one kind look different in one colour.
const Styles = 4

// quality is the JPEG quality of pictures.
const quality = 84

// View is what a picture shows of a product.
type View byte

// The views of a product.
const (
	Front  View = iota // the whole product in a studio
	Detail             // a part of it, larger
	Scene              // the whole product from the other side, in a room
	Views  = 3
)

// Spec says what a picture shows. Equal specs give equal pictures.
type Spec struct {
	Kind     string // a name of Kinds
	Colour   string // a colour of the catalogue; "" for the usual one of the kind
	Material string // a material of the catalogue, or ""
	Label    string // the words on a package or a cover, or ""
	Style    int    // below Styles
	View     View
}

// render draws a picture as a JPEG file.
func (b *Studio) render(s Spec) (picture.Picture, error) {
	drawn := b.Draw(s, Side)
	var file bytes.Buffer
	if err := jpeg.Encode(&file, inYCbCr(drawn), &jpeg.Options{Quality: quality}); err != nil {
		return picture.Picture{}, err
	}
	return picture.Picture{Format: picture.JPEG, Width: Side, Height: Side, Opaque: true,
		Color: picture.DominantColor(drawn), Bytes: file.Bytes()}, nil
}

// inYCbCr returns an opaque image with even sides as a JPEG file has it, with one colour for four pixels. The encoder
// would compute the colours of all pixels.
func inYCbCr(img *image.RGBA) *image.YCbCr {
	out := image.NewYCbCr(img.Rect, image.YCbCrSubsampleRatio420)
	n := img.Rect.Dx()
	for y := 0; y < img.Rect.Dy(); y += 2 {
		upper, lower := img.Pix[y*img.Stride:][:4*n], img.Pix[(y+1)*img.Stride:][:4*n]
		above, below := out.Y[y*out.YStride:][:n], out.Y[(y+1)*out.YStride:][:n]
		blue, red := out.Cb[y/2*out.CStride:][:n/2], out.Cr[y/2*out.CStride:][:n/2]

		for i := range blue {
			p, q := upper[8*i:][:8:8], lower[8*i:][:8:8]
			above[2*i], above[2*i+1] = luma(p), luma(p[4:])
			below[2*i], below[2*i+1] = luma(q), luma(q[4:])

			r := int32(p[0]) + int32(p[4]) + int32(q[0]) + int32(q[4])
			g := int32(p[1]) + int32(p[5]) + int32(q[1]) + int32(q[5])
			b := int32(p[2]) + int32(p[6]) + int32(q[2]) + int32(q[6])
			blue[i] = uint8(min(255, (-11056*r-21712*g+32768*b+257<<17)>>18))
			red[i] = uint8(min(255, (32768*r-27440*g-5328*b+257<<17)>>18))
		}
	}
	return out
}

func luma(pixel []uint8) uint8 {
	return uint8((19595*int32(pixel[0]) + 38470*int32(pixel[1]) + 7471*int32(pixel[2]) + 1<<15) >> 16)
}

// Draw draws a picture with a side in pixels.
func (b *Studio) Draw(s Spec, side int) *image.RGBA {
	k := designs[s.Kind]
	if k.draw == nil {
		k.draw = drawParcel
	}
	d := &drawing{Spec: s, studio: b, side: side, extent: noBounds(), measure: true,
		toPixels: matrix{a: 1, e: 1}}
	run := func() {
		d.randomness = newRandomness(s.Kind, s.Style)
		d.chooseColours(k)
		k.draw(d)
	}
	run()

	d.measure = false
	d.object = image.NewRGBA(image.Rect(0, 0, side, side))
	d.fit()
	run()
	return d.compose()
}

// fit chooses the transformation by the bounds of the product.
func (d *drawing) fit() {
	side := float32(d.side)
	width, height := d.extent.width(), d.extent.height()
	room := side * 0.76
	if d.View == Scene {
		room = side * 0.6
	}
	zoom := min(room/width, room/height)
	if d.ground == standing {
		zoom = min(room*1.02/width, room*0.98/height)
	}

	cx, cy := (d.extent.x0+d.extent.x1)/2, (d.extent.y0+d.extent.y1)/2
	x, y := side/2, side/2
	if d.ground == standing {
		cy, y = d.extent.y1, side*0.5+min(height*zoom/2, side*0.5)+side*0.045
		if d.View == Scene {
			y = side * 0.84
		}
	}
	if d.View == Detail {
		zoom *= 1.9
		cx = d.extent.x0 + width*0.4
		cy = d.extent.y0 + height*0.36
		x, y = side/2, side/2
	}

	d.toPixels = matrix{zoom, 0, x - cx*zoom, 0, zoom, y - cy*zoom}
	if d.View == Scene {
		d.toPixels = matrix{-zoom, 0, x + cx*zoom, 0, zoom, y - cy*zoom}
	}
}

// randomness varies the proportions of a product. It depends on the kind and the style only, so that the views and
// colours of a product have the same proportions.
type randomness struct{ *rand.Rand }

func newRandomness(name string, style int) *randomness {
	seed := uint64(14695981039346656037)
	for _, c := range []byte(name) {
		seed = (seed ^ uint64(c)) * 1099511628211
	}
	return &randomness{rand.New(rand.NewPCG(seed, uint64(style)))}
}

// between returns a random number.
func (r *randomness) between(from, to float32) float32 { return from + (to-from)*r.Float32() }

// one returns a random number below n. Each style of a kind has another one if n is at most Styles.
func (d *drawing) one(n int) int { return d.Style % n }
