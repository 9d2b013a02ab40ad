package drawing

import (
	"cmp"
	"math"
	"slices"
)

func sortPoints(p []point) {
	slices.SortFunc(p, func(a, b point) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.y, b.y)) })
}

// cast darkens what is below a part, at its lower right edge.
func (d *drawing) cast(p path) {
	if d.measure || d.unshaded {
		return
	}
	q, ok := d.pixels(p)
	if ok {
		k := float32(d.side) / 800
		d.darken(q.move(5*k, 8*k), 9*k, 0.42)
	}
}

// fillEven draws a part in even light.
func (d *drawing) fillEven(p path, s surface, lit float32) {
	if q, ok := d.pixels(p); ok {
		d.fill(q, s, func(_, _ float32) float32 { return lit })
	}
}

// flat draws a flat part whose brightness changes from the upper left to the lower right.
func (d *drawing) flat(p path, s surface, from, to float32) {
	q, ok := d.pixels(p)
	if !ok {
		return
	}
	b := noBounds()
	b.add(q)
	w, h := max(1, b.width()), max(1, b.height())

	if s.metal {
		// Broad reflections run across the part.
		d.fill(q, s, func(x, y float32) float32 {
			t := ((x-b.x0)/w + (y-b.y0)/h) / 2
			return from + (to-from)*t + 0.16*float32(fastSin(t*9+0.6))
		})
		return
	}
	d.fill(q, s, func(x, y float32) float32 {
		return from + (to-from)*((x-b.x0)/w*0.4+(y-b.y0)/h*0.6)
	})
}

// sine is a table of one period.
var sine = func() (table [256]float32) {
	for i := range table {
		table[i] = float32(math.Sin(float64(i) * 2 * math.Pi / 256))
	}
	return table
}()

func fastSin(x float32) float32 { return sine[int(x*(256/(2*math.Pi))+65536)&255] }

// plate is a flat part that casts a shadow on what is below.
func (d *drawing) plate(p path, s surface) {
	d.cast(p)
	d.flat(p, s, 1.05, 0.92)
}

// line draws a line of even colour.
func (d *drawing) line(along []point, width float32, c rgb, alpha float32) {
	d.fillEven(stroke(along, width), matte(c).faded(alpha), 1)
}

// stitches draws a dashed line.
func (d *drawing) stitches(along []point, dash float32, c rgb) {
	walked, inked := float32(0), true
	start := 0
	for i := 1; i < len(along); i++ {
		walked += hypot(along[i].x-along[i-1].x, along[i].y-along[i-1].y)
		if walked < dash && i < len(along)-1 {
			continue
		}
		if inked && i > start {
			d.line(along[start:i+1], 3, c, 0.8)
		}
		inked = !inked
		start, walked = i, 0
	}
}

// dense returns a line with a point every few units, for stitches.
func dense(line []point, step float32) []point {
	var out []point
	for i := 1; i < len(line); i++ {
		a, b := line[i-1], line[i]
		n := max(1, int(hypot(b.x-a.x, b.y-a.y)/step))
		for k := range n {
			t := float32(k) / float32(n)
			out = append(out, point{a.x + (b.x-a.x)*t, a.y + (b.y-a.y)*t})
		}
	}
	return append(out, line[len(line)-1])
}

// fold is a crease of a soft part, or a ridge if depth is negative.
type fold struct {
	line  []point
	width float32
	depth float32
}

func crease(width, depth float32, xy ...float32) fold {
	return fold{curveThrough(xy...), width, depth}
}

// soft draws a part that bulges: it is round up to depth from its edge.
func (d *drawing) soft(p path, s surface, depth float32, folds ...fold) {
	d.cast(p)
	d.softUncast(p, s, depth, folds...)
}

func (d *drawing) softUncast(p path, s surface, depth float32, folds ...fold) {
	q, ok := d.pixels(p)
	if !ok {
		return
	}
	radius := max(3, d.scaled(depth))
	wide, r := d.softMask(q, radius)
	if r.empty() {
		return
	}
	height := append([]float32{}, wide...)
	for i := range height {
		height[i] *= 1.25 * radius / cell
	}
	narrow, _ := d.softMaskIn(q, r, radius*0.3)
	for i, n := range narrow {
		height[i] += n * 0.3 * radius / cell
	}
	for _, bend := range folds {
		width := d.scaled(bend.width)
		line, _ := d.softMaskIn(taper(bend.line, bend.width, bend.width*0.35).each(d.toPixels.apply), r, max(3,
			width*0.6))
		for i, n := range line {
			height[i] -= n * bend.depth * width / cell
		}
	}

	d.fill(q, s, sampler(slopes(height, r), r))
}

// softMaskIn is softMask with a given region.
func (d *drawing) softMaskIn(p path, r region, radius float32) ([]float32, region) {
	d.cover(p, r, cell, &d.coarse)
	n := r.width() * r.height()
	grid := d.grid[:n]
	for i, c := range d.coarse.Pix {
		grid[i] = float32(c) * (1.0 / 255)
	}
	blur(grid, d.spare[:n], r.width(), r.height(), radius/cell)
	return grid, r
}

