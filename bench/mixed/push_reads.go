package mixed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"vitrine/bench/harness"
	"vitrine/bench/storefront"
)

const (
	// maxReadProducts limits the size of the store that is read during a push.
	maxReadProducts = 100_000
	readClients     = 4
	readRounds      = 3
	readTime        = 3 * time.Second
)

// ReadsDuringPush compares GET /v2/products during a push, which creates products and changes prices, with the
// same requests without a push. Four clients send the requests, and both measurements take turns. The requests are for
// a list of 50 products with variants and for a category with facets. Each has a unique URL, so that the server's page
// cache is not used. Then the clients request the list again, always at the same URL, as a storefront does.
func ReadsDuringPush(ctx context.Context, e *harness.Environment) (figures []harness.Figure, err error) {
	n := slices.Min(e.Pushes.Sizes)
	for _, size := range e.Pushes.Sizes {
		if size <= maxReadProducts {
			n = max(n, size)
		}
	}

	p, stores, err := e.StartGate(ctx, 1)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()

	s := stores[0]
	if _, err := s.PushExpecting(ctx, 0, n, harness.FirstPrice, harness.CreatedCount); err != nil {
		return nil, err
	}

	c := harness.NewClient()
	if _, err := s.WaitForColumns(ctx, c); err != nil {
		return nil, err
	}

	names, err := storefront.ReadDemoIDs(s, c)
	if err != nil {
		return nil, err
	}

	m := &mixedPush{server: s, products: n, created: n}
	const list = "/v2/products?with=variants"
	for _, q := range []struct {
		name string
		read func() error
	}{
		{"list 50 with variants", func() error { return s.GetAsStorefront(c, harness.WithRandomParam(list)) }},
		{"category and facets", func() error {
			return s.GetAsStorefront(c,
				harness.WithRandomParam("/v2/products?with=facets&category="+names.Categories["1"]))
		}},
		{"one and the same list", func() error { return s.GetAsStorefront(c, list) }},
	} {
		f, err := m.measureReads(ctx, q.read)
		if err != nil {
			return nil, err
		}
		f.Name = fmt.Sprintf("%s of %s during a push", q.name, harness.FormatThousands(n))
		f.Engine = e.Engine
		harness.PrintNote("%s: %s products/s were pushed at the same time", q.name,
			harness.FormatRate(m.pushed, m.took))
		figures = append(figures, f)
	}

	return figures, nil
}

// mixedPush is a push that runs for a given time. Every second item is a new product, the others are existing products
// with a new price.
type mixedPush struct {
	server   *harness.Server
	products int // initial number of products
	created  int // current number of products, including those that pushes have created
	price    int

	// The items and the duration of the pushes during the last measurement.
	pushed int
	took   time.Duration
}

// stream returns the items of a push that ends at a given time.
func (m *mixedPush) stream(until time.Time) *harness.ProductStream {
	m.price++
	turn, known := 0, 0
	return &harness.ProductStream{Next: func() (product, price int, more bool) {
		turn++
		if more = time.Now().Before(until); turn%2 == 0 && known < m.products {
			known++
			return known - 1, harness.LaterPrice + m.price, more
		}
		if more {
			m.created++
		}
		return m.created - 1, harness.FirstPrice, more
	}}
}

// measureReads measures requests with and without a push, in turn.
func (m *mixedPush) measureReads(ctx context.Context, read func() error) (harness.Figure, error) {
	var quiet, busy []time.Duration
	m.pushed, m.took = 0, 0
	for round := range readRounds {
		alone := func() (err error) {
			quiet, err = repeatRequests(read, quiet)
			return err
		}

		beside := func() (err error) {
			ended := make(chan error, 1)
			go func() {
				done, took, err := m.server.Push(ctx, "products", m.stream(time.Now().Add(readTime)))
				m.pushed += done.Received
				m.took += took
				ended <- err
			}()
			busy, err = repeatRequests(read, busy)
			return errors.Join(err, <-ended)
		}

		turns := []func() error{alone, beside}
		if round%2 == 1 {
			slices.Reverse(turns)
		}

		for _, turn := range turns {
			if err := turn(); err != nil {
				return harness.Figure{}, err
			}
		}
	}

	rate := func(all []time.Duration) string {
		return fmt.Sprintf("%s req/s, p99 %s", harness.FormatRate(len(all), readRounds*readTime),
			harness.FormatDuration(harness.Percentile(all, 99)))
	}
	ratio := float64(len(busy)) / float64(len(quiet))
	return harness.Figure{Ours: rate(busy), Raw: rate(quiet) + " without", Ratio: ratio, Aim: "≥ 0.5",
		Met: ratio >= 0.5}, nil
}

// repeatRequests sends requests from all clients for readTime and appends the duration of each.
func repeatRequests(read func() error, took []time.Duration) ([]time.Duration, error) {
	until := time.Now().Add(readTime)
	var group sync.WaitGroup
	var mu sync.Mutex
	var errs error

	for range readClients {
		group.Go(func() {
			var own []time.Duration
			var err error
			for err == nil && time.Now().Before(until) {
				var one time.Duration
				one, err = harness.MeasureTime(read)
				own = append(own, one)
			}

			mu.Lock()
			defer mu.Unlock()

			took = append(took, own...)
			errs = errors.Join(errs, err)
		})
	}

	group.Wait()
	return took, errs
}
