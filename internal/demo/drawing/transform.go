package drawing

// matrix converts units to pixels: x' = a·x + b·y + c, y' = d·x + e·y + f.
type matrix struct{ a, b, c, d, e, f float32 }

func (m matrix) apply(p point) point { return point{m.a*p.x + m.b*p.y + m.c, m.d*p.x + m.e*p.y + m.f} }

// times returns the matrix that applies n and then m.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m.a*n.a + m.b*n.d, m.a*n.b + m.b*n.e, m.a*n.c + m.b*n.f + m.c,
		m.d*n.a + m.e*n.d, m.d*n.b + m.e*n.e, m.d*n.c + m.e*n.f + m.f,
	}
}

func (m matrix) inverse() matrix {
	det := m.a*m.e - m.b*m.d
	i := matrix{a: m.e / det, b: -m.b / det, d: -m.d / det, e: m.a / det}
	i.c = -(i.a*m.c + i.b*m.f)
	i.f = -(i.d*m.c + i.e*m.f)
	return i
}

func rotation(degrees, cx, cy float32) matrix {
	sin, cos := sincos(degrees)
	return matrix{cos, -sin, cx - cx*cos + cy*sin, sin, cos, cy - cx*sin - cy*cos}
}

// turned runs fn with everything rotated clockwise around a point. The light still comes from the upper left.
func (d *drawing) turned(degrees, cx, cy float32, fn func()) {
	d.within(rotation(degrees, cx, cy), fn)
}

// placed runs fn with everything scaled and then moved.
func (d *drawing) placed(scale, dx, dy float32, fn func()) {
	d.within(matrix{scale, 0, dx, 0, scale, dy}, fn)
}

// reflected runs fn with everything mirrored at the vertical line x.
func (d *drawing) reflected(x float32, fn func()) { d.within(matrix{-1, 0, 2 * x, 0, 1, 0}, fn) }

func (d *drawing) within(m matrix, fn func()) {
	before := d.toPixels
	d.toPixels = before.times(m)
	fn()
	d.toPixels = before
}

// scaled returns a length in pixels.
func (d *drawing) scaled(length float32) float32 {
	return length * hypot(d.toPixels.a, d.toPixels.d)
}

// pixels converts a path. While the drawing is measured, it notes the bounds and reports false.
func (d *drawing) pixels(p path) (path, bool) {
	out := p.each(d.toPixels.apply)
	if d.measure {
		d.extent.add(out)
		return nil, false
	}
	return out, len(out) > 0
}

// The light comes from the upper left and from the front.
const (
	lightX = -0.52
	lightY = -0.60
	lightZ = 0.61
)

// localLight returns the direction of the light in the units of the drawing.
func (d *drawing) localLight() (x, y float32) {
	m := d.toPixels
	s := hypot(m.a, m.d)
	return (m.a*lightX + m.d*lightY) / s, (m.b*lightX + m.e*lightY) / s
}

// camera shows a scene of boxes from the front, from the right and from above, without perspective.
type camera struct{ sinYaw, cosYaw, sinPitch, cosPitch float32 }

func newCamera(yaw, pitch float32) camera {
	sy, cy := sincos(yaw)
	sp, cp := sincos(pitch)
	return camera{sy, cy, sp, cp}
}

// at projects a point: x to the right, y upwards, z away from the front.
func (c camera) at(x, y, z float32) point {
	depth := -x*c.sinYaw + z*c.cosYaw
	return point{x*c.cosYaw + z*c.sinYaw, -y*c.cosPitch - depth*c.sinPitch}
}

// onFront puts a path on the plane at a depth z. The y of the path points downwards from the height top.
func (c camera) onFront(p path, x, upper, z float32) path {
	return p.each(func(q point) point { return c.at(x+q.x, upper-q.y, z) })
}

// onRight puts a path on the plane at x that faces to the right.
func (c camera) onRight(p path, x, upper, z float32) path {
	return p.each(func(q point) point { return c.at(x, upper-q.y, z+q.x) })
}

// onTop puts a path on the horizontal plane at a height.
func (c camera) onTop(p path, x, height, z float32) path {
	return p.each(func(q point) point { return c.at(x+q.x, height, z+q.y) })
}

// box draws a box whose nearest lower left corner is x, y, z.
func (d *drawing) box(c camera, x, y, z, w, h, depth float32, s surface) {
	d.roundBox(c, x, y, z, w, h, depth, 0, s)
}

// roundBox draws a box with a front of round corners.
func (d *drawing) roundBox(c camera, x, y, z, w, h, depth, r float32, s surface) {
	hull := c.hull(x, y, z, w, h, depth, r)
	d.cast(hull)
	front := rect(0, 0, w, h)
	if r > 0 {
		front = rounded(0, 0, w, h, r)
		// The sides between the rear and the front, as one dark hull.
		d.fillEven(hull, s, 0.8)
		d.fillEven(c.onTop(rect(r*0.5, 0, w-r, depth), x, y+h, z), s, 1.13)
	} else {
		d.fillEven(c.onRight(rect(0, 0, depth, h), x+w, y+h, z), s, 0.76)
		d.fillEven(c.onTop(rect(0, 0, w, depth), x, y+h, z), s, 1.14)
	}

	d.flat(c.onFront(front, x, y+h, z), s, 1.03, 0.93)
	d.line([]point{c.at(x+r, y+h, z), c.at(x+w-r, y+h, z)}, 2, s.colour.lighter(0.55), 0.5)
	d.line([]point{c.at(x+w, y+h-r, z), c.at(x+w, y+r, z)}, 2, s.colour.lighter(0.45), 0.35)
}

// hull returns the outline of a box.
func (c camera) hull(x, y, z, w, h, depth, r float32) path {
	front := c.onFront(rounded(0, 0, w, h, max(r, 0.01)), x, y+h, z)
	back := c.onFront(rounded(0, 0, w, h, max(r, 0.01)), x, y+h, z+depth)
	return convex(append(append([]point{}, front[0]...), back[0]...))
}

// convex returns the convex hull of points.
func convex(p []point) path {
	sortPoints(p)
	cross := func(o, a, b point) float32 { return (a.x-o.x)*(b.y-o.y) - (a.y-o.y)*(b.x-o.x) }
	var hull []point

	for pass := range 2 {
		first := len(hull)
		for i := range p {
			q := p[i]
			if pass == 1 {
				q = p[len(p)-1-i]
			}
			for len(hull) >= first+2 && cross(hull[len(hull)-2], hull[len(hull)-1], q) <= 0 {
				hull = hull[:len(hull)-1]
			}
			hull = append(hull, q)
		}
		hull = hull[:len(hull)-1]
	}
	return path{hull}
}
