// Package storefront measures what a storefront reads: pages of products, search, facets and words.
package storefront

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"vitrine/bench/harness"
)

// productRequests is the number of requests per measurement.
const productRequests = 1000

// pageRange is the number of pages that Pages requests. Their products fit into the product cache.
const pageRange = 100

// Pages compares pages of products that nobody has requested before with the same page requested again, and reads
// of a single product with reads of the store, from four clients. It also compares responses 304 with a bare handler.
func Pages(ctx context.Context, e *harness.Environment) ([]harness.Figure, error) {
	return e.EachSizeInMemory(ctx, func(s *harness.Server, _ *http.Client, n int) ([]harness.Figure, error) {
		var figures []harness.Figure
		for _, page := range []struct {
			with string
			aim  float64
		}{{"variants", 0.3}, {"variants,images,facets", 0.2}} {
			list, err := measurePages(s, e.Engine, n, page.with, page.aim)
			if err != nil {
				return nil, err
			}
			figures = append(figures, list...)
		}

		single, err := measureSingle(s, e.Engine, n)
		if err != nil {
			return nil, err
		}
		unchanged, err := measureNotModified(s, e.Engine, n)
		if err != nil {
			return nil, err
		}

		return append(figures, single, unchanged), nil
	})
}

// newPage returns the path of a random page that was not requested before: the page number has a unique spelling.
func newPage(path string, pages int) string {
	zeros := strings.ReplaceAll(fmt.Sprintf("%048b", rand.Uint64()>>16), "0", "%30")
	return path + "&page=" + strings.ReplaceAll(zeros, "1", "0") + fmt.Sprint(1+rand.IntN(pages))
}

func measurePages(s *harness.Server, engine string, n int, with string, aim float64) ([]harness.Figure, error) {
	c := harness.NewClient()
	path := "/v2/products?with=" + with
	pages := min(pageRange, n/50)
	requests := func(next func() string) func() (time.Duration, error) {
		return func() (time.Duration, error) {
			return harness.TimeRequests(c, func() string { return s.URL + next() }, s.Keys.PublishableKey, 0,
				productRequests)
		}
	}
	again := requests(func() string { return path + "&page=2" })
	unseen := requests(func() string { return newPage(path, pages) })
	var number atomic.Int64
	cold := func() (time.Duration, error) {
		number.Store(0)
		return harness.TimeRequests(c, func() string { return s.URL + path + "&page=" + fmt.Sprint(number.Add(1)) },
			s.Keys.PublishableKey, 0, pages)
	}
	first, err := cold() // fills the product cache
	if err != nil {
		return nil, err
	}

	ours, raw, err := harness.MeasureAlternately(5, unseen, again)
	if err != nil {
		return nil, err
	}

	name := fmt.Sprintf("new page of %s, with=%s", harness.FormatThousands(n), with)
	ratio := raw.Seconds() / ours.Seconds()
	warm := harness.Figure{Name: name, Engine: engine, Ours: harness.FormatRate(productRequests, ours) + " req/s",
		Raw: harness.FormatRate(productRequests, raw) + " req/s", Ratio: ratio, Aim: fmt.Sprintf("≥ %.1f", aim),
		Met: ratio >= aim}
	unread := harness.Figure{Name: name + ", products not in memory", Engine: engine,
		Ours:  harness.FormatRate(pages, first) + " req/s",
		Raw:   warm.Raw,
		Ratio: raw.Seconds() / productRequests / (first.Seconds() / float64(pages))}
	return []harness.Figure{warm, unread}, nil
}

// measureSingle compares random products with the store.
func measureSingle(s *harness.Server, engine string, n int) (harness.Figure, error) {
	c := harness.NewClient()
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := s.GetJSON(c, "/v2/products?per_page=250", &list); err != nil {
		return harness.Figure{}, err
	}

	product := func() (time.Duration, error) {
		return harness.TimeRequests(c,
			func() string { return s.URL + "/v2/products/" + list.Data[rand.IntN(len(list.Data))].ID },
			s.Keys.PublishableKey, 0, productRequests)
	}
	store := func() (time.Duration, error) {
		return harness.TimeRequests(c, func() string { return s.URL + "/v2/store" }, s.Keys.PublishableKey, 0,
			productRequests)
	}
	if _, err := product(); err != nil { // warm up
		return harness.Figure{}, err
	}

	ours, raw, err := harness.MeasureAlternately(5, product, store)
	ratio := raw.Seconds() / ours.Seconds()
	return harness.Figure{Name: fmt.Sprintf("product by id of %s", harness.FormatThousands(n)), Engine: engine,
		Ours:  harness.FormatRate(productRequests, ours) + " req/s",
		Raw:   harness.FormatRate(productRequests, raw) + " req/s",
		Ratio: ratio, Aim: "≥ 0.5", Met: ratio >= 0.5}, err
}

// measureNotModified compares responses 304 to a list with those of a bare handler.
func measureNotModified(s *harness.Server, engine string, n int) (harness.Figure, error) {
	c := harness.NewClient()
	const path = "/v2/products?with=variants,images,facets&dates=iso"
	request, err := http.NewRequest(http.MethodGet, s.URL+path, nil)
	if err != nil {
		return harness.Figure{}, err
	}

	request.Header.Set("Authorization", "Bearer "+s.Keys.PublishableKey)
	response, err := c.Do(request)
	if err != nil {
		return harness.Figure{}, err
	}

	_ = response.Body.Close()
	tag := response.Header.Get("ETag")
	bare, stopBare, err := harness.ServeHandler(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("ETag", tag)
		w.WriteHeader(http.StatusNotModified)
	})
	if err != nil {
		return harness.Figure{}, err
	}
	defer stopBare()

	requestsTo := func(server string) func() (time.Duration, error) {
		return func() (time.Duration, error) {
			return harness.TimeConcurrent(productRequests, func() func() error {
				return func() error { return getNotModified(c, server+path, s.Keys.PublishableKey, tag) }
			})
		}
	}
	ours, raw, err := harness.MeasureAlternately(5, requestsTo(s.URL), requestsTo(bare))
	ratio := raw.Seconds() / ours.Seconds()

	return harness.Figure{Name: fmt.Sprintf("304 to a list of %s", harness.FormatThousands(n)), Engine: engine,
		Ours:  harness.FormatRate(productRequests, ours) + " req/s",
		Raw:   harness.FormatRate(productRequests, raw) + " req/s",
		Ratio: ratio, Aim: "≥ 0.5", Met: ratio >= 0.5}, err
}

func getNotModified(c *http.Client, url, key, tag string) error {
	r, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("If-None-Match", tag)
	response, err := c.Do(r)
	if err != nil {
		return err
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusNotModified {
		return fmt.Errorf("GET %s: %s, want 304", url, response.Status)
	}
	return nil
}
