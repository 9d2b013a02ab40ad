package harness

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/search"
	"vitrine/internal/shop/store"
)

// buildTimeout limits the time to build the columns of a store.
const buildTimeout = 5 * time.Minute

// WaitForColumns sends a first request and waits until queries are answered from the columns in memory. It returns the
// time since the request.
func (s *Server) WaitForColumns(ctx context.Context, c *http.Client) (time.Duration, error) {
	start := time.Now()
	first := make(chan error, 1)
	go func() { first <- s.GetAsStorefront(c, WithRandomParam("/v2/products?per_page=1")) }()
	err := WaitUntil(ctx, "the columns are built", buildTimeout, 10*time.Millisecond, func() (bool, error) {
		filters, err := s.ReadMetric(c, `vitrine_search_memory_bytes{part="filters"}`)
		return filters > 0, err
	})
	took := time.Since(start)
	if err != nil {
		return 0, err
	}

	if err := <-first; err != nil {
		return 0, err
	}

	return took, s.RequireColumns(c, 1,
		func() error { return s.GetAsStorefront(c, WithRandomParam("/v2/products?per_page=1")) })
}

// RequireColumns calls requests, which sends n requests, and fails unless each was answered from the columns, not by
// SQL or from the page cache.
func (s *Server) RequireColumns(c *http.Client, n int, requests func() error) error {
	const byColumns = `vitrine_search_queries_total{by="columns"}`
	before, err := s.ReadMetric(c, byColumns)
	if err != nil {
		return err
	}
	if err := requests(); err != nil {
		return err
	}
	after, err := s.ReadMetric(c, byColumns)
	if err == nil && after < before+float64(n) {
		err = fmt.Errorf("the columns answered %.0f of %d requests", after-before, n)
	}
	return err
}

// WithRandomParam returns a unique path for the first page of a list, which is not in the server's page cache: it
// writes the page number with leading zeros, some of them percent-encoded.
func WithRandomParam(path string) string {
	number := strings.ReplaceAll(fmt.Sprintf("%064b", rand.Uint64()), "0", "%30")
	return path + "&page=" + strings.ReplaceAll(number, "1", "0") + "1"
}

// ReadMetric reads a metric from the admin listener.
func (s *Server) ReadMetric(c *http.Client, name string) (float64, error) {
	res, err := c.Get(s.Admin + "/metrics")
	if err != nil {
		return 0, err
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			return strconv.ParseFloat(strings.TrimSpace(value), 64)
		}
	}
	return 0, fmt.Errorf("no metric %s", name)
}

// GetAsStorefront requests a path with the publishable key.
func (s *Server) GetAsStorefront(c *http.Client, path string) error {
	return getPage(c, s.URL+path, s.Keys.PublishableKey, 0, make([]byte, 64<<10))
}

// GetJSON decodes the response to a GET request.
func (s *Server) GetJSON(c *http.Client, path string, to any) error {
	b, err := s.Do(c, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, to)
}

// TotalProducts returns the total number of products of a list.
func (s *Server) TotalProducts(c *http.Client, path string) (int64, error) {
	var list struct {
		Meta struct {
			Total int64 `json:"total"`
		} `json:"meta"`
	}
	err := s.GetJSON(c, path, &list)
	return list.Meta.Total, err
}

// FindBySQL answers a query from the database tables, with a search service that has no columns.
func (s *Server) FindBySQL(
	ctx context.Context, query search.Query,
) (found search.Result, took time.Duration, err error) {
	service := search.New(search.Deps{DB: s.App.DB, Products: catalog.New(catalog.Deps{Now: s.App.Now}).Products})
	start := time.Now()
	err = service.Find(ctx, query, nil, func(lookup search.Lookup) error {
		return s.App.DB.Snapshot(ctx, func(q database.Querier) (err error) {
			tx := store.In(q, s.Keys.StoreID)
			current, err := service.Versions(ctx, tx)
			if err != nil {
				return err
			}
			found, err = lookup(ctx, tx, current)
			return err
		})
	})
	return found, time.Since(start), err
}

// WaitForFacets waits until a list with facets is answered.
func (s *Server) WaitForFacets(ctx context.Context, c *http.Client) error {
	return WaitUntil(ctx, "the columns are in memory", buildTimeout, 10*time.Millisecond, func() (bool, error) {
		_, err := s.Do(c, "GET", "/v2/products?with=facets&per_page=1", nil)
		return err == nil, nil // 503 until the columns are built
	})
}
