package drawing

import "image"

// backdropKey says which backdrop a picture has.
type backdropKey struct {
	scene  int // 0 is the studio
	ground ground
	side   int
}

// scenes are the rooms of the view Scene: the colours of a wall and of the table or floor in front of it.
var scenes = []struct {
	wall, floor rgb
	texture     func() *texture
}{
	{},
	{rgb{214, 220, 208}, oak, woodGrain},
	{rgb{232, 221, 206}, rgb{206, 186, 164}, woodGrain},
	{rgb{206, 217, 224}, rgb{226, 224, 219}, speckle},
	{rgb{226, 208, 198}, walnut, woodGrain},
}

// horizon is where a wall meets the floor, as a share of the height.
const horizon = 0.7

func (b *Studio) backdrop(k backdropKey) *image.RGBA {
	if found, ok := b.backdrops.Load(k); ok {
		return found.(*image.RGBA)
	}
	img := image.NewRGBA(image.Rect(0, 0, k.side, k.side))
	paintBackdrop(img, k)
	made, _ := b.backdrops.LoadOrStore(k, img)
	return made.(*image.RGBA)
}

func paintBackdrop(img *image.RGBA, k backdropKey) {
	n := k.side
	for y := range n {
		v := float32(y) / float32(n)
		for x := range n {
			u := float32(x) / float32(n)
			c := backdropColour(k, u, v, x, y)
			pixel := img.Pix[img.PixOffset(x, y):][:4]
			pixel[0], pixel[1], pixel[2], pixel[3] = toByte(c.r), toByte(c.g), toByte(c.b), 255
		}
	}
}

func backdropColour(k backdropKey, u, v float32, x, y int) rgb {
	fall := (u-0.35)*(u-0.35)*0.5 + (v-0.3)*(v-0.3)*0.5
	if k.scene == 0 {
		c := mix(rgb{246, 245, 243}, rgb{229, 227, 224}, v*0.85)
		return mix(c, rgb{214, 212, 209}, min(1, fall*1.1))
	}

	s := scenes[k.scene]
	floorGrain := func(scale int) float32 {
		return float32(s.texture()[(y*scale&(textureSide-1))*textureSide+x*scale&(textureSide-1)]) / 127
	}
	switch {
	case k.ground == lying:
		c := s.floor.lighter(0.25)
		l := 1.04 - fall*0.7 + 0.035*floorGrain(1)
		return sunlight(rgb{c.r * l, c.g * l, c.b * l}, u, v)
	case k.ground == standing && v > horizon:
		// The floor's grain is finer in the distance.
		depth := 0.25 + (v-horizon)*2.4
		l := 0.93 + 0.14*(v-horizon)/(1-horizon)
		l += 0.05 * float32(s.texture()[(int(float32(y)*3/depth)&(textureSide-1))*textureSide+x&(textureSide-1)]) / 127
		c := s.floor
		if v < horizon+0.006 {
			l *= 0.82
		}
		return rgb{c.r * l, c.g * l, c.b * l}
	}
	l := 1.06 - fall*0.75 - v*0.05
	return sunlight(rgb{s.wall.r * l, s.wall.g * l, s.wall.b * l}, u, v)
}

// sunlight adds the light of a window with bars, with soft edges.
func sunlight(c rgb, u, v float32) rgb {
	t := u + v*0.55
	edge := func(x, from, to float32) float32 {
		const softness = 0.035
		a := max(0, min(1, (x-from)/softness))
		b := max(0, min(1, (to-x)/softness))
		return a * a * (3 - 2*a) * b * b * (3 - 2*b)
	}
	l := edge(t, 0.22, 0.5) + edge(t, 0.56, 0.84)
	l *= edge(v+u*0.12, 0.06, 0.62)
	return mix(c, rgb{255, 248, 232}, 0.34*l)
}

// compose puts the product with its shadow before a backdrop.
func (d *drawing) compose() *image.RGBA {
	scene := 0
	if d.View == Scene {
		scene = 1 + (d.Style+len(d.Kind))%(len(scenes)-1)
	}
	behind := d.studio.backdrop(backdropKey{scene, d.ground, d.side})
	shadow := d.shadow()
	out := d.object
	n := d.side

	for y := range n {
		row := out.Pix[y*out.Stride:][:4*n]
		back := behind.Pix[y*behind.Stride:][:4*n]
		for x := 0; x < n; x += cell {
			shaded := shadow.touches(x, y)
			if pixels := row[4*x:][:4*cell]; !shaded && isEmpty(pixels) {
				copy(pixels, back[4*x:])
				continue
			}
			for k := x; k < x+cell; k++ {
				darkness := float32(0)
				if shaded {
					darkness = shadow.at(k, y)
				}
				putBehind(row[4*k:][:4:4], back[4*k:][:4:4], darkness)
			}
		}
	}
	return out
}

// isEmpty reports whether no pixel of a cell belongs to the product.
func isEmpty(p []uint8) bool { return p[3]|p[7]|p[11]|p[15] == 0 }

