package drawing

import (
	"math"
	"strconv"
	"strings"
)

// point is a position in the units of a drawing: x to the right, y downwards.
type point struct{ x, y float32 }

// path is a list of closed contours. Contours of opposite direction make holes.
type path [][]point

const splineSteps = 10

func f64(x float32) float64 { return float64(x) }

func sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }

func sincos(degrees float32) (sin, cos float32) {
	s, c := math.Sincos(f64(degrees) * math.Pi / 180)
	return float32(s), float32(c)
}

func pointsOf(xy []float32) []point {
	list := make([]point, len(xy)/2)
	for i := range list {
		list[i] = point{xy[2*i], xy[2*i+1]}
	}
	return list
}

// poly returns the closed polygon through the points x, y, x, y, …
func poly(xy ...float32) path { return path{pointsOf(xy)} }

func rect(x, y, w, h float32) path { return poly(x, y, x+w, y, x+w, y+h, x, y+h) }

// rounded returns a rectangle with round corners.
func rounded(x, y, w, h, r float32) path {
	r = min(r, w/2, h/2)
	var c []point
	for i, corner := range []point{{x + w - r, y + r}, {x + w - r, y + h - r}, {x + r, y + h - r}, {x + r, y + r}} {
		for k := range 9 {
			sin, cos := sincos(float32(i)*90 - 90 + float32(k)*90/8)
			c = append(c, point{corner.x + r*cos, corner.y + r*sin})
		}
	}
	return path{c}
}

func ellipse(cx, cy, rx, ry float32) path { return path{arc(cx, cy, rx, ry, 0, 360)[1:]} }

// arc returns points of an ellipse between two angles in degrees. 0 is to the right, 90 is downwards.
func arc(cx, cy, rx, ry, from, to float32) []point {
	const steps = 48
	list := make([]point, 0, steps+1)
	for i := range steps + 1 {
		sin, cos := sincos(from + (to-from)*float32(i)/steps)
		list = append(list, point{cx + rx*cos, cy + ry*sin})
	}
	return list
}

// shape parses points such as "10,20 30,40! 50,60" and returns a closed curve through them. It is smooth at each point
// without an exclamation mark.
func shape(text string) path {
	p, corners := parsePoints(text)
	return path{smooth(p, corners, true)}
}

// symmetric parses the right half of a shape, from the top to the bottom, as distances from the axis cx. The left half
// is its mirror image.
func symmetric(cx float32, text string) path {
	p, corners := parsePoints(text)
	n := len(p)
	for i := range p {
		p[i].x += cx
	}
	for i := n - 1; i >= 0; i-- {
		if p[i].x-cx > 0.01 {
			p = append(p, point{2*cx - p[i].x, p[i].y})
			corners = append(corners, corners[i])
		}
	}
	return path{smooth(p, corners, true)}
}

// curve returns an open smooth curve through points.
func curve(text string) []point {
	p, corners := parsePoints(text)
	return smooth(p, corners, false)
}

func curveThrough(xy ...float32) []point {
	p := pointsOf(xy)
	return smooth(p, make([]bool, len(p)), false)
}

func parsePoints(text string) (p []point, corners []bool) {
	for field := range strings.FieldsSeq(text) {
		field, corner := strings.CutSuffix(field, "!")
		xs, ys, _ := strings.Cut(field, ",")
		x, errX := strconv.ParseFloat(xs, 32)
		y, errY := strconv.ParseFloat(ys, 32)
		if errX != nil || errY != nil {
			panic("not a point: " + field)
		}
		p = append(p, point{float32(x), float32(y)})
		corners = append(corners, corner)
	}
	return p, corners
}

// smooth interpolates between points by centripetal-like Catmull-Rom splines.
func smooth(p []point, corners []bool, closed bool) []point {
	n := len(p)
	tangent := func(i int) point {
		before, after := (i+n-1)%n, (i+1)%n
		if corners[i] || !closed && (i == 0 || i == n-1) {
			return point{}
		}
		return point{(p[after].x - p[before].x) / 2, (p[after].y - p[before].y) / 2}
	}
	last := n
	if !closed {
		last = n - 1
	}

	var out []point
	for i := range last {
		a, b := p[i], p[(i+1)%n]
		ta, tb := tangent(i), tangent((i+1)%n)
		length := hypot(b.x-a.x, b.y-a.y)
		ta, tb = shorten(ta, length), shorten(tb, length)
		if ta == (point{}) && tb == (point{}) {
			out = append(out, a)
			continue
		}
		for k := range splineSteps {
			t := float32(k) / splineSteps
			out = append(out, hermite(a, b, ta, tb, t))
		}
	}
	if !closed {
		out = append(out, p[n-1])
	}
	return out
}

// shorten shortens a tangent to the length of the segment, so that a long neighbour makes no loop.
func shorten(t point, length float32) point {
	if l := hypot(t.x, t.y); l > length {
		return point{t.x * length / l, t.y * length / l}
	}
	return t
}

