package storefront

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"vitrine/bench/harness"
	"vitrine/internal/demo"
)

const (
	// searchRounds is the number of requests of each kind.
	searchRounds = 200
	// maxRenamed is the number of products that the push of new names renames.
	maxRenamed = 100_000
	// afterRenames is how long the background work after a push lasts: the file of the columns and a checkpoint.
	afterRenames = 10 * time.Second
)

// searchKind is a kind of search with its aims: the least ratio to what it is compared with, and the highest p99 in a
// store with a million products.
type searchKind struct {
	name   string
	query  func() string                // different at each call
	path   func(q string, n int) string // of the nth request for a query
	raw    func() string                // of the request that it is compared with
	ratio  float64
	p99    time.Duration
	rounds int
}

// Search measures what people type: GET /v2/products with q and facets against the same list without q, with words as
// products have them and with typing errors, and GET /v2/suggest against GET /v2/store, each as somebody types a word
// letter by letter. Then it pushes new names of at most 100,000 products and measures that, and the searches meanwhile.
// All requests are different, so that the server's page cache is not used; the products of all pages have been read
// before.
func Search(ctx context.Context, e *harness.Environment) ([]harness.Figure, error) {
	return e.EachSizeInMemory(ctx, func(s *harness.Server, c *http.Client, n int) ([]harness.Figure, error) {
		var figures []harness.Figure
		for _, kind := range searchKinds(n) {
			f, err := measureSearch(s, c, kind, n)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", kind.name, err)
			}
			f.Engine = e.Engine
			figures = append(figures, f)
		}

		renamed, err := measureRenames(ctx, s, c, n)
		for i := range renamed {
			renamed[i].Engine = e.Engine
		}
		return append(figures, renamed...), err
	})
}

// searchKinds returns the kinds of searches of a store with n products of the demo catalogue.
func searchKinds(n int) []searchKind {
	r := rand.New(rand.NewPCG(harness.DemoSeed, uint64(n)))
	sample := NewWordSample(n, r)
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	list := func(q string, _ int) string {
		return harness.WithRandomParam("/v2/products?with=facets&per_page=50&q=" + url.QueryEscape(q))
	}
	suggest := func(q string, n int) string {
		return fmt.Sprintf("/v2/suggest?q=%s&limit=%d", url.QueryEscape(q), 10-n)
	}
	all := func() string { return harness.WithRandomParam("/v2/products?with=facets&per_page=50") }
	storeInfo := func() string { return "/v2/store" }

	words := strings.Fields(strings.Join(sample.Pairs, " "))
	withErrors := func(text string) string {
		typed := strings.Fields(text)
		for i := range typed {
			typed[i] = mistype(typed[i], r)
		}
		return strings.Join(typed, " ")
	}
	beginning := func(word string) string {
		letters := []rune(word)
		return string(letters[:1+r.IntN(len(letters))])
	}

	const slow, fast = 15 * time.Millisecond, 5 * time.Millisecond
	word := func() string { return pick(words) }
	pair := func() string { return pick(sample.Pairs) }
	mistyped := func() string { return withErrors(word()) }

	return []searchKind{
		{"search for a word and facets", word, list, all, 0.5, slow, searchRounds},
		{"search for two words and facets", pair, list, all, 0.5, slow, searchRounds},
		{"search for a mistyped word and facets", mistyped, list, all, 0.2, 2 * slow, searchRounds},
		{"search for two mistyped words and facets", func() string { return withErrors(pair()) }, list, all, 0.2,
			2 * slow, searchRounds},
		{"suggestions while a word is typed", func() string { return beginning(word()) }, suggest, storeInfo, 0.5, fast,
			2 * searchRounds},
		{"suggestions for a mistyped beginning", func() string { return beginning(mistyped()) }, suggest,
			storeInfo, 0.5, fast, 2 * searchRounds},
	}
}

// mistype returns a word of at least four letters with a typing error: a letter left out, doubled, or two that changed
// places.
func mistype(word string, r *rand.Rand) string {
	letters := []rune(word)
	if len(letters) < 4 {
		return word
	}

	at := 1 + r.IntN(len(letters)-2)
	switch r.IntN(3) {
	case 0:
		return string(letters[:at]) + string(letters[at+1:])
	case 1:
		return string(letters[:at+1]) + string(letters[at:])
	}
	letters[at], letters[at+1] = letters[at+1], letters[at]
	return string(letters)
}