// slopes replaces heights, in cells, by brightness.
func slopes(height []float32, r region) []float32 {
	w, h := r.width(), r.height()
	lit := make([]float32, len(height))
	for y := range h {

		for x := range w {
			i := y*w + x
			left, right, up, down := i, i, i, i
			if x > 0 {
				left--
			}
			if x < w-1 {
				right++
			}
			if y > 0 {
				up -= w
			}
			if y < h-1 {
				down += w
			}
			gx, gy := (height[right]-height[left])/2, (height[down]-height[up])/2
			n := 1 / sqrt(1+gx*gx+gy*gy)
			lit[i] = shade((-gx*lightX-gy*lightY+lightZ)*n, n)
		}
	}
	return lit
}

// shade returns the brightness for the cosine between the normal and the light, and that between the normal and the
// eye. A surface that faces the eye has nearly the brightness 1.
func shade(diffuse, facing float32) float32 {
	return 0.5 + 0.76*max(diffuse, -0.15) + 0.06*facing
}

// turnedBody is a body of revolution: its radii along a vertical axis.
type turnedBody struct {
	axis    float32
	outline []point // radius, y
}

// body parses the outline of a body of revolution: its radii and heights, such as "10,0 60,80". The heights may also be
// given from the bottom to the top.
func body(axis float32, text string) turnedBody {
	outline := curve(text)
	if outline[0].y > outline[len(outline)-1].y {
		slices.Reverse(outline)
	}
	return turnedBody{axis, outline}
}

func (b turnedBody) top() float32    { return b.outline[0].y }
func (b turnedBody) bottom() float32 { return b.outline[len(b.outline)-1].y }

// radius returns the radius at a height.
func (b turnedBody) radius(y float32) float32 {
	for i := 1; i < len(b.outline); i++ {
		p, q := b.outline[i-1], b.outline[i]
		if y <= q.y && q.y > p.y {
			return p.x + (q.x-p.x)*max(0, (y-p.y)/(q.y-p.y))
		}
	}
	return b.outline[len(b.outline)-1].x
}

// outlinePath returns the silhouette. The ends are ellipses whose height is the given share of their width.
func (b turnedBody) outlinePath(tilt float32) path {
	first, last := b.outline[0], b.outline[len(b.outline)-1]
	var c []point
	for _, p := range b.outline {
		c = append(c, point{b.axis + p.x, p.y})
	}
	c = append(c, arc(b.axis, last.y, last.x, last.x*tilt, 0, 180)...)
	for i := len(b.outline) - 1; i >= 0; i-- {
		c = append(c, point{b.axis - b.outline[i].x, b.outline[i].y})
	}
	c = append(c, arc(b.axis, first.y, first.x, first.x*tilt, 180, 360)...)
	return path{c}
}

// part returns the outline between two heights, such as for a label.
func (b turnedBody) part(from, to, tilt float32) path {
	var right []point
	for i := range 13 {
		y := from + (to-from)*float32(i)/12
		right = append(right, point{b.axis + b.radius(y), y})
	}
	c := slices.Clone(right)
	r := b.radius(to)
	c = append(c, arc(b.axis, to, r, r*tilt, 0, 180)...)

	for i := len(right) - 1; i >= 0; i-- {
		c = append(c, point{2*b.axis - right[i].x, right[i].y})
	}
	r = b.radius(from)
	// The upper edge is curved downwards, too: it is seen from above.
	edge := arc(b.axis, from, r, r*tilt, 180, 0)
	c = append(c, edge...)
	return path{c}
}

// lathe draws a body of revolution.
func (d *drawing) lathe(b turnedBody, s surface, tilt float32) {
	outline := b.outlinePath(tilt)
	d.cast(outline)
	d.latheOn(outline, b, s)
}

// latheOn draws a part of a body of revolution, such as a label.
func (d *drawing) latheOn(p path, b turnedBody, s surface) {
	q, ok := d.pixels(p)
	if !ok {
		return
	}

	rows := int(b.bottom()-b.top()) + 1
	const fine = 2 // rows per unit
	type row struct{ inverseRadius, slope, norm float32 }
	table := make([]row, rows*fine+1)
	for i := range table {
		y := b.top() + float32(i)/fine
		r := max(b.radius(y), 0.5)
		slope := (b.radius(y+2) - b.radius(y-2)) / 4
		slope = max(-1.6, min(1.6, slope))
		table[i] = row{1 / r, slope, 1 / sqrt(1+slope*slope)}
	}
	lx, ly := d.localLight()
	across := reflections(s)
	inverse := d.toPixels.inverse()

	d.fill(q, s, func(x, y float32) float32 {
		p := inverse.apply(point{x, y})
		t := table[max(0, min(len(table)-1, int((p.y-b.top())*fine)))]
		u := max(-1, min(1, (p.x-b.axis)*t.inverseRadius))
		nz := sqrt(1 - u*u)
		l := shade((u*lx-t.slope*ly+nz*lightZ)*t.norm, nz)
		if lx > 0 {
			u = -u
		}
		return l + across[int((u+1)*127)]*t.norm
	})
}

