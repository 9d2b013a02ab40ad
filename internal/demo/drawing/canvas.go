package drawing

import (
	"image"
	"image/draw"
	"math"

	"golang.org/x/image/vector"
)

// cell is the side of a cell of the coarse grid, in pixels. Soft things, such as shadows, are computed on it.
const cell = 4

// drawing is a picture in the making. The functions that draw products use units; fit converts them to pixels. While
// measure is set, nothing is drawn: only the bounds of all parts are noted.
type drawing struct {
	Spec
	studio *Studio
	*randomness
	c        rgb  // colour of the product
	known    bool // the catalogue says the colour
	second   rgb  // colour of other parts, which goes with the colour of the product
	material material
	measure  bool
	extent   bounds
	ground   ground
	// unshaded means that parts cast no soft shadows on the parts below them.
	unshaded bool

	side     int // of the picture, in pixels
	object   *image.RGBA
	toPixels matrix

	rasterizer vector.Rasterizer
	mask       image.Alpha
	grid       []float32
	spare      []float32
	coarse     image.Alpha
}

// ground says where a product is.
type ground byte

const (
	standing ground = iota // on a floor or a table
	lying                  // on a surface, seen from above
	hanging                // in front of a wall
)

func (d *drawing) lay()  { d.ground = lying }
func (d *drawing) hang() { d.ground = hanging }

// region is a rectangle of pixels or cells.
type region struct{ x0, y0, x1, y1 int }

func (r region) width() int  { return r.x1 - r.x0 }
func (r region) height() int { return r.y1 - r.y0 }
func (r region) empty() bool { return r.x0 >= r.x1 || r.y0 >= r.y1 }

// pixelRegion returns the visible pixels that a path may touch.
func (d *drawing) pixelRegion(p path) region {
	b := noBounds()
	b.add(p)
	return region{
		max(0, int(math.Floor(f64(b.x0)))), max(0, int(math.Floor(f64(b.y0)))),
		min(d.side, int(math.Ceil(f64(b.x1)))+1), min(d.side, int(math.Ceil(f64(b.y1)))+1),
	}
}

// cover rasterises a path, which is in pixels, divided by scale, into a mask of the region.
func (d *drawing) cover(p path, r region, scale float32, mask *image.Alpha) {
	w, h := r.width(), r.height()
	if cap(mask.Pix) < w*h {
		mask.Pix = make([]uint8, max(w*h, d.side*d.side/4))
	}
	mask.Pix = mask.Pix[:w*h]
	mask.Stride = w
	mask.Rect = image.Rect(0, 0, w, h)

	d.rasterizer.Reset(w, h)
	d.rasterizer.DrawOp = draw.Src
	for _, c := range p {
		for i, q := range c {
			x, y := q.x/scale-float32(r.x0), q.y/scale-float32(r.y0)
			if i == 0 {
				d.rasterizer.MoveTo(x, y)
			} else {
				d.rasterizer.LineTo(x, y)
			}
		}
		d.rasterizer.ClosePath()
	}
	d.rasterizer.Draw(mask, mask.Rect, image.Opaque, image.Point{})
}

// light returns the brightness of a pixel.
type light func(x, y float32) float32

// fill draws a part, which is in pixels. A nil light is even light.
func (d *drawing) fill(p path, s surface, l light) {
	r := d.pixelRegion(p)
	if r.empty() {
		return
	}
	d.cover(p, r, 1, &d.mask)
	ramp := s.ramp()
	alpha := uint32(255)
	if s.alpha > 0 {
		alpha = uint32(255 * s.alpha)
	}
	step := float32(2)
	if d.View == Detail {
		step = 1.15
	}
	step *= 800 / float32(d.side)
	upright := s.texture != nil && s.along && r.height() > r.width() // the grain runs along the longer side

	for y := r.y0; y < r.y1; y++ {
		row := d.mask.Pix[(y-r.y0)*r.width():][:r.width()]
		out := d.object.Pix[y*d.object.Stride+4*r.x0:]
		var line []int8
		if s.texture != nil && !upright {
			line = s.texture[(int(float32(y)*step)&(textureSide-1))*textureSide:][:textureSide]
		}

		for i, covered := range row {
			if covered == 0 {
				continue
			}
			b := float32(1)
			if l != nil {
				b = l(float32(r.x0+i), float32(y))
			}
			switch {
			case upright:
				at := (int(float32(r.x0+i)*step)&(textureSide-1))*textureSide + int(float32(y)*step)&(textureSide-1)
				b += s.relief * float32(s.texture[at]) * (1.0 / 127)
			case line != nil:
				b += s.relief * float32(line[int(float32(r.x0+i)*step)&(textureSide-1)]) * (1.0 / 127)
			}
			c := ramp[max(0, min(rampSize-1, int(b*(rampSize/2))))]
			blend(out[4*i:4*i+4:4*i+4], c, uint32(covered)*alpha/255)
		}
	}
}

