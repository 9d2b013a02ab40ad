package harness

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Layout of the drawing, in pixels.
const (
	plotWidth, plotHeight = 900, 600
	plotLeft, plotRight   = 84, 870
	plotTop, plotBottom   = 116, 540
	labelHeight           = 13
)

// plotStyle supports light and dark mode; the drawing has its own background.
const plotStyle = `
text { font: 13px system-ui, -apple-system, "Segoe UI", "Helvetica Neue", Arial, sans-serif; fill: #24292f; }
.title { font-size: 17px; font-weight: 600; }
.number { font-size: 11.5px; paint-order: stroke; stroke: #ffffff; stroke-width: 3.5px; stroke-linejoin: round; }
.ground { fill: #ffffff; }
.grid { stroke: #d8dee4; stroke-width: 1; }
.fine { stroke: #eff2f5; stroke-width: 1; }
.frame { stroke: #6e7781; stroke-width: 1; fill: none; }
.curve { fill: none; stroke-width: 2.25; stroke-linejoin: round; stroke-linecap: round; }
.postgres { stroke-dasharray: 7 5; }
.k0 { stroke: #6e7781; } .dot.k0, .number.k0 { fill: #57606a; }
.k1 { stroke: #0969da; } .dot.k1, .number.k1 { fill: #0550ae; }
.k2 { stroke: #8250df; } .dot.k2, .number.k2 { fill: #6639ba; }
.k3 { stroke: #cf222e; } .dot.k3, .number.k3 { fill: #a40e26; }
.number.k0, .number.k1, .number.k2, .number.k3 { stroke: #ffffff; }
.dot { stroke: none; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .ground { fill: #0d1117; }
  .grid { stroke: #30363d; }
  .fine { stroke: #1c2128; }
  .frame { stroke: #8b949e; }
  .k0 { stroke: #8b949e; } .dot.k0, .number.k0 { fill: #b1bac4; }
  .k1 { stroke: #2f81f7; } .dot.k1, .number.k1 { fill: #79c0ff; }
  .k2 { stroke: #a371f7; } .dot.k2, .number.k2 { fill: #d2a8ff; }
  .k3 { stroke: #f85149; } .dot.k3, .number.k3 { fill: #ffa198; }
  .number, .number.k0, .number.k1, .number.k2, .number.k3 { stroke: #0d1117; }
}
`

// SVG draws the curves with two logarithmic axes.
func (p *Plot) SVG() []byte {
	d := plotDrawing{x: p.productsAxis(), y: p.valueAxis()}
	fmt.Fprintf(&d, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" `+
		`role="img" aria-label="%[3]s: %[4]s by the number of products">`+"\n", plotWidth, plotHeight, p.title, p.unit)
	fmt.Fprintf(&d, "<style>%s</style>\n", plotStyle)
	fmt.Fprintf(&d, `<rect class="ground" width="%d" height="%d"/>`+"\n", plotWidth, plotHeight)
	d.text(plotLeft, 30, "title", "start", p.title)
	d.grid(p.sizes(), p.unit)
	d.legend(p.CurveNames, p.engines())
	for _, c := range p.curves {
		d.curve(c)
	}
	d.numbers(p)
	d.WriteString("</svg>\n")
	return d.Bytes()
}

// axis converts values to pixels on a logarithmic scale. minPower and maxPower are the decimal logarithms of the values
// at its two ends. from and to are the positions of these ends in pixels.
type axis struct{ minPower, maxPower, from, to float64 }

func (a axis) pixel(v float64) float64 {
	return a.from + (math.Log10(v)-a.minPower)/(a.maxPower-a.minPower)*(a.to-a.from)
}

// productsAxis returns the horizontal axis, with a margin on both sides.
func (p *Plot) productsAxis() axis {
	sizes := p.sizes()
	return axis{
		math.Log10(float64(sizes[0])) - 0.2, math.Log10(float64(sizes[len(sizes)-1])) + 0.2, plotLeft, plotRight,
	}
}

// valueAxis returns the vertical axis, which spans whole powers of ten.
func (p *Plot) valueAxis() axis {
	a := axis{math.Inf(1), math.Inf(-1), plotBottom, plotTop}
	for _, c := range p.curves {
		for _, one := range c.points {
			power := math.Log10(one.value)
			a.minPower, a.maxPower = min(a.minPower, math.Floor(power)), max(a.maxPower, math.Ceil(power))
		}
	}
	return a
}

