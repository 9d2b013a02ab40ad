package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/storetest"
)

const queriesPath = "/v2/search/queries"

// insertQueries stores that queries were asked some days ago, once each, with what they found.
func insertQueries(s *apitest.Server, daysAgo int64, found map[string]int64) {
	today := store.DayNumber(s.Clock.Now().UTC())
	s.Write(func(ctx context.Context, q database.Querier) error {
		unfound := 0
		for query, n := range found {
			if n == 0 {
				unfound++
			}
			_, err := q.Exec(ctx, `INSERT INTO search_queries (store_id, day, query, count, found, asked_at, clicks, orders)
VALUES ($1, $2, $3, 1, $4, 0, 0, 0)`, s.StoreID, today-daysAgo, query, n)
			if err != nil {
				return err
			}
		}

		_, err := q.Exec(ctx, `INSERT INTO search_days (store_id, day, queries, unfound, clicks)
VALUES ($1, $2, $3, $4, 0)`, s.StoreID, today-daysAgo, len(found), unfound)
		return err
	})
}

func TestSearchQueries_listsDays(t *testing.T) {
	t.Parallel()
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		insertQueries(s, 0, map[string]int64{"lamp": 2, "torch": 0})
		insertQueries(s, 1, map[string]int64{"chair": 0})
		insertQueries(s, 399, map[string]int64{"first": 1})
		insertQueries(s, 400, map[string]int64{"expired": 1})
		day := func(ago int) string { return s.Clock.Now().UTC().AddDate(0, 0, -ago).Format(time.DateOnly) }

		for query, want := range map[string]string{
			"":                                      "lamp torch chair first",
			"?found=any":                            "lamp torch chair first",
			"?found=none":                           "torch chair",
			"?from=" + day(1):                       "lamp torch chair",
			"?to=" + day(1):                         "chair first",
			"?from=" + day(1) + "&to=" + day(1):     "chair",
			"?from=" + day(0) + "&found=none":       "torch",
			"?from=" + day(0) + "&to=" + day(1):     "",
			"?from=0001-01-01&to=9999-12-31":        "lamp torch chair first",
			"?per_page=2&page=2":                    "chair first",
			"?per_page=1&page=2&found=none":         "chair",
			"?page=9":                               "",
			"?from=" + day(500) + "&to=" + day(450): "",
		} {
			if got := strings.Join(s.Get(queriesPath+query).Texts("data", "query"), " "); got != want {
				t.Errorf("%s: the queries are %q, want %q", query, got, want)
			}
		}

		first := s.Get(queriesPath + "?per_page=1")
		want := fmt.Sprintf(`{"clicks":0,"count":1,"day":%q,"found":2,"orders":0,"query":"lamp"}`, day(0))
		if got := first.Text("data.0"); got != want || first.Text("meta.total") != "4" {
			t.Errorf("the first query is %s of %s, want %s of 4", got, first.Text("meta.total"), want)
		}

		for _, query := range []string{"?from=yesterday", "?to=2026-13-01", "?from=", "?found=some", "?found=",
			"?day=1", "?per_page=251", "?from=2026-11-14T00:00:00Z", "?from=2026-01-01&from=2026-01-02"} {
			s.WantProblem("400 malformed_query", "GET", queriesPath+query, nil)
		}
		s.WantProblem("403 forbidden", "GET", queriesPath, nil, apitest.As(s.Publishable))
	})
}

// A click and the order of the product are counted for the query that was asked on the same day.
func TestSearchClicks_areCountedForQueries(t *testing.T) {
	t.Parallel()
	for _, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := apitest.StartServer(t, engine, apitest.WithDatabase(databasetest.NewMigratedURL(t, engine)))
			insertQueries(s, 0, map[string]int64{"iphone 15": 2})
			variant := s.NewStockedVariant()
			product := s.Get("/v2/products").Text("data.0.id")
			click := map[string]any{"query": "iPhone15", "product_id": product}
			visitor := apitest.As(s.Publishable)
			key := apitest.Header("Idempotency-Key", "0123456789abcdef")

			s.OK(204, "POST", "/v2/search/clicks", click, visitor)
			s.OK(204, "POST", "/v2/search/clicks", click, visitor, key)
			s.OK(204, "POST", "/v2/search/clicks", click, visitor, key)
			unknown := map[string]any{"query": "iphone 15", "product_id": id.New[store.Store]().String()}
			s.OK(204, "POST", "/v2/search/clicks", unknown, visitor)
			s.SubmitOrder(variant)
			s.Clock.Advance(time.Minute)
			storetest.EventuallyEqual(t, "clicks and orders", "2 1", func() string {
				list := s.Get(queriesPath)
				return list.Text("data.0.clicks") + " " + list.Text("data.0.orders")
			})
		})
	}
}

func TestSearchClicks_areValidated(t *testing.T) {
	t.Parallel()
	s := apitest.StartServer(t, database.SQLite)
	for body, field := range map[string]string{
		`{}`: "query", `{"query": "", "product_id": "01890a5d-ac96-774b-bcce-b302099a8057"}`: "query",
		`{"query": "lamp"}`: "product_id", `{"query": "lamp", "product_id": "x"}`: "product_id",
		`{"query": 5, "product_id": "01890a5d-ac96-774b-bcce-b302099a8057"}`: "query", `[]`: "",
	} {
		problem := s.Do("POST", "/v2/search/clicks", body, apitest.As(s.Publishable))
		if problem.Status != 422 || problem.Text("errors.0.field") != field {
			t.Errorf("%s is %d, want 422 for %q: %s", body, problem.Status, field, problem.Body)
		}
	}
}

// The limits of public writes do not apply to clicks.
func TestSearchClicks_areNotLimited(t *testing.T) {
	t.Parallel()
	limited := apitest.WithConfig(func(c *config.Serve) { c.PublicWritesPerMinute = 3 })
	s := apitest.StartServer(t, database.SQLite, limited)
	click := `{"query": "lamp", "product_id": "01890a5d-ac96-774b-bcce-b302099a8057"}`
	for range 20 {
		s.OK(204, "POST", "/v2/search/clicks", click, apitest.As(s.Publishable))
	}
}

// Searches of visitors are counted, whoever caches the answer, but only their first pages, and not those of systems.
func TestSearches_areCounted(t *testing.T) {
	t.Parallel()
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		s.OK(201, "POST", "/v2/products", `{"name": "Lamp"}`)
		visitor := apitest.As(s.Publishable)
		for range 3 {
			s.Get("/v2/products?q=Lamp", visitor)
		}
		s.Get("/v2/products?q=zzzz&per_page=5", visitor)
		s.Get("/v2/products?q=anna@shop.example", visitor)
		s.Get("/v2/products?q=%2B7+912+345-67-89", visitor)
		s.Get("/v2/products?q=lamp&page=2", visitor)
		s.Get("/v2/products?q=lamp")
		s.Get("/v2/products", visitor)

		storetest.EventuallyEqual(t, "queries", "lamp 3 1, zzzz 1 0", func() string {
			var lines []string
			list := s.Get(queriesPath)
			for i := range list.Len("data") {
				q := fmt.Sprintf("data.%d.", i)
				lines = append(lines, list.Text(q+"query")+" "+list.Text(q+"count")+" "+list.Text(q+"found"))
			}
			return strings.Join(lines, ", ")
		})
		if got := s.Get(queriesPath+"?found=none").Texts("data", "query"); strings.Join(got, " ") != "zzzz" {
			t.Errorf("found=none gives %v, want zzzz", got)
		}
	})
}
