package storefront

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"vitrine/bench/harness"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

const (
	// priceChains is the number of groups of customers, and chainLists the number of price lists of each.
	priceChains, chainLists = 3, 3
	// MinPriceLists is the smallest number of price lists: no list is in two groups.
	MinPriceLists = priceChains * chainLists
	// maxPricedVariants is the number of variants that have prices in the lists, and fillWindow the number of row keys
	// of variants whose prices are inserted in one transaction.
	maxPricedVariants = 1_000_000
	fillWindow        = 50_000
	// pricesAim is the smallest ratio of pages for a group to pages for readers without one, and chainMemoryAim the
	// memory that the chains of a million products may take, in bytes.
	pricesAim      = 0.8
	chainMemoryAim = 256 << 20
)

// Prices compares pages for readers of a group with three price lists with the same pages for readers without a group.
// It also measures the first page of each group, and the memory that the prices of the groups take.
func Prices(ctx context.Context, e *harness.Environment) ([]harness.Figure, error) {
	return e.EachSizeInMemory(ctx, func(s *harness.Server, c *http.Client, n int) (_ []harness.Figure, err error) {
		lists := &priceBench{server: s, engine: e.Engine}
		defer func() { err = errors.Join(err, lists.remove(context.WithoutCancel(ctx))) }()
		if err := lists.create(ctx, c, e.PriceLists); err != nil {
			return nil, err
		}

		const memory = `vitrine_search_memory_bytes{part="filters"}`
		before, err := s.ReadMetric(c, memory)
		if err != nil {
			return nil, err
		}

		first, err := lists.firstPages(c)
		if err != nil {
			return nil, err
		}
		harness.PrintNote("first pages of %d groups: %s", priceChains, first.text())

		after, err := s.ReadMetric(c, memory)
		if err != nil {
			return nil, err
		}

		used := harness.Figure{Name: fmt.Sprintf("memory of %d chains of %d price lists, %s products", priceChains,
			e.PriceLists, harness.FormatThousands(n)), Engine: e.Engine,
			Ours: fmt.Sprintf("%.1f MiB", (after-before)/(1<<20)), Raw: "–"}
		if n == harness.Million {
			used.Aim = "≤ 256 MiB"
			used.Met = after-before <= chainMemoryAim
		}

		pages, err := lists.measurePages(c, e.Engine, n)
		return append([]harness.Figure{first.figure(e.Engine, n), used}, pages...), err
	})
}

// priceBench is a store with price lists.
type priceBench struct {
	server *harness.Server
	engine string
	keys   []string // of each group
	lists  []string // ids
}

// create creates n lists with their prices, and the groups with a key for each.
func (b *priceBench) create(ctx context.Context, c *http.Client, n int) error {
	for i := range n {
		list, err := b.post(c, "/v2/price-lists", map[string]any{"name": fmt.Sprint("bench ", i)})
		if err != nil {
			return err
		}
		b.lists = append(b.lists, list)
	}
	if err := b.fill(ctx); err != nil {
		return err
	}

	for i := range priceChains {
		group, err := b.post(c, "/v2/customer-groups", map[string]any{"name": fmt.Sprint("bench ", i),
			"price_lists": b.lists[chainLists*i : chainLists*(i+1)]})
		if err != nil {
			return err
		}
		groupID, err := id.Parse[access.CustomerGroup](group)
		if err != nil {
			return err
		}

		err = b.server.App.DB.Write(ctx, func(q database.Querier) error {
			_, token, err := b.server.App.Access.CreateKey(ctx, store.In(q, b.server.Keys.StoreID),
				access.NewKey{Kind: access.PublishableKey, Name: "bench", GroupID: &groupID})
			b.keys = append(b.keys, token)
			return err
		})
		if err != nil {
			return err
		}
	}

	return nil
}

// post creates a resource and returns its id.
func (b *priceBench) post(c *http.Client, path string, body any) (string, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return "", err
	}
	answer, err := b.server.Do(c, http.MethodPost, path, text)
	if err != nil {
		return "", err
	}
	var created struct {
		Data struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	err = json.Unmarshal(answer, &created)
	return created.Data.ID, err
}

// fill gives the variants with a price, at most maxPricedVariants, a price in every list. The rows are inserted in the
// order of their primary key, which is several times as fast as one list after the other.
func (b *priceBench) fill(ctx context.Context) error {
	start := time.Now()
	done := int64(0)
	reported := int64(0)
	after := int64(0)

	for done < maxPricedVariants*int64(len(b.lists)) {
		rows, next, err := b.fillAfter(ctx, after)
		if err != nil {
			return err
		}
		if next == after {
			break
		}

		after = next
		done += rows
		if done >= reported+harness.Million {
			reported = done
			harness.PrintNote("inserted %s list prices, %s prices/s", harness.FormatThousands(int(done)),
				harness.FormatRate(int(done), time.Since(start)))
		}
	}

	harness.PrintNote("inserted %s list prices in %s", harness.FormatThousands(int(done)),
		harness.FormatDuration(time.Since(start)))
	if b.engine != "postgres" {
		return nil
	}
	return b.server.App.DB.WriteAlone(ctx, func(q database.Querier) error {
		_, err := q.Exec(ctx, "ANALYZE variant_prices") // as autovacuum does on a running server
		return err
	})
}

