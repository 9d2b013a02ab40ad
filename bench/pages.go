package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// productRequests is the number of requests per measurement.
const productRequests = 1000

// pageRange is the number of pages that benchPages requests. Their products fit into the product cache.
const pageRange = 100

// benchPages compares pages of products that nobody has requested before with the same page requested again, and reads
// of a single product with reads of the store, from four clients. It also compares responses 304 with a bare handler.
func benchPages(ctx context.Context, e *benchEnvironment) ([]figure, error) {
	return e.eachSizeInMemory(ctx, func(s *benchServer, _ *http.Client, n int) ([]figure, error) {
		var figures []figure
		for _, page := range []struct {
			with string
			aim  float64
		}{{"variants", 0.3}, {"variants,images,facets", 0.2}} {
			list, err := s.measurePages(e.engine, n, page.with, page.aim)
			if err != nil {
				return nil, err
			}
			figures = append(figures, list...)
		}

		single, err := s.measureSingle(e.engine, n)
		if err != nil {
			return nil, err
		}
		unchanged, err := s.measureNotModified(e.engine, n)
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

func (s *benchServer) measurePages(engine string, n int, with string, aim float64) ([]figure, error) {
	c := newClient()
	path := "/v2/products?with=" + with
	pages := min(pageRange, n/50)
	requests := func(next func() string) func() (time.Duration, error) {
		return func() (time.Duration, error) {
			return timeRequests(c, func() string { return s.url + next() }, s.keys.PublishableKey, 0, productRequests)
		}
	}
	again := requests(func() string { return path + "&page=2" })
	unseen := requests(func() string { return newPage(path, pages) })
	var number atomic.Int64
	cold := func() (time.Duration, error) {
		number.Store(0)
		return timeRequests(c, func() string { return s.url + path + "&page=" + fmt.Sprint(number.Add(1)) },
			s.keys.PublishableKey, 0, pages)
	}
	first, err := cold() // fills the product cache
	if err != nil {
		return nil, err
	}

	ours, raw, err := measureAlternately(5, unseen, again)
	if err != nil {
		return nil, err
	}

	name := fmt.Sprintf("new page of %s, with=%s", formatThousands(n), with)
	ratio := raw.Seconds() / ours.Seconds()
	warm := figure{name: name, engine: engine, ours: formatRate(productRequests, ours) + " req/s",
		raw: formatRate(productRequests, raw) + " req/s", ratio: ratio, aim: fmt.Sprintf("≥ %.1f", aim),
		met: ratio >= aim}
	unread := figure{name: name + ", products not in memory", engine: engine, ours: formatRate(pages, first) + " req/s",
		raw:   warm.raw,
		ratio: raw.Seconds() / productRequests / (first.Seconds() / float64(pages))}
	return []figure{warm, unread}, nil
}

// measureSingle compares random products with the store.
func (s *benchServer) measureSingle(engine string, n int) (figure, error) {
	c := newClient()
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := s.getJSON(c, "/v2/products?per_page=250", &list); err != nil {
		return figure{}, err
	}

	product := func() (time.Duration, error) {
		return timeRequests(c,
			func() string { return s.url + "/v2/products/" + list.Data[rand.IntN(len(list.Data))].ID },
			s.keys.PublishableKey, 0, productRequests)
	}
	store := func() (time.Duration, error) {
		return timeRequests(c, func() string { return s.url + "/v2/store" }, s.keys.PublishableKey, 0, productRequests)
	}
	if _, err := product(); err != nil { // warm up
		return figure{}, err
	}

	ours, raw, err := measureAlternately(5, product, store)
	ratio := raw.Seconds() / ours.Seconds()
	return figure{name: fmt.Sprintf("product by id of %s", formatThousands(n)), engine: engine,
		ours: formatRate(productRequests, ours) + " req/s", raw: formatRate(productRequests, raw) + " req/s",
		ratio: ratio, aim: "≥ 0.5", met: ratio >= 0.5}, err
}

// measureNotModified compares responses 304 to a list with those of a bare handler.
func (s *benchServer) measureNotModified(engine string, n int) (figure, error) {
	c := newClient()
	const path = "/v2/products?with=variants,images,facets&dates=iso"
	request, err := http.NewRequest(http.MethodGet, s.url+path, nil)
	if err != nil {
		return figure{}, err
	}

	request.Header.Set("Authorization", "Bearer "+s.keys.PublishableKey)
	response, err := c.Do(request)
	if err != nil {
		return figure{}, err
	}

	_ = response.Body.Close()
	tag := response.Header.Get("ETag")
	bare, stopBare, err := serveHandler(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("ETag", tag)
		w.WriteHeader(http.StatusNotModified)
	})
	if err != nil {
		return figure{}, err
	}
	defer stopBare()

	requestsTo := func(server string) func() (time.Duration, error) {
		return func() (time.Duration, error) {
			return timeConcurrent(productRequests, func() func() error {
				return func() error { return getNotModified(c, server+path, s.keys.PublishableKey, tag) }
			})
		}
	}
	ours, raw, err := measureAlternately(5, requestsTo(s.url), requestsTo(bare))
	ratio := raw.Seconds() / ours.Seconds()

	return figure{name: fmt.Sprintf("304 to a list of %s", formatThousands(n)), engine: engine,
		ours: formatRate(productRequests, ours) + " req/s", raw: formatRate(productRequests, raw) + " req/s",
		ratio: ratio, aim: "≥ 0.5", met: ratio >= 0.5}, err
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
