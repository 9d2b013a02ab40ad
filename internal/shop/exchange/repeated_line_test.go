package exchange

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/promise"
	"vitrine/internal/testkit/storetest"
)

// accounting is what a program like 1C has. It sends all of it at each exchange.
type accounting struct {
	names, prices, quantities [6]int
	// The settings of the exchange, and whether the goods have warnings.
	complete, free, warns, lists bool
	// orders is how many pieces of each variant orders have reserved that 1C has taken, and later those that it has
	// taken since the exchange began.
	orders, later [6]int64
}

// goods returns the lines of a file of goods.
func (a *accounting) goods() (body []byte) {
	for i, name := range a.names {
		meta := item.Meta{Part: catalog.GoodsPart, Article: fmt.Sprintf("A-%d", i)}
		if a.warns && i == 1 {
			meta.Warnings = []fault.Field{fault.NewField("images", "unknown_picture", "The package has no image.")}
		}
		body = item.AppendMapped(body, meta, fmt.Appendf(nil,
			`{"id":"%d","name":"Product %d","categories":["c%d"],"features":[{"id":"f","value_id":"v%d"}]}`,
			i, name, name%3, name%2))
	}
	return body
}

// offers returns the lines of a file of offers. The first good has two lines.
func (a *accounting) offers() (body []byte) {
	for i, price := range a.prices {
		meta := item.Meta{Part: catalog.OffersPart, CompleteStock: a.complete}
		if a.free {
			meta.TakenUpTo = new(int64(1))
		}

		inList := ""
		if a.lists {
			inList = fmt.Sprintf(`"prices":[{"price_list_id":"wholesale","price":%d}],`, price)
		}

		offer := `{"id":"%d","variants":[{"id":"%d#a","price":%d,%s` +
			`"remainders":[{"stock_id":"s%d","quantity":%d}]}]}`
		if i == 0 {
			body = item.AppendMapped(body, meta, fmt.Appendf(nil, offer, i, i, price+100, inList, 0, 1))
		}
		body = item.AppendMapped(body, meta, fmt.Appendf(nil, offer, i, i, price, inList, price%2, a.quantities[i]))
	}
	return body
}

// taken returns the reservations of the orders, as order.Service does.
func (a *accounting) taken(ctx context.Context, tx store.Tx, keys []int64, _ int64) (list []catalog.Taken, err error) {
	err = database.QueryEach(ctx, tx.Unscoped(), `
SELECT m.variant_key, m.stock_key, p.external_id
FROM remainders m JOIN variants v ON v.key = m.variant_key JOIN products p ON p.key = v.product_key
WHERE m.store_id = $1`, []any{tx.StoreID()}, func(rows database.Rows) error {
		var of catalog.Taken
		var product string
		if err := rows.Scan(&of.Variant, &of.Stock, &product); err != nil {
			return err
		}

		i := int(product[0] - '0')
		of.Quantity = money.Quantity(a.orders[i])
		of.Later = money.Quantity(a.later[i])
		if slices.Contains(keys, of.Variant) && of.Quantity+of.Later > 0 {
			list = append(list, of)
		}
		return nil
	})
	return list, err
}

// change changes something that accounting has, or how it sends it.
func (a *accounting) change(r *rand.Rand) {
	i := r.IntN(len(a.names))

	switch r.IntN(8) {
	case 0:
		a.names[i] = r.IntN(4)
	case 1:
		a.prices[i] = 1 + r.IntN(4)
	case 2:
		a.quantities[i] = r.IntN(4)
	case 3:
		a.orders[i] = 1000 * r.Int64N(2)
		a.later[i] = 1000 * r.Int64N(2)
	case 4:
		a.complete = !a.complete
	case 5:
		a.free = !a.free
	case 6:
		a.warns = !a.warns
	case 7:
		a.lists = !a.lists
	}
}

// interfere changes the catalogue of each store in the same way, as people and other programs do.
func interfere(r *rand.Rand, stores []*fixture) {
	product := fmt.Sprint(r.IntN(6))
	kind, value := r.IntN(18), r.IntN(4)
	locks := []productfield.Set{0, productfield.Name, productfield.Price, productfield.Remainders}[value]
	for _, s := range stores {
		if s.Count("products WHERE store_id = $1 AND external_id = $2", s.Store.ID, product) == 0 {
			continue
		}

		switch kind {
		case 0:
			s.edit(product, catalog.ProductEdit{Name: new(fmt.Sprintf("Edited %d", value))})
		case 1:
			s.edit(product, catalog.ProductEdit{Locks: &locks, Name: new("Locked")})
		case 2:
			s.Write(func(tx store.Tx) error {
				return s.Catalog.Products.Delete(s.Context(), tx, s.productID(product), nil)
			})
		case 3:
			s.Write(func(tx store.Tx) error {
				_, err := s.Catalog.Products.Archive(s.Context(), tx, s.productID(product), nil)
				return err
			})
		case 4:
			s.push(Prices, payload(fmt.Sprintf(`{"variant_id": "%s#a", "price": %d}`, product, 50+value)))
		case 5:
			s.push(Remainders, payload(fmt.Sprintf(`{"variant_id": "%s#a", "stock_id": "s0", "quantity": %d}`, product,
				50+value)))
		case 6:
			s.push(Categories, payload(fmt.Sprintf(`{"id": "c%d", "name": "Category"}`, value%3)))
		case 7:
			s.push(Categories, payload(fmt.Sprintf(`{"id": "c%d", "deleted": true}`, value%3)))
		case 8:
			s.push(Products, payload(fmt.Sprintf(`{"id": %q, "archived": true}`, product)))
		case 9:
			s.push(Stocks, payload(fmt.Sprintf(`{"id": "s%d", "deleted": true}`, value%2)))
		case 10:
			s.push(Stocks, payload(fmt.Sprintf(`{"id": "s%d", "name": "Again"}`, value%2)))
		case 11:
			s.push(PriceLists, payload(`{"id": "wholesale", "name": "Wholesale"}`))
		case 12:
			s.push(PriceLists, payload(`{"id": "wholesale", "deleted": true}`))
		case 13:
			s.push(Prices, payload(fmt.Sprintf(`{"variant_id": "%s#a", "price_list_id": "wholesale", "price": %d}`,
				product, 50+value)))
		case 14:
			s.push(Features, payload(`{"id": "f", "deleted": true}`))
		case 15:
			s.push(Features, payload(`{"id": "f", "name": "F", "values": [{"id": "v0", "name": "A"}, `+
				`{"id": "v1", "name": "B"}]}`))
		case 16:
			s.push(Products, payload(fmt.Sprintf(`{"id": %q, "name": "Named %d"}`, product, value)), s.newToken("name"))
		case 17:
			s.push(Products, payload(fmt.Sprintf(`{"id": %q, "variants": [{"id": "%s#b", "price": 7}]}`, product,
				product)))
		}
	}
}

