package demo

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"slices"
)

// The size of a picture, in pixels.
const (
	pictureWidth  = 800
	pictureHeight = 600
)

// Pictures makes the one or two pictures of product i, as JPEG files: a shape that stands for its department, in the product's colour.
func (g *Generator) Pictures(i int) ([][]byte, error) {
	p := g.Product(i)
	d := newDraw(^g.seed, uint64(i)) // apart from what the product itself is drawn by
	s := sight{tint: g.tint(p, d), outline: g.outline(p), size: 150 + 40*d.Float64(), turn: d.Float64() * math.Pi / 4}
	files := make([][]byte, 1, 2)
	if d.chance(0.4) {
		files = files[:2]
	}
	for k := range files {
		var file bytes.Buffer
		if err := jpeg.Encode(&file, s.draw(), &jpeg.Options{Quality: 85}); err != nil {
			return nil, err
		}
		files[k] = file.Bytes()
		s.size, s.turn = s.size*1.5, s.turn+math.Pi/6 // a closer look
	}
	return files, nil
}

// tint is the colour of a product, or any where its colour has no paint.
func (g *Generator) tint(p Product, d draw) color.RGBA {
	of := g.features.number[colourFeature]
	if at := slices.IndexFunc(p.Features, func(c Choice) bool { return c.Attribute == of }); at >= 0 {
		if paint, ok := paints()[g.features.list[of].Values[p.Features[at].Value]]; ok {
			return paint
		}
	}
	return color.RGBA{uint8(60 + d.IntN(160)), uint8(60 + d.IntN(160)), uint8(60 + d.IntN(160)), 255}
}

func paints() map[string]color.RGBA {
	return map[string]color.RGBA{
		"Black": {38, 38, 42, 255}, "White": {244, 244, 240, 255}, "Grey": {134, 138, 142, 255}, "Silver": {192, 196, 200, 255}, "Navy": {32, 48, 92, 255},
		"Blue": {46, 104, 196, 255}, "Turquoise": {52, 178, 176, 255}, "Green": {62, 142, 78, 255}, "Olive": {112, 116, 58, 255}, "Yellow": {236, 200, 60, 255},
		"Gold": {208, 168, 84, 255}, "Orange": {228, 128, 48, 255}, "Terracotta": {196, 100, 72, 255}, "Red": {196, 52, 52, 255}, "Burgundy": {118, 32, 56, 255},
		"Pink": {230, 140, 168, 255}, "Beige": {220, 202, 172, 255}, "Brown": {124, 82, 54, 255}, "Oak": {196, 154, 104, 255}, "Walnut": {102, 70, 50, 255},
	}
}

// outline tells how far a point is from the edge of a shape of size 1 around the origin: negative inside.
type outline func(x, y float64) float64

// outline is the shape of the product's department.
func (g *Generator) outline(p Product) outline {
	top := p.Categories[0]
	for g.categories[top].Parent >= 0 {
		top = g.categories[top].Parent
	}
	shapes := []outline{disc, ring, bar, slab, pill, rhomb}
	nth := 0
	for i := range top {
		if g.categories[i].Parent < 0 {
			nth++
		}
	}
	return shapes[nth%len(shapes)]
}

func disc(x, y float64) float64  { return length(x, y) - 1 }
func ring(x, y float64) float64  { return math.Abs(length(x, y)-0.8) - 0.25 }
func rhomb(x, y float64) float64 { return (math.Abs(x) + math.Abs(y) - 1.2) / math.Sqrt2 }
func slab(x, y float64) float64  { return box(x, y, 1, 0.7) }

// bar is three bars, one above the other.
func bar(x, y float64) float64 {
	return min(box(x, y+0.7, 1, 0.22), box(x, y, 0.8, 0.22), box(x, y-0.7, 1, 0.22))
}

func pill(x, y float64) float64 {
	return length(max(math.Abs(x)-0.7, 0), y) - 0.5
}

// box is a rectangle of that half width and half height with rounded corners.
func box(x, y, w, h float64) float64 {
	const round = 0.15
	dx, dy := math.Abs(x)-w+round, math.Abs(y)-h+round
	return length(max(dx, 0), max(dy, 0)) + min(max(dx, dy), 0) - round
}

// sight is a shape as it is looked at.
type sight struct {
	tint       color.RGBA
	outline    outline
	size, turn float64 // in pixels, in radians
}

// draw paints the shape with a soft shadow on a pale ground.
func (s sight) draw() *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, pictureWidth, pictureHeight))
	sin, cos := math.Sincos(s.turn)
	from := func(x, y float64) float64 { // the edge of the shape, in pixels
		x, y = (x-pictureWidth/2)/s.size, (y-pictureHeight/2)/s.size
		return s.outline(x*cos+y*sin, y*cos-x*sin) * s.size
	}
	for y := range pictureHeight {
		ground, body := s.row(float64(y) / pictureHeight)
		for x := range pictureWidth {
			pixel := img.Pix[img.PixOffset(x, y):][:4]
			pixel[3] = 255
			edge := from(float64(x), float64(y))
			switch {
			case edge < -0.5:
				copy(pixel, body[:])
			case edge > shadow+30: // no part of the shadow either, which lies 26 pixels away
				copy(pixel, ground[:])
			default:
				inside := clamp(0.5 - edge)
				light := 1 - 0.3*clamp(0.5-from(float64(x-10), float64(y-24))/shadow)
				for c := range ground {
					pixel[c] = uint8(inside*float64(body[c]) + (1-inside)*light*float64(ground[c]))
				}
			}
		}
	}
	return img
}

// shadow is how soft the shadow is, in pixels.
const shadow = 50

// row is the colour of the ground and of the shape that far down the picture, 0 to 1: both are lit from above.
func (s sight) row(down float64) (ground, body [3]uint8) {
	for c, tint := range []uint8{s.tint.R, s.tint.G, s.tint.B} {
		ground[c] = uint8(232 - 24*down + 0.08*(float64(tint)-128))
		body[c] = uint8(max(0, min(255, float64(tint)+26*(0.5-down))))
	}
	return ground, body
}

// length is math.Hypot without its care for numbers that do not occur here, which takes most of the time.
func length(x, y float64) float64 { return math.Sqrt(x*x + y*y) }

func clamp(x float64) float64 { return max(0, min(1, x)) }
