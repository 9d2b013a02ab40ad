package drawing

// rgb is a colour with components from 0 to 255, in sRGB.
type rgb struct{ r, g, b float32 }

func mix(a, b rgb, t float32) rgb {
	return rgb{a.r + (b.r-a.r)*t, a.g + (b.g-a.g)*t, a.b + (b.b-a.b)*t}
}

func (c rgb) darker(t float32) rgb  { return mix(c, rgb{14, 14, 18}, t) }
func (c rgb) lighter(t float32) rgb { return mix(c, rgb{255, 254, 250}, t) }
func (c rgb) luma() float32         { return 0.3*c.r + 0.59*c.g + 0.11*c.b }

// contrast returns a dark or a light colour that is readable on c.
func (c rgb) contrast() rgb {
	if c.luma() > 150 {
		return c.darker(0.75)
	}
	return c.lighter(0.85)
}

// Colours of parts that do not depend on the colour of the product.
var (
	white     = rgb{246, 245, 242}
	cream     = rgb{238, 230, 214}
	paperTone = rgb{243, 238, 226}
	kraft     = rgb{196, 160, 116}
	charcoal  = rgb{44, 45, 50}
	nearBlack = rgb{26, 27, 31}
	greyTone  = rgb{146, 149, 154}
	steel     = rgb{186, 190, 196}
	chrome    = rgb{208, 212, 217}
	brass     = rgb{198, 160, 88}
	copper    = rgb{188, 116, 80}
	oak       = rgb{200, 160, 112}
	beech     = rgb{220, 184, 138}
	walnut    = rgb{112, 76, 54}
	leaf      = rgb{78, 128, 74}
	leafDark  = rgb{48, 92, 56}
	soil      = rgb{74, 56, 44}
	skyBlue   = rgb{150, 190, 220}
	signalRed = rgb{196, 58, 50}
	amber     = rgb{226, 160, 60}
	sunny     = rgb{240, 200, 80}
	skin      = rgb{236, 200, 172}
)

// surface says how a part reflects light.
type surface struct {
	colour  rgb
	shine   float32 // share of white in the highlights
	metal   bool
	texture *texture
	relief  float32 // strength of the texture
	along   bool    // the texture runs along the longer side of a part
	alpha   float32 // 0 counts as 1
}

func matte(c rgb) surface  { return surface{colour: c, shine: 0.3} }
func satin(c rgb) surface  { return surface{colour: c, shine: 0.5} }
func glossy(c rgb) surface { return surface{colour: c, shine: 0.85} }
func metal(c rgb) surface {
	return surface{colour: c, shine: 0.9, metal: true, texture: brushed(), relief: 0.05}
}

func cloth(c rgb) surface   { return surface{colour: c, shine: 0.18, texture: weave(), relief: 0.07} }
func denim(c rgb) surface   { return surface{colour: c, shine: 0.16, texture: twill(), relief: 0.16} }
func knitted(c rgb) surface { return surface{colour: c, shine: 0.16, texture: knit(), relief: 0.24} }
func plush(c rgb) surface   { return surface{colour: c, shine: 0.2, texture: fur(), relief: 0.2} }
func leather(c rgb) surface {
	return surface{colour: c, shine: 0.42, texture: leatherGrain(), relief: 0.085}
}
func rubber(c rgb) surface { return surface{colour: c, shine: 0.28} }
func wood(c rgb) surface {
	return surface{colour: c, shine: 0.3, texture: woodGrain(), relief: 0.13, along: true}
}
func stone(c rgb) surface  { return surface{colour: c, shine: 0.25, texture: speckle(), relief: 0.16} }
func wicker(c rgb) surface { return surface{colour: c, shine: 0.25, texture: basket(), relief: 0.42} }
func cardboard(c rgb) surface {
	return surface{colour: c, shine: 0.2, texture: speckle(), relief: 0.035}
}

func (s surface) faded(alpha float32) surface {
	s.alpha = alpha
	return s
}

// rampSize is the number of steps of a ramp; brightness 1 is in the middle.
const rampSize = 256

// ramp returns the colours of a surface by brightness: 1 is the colour itself, 2 the brightest highlight.
func (s surface) ramp() (steps [rampSize][3]uint8) {
	for i := range steps {
		l := float32(i) / (rampSize / 2)
		var c rgb
		switch {
		case l < 1:
			// Shadows are a little cooler and more saturated than a mere product would be.
			k := l * (0.86 + 0.14*l)
			c = rgb{s.colour.r * k, s.colour.g * (k + 0.008*(1-l)), s.colour.b * (k + 0.03*(1-l))}
		default:
			c = mix(s.colour, rgb{255, 253, 248}, min(1, (l-1)*s.shine))
		}
		steps[i] = [3]uint8{toByte(c.r), toByte(c.g), toByte(c.b)}
	}
	return steps
}

func toByte(x float32) uint8 { return uint8(max(0, min(255, x+0.5))) }