// blend puts a colour over a premultiplied pixel.
func blend(pixel []uint8, c [3]uint8, a uint32) {
	if a >= 255 {
		pixel[0], pixel[1], pixel[2], pixel[3] = c[0], c[1], c[2], 255
		return
	}
	rest := 255 - a
	pixel[0] = uint8((uint32(c[0])*a + uint32(pixel[0])*rest + 127) / 255)
	pixel[1] = uint8((uint32(c[1])*a + uint32(pixel[1])*rest + 127) / 255)
	pixel[2] = uint8((uint32(c[2])*a + uint32(pixel[2])*rest + 127) / 255)
	pixel[3] = uint8(a + (uint32(pixel[3])*rest+127)/255)
}

// softMask rasterises a path on the coarse grid and blurs it. The region is in cells, and wider than the path by the
// radius, which is in pixels. The result is valid until the next call.
func (d *drawing) softMask(p path, radius float32) ([]float32, region) {
	b := noBounds()
	b.add(p)
	margin := radius*2 + 2*cell
	r := region{
		int(math.Floor(f64((b.x0 - margin) / cell))), int(math.Floor(f64((b.y0 - margin) / cell))),
		int(math.Ceil(f64((b.x1+margin)/cell))) + 1, int(math.Ceil(f64((b.y1+margin)/cell))) + 1,
	}
	edge := d.side/cell + 16
	r = region{max(-16, r.x0), max(-16, r.y0), min(edge, r.x1), min(edge, r.y1)}
	if r.empty() {
		return nil, r
	}

	d.cover(p, r, cell, &d.coarse)
	n := r.width() * r.height()
	if cap(d.grid) < n {
		d.grid, d.spare = make([]float32, 2*n), make([]float32, 2*n)
	}
	grid := d.grid[:n]
	for i, c := range d.coarse.Pix {
		grid[i] = float32(c) * (1.0 / 255)
	}
	blur(grid, d.spare[:n], r.width(), r.height(), radius/cell)
	return grid, r
}

// blur blurs a grid with a radius in cells: three box filters in each direction are nearly Gaussian.
func blur(grid, spare []float32, w, h int, radius float32) {
	n := int(radius/1.7 + 0.5)
	if n < 1 {
		return
	}
	for range 2 {
		for y := range h {
			boxLine(grid[y*w:], spare[y*w:], w, 1, n)
		}
		for x := range w {
			boxLine(spare[x:], grid[x:], h, w, n)
		}
	}
}

// boxLine writes moving averages of a line of n elements.
func boxLine(from, to []float32, n, stride, radius int) {
	sum := float32(0)
	inverse := 1 / float32(2*radius+1)
	for i := range min(radius, n) {
		sum += from[i*stride]
	}
	for i := range n {
		if i+radius < n {
			sum += from[(i+radius)*stride]
		}
		if i-radius-1 >= 0 {
			sum -= from[(i-radius-1)*stride]
		}
		to[i*stride] = sum * inverse
	}
}

// sampler returns a function that interpolates a grid of a region, for pixels.
func sampler(grid []float32, r region) light {
	w, h := r.width(), r.height()
	return func(x, y float32) float32 {
		gx, gy := x*(1.0/cell)-0.375-float32(r.x0), y*(1.0/cell)-0.375-float32(r.y0)
		ix, iy := int(gx), int(gy)
		if ix < 0 || iy < 0 || ix >= w-1 || iy >= h-1 {
			return grid[max(0, min(h-1, iy))*w+max(0, min(w-1, ix))]
		}
		tx, ty := gx-float32(ix), gy-float32(iy)
		g := grid[iy*w+ix:]
		upper := g[0] + (g[1]-g[0])*tx
		bottom := g[w] + (g[w+1]-g[w])*tx
		return upper + (bottom-upper)*ty
	}
}

// darken darkens what is drawn already, softly, where a path in pixels is. It draws nothing outside of the product.
func (d *drawing) darken(p path, radius, strength float32) {
	grid, r := d.softMask(p, radius)
	if r.empty() {
		return
	}
	at := sampler(grid, r)
	x0, y0 := max(0, r.x0*cell), max(0, r.y0*cell)
	x1, y1 := min(d.side, (r.x1-1)*cell), min(d.side, (r.y1-1)*cell)

	for y := y0; y < y1; y++ {
		row := d.object.Pix[y*d.object.Stride:][:4*d.side]
		for x := x0; x < x1; x++ {
			pixel := row[4*x:][:4:4]
			if pixel[3] == 0 {
				continue
			}
			k := uint32(256 - 256*min(1, strength*at(float32(x), float32(y))))
			if k == 256 {
				continue
			}
			pixel[0], pixel[1], pixel[2] = uint8(uint32(pixel[0])*k>>8), uint8(uint32(pixel[1])*k>>8),
				uint8(uint32(pixel[2])*k>>8)
		}
	}
}
