package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"
)

const (
	// pageRounds is the number of requests per query with the category.
	pageRounds = 100
	// otherRounds is the number of requests per other query.
	otherRounds = 50
	// sqlRounds is the number of times that SQL answers each query.
	sqlRounds = 3
)

// benchFacets compares GET /v2/products?with=facets, 50 products with facet counts over HTTP from the columns in
// memory, with two alternatives: a scan of plain Go arrays, which only counts and takes turns with the requests, and
// SQL alone, which finds and counts the same products but renders nothing. The first figures are about five queries
// with a category of 1 % of the products: alone, with two values of a feature, with price and stock, sorted by price,
// and sorted by name. Each request has a unique URL, so that the server's page cache is not used.
func benchFacets(ctx context.Context, e *benchEnvironment) ([]figure, error) {
	return e.eachSize(func(n int) ([]figure, error) {
		s, err := e.startServerWithProducts(ctx, n)
		if err != nil {
			return nil, err
		}
		figures, err := measureFacets(ctx, e, s, n)
		if err != nil {
			return nil, err
		}
		return figures, s.stop()
	})
}

func measureFacets(ctx context.Context, e *benchEnvironment, s *benchServer, n int) ([]figure, error) {
	c := newClient()
	names, err := s.readDemoIDs(c)
	if err != nil {
		return nil, err
	}

	page, others, err := newSearchCases(names, newProductArrays(n))
	if err != nil {
		return nil, err
	}
	if _, err := s.waitForColumns(ctx, c); err != nil {
		return nil, err
	}

	for _, q := range slices.Concat(page, others) {
		if err := s.checkTotals(c, q); err != nil {
			return nil, err
		}
	}

	var ours, raw, sql []time.Duration
	for _, q := range page {
		t, err := s.measureCase(ctx, c, q, pageRounds)
		if err != nil {
			return nil, err
		}
		ours = append(ours, t.ours...)
		raw = append(raw, t.raw...)
		sql = append(sql, t.sql...)
	}

	figures := pageFigures(e.engine, n, ours, raw, sql)
	e.stores.plot.addFacets(e.engine, n, ours, raw, sql)
	for _, q := range others {
		t, err := s.measureCase(ctx, c, q, otherRounds)
		if err != nil {
			return nil, err
		}
		figures = append(figures, t.figures(e.engine, n, q)...)
	}

	return figures, nil
}

func pageFigures(engine string, n int, ours, raw, sql []time.Duration) []figure {
	what := func(which string) string {
		return fmt.Sprintf("category and facets of %s, %s", formatThousands(n), which)
	}
	p50 := median(ours)
	p99 := percentile(ours, 99)

	figures := []figure{
		{
			name: what("p50"), engine: engine, ours: formatDuration(p50),
			raw: formatDuration(median(raw)) + " bare scan", ratio: median(raw).Seconds() / p50.Seconds(),
		},
		{
			name: what("p99"), engine: engine, ours: formatDuration(p99),
			raw:   formatDuration(percentile(raw, 99)) + " bare scan",
			ratio: percentile(raw, 99).Seconds() / p99.Seconds(),
		},
		{
			name: what("p50 against SQL"), engine: engine, ours: formatDuration(p50),
			raw: formatDuration(median(sql)) + " SQL", ratio: median(sql).Seconds() / p50.Seconds(),
		},
	}
	if n == million {
		figures[0].aim = "≤ 5 ms"
		figures[0].met = p50 <= 5*time.Millisecond
		figures[1].aim = "≤ 25 ms"
		figures[1].met = p99 <= 25*time.Millisecond
		figures[2].aim = "≥ 50"
		figures[2].met = figures[2].ratio >= 50
	}

	return figures
}

// timings are the durations of one query, by alternative.
type timings struct{ ours, raw, sql []time.Duration }

func (t timings) figures(engine string, n int, q searchCase) []figure {
	p50 := median(t.ours)
	what := fmt.Sprintf("%s and facets of %s, p50", q.name, formatThousands(n))
	var figures []figure
	if q.scan != nil {
		figures = append(figures, figure{
			name: what, engine: engine, ours: formatDuration(p50), raw: formatDuration(median(t.raw)) + " bare scan",
			ratio: median(t.raw).Seconds() / p50.Seconds(),
		})
	}
	return append(figures, figure{
		name: what + " against SQL", engine: engine, ours: formatDuration(p50),
		raw: formatDuration(median(t.sql)) + " SQL", ratio: median(t.sql).Seconds() / p50.Seconds(),
	})
}

// checkTotals returns an error unless the server finds about as many products as the scan, whose products are slightly
// simplified.
func (s *benchServer) checkTotals(c *http.Client, q searchCase) error {
	found, err := s.totalProducts(c, q.path)
	if err != nil || q.scan == nil {
		return err
	}
	if n := int64(q.scan()); n == 0 || found < n*2/3 || found > n*3/2 {
		return fmt.Errorf("%s: the server finds %d products, the bare scan %d", q.name, found, n)
	}
	return nil
}

// measureCase measures a query: requests and scans in alternating order, and SQL a few times.
func (s *benchServer) measureCase(ctx context.Context, c *http.Client, q searchCase, rounds int) (timings, error) {
	var t timings
	ours := func() (err error) {
		path := withRandomParam(q.path)
		took, err := measureTime(func() error { return s.getAsStorefront(c, path) })
		t.ours = append(t.ours, took)
		return err
	}

	raw := func() error {
		if q.scan != nil {
			took, _ := measureTime(func() error { q.scan(); return nil })
			t.raw = append(t.raw, took)
		}
		return nil
	}

	err := s.requireColumns(c, rounds, func() error {
		for i := range rounds {
			turn := []func() error{ours, raw}
			if i%2 == 1 {
				slices.Reverse(turn)
			}

			for _, request := range turn {
				if err := request(); err != nil {
					return err
				}
			}
		}

		return nil
	})
	if err != nil {
		return t, err
	}

	total, err := s.totalProducts(c, q.path)
	if err != nil {
		return t, err
	}

	for range sqlRounds {
		found, took, err := s.findBySQL(ctx, q.query)
		if err != nil {
			return t, err
		}
		if found.Total != total {
			return t, fmt.Errorf("%s: SQL finds %d products, the columns %d", q.name, found.Total, total)
		}
		t.sql = append(t.sql, took)
	}

	bare := "none"
	if q.scan != nil {
		bare = formatDuration(median(t.raw))
	}

	printNote("%s: %s products; p50 %s, p99 %s; bare scan %s; SQL %s", q.name, formatThousands(int(total)),
		formatDuration(median(t.ours)), formatDuration(percentile(t.ours, 99)), bare, formatDuration(median(t.sql)))
	return t, nil
}