// fillAfter inserts the prices of the variants of the next window. It returns their number, and the last row key, which
// is the argument after if there are no more variants.
func (b *priceBench) fillAfter(ctx context.Context, after int64) (rows, last int64, err error) {
	err = b.server.App.DB.WriteAlone(ctx, func(q database.Querier) error {
		if b.engine == "postgres" { // the rows satisfy the foreign keys
			if _, err := q.Exec(ctx, "SET LOCAL session_replication_role = replica"); err != nil {
				return err
			}
		}

		tx := store.In(q, b.server.Keys.StoreID)
		err := database.QueryRow(ctx, tx, `
SELECT COALESCE(MAX(key), $2)
FROM (SELECT v.key FROM variants v WHERE v.store_id = $1 AND v.key > $2 ORDER BY v.key LIMIT $3) AS w`,
			[]any{after, fillWindow}, &last)
		if err != nil || last == after {
			return err
		}

		rows, err = tx.Exec(ctx, `
INSERT INTO variant_prices (store_id, variant_key, list_key, from_quantity, price)
SELECT $1, v.key, l.key, 1000, v.price + 10000 * l.key
FROM variants v
CROSS JOIN price_lists l
WHERE v.store_id = $1
  AND v.key > $2
  AND v.key <= $3
  AND v.price IS NOT NULL
  AND l.store_id = $1
ORDER BY v.key, l.key`, after, last)
		return err
	})
	return rows, last, err
}

// remove deletes the groups, the prices and the lists. The database has no other store.
func (b *priceBench) remove(ctx context.Context) error {
	removeAll := "DELETE FROM variant_prices" // without a condition SQLite frees the pages of the table at once
	if b.engine == "postgres" {
		removeAll = "TRUNCATE variant_prices"
	}

	return b.server.App.DB.WriteAlone(ctx, func(q database.Querier) error {
		for _, statement := range []string{"UPDATE credentials SET group_key = NULL", "DELETE FROM customer_groups",
			removeAll, "DELETE FROM price_lists"} {
			if _, err := q.Exec(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	})
}

// sortedPage is a list that depends on prices.
const sortedPage = "/v2/products?with=variants&sort=price"

// firstPages are the times of the first page of each group.
type firstPages []time.Duration

// firstPages reads the first page of each group, for which the prices of its chain are read.
func (b *priceBench) firstPages(c *http.Client) (times firstPages, err error) {
	for _, key := range b.keys {
		took, err := harness.MeasureTime(func() error {
			_, err := harness.TimeRequests(c, func() string { return b.server.URL + sortedPage }, key, 0,
				harness.ListClients) // one of each client; with fewer there would be none
			return err
		})
		if err != nil {
			return nil, err
		}
		times = append(times, took)
	}
	return times, nil
}

func (t firstPages) text() string {
	var texts []string
	for _, took := range t {
		texts = append(texts, fmt.Sprintf("%d ms", took.Milliseconds()))
	}
	return strings.Join(texts, " ")
}

func (t firstPages) figure(engine string, n int) harness.Figure {
	return harness.Figure{Name: fmt.Sprintf("first page of a group, %s products", harness.FormatThousands(n)),
		Engine: engine, Ours: t.text(), Raw: "–"}
}

// measurePages compares pages of a group with pages of readers without a group: those that nobody has read before, and
// one page again.
func (b *priceBench) measurePages(c *http.Client, engine string, n int) (figures []harness.Figure, err error) {
	pages := min(pageRange, n/50)
	for _, page := range []struct {
		name string
		next func() string
	}{
		{"new page of a group", func() string { return newPage(sortedPage, pages) }},
		{"page of a group again", func() string { return sortedPage + "&page=2" }},
	} {
		requests := func(key string) func() (time.Duration, error) {
			return func() (time.Duration, error) {
				return harness.TimeRequests(c, func() string { return b.server.URL + page.next() }, key, 0,
					productRequests)
			}
		}

		ofGroup := requests(b.keys[0])
		ofAll := requests(b.server.Keys.PublishableKey)
		for _, warmUp := range []func() (time.Duration, error){ofGroup, ofAll} {
			if _, err := warmUp(); err != nil {
				return nil, err
			}
		}

		ours, raw, err := harness.MeasureAlternately(5, ofGroup, ofAll)
		if err != nil {
			return nil, err
		}
		ratio := raw.Seconds() / ours.Seconds()
		figures = append(figures, harness.Figure{
			Name:   fmt.Sprintf("%s, three price lists, %s products", page.name, harness.FormatThousands(n)),
			Engine: engine,
			Ours:   harness.FormatRate(productRequests, ours) + " req/s",
			Raw:    harness.FormatRate(productRequests, raw) + " req/s", Ratio: ratio,
			Aim: fmt.Sprintf("≥ %.1f", pricesAim), Met: ratio >= pricesAim,
		})
	}
	return figures, nil
}
