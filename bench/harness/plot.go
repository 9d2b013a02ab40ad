package harness

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Plot collects the measurements of a benchmark, to draw them over the number of products.
type Plot struct {
	bench      string   // name of the benchmark
	title      string   // of the drawing
	unit       string   // of the values
	CurveNames []string // for the legend
	format     func(float64) string
	curves     []*curve
}

// curve is one line of the drawing: its kind, the engine, and the value at each number of products.
type curve struct {
	kind   int
	engine string // empty if the engine makes no difference
	points []point
}

type point struct {
	products int
	value    float64
}

// The curves of the benchmark facets.
const (
	bareCurve = iota
	p50Curve
	p99Curve
	sqlCurve
)

// newFacetsPlot returns a plot of the response time of a page with facets.
func newFacetsPlot() *Plot {
	return &Plot{
		bench: "facets", title: "A category with 1 % of the products: 50 of them, and all facets", unit: "milliseconds",
		CurveNames: []string{"bare scan of arrays", "over HTTP, p50", "over HTTP, p99", "SQL alone"},
		format:     formatPlotMillis,
	}
}

// The curves of the benchmark push.
const (
	RawCurve = iota
	CreateCurve
	AgainCurve
	PricesCurve
)

// NewPushPlot returns a plot of the products per second of a push.
func NewPushPlot() *Plot {
	return &Plot{
		bench: "push", title: "A push of all products of a shop to the exchange gate", unit: "products a second",
		CurveNames: []string{"bare insert", "create", "the same again", "other prices"},
		format:     func(rate float64) string { return FormatThousands(int(math.Round(rate))) },
	}
}

// The curves of the benchmark mixed.
const (
	BareHandlerCurve = iota
	WarmCurve
	ColdCurve
	DuringPushCurve
)

func mixedCurveNames() []string {
	return []string{"bare handler", "warm", "just started", "during a push"}
}

// NewMixedPlot returns a plot of the requests per second of mixed traffic.
func NewMixedPlot() *Plot {
	return &Plot{
		bench: "mixed", title: "Storefront traffic of 8 clients: categories, filters, products and searches",
		unit: "requests a second", CurveNames: mixedCurveNames(),
		format: func(rate float64) string { return FormatThousands(int(math.Round(rate))) },
	}
}

// NewMixedLatencyPlot returns a plot of the response times of mixed traffic.
func NewMixedLatencyPlot() *Plot {
	return &Plot{
		bench: "mixed", title: "Storefront traffic of 8 clients: p99 of the response time", unit: "milliseconds",
		CurveNames: mixedCurveNames(), format: formatPlotMillis,
	}
}

// formatPlotMillis formats milliseconds without the unit.
func formatPlotMillis(ms float64) string {
	return strings.TrimSuffix(FormatDuration(time.Duration(ms*float64(time.Millisecond))), " ms")
}

// AddFacets adds the timings at one number of products.
func (p *Plot) AddFacets(engine string, products int, ours, raw, sql []time.Duration) {
	p.AddPoint(p50Curve, engine, products, Millis(Median(ours)))
	p.AddPoint(p99Curve, engine, products, Millis(Percentile(ours, 99)))
	p.AddPoint(sqlCurve, engine, products, Millis(Median(sql)))
	p.AddPoint(bareCurve, "", products, Millis(Median(raw)))
}

func Millis(d time.Duration) float64 { return d.Seconds() * 1000 }

// AddPoint adds a value, unless the curve already has one at this number of products.
func (p *Plot) AddPoint(kind int, engine string, products int, value float64) {
	index := slices.IndexFunc(p.curves, func(c *curve) bool { return c.kind == kind && c.engine == engine })
	if index < 0 {
		index = len(p.curves)
		p.curves = append(p.curves, &curve{kind: kind, engine: engine})
	}
	c := p.curves[index]
	if slices.ContainsFunc(c.points, func(existing point) bool { return existing.products == products }) {
		return
	}
	c.points = append(c.points, point{products, value})
	slices.SortFunc(c.points, func(a, b point) int { return a.products - b.products })
}

// Write draws the plot to a file.
func (p *Plot) Write(path string) error {
	if len(p.curves) == 0 {
		return fmt.Errorf("nothing to plot: the benchmark %s did not run", p.bench)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, p.SVG(), 0o644)
}