// putBehind puts a pixel of the backdrop, in the shadow, behind a pixel of the product.
func putBehind(pixel, back []uint8, shadow float32) {
	a := uint32(pixel[3])
	if a == 255 {
		return
	}
	rest := (255 - a) * (65536 - uint32(shadow*65536)) / 255
	pixel[0] += uint8(uint32(back[0]) * rest >> 16)
	pixel[1] += uint8(uint32(back[1]) * rest >> 16)
	pixel[2] += uint8(uint32(back[2]) * rest >> 16)
	pixel[3] = 255
}

// shadowMap is a shadow on the coarse grid.
type shadowMap struct {
	grid  []float32
	cells int
}

// touches reports whether any of the pixels of a cell's row may be in the shadow.
func (s shadowMap) touches(x, y int) bool {
	i := y/cell*(s.cells+1) + x/cell
	return s.grid[i]+s.grid[i+1]+s.grid[i+s.cells+1]+s.grid[i+s.cells+2] >= 0.003
}

func (s shadowMap) at(x, y int) float32 {
	gx, gy := x/cell, y/cell
	i := gy*(s.cells+1) + gx
	a, b := s.grid[i], s.grid[i+1]
	c, e := s.grid[i+s.cells+1], s.grid[i+s.cells+2]
	tx, ty := (float32(x%cell)+0.5)/cell, (float32(y%cell)+0.5)/cell
	upper, bottom := a+(b-a)*tx, c+(e-c)*tx
	return upper + (bottom-upper)*ty
}

// coarseAlpha returns the coverage of the product on the coarse grid.
func (d *drawing) coarseAlpha() ([]float32, int) {
	n := d.side / cell
	grid := make([]float32, (n+1)*(n+1))
	for y := range n {
		for x := range n {
			sum := 0
			for dy := range cell {
				row := d.object.Pix[(y*cell+dy)*d.object.Stride+4*x*cell:]
				sum += int(row[3]) + int(row[7]) + int(row[11]) + int(row[15])
			}
			grid[y*(n+1)+x] = float32(sum) / (16 * 255)
		}
	}
	return grid, n
}

func (d *drawing) shadow() shadowMap {
	alpha, n := d.coarseAlpha()
	total := make([]float32, len(alpha))
	spare := make([]float32, len(alpha))
	add := func(dx, dy int, radius, strength float32) {
		layer := make([]float32, len(alpha))
		for y := range n + 1 {
			for x := range n + 1 {
				if sx, sy := x-dx, y-dy; sx >= 0 && sy >= 0 && sx <= n && sy <= n {
					layer[y*(n+1)+x] = alpha[sy*(n+1)+sx]
				}
			}
		}
		blur(layer, spare, n+1, n+1, radius)
		for i, l := range layer {
			total[i] = 1 - (1-total[i])*(1-strength*l)
		}
	}

	k := float32(n) / 200
	if d.View == Detail {
		k *= 1.6
	}
	switch d.ground {
	case lying:
		add(int(2*k), int(3*k), 2.5*k, 0.34)
		add(int(4*k), int(6*k), 8*k, 0.22)
	case hanging:
		add(int(4*k), int(5*k), 5*k, 0.22)
		add(int(8*k), int(10*k), 12*k, 0.12)
	default:
		d.floorShadow(alpha, total, spare, n, k)
	}
	return shadowMap{total, n}
}

// floorShadow adds the shadow of a standing product on the floor, which falls to the right and to the rear, and the
// dark line where it touches the floor.
func (d *drawing) floorShadow(alpha, total, spare []float32, n int, k float32) {
	base := 0
	for y := range n {
		for x := range n {
			if alpha[y*(n+1)+x] > 0.5 {
				base = y
			}
		}
	}

	touch := make([]float32, len(alpha))
	fallen := make([]float32, len(alpha))
	const flat, lean = 0.2, 0.5
	for y := range n {
		rise := float32(base-y) / flat
		if rise < -1 {
			continue
		}
		source := int(float32(base) - max(0, rise))
		if source < 0 {
			continue
		}
		shift := int(max(0, rise) * lean)
		for x := range n {
			if sx := x - shift; sx >= 0 {
				fallen[y*(n+1)+x] = alpha[source*(n+1)+sx]
			}
		}
	}
	band := max(3, int(7*k))
	for x := range n {
		for y := max(0, base-band); y <= base; y++ {
			if alpha[y*(n+1)+x] > 0.4 {
				for up := -1; up <= 2; up++ {
					if row := y + up; row >= base-band && row <= n {
						touch[row*(n+1)+x] = 1
					}
				}
			}
		}
	}
	blur(fallen, spare, n+1, n+1, 5*k)
	blur(touch, spare, n+1, n+1, 3*k)
	for i := range total {
		total[i] = 1 - (1-0.24*min(1, fallen[i]))*(1-0.5*min(1, touch[i]*1.2))
	}
}