// reflections returns what the lamps of a studio add to a cylinder, from its left to its right edge.
func reflections(s surface) *[256]float32 {
	var table [256]float32
	bump := func(u, at, width float32) float32 {
		t := (u - at) / width
		return float32(math.Exp(-f64(t * t)))
	}

	for i := range table {
		u := float32(i)/127 - 1
		if s.metal {
			table[i] = 0.5*bump(u, -0.42, 0.2) + 0.42*bump(u, 0.62, 0.13) - 0.42*bump(u, 0.1, 0.3) -
				0.5*bump(u, -0.95, 0.16) - 0.25*bump(u, 1, 0.12)
			continue
		}
		gloss := max(0, s.shine-0.32)
		table[i] = gloss*(1.1*bump(u, -0.52, 0.12)+0.5*bump(u, 0.8, 0.07)) + 0.12*bump(u, 1, 0.25)
	}
	return &table
}

// rod draws a straight round bar.
func (d *drawing) rod(x1, y1, x2, y2, width float32, s surface) {
	d.cone(x1, y1, x2, y2, width, width, s)
}

// cone draws a straight round bar whose width changes.
func (d *drawing) cone(x1, y1, x2, y2, from, to float32, s surface) {
	length := hypot(x2-x1, y2-y1)
	if length < 0.1 {
		return
	}
	angle := float32(math.Atan2(f64(x1-x2), f64(y2-y1)) * 180 / math.Pi)
	d.within(rotation(angle, x1, y1), func() {
		b := turnedBody{x1, []point{{from / 2, y1}, {to / 2, y1 + length}}}
		d.lathe(b, s, 0.12)
	})
}

// tube draws a bent round bar.
func (d *drawing) tube(line []point, width float32, s surface) {
	d.soft(stroke(line, width), s, width*0.42)
}

// ball draws an ellipsoid.
func (d *drawing) ball(cx, cy, rx, ry float32, s surface) {
	d.ballOn(ellipse(cx, cy, rx, ry), cx, cy, rx, ry, s)
}

// ballOn draws a part of an ellipsoid.
func (d *drawing) ballOn(p path, cx, cy, rx, ry float32, s surface) {
	d.cast(p)
	q, ok := d.pixels(p)
	if !ok {
		return
	}
	lx, ly := d.localLight()
	inverse := d.toPixels.inverse()
	gloss := max(0, s.shine-0.3) * 1.3

	d.fill(q, s, func(x, y float32) float32 {
		p := inverse.apply(point{x, y})
		u, v := (p.x-cx)/rx, (p.y-cy)/ry
		rest := 1 - u*u - v*v
		nz := float32(0)
		if rest > 0 {
			nz = sqrt(rest)
		}
		cosine := u*lx + v*ly + nz*lightZ
		l := shade(cosine, nz)
		// The highlight is where the normal halves the angle between light and eye.
		if h := (u*lx + v*ly + nz*(lightZ+1)) * 0.557; gloss > 0 && h > 0.8 {
			t := (h - 0.8) * 5
			l += gloss * t * t * t
		}
		if s.metal {
			l += 0.3 * fastSin(v*4+u*2)
		}
		return l
	})
}

// glass draws a transparent body of revolution.
func (d *drawing) glass(b turnedBody, tint rgb, tilt float32) {
	outline := b.outlinePath(tilt)
	d.fillEven(outline, matte(tint).faded(0.22), 1)
	inner := turnedBody{b.axis, slices.Clone(b.outline)}
	for i := range inner.outline {
		inner.outline[i].x *= 0.9
	}
	d.flat(outline.without(inner.outlinePath(tilt)), matte(tint.darker(0.25)).faded(0.4), 1.1, 0.9)
	d.gleam(b, 0.6)
}

// gleam draws the reflections of two windows on a body of revolution.
func (d *drawing) gleam(b turnedBody, alpha float32) {
	h := b.bottom() - b.top()
	for _, strip := range [][4]float32{{-0.74, -0.56, 0.1, 0.86}, {0.72, 0.79, 0.16, 0.8}} {
		var left, right []point
		for i := range 15 {
			y := b.top() + h*(strip[2]+(strip[3]-strip[2])*float32(i)/14)
			r := b.radius(y)
			left = append(left, point{b.axis + strip[0]*r, y})
			right = append(right, point{b.axis + strip[1]*r, y})
		}
		slices.Reverse(right)
		d.fillEven(path{append(left, right...)}, matte(rgb{255, 255, 255}).faded(alpha), 1)
		alpha *= 0.6
	}
}

// opening draws the open top of a body of revolution, with what is inside.
func (d *drawing) opening(cx, cy, r, tilt float32, rim surface, inside rgb) {
	d.flat(ellipse(cx, cy, r, r*tilt), rim, 1.2, 1.02)
	d.flat(ellipse(cx, cy+r*0.012, r*0.93, r*tilt*0.9), matte(inside), 0.62, 1.02)
}