// sizes returns the numbers of products in ascending order.
func (p *Plot) sizes() []int {
	var all []int
	for _, c := range p.curves {
		for _, one := range c.points {
			all = append(all, one.products)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// engines returns the engines of the curves, in the order of measurement.
func (p *Plot) engines() []string {
	var all []string
	for _, c := range p.curves {
		if c.engine != "" && !slices.Contains(all, c.engine) {
			all = append(all, c.engine)
		}
	}
	return all
}

// plotDrawing is the SVG document under construction.
type plotDrawing struct {
	bytes.Buffer
	x, y axis
}

func (d *plotDrawing) text(x, y float64, class, anchor, text string) {
	fmt.Fprintf(d, `<text x="%.1f" y="%.1f" class="%s" text-anchor="%s">%s</text>`+"\n", x, y, class, anchor, text)
}

func (d *plotDrawing) line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(d, `<line class="%s" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`+"\n", class, x1, y1, x2, y2)
}

func (d *plotDrawing) grid(sizes []int, unit string) {
	for power := d.y.minPower; power <= d.y.maxPower; power++ {
		for step := 2.0; step < 10 && power < d.y.maxPower; step++ {
			y := d.y.pixel(step * math.Pow(10, power))
			d.line("fine", plotLeft, y, plotRight, y)
		}
		y := d.y.pixel(math.Pow(10, power))
		d.line("grid", plotLeft, y, plotRight, y)
		d.text(plotLeft-8, y+4.5, "", "end", tickLabel(power))
	}

	for _, n := range sizes {
		x := d.x.pixel(float64(n))
		d.line("grid", x, plotTop, x, plotBottom)
		d.text(x, plotBottom+20, "", "middle", FormatThousands(n))
	}

	fmt.Fprintf(d, `<rect class="frame" x="%d" y="%d" width="%d" height="%d"/>`+"\n", plotLeft, plotTop,
		plotRight-plotLeft, plotBottom-plotTop)
	d.text((plotLeft+plotRight)/2, plotBottom+44, "", "middle", "products in the shop")
	fmt.Fprintf(d, `<text transform="translate(20 %d) rotate(-90)" text-anchor="middle">%s</text>`+"\n",
		(plotTop+plotBottom)/2, unit)
}

// tickLabel formats a power of ten.
func tickLabel(power float64) string {
	if power >= 0 {
		return FormatThousands(int(math.Pow(10, power)))
	}
	return fmt.Sprintf("%.*f", int(-power), math.Pow(10, power))
}

func (d *plotDrawing) legend(kinds, engines []string) {
	x := float64(plotLeft)
	for k, name := range kinds {
		d.line(fmt.Sprintf("curve k%d", k), x, 56, x+34, 56)
		d.text(x+42, 60.5, "", "start", name)
		x += 190
	}
	x = plotLeft
	for _, engine := range engines {
		d.line("curve k0 "+engine, x, 84, x+34, 84)
		d.mark("dot k0", engine, x+17, 84)
		d.text(x+42, 88.5, "", "start", engineName(engine))
		x += 190
	}
}

func engineName(engine string) string {
	if engine == "postgres" {
		return "PostgreSQL"
	}
	return "SQLite"
}

// mark draws a point: a square for PostgreSQL, otherwise a circle.
func (d *plotDrawing) mark(class, engine string, x, y float64) {
	if engine == "postgres" {
		fmt.Fprintf(d, `<rect class="%s" x="%.1f" y="%.1f" width="8" height="8"/>`+"\n", class, x-4, y-4)
		return
	}
	fmt.Fprintf(d, `<circle class="%s" cx="%.1f" cy="%.1f" r="4.4"/>`+"\n", class, x, y)
}

func (d *plotDrawing) curve(c *curve) {
	fmt.Fprintf(d, `<polyline class="curve k%d %s" points="`, c.kind, c.engine)
	for _, one := range c.points {
		fmt.Fprintf(d, "%.1f,%.1f ", d.x.pixel(float64(one.products)), d.y.pixel(one.value))
	}
	d.WriteString(`"/>` + "\n")
	for _, one := range c.points {
		d.mark(fmt.Sprintf("dot k%d", c.kind), c.engine, d.x.pixel(float64(one.products)), d.y.pixel(one.value))
	}
}

// label is the number beside a point.
type label struct {
	y    float64
	kind int
	text string
}

// numbers writes the value beside each point: at the first size to the left, because the curves go to the right,
// otherwise to the right. Overlapping labels are moved apart.
func (d *plotDrawing) numbers(p *Plot) {
	for i, products := range p.sizes() {
		var labels []label
		for _, c := range p.curves {
			for _, one := range c.points {
				if one.products == products {
					labels = append(labels, label{d.y.pixel(one.value), c.kind, p.format(one.value)})
				}
			}
		}

		slices.SortFunc(labels, func(a, b label) int { return cmp.Compare(a.y, b.y) })
		spreadLabels(labels)
		x := d.x.pixel(float64(products)) + 9
		anchor := "start"

		if i == 0 {
			x -= 18
			anchor = "end"
		}

		for _, l := range labels {
			d.text(x, l.y+4, fmt.Sprintf("number k%d", l.kind), anchor, l.text)
		}
	}
}

// spreadLabels moves overlapping labels apart, half of the overlap up and half of it down. labels are in order from the
// top.
func spreadLabels(labels []label) {
	for range len(labels) * labelHeight {
		for i := 1; i < len(labels); i++ {
			if overlap := labelHeight - (labels[i].y - labels[i-1].y); overlap > 0 {
				labels[i-1].y -= overlap / 2
				labels[i].y += overlap / 2
			}
		}
	}
}
