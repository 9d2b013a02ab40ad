package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// plot gathers how long a page with facets takes, to be drawn over the number of products.
type plot struct{ curves []*curve }

// curve is one line: what was measured, on which engine, and how long it took at each number of products.
type curve struct {
	kind   kind
	engine string // empty where the engine makes no difference
	points []point
}

type point struct {
	products int
	took     time.Duration
}

// kind is what a curve shows.
type kind int

const (
	bareCurve kind = iota
	p50Curve
	p99Curve
	sqlCurve
)

// kinds are all of them, with their names for people.
func kinds() []string {
	return []string{"bare scan of arrays", "over HTTP, p50", "over HTTP, p99", "SQL alone"}
}

// add takes the measurements at one number of products.
func (p *plot) add(engine string, products int, ours, raw, sql []time.Duration) {
	p.point(p50Curve, engine, products, median(ours))
	p.point(p99Curve, engine, products, percentile(ours, 99))
	p.point(sqlCurve, engine, products, median(sql))
	p.point(bareCurve, "", products, median(raw))
}

// point adds one; of two at the same place the first stays.
func (p *plot) point(k kind, engine string, products int, took time.Duration) {
	at := slices.IndexFunc(p.curves, func(c *curve) bool { return c.kind == k && c.engine == engine })
	if at < 0 {
		at = len(p.curves)
		p.curves = append(p.curves, &curve{kind: k, engine: engine})
	}
	c := p.curves[at]
	if slices.ContainsFunc(c.points, func(have point) bool { return have.products == products }) {
		return
	}
	c.points = append(c.points, point{products, took})
	slices.SortFunc(c.points, func(a, b point) int { return a.products - b.products })
}

// write draws the plot to a file.
func (p *plot) write(path string) error {
	if len(p.curves) == 0 {
		return errors.New("there is nothing to plot: the benchmark facets did not run")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, p.svg(), 0o644)
}
