package demo

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"slices"
)

// Size of an image, in pixels.
const (
	pictureWidth  = 800
	pictureHeight = 600
)

// Pictures draws one or two images of product i, as JPEG files: the shape of its department in its colour.
func (g *Generator) Pictures(i int) ([][]byte, error) {
	p := g.Product(i)
	rng := newProductRand(^g.seed, uint64(i)) // independent of the random generator of the product
	view := productShape{
		colour: g.productColour(p, rng), distance: g.departmentShape(p), size: 150 + 40*rng.Float64(),
		rotation: rng.Float64() * math.Pi / 4,
	}
	files := make([][]byte, 1, 2)
	if rng.chance(0.4) {
		files = files[:2]
	}

	for k := range files {
		var file bytes.Buffer
		if err := jpeg.Encode(&file, view.render(), &jpeg.Options{Quality: 85}); err != nil {
			return nil, err
		}
		files[k] = file.Bytes()
		view.size *= 1.5
		view.rotation += math.Pi / 6 // zoomed in
	}

	return files, nil
}

// productColour returns the colour of a product, or a random one if the product has no colour with a known RGB value.
func (g *Generator) productColour(p Product, rng productRand) color.RGBA {
	attribute := g.features.attribute[g.colour]
	if index := slices.IndexFunc(p.Features, func(c Choice) bool { return c.Attribute == attribute }); index >= 0 {
		if paint, ok := namedColours()[g.features.list[attribute].Values[p.Features[index].Value]]; ok {
			return paint
		}
	}
	return color.RGBA{uint8(60 + rng.IntN(160)), uint8(60 + rng.IntN(160)), uint8(60 + rng.IntN(160)), 255}
}

func namedColours() map[string]color.RGBA {
	return map[string]color.RGBA{
		"Black": {38, 38, 42, 255}, "White": {244, 244, 240, 255}, "Grey": {134, 138, 142, 255},
		"Silver": {192, 196, 200, 255}, "Navy": {32, 48, 92, 255},
		"Blue": {46, 104, 196, 255}, "Turquoise": {52, 178, 176, 255}, "Green": {62, 142, 78, 255},
		"Olive": {112, 116, 58, 255}, "Yellow": {236, 200, 60, 255},
		"Gold": {208, 168, 84, 255}, "Orange": {228, 128, 48, 255}, "Terracotta": {196, 100, 72, 255},
		"Red": {196, 52, 52, 255}, "Burgundy": {118, 32, 56, 255},
		"Pink": {230, 140, 168, 255}, "Beige": {220, 202, 172, 255}, "Brown": {124, 82, 54, 255},
		"Oak": {196, 154, 104, 255}, "Walnut": {102, 70, 50, 255},

		"Чёрный": {38, 38, 42, 255}, "Белый": {244, 244, 240, 255}, "Серый": {134, 138, 142, 255},
		"Серебристый": {192, 196, 200, 255}, "Тёмно-синий": {32, 48, 92, 255}, "Синий": {46, 104, 196, 255},
		"Голубой": {120, 180, 230, 255}, "Зелёный": {62, 142, 78, 255}, "Хаки": {112, 116, 58, 255},
		"Жёлтый": {236, 200, 60, 255}, "Золотистый": {208, 168, 84, 255}, "Оранжевый": {228, 128, 48, 255},
		"Бронзовый": {156, 110, 62, 255}, "Красный": {196, 52, 52, 255}, "Бордовый": {118, 32, 56, 255},
		"Розовый": {230, 140, 168, 255}, "Фиолетовый": {120, 76, 160, 255}, "Бежевый": {220, 202, 172, 255},
		"Коричневый": {124, 82, 54, 255}, "Хром": {204, 208, 212, 255},
	}
}

// distanceFunc returns the signed distance of a point from the edge of a shape of size 1; it is negative inside.
type distanceFunc func(x, y float64) float64

func (g *Generator) departmentShape(p Product) distanceFunc {
	top := p.Categories[0]
	for g.tree.categories[top].Parent >= 0 {
		top = g.tree.categories[top].Parent
	}
	shapes := []distanceFunc{discShape, ringShape, barsShape, slabShape, pillShape, rhombShape}
	nth := 0
	for i := range top {
		if g.tree.categories[i].Parent < 0 {
			nth++
		}
	}
	return shapes[nth%len(shapes)]
}

func discShape(x, y float64) float64  { return hypot(x, y) - 1 }
func ringShape(x, y float64) float64  { return math.Abs(hypot(x, y)-0.8) - 0.25 }
func rhombShape(x, y float64) float64 { return (math.Abs(x) + math.Abs(y) - 1.2) / math.Sqrt2 }
func slabShape(x, y float64) float64  { return roundedBox(x, y, 1, 0.7) }

func barsShape(x, y float64) float64 {
	return min(roundedBox(x, y+0.7, 1, 0.22), roundedBox(x, y, 0.8, 0.22), roundedBox(x, y-0.7, 1, 0.22))
}

func pillShape(x, y float64) float64 { return hypot(max(math.Abs(x)-0.7, 0), y) - 0.5 }

// roundedBox is the distanceFunc of a rectangle with rounded corners, half width w and half height h.
func roundedBox(x, y, w, h float64) float64 {
	const round = 0.15
	dx, dy := math.Abs(x)-w+round, math.Abs(y)-h+round
	return hypot(max(dx, 0), max(dy, 0)) + min(max(dx, dy), 0) - round
}

type productShape struct {
	colour         color.RGBA
	distance       distanceFunc
	size, rotation float64 // in pixels and in radians
}

// render draws the shape with a soft shadow on a light background.
func (s productShape) render() *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, pictureWidth, pictureHeight))
	sin, cos := math.Sincos(s.rotation)
	edgeDistance := func(x, y float64) float64 { // signed distance from the edge, in pixels
		x, y = (x-pictureWidth/2)/s.size, (y-pictureHeight/2)/s.size
		return s.distance(x*cos+y*sin, y*cos-x*sin) * s.size
	}
	for y := range pictureHeight {
		background, body := s.rowColours(float64(y) / pictureHeight)
		for x := range pictureWidth {
			pixel := img.Pix[img.PixOffset(x, y):][:4]
			pixel[3] = 255
			edge := edgeDistance(float64(x), float64(y))
			switch {
			case edge < -0.5:
				copy(pixel, body[:])
			case edge > shadowSoftness+30: // the shadow ends at 51: its offset is 26, half of its gradient 25
				copy(pixel, background[:])
			default:
				inside := clamp(0.5 - edge)
				light := 1 - 0.3*clamp(0.5-edgeDistance(float64(x-10), float64(y-24))/shadowSoftness)
				for c := range background {
					pixel[c] = uint8(inside*float64(body[c]) + (1-inside)*light*float64(background[c]))
				}
			}
		}
	}

	return img
}

// shadowSoftness is the width of the shadow's gradient, in pixels.
const shadowSoftness = 50

// rowColours returns the colours of background and shape in a row. down is 0 for the top row and 1 for the bottom row.
func (s productShape) rowColours(down float64) (background, body [3]uint8) {
	for c, tint := range []uint8{s.colour.R, s.colour.G, s.colour.B} {
		background[c] = uint8(232 - 24*down + 0.08*(float64(tint)-128))
		body[c] = uint8(max(0, min(255, float64(tint)+26*(0.5-down))))
	}
	return background, body
}

// hypot is faster than math.Hypot, which handles overflow and infinities that do not occur here.
func hypot(x, y float64) float64 { return math.Sqrt(x*x + y*y) }

func clamp(x float64) float64 { return max(0, min(1, x)) }
