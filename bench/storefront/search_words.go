package storefront

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"vitrine/bench/harness"
	"vitrine/internal/demo"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/money"
)

const (
	// wordRounds is the number of requests of each kind, at rest and after writes.
	wordRounds = 100
	// wordSampleLen is the number of generated products from which queries are chosen.
	wordSampleLen = 20_000
	// wordAim is the highest p99 of a query in a store with a million products.
	wordAim = 25 * time.Millisecond
)

// wordKind is a kind of query. query returns the parameters of one, which are different at each call.
type wordKind struct {
	name  string
	query func() url.Values
}

// Words measures GET /v2/products by words, prices, stock and order, without a category: a page of 50 products of
// the whole store. Each kind is measured with facets and without, at rest and right after the push of a price. All
// requests are different, so that the server's page cache is not used. They take turns with GET /v2/store, which needs
// no search, and the ratio is to its p50.
func Words(ctx context.Context, e *harness.Environment) ([]harness.Figure, error) {
	return e.EachSizeInMemory(ctx, func(s *harness.Server, c *http.Client, n int) ([]harness.Figure, error) {
		var figures []harness.Figure
		for _, kind := range newWordKinds(n) {
			for _, facets := range []bool{false, true} {
				list, err := measureWords(ctx, s, c, kind, facets, harness.FormatThousands(n))
				if err != nil {
					return nil, fmt.Errorf("%s: %w", kind.name, err)
				}

				for i := range list {
					if list[i].Engine = e.Engine; n == harness.Million {
						list[i].Aim = "p99 ≤ 25 ms"
					}
				}

				figures = append(figures, list...)
			}
		}

		return figures, nil
	})
}

// measureWords measures one kind of query at rest and after writes.
func measureWords(
	ctx context.Context, s *harness.Server, c *http.Client, kind wordKind, facets bool, size string,
) (figures []harness.Figure, err error) {
	name := kind.name
	if facets {
		name += " and facets"
	}

	for _, writes := range []bool{false, true} {
		var ours, raw []time.Duration

		err := s.RequireColumns(c, wordRounds, func() error {
			for range wordRounds {
				if writes {
					if err := pushPrice(ctx, s); err != nil {
						return err
					}
				}

				params := kind.query()
				if facets {
					params.Set("with", "facets")
				}

				path := harness.WithRandomParam("/v2/products?" + params.Encode())
				took, err := harness.MeasureTime(func() error { return s.GetAsStorefront(c, path) })
				if err != nil {
					return err
				}

				bare, err := harness.MeasureTime(func() error { return s.GetAsStorefront(c, "/v2/store") })
				if err != nil {
					return err
				}

				ours, raw = append(ours, took), append(raw, bare)
			}

			return nil
		})
		if err != nil {
			return nil, err
		}

		f := harness.Figure{
			Name: name + " of " + size,
			Ours: fmt.Sprintf("p50 %s, p99 %s", harness.FormatDuration(harness.Median(ours)),
				harness.FormatDuration(harness.Percentile(ours, 99))),
			Raw:   harness.FormatDuration(harness.Median(raw)) + " GET /v2/store",
			Ratio: harness.Median(raw).Seconds() / harness.Median(ours).Seconds(),
			Met:   harness.Percentile(ours, 99) <= wordAim,
		}
		if writes {
			f.Name += ", after a push"
		}

		figures = append(figures, f)
	}

	return figures, nil
}

// pushPrice pushes a new price of the first variant of a random product.
func pushPrice(ctx context.Context, s *harness.Server) error {
	s.PriceCount++
	line := fmt.Sprintf(`{"variant_id": "%s-1", "price": %d.%02d}`, demo.ExternalID(1+rand.IntN(1000)),
		10+s.PriceCount/100%100, s.PriceCount%100)
	_, _, err := s.Push(ctx, "prices", strings.NewReader(line))
	return err
}

// newWordKinds returns the kinds of queries for a store with n products of the demo catalogue.
func newWordKinds(n int) []wordKind {
	r := rand.New(rand.NewPCG(harness.DemoSeed, uint64(n)))
	sample := NewWordSample(n, r)
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	text := func(q string) url.Values { return url.Values{"q": {q}} }
	prices := func(share float64) url.Values {
		from := int(r.Float64() * (1 - share) * float64(len(sample.prices)-1))
		to := from + int(share*float64(len(sample.prices)))
		return url.Values{"price[from]": {harness.FormatPrice(sample.prices[from])},
			"price[to]": {harness.FormatPrice(sample.prices[to])}}
	}
	with := func(params url.Values, key, value string) url.Values {
		params.Set(key, value)
		return params
	}
	sorts := []string{"name", "-name", "price", "-price", "created_at", "-created_at"}

	return []wordKind{
		{"a common word", func() url.Values { return text(pick(sample.Common)) }},
		{"a rare word", func() url.Values { return text(pick(sample.Rare)) }},
		{"two words", func() url.Values { return text(pick(sample.Pairs)) }},
		{"the start of a word", func() url.Values { return text(string([]rune(pick(sample.Common))[:2])) }},
		{"a common word, sorted", func() url.Values { return with(text(pick(sample.Common)), "sort", pick(sorts)) }},
		{"a price range", func() url.Values { return prices(0.3) }},
		{"a narrow price range", func() url.Values { return prices(0.01) }},
		{"in stock", func() url.Values { return url.Values{"in_stock": {"true"}} }},
		{"a price range in stock", func() url.Values { return with(prices(0.3), "in_stock", "true") }},
		{"a price range, sorted", func() url.Values { return with(prices(0.3), "sort", pick(sorts)) }},
		{"all, sorted", func() url.Values { return url.Values{"sort": {pick(sorts)}} }},
	}
}

// wordChoices has words and prices of a sample of the products.
type wordChoices struct {
	Common []string // words that 2 to 10 % of the names contain
	Rare   []string // words that few names contain, and numbers that one SKU contains
	Pairs  []string // two words of one name
	prices []money.Money
}

func NewWordSample(n int, r *rand.Rand) (s wordChoices) {
	g := demo.NewGeneratorIn(demo.Mixed, harness.DemoSeed)
	counts := map[string]int{}
	size := min(n, wordSampleLen)
	for range size {
		p := g.Product(1 + r.IntN(n))
		words := locale.Words(p.Name)
		for _, w := range words {
			counts[w]++
		}

		if i := r.IntN(len(words) - 1); len(s.Pairs) < 1000 {
			s.Pairs = append(s.Pairs, words[i]+" "+words[i+1])
		}

		s.prices = append(s.prices, p.Variants[0].Price)
		if len(s.Rare) < 500 {
			s.Rare = append(s.Rare, strings.TrimPrefix(p.ExternalID, "D-"))
		}
	}

	for w, k := range counts {
		switch {
		case k >= size/50 && k <= size/10 && len(w) >= 4:
			s.Common = append(s.Common, w)
		case k <= max(1, size/5000) && len(w) >= 6:
			s.Rare = append(s.Rare, w)
		}
	}

	slices.Sort(s.prices)
	slices.Sort(s.Common) // the order of a map is random
	slices.Sort(s.Rare)

	return s
}