// measureSearch sends the requests of a kind, in turn with those that it is compared with.
func measureSearch(s *harness.Server, c *http.Client, kind searchKind, n int) (harness.Figure, error) {
	queries := make([]string, kind.rounds)
	for i := range queries {
		queries[i] = kind.query()
		if err := s.GetAsStorefront(c, kind.path(queries[i], 1)); err != nil {
			return harness.Figure{}, err
		}
	}

	var ours, raw []time.Duration
	for _, q := range queries {
		took, err := harness.MeasureTime(func() error { return s.GetAsStorefront(c, kind.path(q, 0)) })
		if err != nil {
			return harness.Figure{}, err
		}
		bare, err := harness.MeasureTime(func() error { return s.GetAsStorefront(c, kind.raw()) })
		if err != nil {
			return harness.Figure{}, err
		}
		ours, raw = append(ours, took), append(raw, bare)
	}

	f := harness.Figure{
		Name: kind.name + " of " + harness.FormatThousands(n),
		Ours: fmt.Sprintf("p50 %s, p99 %s", harness.FormatDuration(harness.Median(ours)),
			harness.FormatDuration(harness.Percentile(ours, 99))),
		Raw:   harness.FormatDuration(harness.Median(raw)),
		Ratio: harness.Median(raw).Seconds() / harness.Median(ours).Seconds(),
		Aim:   fmt.Sprintf("≥ %.1f", kind.ratio),
	}
	f.Met = f.Ratio >= kind.ratio
	if n == harness.Million {
		f.Aim += ", p99 ≤ " + harness.FormatDuration(kind.p99)
		f.Met = f.Met && harness.Percentile(ours, 99) <= kind.p99
	}
	return f, nil
}

// measureRenames pushes new names of products, and searches meanwhile. It compares the push with one of new prices of
// the same products, which changes no words.
func measureRenames(ctx context.Context, s *harness.Server, c *http.Client, n int) ([]harness.Figure, error) {
	renamed := min(n, maxRenamed)
	kind := searchKinds(n)[1]
	done := make(chan error, 1)
	var took time.Duration
	go func() {
		var err error
		took, err = harness.MeasureTime(func() error {
			_, _, err := s.Push(ctx, "products", renames(renamed))
			return err
		})
		done <- err
	}()

	var meanwhile []time.Duration
	for {
		select {
		case err := <-done:
			if err != nil {
				return nil, err
			}
			return renameFigures(ctx, s, c, renameResult{n, renamed, took, meanwhile, kind})
		default:
			one, err := harness.MeasureTime(func() error { return s.GetAsStorefront(c, kind.path(kind.query(), 0)) })
			if err != nil {
				return nil, err
			}
			meanwhile = append(meanwhile, one)
		}
	}
}

// renameResult is what measureRenames has measured.
type renameResult struct {
	products, renamed int
	took              time.Duration
	meanwhile         []time.Duration
	kind              searchKind
}

func renameFigures(ctx context.Context, s *harness.Server, c *http.Client, r renameResult) ([]harness.Figure, error) {
	first, err := harness.MeasureTime(func() error { return s.GetAsStorefront(c, r.kind.path(r.kind.query(), 0)) })
	if err != nil {
		return nil, err
	}
	prices, err := harness.MeasureTime(func() error {
		_, _, err := s.Push(ctx, "prices", newPrices(r.renamed))
		return err
	})
	if err != nil {
		return nil, err
	}

	time.Sleep(afterRenames) // else the server would not end in time
	size := harness.FormatThousands(r.products)
	return []harness.Figure{
		{Name: "push of " + harness.FormatThousands(r.renamed) + " new names to " + size,
			Ours: harness.FormatDuration(r.took), Raw: harness.FormatDuration(prices) + " as many prices",
			Ratio: prices.Seconds() / r.took.Seconds()},
		{Name: "first search after it of " + size, Ours: harness.FormatDuration(first), Raw: "–"},
		{Name: "search for two words meanwhile of " + size, Raw: "–",
			Ours: fmt.Sprintf("p50 %s, p99 %s", harness.FormatDuration(harness.Median(r.meanwhile)),
				harness.FormatDuration(harness.Percentile(r.meanwhile, 99)))},
	}, nil
}

// renames returns NDJSON that gives the first n products of the demo catalogue the names of others with a number, which
// is another one in each run.
func renames(n int) *strings.Reader {
	g := demo.NewGeneratorIn(demo.Mixed, harness.DemoSeed)
	var b strings.Builder
	number := rand.IntN(harness.Million)
	for i := 1; i <= n; i++ {
		name := fmt.Sprint(g.Product(n+1-i).Name, " ", number)
		fmt.Fprintf(&b, `{"id":%q,"name":%q}`+"\n", demo.ExternalID(i), name)
	}
	return strings.NewReader(b.String())
}

// newPrices returns NDJSON that changes the price of the first variants of the first n products.
func newPrices(n int) *strings.Reader {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, `{"variant_id":"%s-1","price":%d.37}`+"\n", demo.ExternalID(i), 10+i%90)
	}
	return strings.NewReader(b.String())
}
