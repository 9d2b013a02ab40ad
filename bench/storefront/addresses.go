package storefront

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"vitrine/bench/harness"
)

// navigationCategories is the number of categories in the tree that Addresses measures.
const navigationCategories = 5000

// Addresses compares reads of products by the paths of a site and by slugs with reads by id, and the tree of categories
// with a bare handler of the same bytes.
func Addresses(ctx context.Context, e *harness.Environment) ([]harness.Figure, error) {
	figures, err := e.EachSizeInMemory(ctx, func(s *harness.Server, _ *http.Client, n int) ([]harness.Figure, error) {
		return measureBySlug(s, e.Engine, n)
	})
	if err != nil {
		return nil, err
	}

	tree, err := measureNavigation(ctx, e)
	return append(figures, tree), err
}

// measureBySlug compares random products by path and by slug with the same by id.
func measureBySlug(s *harness.Server, engine string, n int) ([]harness.Figure, error) {
	c := harness.NewClient()
	var list struct {
		Data []struct {
			ID   string `json:"id"`
			Slug string `json:"slug"`
		} `json:"data"`
	}
	if err := s.GetJSON(c, "/v2/products?per_page=250", &list); err != nil {
		return nil, err
	}

	requests := func(path func(i int) string) func() (time.Duration, error) {
		return func() (time.Duration, error) {
			return harness.TimeRequests(c, func() string { return s.URL + path(rand.IntN(len(list.Data))) },
				s.Keys.PublishableKey, 0, productRequests)
		}
	}
	byID := requests(func(i int) string { return "/v2/products/" + list.Data[i].ID })

	var figures []harness.Figure
	for _, read := range []struct {
		name string
		path func(i int) string
	}{
		{"path of a product", func(i int) string { return "/v2/resolve?path=/p/" + list.Data[i].Slug }},
		{"product by slug", func(i int) string { return "/v2/products/by-slug/" + list.Data[i].Slug }},
	} {
		ours := requests(read.path)
		if _, err := ours(); err != nil { // warm up
			return nil, err
		}
		took, raw, err := harness.MeasureAlternately(5, ours, byID)
		if err != nil {
			return nil, err
		}

		ratio := raw.Seconds() / took.Seconds()
		figures = append(figures, harness.Figure{
			Name: fmt.Sprintf("%s of %s", read.name, harness.FormatThousands(n)), Engine: engine,
			Ours:  harness.FormatRate(productRequests, took) + " req/s",
			Raw:   harness.FormatRate(productRequests, raw) + " req/s by id",
			Ratio: ratio, Aim: "≥ 0.8", Met: ratio >= 0.8,
		})
	}
	return figures, nil
}

// measureNavigation compares a tree of three levels with a bare handler.
func measureNavigation(ctx context.Context, e *harness.Environment) (_ harness.Figure, err error) {
	s, err := e.StartServer(ctx)
	if err != nil {
		return harness.Figure{}, err
	}
	defer func() { err = errors.Join(err, s.Stop()) }()

	if _, _, err := s.Push(ctx, "categories", strings.NewReader(categoryLines())); err != nil {
		return harness.Figure{}, err
	}
	c := harness.NewClient()
	const path = "/v2/navigation"
	body, err := s.Do(c, http.MethodGet, path, nil)
	if err != nil {
		return harness.Figure{}, err
	}
	bare, stopBare, err := harness.ServeBytes(body)
	if err != nil {
		return harness.Figure{}, err
	}
	defer stopBare()

	requestsTo := func(server string) func() (time.Duration, error) {
		return func() (time.Duration, error) {
			return harness.TimeRequests(c, func() string { return server + path }, s.Keys.PublishableKey, len(body),
				productRequests)
		}
	}
	ours, raw, err := harness.MeasureAlternately(5, requestsTo(s.URL), requestsTo(bare))
	ratio := raw.Seconds() / ours.Seconds()
	name := fmt.Sprintf("navigation of %s categories", harness.FormatThousands(navigationCategories))
	return harness.Figure{Name: name, Engine: e.Engine,
		Ours:  harness.FormatRate(productRequests, ours) + " req/s",
		Raw:   harness.FormatRate(productRequests, raw) + " req/s",
		Ratio: ratio, Aim: "≥ 0.3", Met: ratio >= 0.3}, err
}

// categoryLines returns a tree of three levels as it is pushed: each category has up to 17 children.
func categoryLines() string {
	var b strings.Builder
	for i := range navigationCategories {
		parent := "null"
		if i >= 17 {
			parent = fmt.Sprint(i/17 - 1)
		}
		fmt.Fprintf(&b, "{\"id\":%d,\"name\":\"Category number %d\",\"parent_id\":%s}\n", i, i, parent)
	}
	return b.String()
}
