package storefront

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"vitrine/bench/harness"
)

const (
	// pageRounds is the number of requests per query with the category.
	pageRounds = 100
	// otherRounds is the number of requests per other query.
	otherRounds = 50
	// sqlRounds is the number of times that SQL answers each query.
	sqlRounds = 3
)

// Facets compares GET /v2/products?with=facets, 50 products with facet counts over HTTP from the columns in
// memory, with two alternatives: a scan of plain Go arrays, which only counts and takes turns with the requests, and
// SQL alone, which finds and counts the same products but renders nothing. The first figures are about five queries
// with a category of 1 % of the products: alone, with two values of a feature, with price and stock, sorted by price,
// and sorted by name. Each request has a unique URL, so that the server's page cache is not used.
func Facets(ctx context.Context, e *harness.Environment) ([]harness.Figure, error) {
	return e.EachSize(func(n int) ([]harness.Figure, error) {
		s, err := e.StartServerWithProducts(ctx, n)
		if err != nil {
			return nil, err
		}
		figures, err := measureFacets(ctx, e, s, n)
		if err != nil {
			return nil, err
		}
		return figures, s.Stop()
	})
}

func measureFacets(ctx context.Context, e *harness.Environment, s *harness.Server, n int) ([]harness.Figure, error) {
	c := harness.NewClient()
	names, err := ReadDemoIDs(s, c)
	if err != nil {
		return nil, err
	}

	page, others, err := newSearchCases(names, newProductArrays(n))
	if err != nil {
		return nil, err
	}
	if _, err := s.WaitForColumns(ctx, c); err != nil {
		return nil, err
	}

	for _, q := range slices.Concat(page, others) {
		if err := checkTotals(s, c, q); err != nil {
			return nil, err
		}
	}

	var ours, raw, sql []time.Duration
	for _, q := range page {
		t, err := measureCase(ctx, s, c, q, pageRounds)
		if err != nil {
			return nil, err
		}
		ours = append(ours, t.ours...)
		raw = append(raw, t.raw...)
		sql = append(sql, t.sql...)
	}

	figures := pageFigures(e.Engine, n, ours, raw, sql)
	e.Stores.Plot.AddFacets(e.Engine, n, ours, raw, sql)
	for _, q := range others {
		t, err := measureCase(ctx, s, c, q, otherRounds)
		if err != nil {
			return nil, err
		}
		figures = append(figures, t.figures(e.Engine, n, q)...)
	}

	return figures, nil
}

func pageFigures(engine string, n int, ours, raw, sql []time.Duration) []harness.Figure {
	what := func(which string) string {
		return fmt.Sprintf("category and facets of %s, %s", harness.FormatThousands(n), which)
	}
	p50 := harness.Median(ours)
	p99 := harness.Percentile(ours, 99)

	figures := []harness.Figure{
		{
			Name: what("p50"), Engine: engine, Ours: harness.FormatDuration(p50),
			Raw:   harness.FormatDuration(harness.Median(raw)) + " bare scan",
			Ratio: harness.Median(raw).Seconds() / p50.Seconds(),
		},
		{
			Name: what("p99"), Engine: engine, Ours: harness.FormatDuration(p99),
			Raw:   harness.FormatDuration(harness.Percentile(raw, 99)) + " bare scan",
			Ratio: harness.Percentile(raw, 99).Seconds() / p99.Seconds(),
		},
		{
			Name: what("p50 against SQL"), Engine: engine, Ours: harness.FormatDuration(p50),
			Raw:   harness.FormatDuration(harness.Median(sql)) + " SQL",
			Ratio: harness.Median(sql).Seconds() / p50.Seconds(),
		},
	}
	if n == harness.Million {
		figures[0].Aim = "≤ 5 ms"
		figures[0].Met = p50 <= 5*time.Millisecond
		figures[1].Aim = "≤ 25 ms"
		figures[1].Met = p99 <= 25*time.Millisecond
		figures[2].Aim = "≥ 50"
		figures[2].Met = figures[2].Ratio >= 50
	}

	return figures
}

// timings are the durations of one query, by alternative.
type timings struct{ ours, raw, sql []time.Duration }

func (t timings) figures(engine string, n int, q searchCase) []harness.Figure {
	p50 := harness.Median(t.ours)
	what := fmt.Sprintf("%s and facets of %s, p50", q.name, harness.FormatThousands(n))
	var figures []harness.Figure
	if q.scan != nil {
		figures = append(figures, harness.Figure{
			Name: what, Engine: engine, Ours: harness.FormatDuration(p50),
			Raw:   harness.FormatDuration(harness.Median(t.raw)) + " bare scan",
			Ratio: harness.Median(t.raw).Seconds() / p50.Seconds(),
		})
	}
	return append(figures, harness.Figure{
		Name: what + " against SQL", Engine: engine, Ours: harness.FormatDuration(p50),
		Raw:   harness.FormatDuration(harness.Median(t.sql)) + " SQL",
		Ratio: harness.Median(t.sql).Seconds() / p50.Seconds(),
	})
}

// checkTotals returns an error unless the server finds about as many products as the scan, whose products are slightly
// simplified.
func checkTotals(s *harness.Server, c *http.Client, q searchCase) error {
	found, err := s.TotalProducts(c, q.path)
	if err != nil || q.scan == nil {
		return err
	}
	if n := int64(q.scan()); n == 0 || found < n*2/3 || found > n*3/2 {
		return fmt.Errorf("%s: the server finds %d products, the bare scan %d", q.name, found, n)
	}
	return nil
}

// measureCase measures a query: requests and scans in alternating order, and SQL a few times.
func measureCase(ctx context.Context, s *harness.Server, c *http.Client, q searchCase, rounds int) (timings, error) {
	var t timings
	ours := func() (err error) {
		path := harness.WithRandomParam(q.path)
		took, err := harness.MeasureTime(func() error { return s.GetAsStorefront(c, path) })
		t.ours = append(t.ours, took)
		return err
	}

	raw := func() error {
		if q.scan != nil {
			took, _ := harness.MeasureTime(func() error { q.scan(); return nil })
			t.raw = append(t.raw, took)
		}
		return nil
	}

	err := s.RequireColumns(c, rounds, func() error {
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

	total, err := s.TotalProducts(c, q.path)
	if err != nil {
		return t, err
	}

	for range sqlRounds {
		found, took, err := s.FindBySQL(ctx, q.query)
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
		bare = harness.FormatDuration(harness.Median(t.raw))
	}

	harness.PrintNote("%s: %s products; p50 %s, p99 %s; bare scan %s; SQL %s", q.name,
		harness.FormatThousands(int(total)),
		harness.FormatDuration(harness.Median(t.ours)), harness.FormatDuration(harness.Percentile(t.ours, 99)), bare,
		harness.FormatDuration(harness.Median(t.sql)))
	return t, nil
}
