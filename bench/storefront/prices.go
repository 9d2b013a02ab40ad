package storefront

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"vitrine/bench/harness"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

const (
	// priceLists is the number of price lists, each of which has a price of every variant, and priceChains the number
	// of groups of customers with three of them.
	priceLists, priceChains = 20, 3
	// pricesAim is the smallest ratio of pages for a group to pages for readers without one, and chainMemoryAim the
	// memory that the chains of a million products may take, in bytes.
	pricesAim      = 0.8
	chainMemoryAim = 256 << 20
)

// Prices compares pages for readers of a group with three price lists with the same pages for readers without a group.
// It also measures the first page of each group, and the memory that the prices of the groups take.
func Prices(ctx context.Context, e *harness.Environment) ([]harness.Figure, error) {
	return e.EachSizeInMemory(ctx, func(s *harness.Server, c *http.Client, n int) (_ []harness.Figure, err error) {
		lists, err := newPriceLists(ctx, s, c)
		defer func() { err = errors.Join(err, lists.remove(ctx)) }()
		if err != nil {
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
		after, err := s.ReadMetric(c, memory)
		if err != nil {
			return nil, err
		}

		used := harness.Figure{Name: fmt.Sprintf("memory of %d price lists in %d groups, %s products", priceLists,
			priceChains, harness.FormatThousands(n)), Engine: e.Engine,
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
	keys   []string // of each group
	lists  []string // ids
}

// newPriceLists creates the lists with their prices, and the groups with a key for each.
func newPriceLists(ctx context.Context, s *harness.Server, c *http.Client) (*priceBench, error) {
	b := &priceBench{server: s}
	for i := range priceLists {
		list, err := b.create(c, "/v2/price-lists", map[string]any{"name": fmt.Sprint("bench ", i)})
		if err != nil {
			return b, err
		}
		b.lists = append(b.lists, list)
		if err := b.fill(ctx, list, i); err != nil {
			return b, err
		}
	}

	for i := range priceChains {
		group, err := b.create(c, "/v2/customer-groups", map[string]any{"name": fmt.Sprint("bench ", i),
			"price_lists": b.lists[3*i : 3*i+3]})
		if err != nil {
			return b, err
		}
		groupID, err := id.Parse[access.CustomerGroup](group)
		if err != nil {
			return b, err
		}

		err = s.App.DB.Write(ctx, func(q database.Querier) error {
			_, token, err := s.App.Access.CreateKey(ctx, store.In(q, s.Keys.StoreID),
				access.NewKey{Kind: access.PublishableKey, Name: "bench", GroupID: &groupID})
			b.keys = append(b.keys, token)
			return err
		})
		if err != nil {
			return b, err
		}
	}

	return b, nil
}

// create posts a resource and returns its id.
func (b *priceBench) create(c *http.Client, path string, body any) (string, error) {
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

// fill gives every variant with a price a price in the list.
func (b *priceBench) fill(ctx context.Context, list string, n int) error {
	listID, err := id.Parse[store.PriceList](list)
	if err != nil {
		return err
	}
	return b.server.App.DB.WriteAlone(ctx, func(q database.Querier) error {
		return database.Exec(ctx, store.In(q, b.server.Keys.StoreID), `
INSERT INTO variant_prices (store_id, variant_key, list_key, from_quantity, price)
SELECT $1, v.key, l.key, 1000, v.price + $3
FROM price_lists l
CROSS JOIN variants v
WHERE l.store_id = $1
  AND l.id = $2
  AND v.store_id = $1
  AND v.price IS NOT NULL`, listID, int64(n+1)*10_000)
	})
}

// remove deletes the groups, the prices and the lists.
func (b *priceBench) remove(ctx context.Context) error {
	return b.server.App.DB.WriteAlone(ctx, func(q database.Querier) error {
		tx := store.In(q, b.server.Keys.StoreID)
		for _, statement := range []string{"UPDATE credentials SET group_key = NULL WHERE store_id = $1",
			"DELETE FROM customer_groups WHERE store_id = $1", "DELETE FROM variant_prices WHERE store_id = $1",
			"DELETE FROM price_lists WHERE store_id = $1"} {
			if err := database.Exec(ctx, tx, statement); err != nil {
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

func (t firstPages) figure(engine string, n int) harness.Figure {
	text := ""
	for _, took := range t {
		text += fmt.Sprintf(" %d ms", took.Milliseconds())
	}
	return harness.Figure{Name: fmt.Sprintf("first page of a group, %s products", harness.FormatThousands(n)),
		Engine: engine, Ours: text[1:], Raw: "–"}
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
