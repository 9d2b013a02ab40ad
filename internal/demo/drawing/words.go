package drawing

import (
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// typeface is the typeface of labels. It has Latin and Cyrillic letters.
var typeface = sync.OnceValue(func() *sfnt.Font {
	face, err := sfnt.Parse(gobold.TTF)
	if err != nil {
		panic(err)
	}
	return face
})

// emSize is the size in which letters are read.
const emSize = 64

// lettering returns a line of text from the origin to the right, in units of which a letter has 64.
func lettering(text string) (p path, width float32) {
	var buffer sfnt.Buffer
	face := typeface()
	for _, r := range text {
		index, err := face.GlyphIndex(&buffer, r)
		if err != nil {
			continue
		}

		segments, err := face.LoadGlyph(&buffer, index, fixed.I(emSize), nil)
		if err != nil {
			continue
		}
		p = append(p, glyph(segments, width)...)
		advance, err := face.GlyphAdvance(&buffer, index, fixed.I(emSize), font.HintingNone)
		if err == nil {
			width += float32(advance)/64 + 2
		}
	}
	return p, width
}

func glyph(segments sfnt.Segments, dx float32) (p path) {
	at := func(a fixed.Point26_6) point { return point{float32(a.X)/64 + dx, float32(a.Y) / 64} }
	var c []point
	for _, s := range segments {
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if len(c) > 2 {
				p = append(p, c)
			}
			c = []point{at(s.Args[0])}
		case sfnt.SegmentOpLineTo:
			c = append(c, at(s.Args[0]))
		case sfnt.SegmentOpQuadTo:
			from, control, to := c[len(c)-1], at(s.Args[0]), at(s.Args[1])
			for i := 1; i <= 5; i++ {
				t := float32(i) / 5
				u := 1 - t
				c = append(c, point{u*u*from.x + 2*u*t*control.x + t*t*to.x, u*u*from.y + 2*u*t*control.y + t*t*to.y})
			}
		}
	}

	if len(c) > 2 {
		p = append(p, c)
	}
	return p
}

// words draws a text in one or two lines, centred at a point and at most as wide as width. It stays readable in a
// mirrored view.
func (d *drawing) words(text string, cx, cy, width float32, c rgb) {
	if text == "" {
		return
	}
	d.lines(func(p path) path { return p }, text, cx, cy, width, c)
}

// wordsOn is words on a plane of a box.
func (d *drawing) wordsOn(plane func(path) path, text string, cx, cy, width float32, c rgb) {
	if text != "" {
		d.lines(plane, text, cx, cy, width, c)
	}
}

func (d *drawing) lines(plane func(path) path, text string, cx, cy, width float32, c rgb) {
	lines := []string{text}
	if before, after, two := strings.Cut(text, " "); two && len([]rune(text)) > 9 {
		lines = []string{before, after}
	}
	var paths []path
	longest := float32(1)
	for _, l := range lines {
		p, w := lettering(l)
		longest = max(longest, w)
		paths = append(paths, p.move(-w/2, 0))
	}
	scale := min(width/longest, width/150)
	step := emSize * scale * 1.06

	for i, p := range paths {
		y := cy + emSize*0.36*scale + (float32(i)-float32(len(paths)-1)/2)*step
		p = p.scale(scale, scale, 0, 0)
		if d.toPixels.a*d.toPixels.e-d.toPixels.b*d.toPixels.d < 0 {
			p = p.scale(-1, 1, 0, 0)
		}
		d.fillEven(plane(p.move(cx, y)), matte(c), 1)
	}
}