func hermite(a, b, ta, tb point, t float32) point {
	t2, t3 := t*t, t*t*t
	h1, h2, h3, h4 := 2*t3-3*t2+1, t3-2*t2+t, -2*t3+3*t2, t3-t2
	return point{h1*a.x + h2*ta.x + h3*b.x + h4*tb.x, h1*a.y + h2*ta.y + h3*b.y + h4*tb.y}
}

func hypot(x, y float32) float32 { return sqrt(x*x + y*y) }

// stroke returns the outline of an open line with round ends.
func stroke(line []point, width float32) path { return taper(line, width, width) }

// taper returns the outline of an open line whose width changes from one end to the other.
func taper(line []point, from, to float32) path {
	line = distinct(line)
	n := len(line)
	if n < 2 {
		return nil
	}
	left, right := make([]point, 0, n), make([]point, 0, n)
	for i, p := range line {
		a, b := line[max(0, i-1)], line[min(n-1, i+1)]
		dx, dy := b.x-a.x, b.y-a.y
		l := hypot(dx, dy)
		if l == 0 {
			continue
		}
		half := (from + (to-from)*float32(i)/float32(n-1)) / 2
		nx, ny := -dy/l*half, dx/l*half
		left = append(left, point{p.x + nx, p.y + ny})
		right = append(right, point{p.x - nx, p.y - ny})
	}

	outline := left
	outline = append(outline, roundEnd(line[n-1], left[len(left)-1])...)
	for i := len(right) - 1; i >= 0; i-- {
		outline = append(outline, right[i])
	}
	outline = append(outline, roundEnd(line[0], right[0])...)
	return path{outline}
}

func distinct(line []point) []point {
	out := line[:0:0]
	for i, p := range line {
		if i == 0 || hypot(p.x-out[len(out)-1].x, p.y-out[len(out)-1].y) > 0.05 {
			out = append(out, p)
		}
	}
	return out
}

// roundEnd returns a half circle around the end of a line, from one side to the other.
func roundEnd(end, side point) []point {
	r := hypot(side.x-end.x, side.y-end.y)
	if r < 0.3 {
		return nil
	}
	start := float32(math.Atan2(f64(side.y-end.y), f64(side.x-end.x)) * 180 / math.Pi)
	return arc(end.x, end.y, r, r, start, start-180)
}

// with adds contours to a path.
func (p path) with(others ...path) path {
	all := append(path{}, p...)
	for _, o := range others {
		all = append(all, o...)
	}
	return all
}

// without makes a hole.
func (p path) without(holes ...path) path {
	all := append(path{}, p...)
	for _, h := range holes {
		for _, c := range h {
			if (area(c) > 0) == (area(p[0]) > 0) {
				c = reversed(c)
			}
			all = append(all, c)
		}
	}
	return all
}

func area(c []point) (a float32) {
	for i, p := range c {
		q := c[(i+1)%len(c)]
		a += p.x*q.y - q.x*p.y
	}
	return a
}

func reversed(c []point) []point {
	out := make([]point, len(c))
	for i, p := range c {
		out[len(c)-1-i] = p
	}
	return out
}

func (p path) each(fn func(point) point) path {
	out := make(path, len(p))
	for i, c := range p {
		out[i] = make([]point, len(c))
		for k, q := range c {
			out[i][k] = fn(q)
		}
	}
	return out
}

func (p path) move(dx, dy float32) path {
	return p.each(func(q point) point { return point{q.x + dx, q.y + dy} })
}

// mirror reflects a path at the vertical line x. It keeps the direction of the contours.
func (p path) mirror(x float32) path {
	out := p.each(func(q point) point { return point{2*x - q.x, q.y} })
	for i := range out {
		out[i] = reversed(out[i])
	}
	return out
}

// turn rotates a path clockwise around a point.
func (p path) turn(degrees, cx, cy float32) path {
	sin, cos := sincos(degrees)
	return p.each(func(q point) point {
		x, y := q.x-cx, q.y-cy
		return point{cx + x*cos - y*sin, cy + x*sin + y*cos}
	})
}

// scale stretches a path from a point.
func (p path) scale(sx, sy, cx, cy float32) path {
	return p.each(func(q point) point { return point{cx + (q.x-cx)*sx, cy + (q.y-cy)*sy} })
}

type bounds struct{ x0, y0, x1, y1 float32 }

func noBounds() bounds {
	return bounds{math.MaxFloat32, math.MaxFloat32, -math.MaxFloat32, -math.MaxFloat32}
}

func (b bounds) width() float32  { return b.x1 - b.x0 }
func (b bounds) height() float32 { return b.y1 - b.y0 }

func (b *bounds) add(p path) {
	for _, c := range p {
		for _, q := range c {
			b.x0, b.y0 = min(b.x0, q.x), min(b.y0, q.y)
			b.x1, b.y1 = max(b.x1, q.x), max(b.y1, q.y)
		}
	}
}