// forgetQuantities does what the orders of accounting do: its next quantities count, even if they are the same.
func (s *fixture) forgetQuantities() {
	s.Write(func(tx store.Tx) error {
		var variants []int64
		err := database.QueryEach(s.Context(), tx, "SELECT key FROM variants WHERE store_id = $1", nil,
			database.AppendColumn(&variants))
		if err != nil {
			return err
		}
		return catalog.ForgetPushedQuantities(s.Context(), tx, variants)
	})
}

// forgetPushes makes all lines of the next exchange be applied.
func (s *fixture) forgetPushes() {
	s.Write(func(tx store.Tx) error {
		return database.Exec(s.Context(), tx, "UPDATE products SET pushed = NULL, pushed_goods = NULL, "+
			"pushed_offers = NULL, pushed_prices = NULL WHERE store_id = $1")
	})
}

// exchangeText sends the files of accounting, and returns the counts and notes of the runs and what the catalogue is
// then.
func (s *fixture) exchangeText(a *accounting) string {
	s.Helper()
	s.catalogPushes.TakenReservations = a.taken
	mapped := func(p *Params) { p.Format = item.Mapped }
	var text []string
	for _, file := range [][]byte{a.goods(), a.offers()} {
		params := s.params(Products, mapped) // its size is not known, as that of a file of 1C
		run, err := s.Pushes.Push(s.Context(), s.Store.ID, params, io.NopCloser(bytes.NewReader(file)))
		if err != nil {
			s.Fatalf("push of a mapped file: %v", err)
		}
		text = append(text, s.countsText(run), s.notesText(run))
	}
	return strings.Join(append(text, s.CatalogState()), "\n")
}

// Lines that changed nothing are not decoded. Whatever accounting sends and people and other programs do in between,
// the catalogue and the runs are as if all lines were decoded, and the catalogue is as if all of them were applied.
func TestPush_repeatedLinesOfMappedFilesAreAppliedAsIfTheyWereDecoded(t *testing.T) {
	for _, engine := range databasetest.SampledEngines(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			f := storetest.Open(t, engine)
			skips, decodes, applies := newFixture(f), newFixture(f), newFixture(f)
			decodes.Pushes.handlers[Products].(*entityOf[catalog.ProductPush]).findRepeated = nil

			skipped := 0
			find := skips.catalogPushes.FindRepeated
			skips.Pushes.handlers[Products].(*entityOf[catalog.ProductPush]).findRepeated = func(
				ctx context.Context, tx store.Tx, lines []catalog.PushedLine,
			) ([]int64, error) {
				keys, err := find(ctx, tx, lines)
				for _, key := range keys {
					if key != 0 {
						skipped++
					}
				}
				return keys, err
			}

			// The first seeds repeat the most lines.
			seeds := []uint64{2, 1, 0, 3}[:promise.Sample(promise.Repeat(1, 2), 4)]
			for _, seed := range seeds {
				checkRepeatedLines(seed, skips, decodes, applies)
			}
			if skipped < 100 {
				t.Errorf("only %d lines were not decoded", skipped)
			}
		})
	}
}

func checkRepeatedLines(seed uint64, skips, decodes, applies *fixture) {
	skips.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	stores := []*fixture{skips, decodes, applies}
	for _, s := range stores {
		s.createStore()
		s.push(Stocks, payload(`{"id": "s0", "name": "First"}`, `{"id": "s1", "name": "Second"}`))
		s.push(Features, payload(`{"id": "f", "name": "F", "values": [{"id": "v0", "name": "A"}]}`))
	}

	a := &accounting{}
	var history []string
	for range 40 {
		switch before := *a; r.IntN(3) {
		case 0:
			a.change(r)
			if a.orders != before.orders || a.later != before.later {
				for _, s := range stores {
					s.forgetQuantities()
				}
			}
			history = append(history, fmt.Sprintf("accounting changes from %+v to %+v", before, *a))
		case 1:
			interfere(r, stores)
		}

		got, want := skips.exchangeText(a), decodes.exchangeText(a)
		if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
			skips.Fatalf("seed %d, after %q: all lines decoded (-) and repeated ones left out (+):\n%s", seed, history,
				diff)
		}

		applies.forgetPushes()
		applies.exchangeText(a)
		all, state := applies.CatalogState(), skips.CatalogState()
		if diff := cmp.Diff(strings.Split(all, "\n"), strings.Split(state, "\n")); diff != "" {
			skips.Fatalf("seed %d, after %q: all lines applied (-) and repeated ones left out (+):\n%s", seed, history,
				diff)
		}
	}
}
