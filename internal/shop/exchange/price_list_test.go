package exchange

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/pricelist"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/store"
)

const (
	mug       = `{"id": "p", "name": "Mug", "variants": [{"id": "v", "price": 10}]}`
	wholesale = `{"id": "w", "name": "Wholesale", "currency": "EUR"}`
)

// Section 13: …/prices takes price_list_id and from_quantity, which is 1 by default; null removes a price. A push that
// changes nothing writes nothing.
func TestListPrices_arePushedAsPrices(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.push(Products, payload(mug))
		s.wantCounts("1: +1 ~0 =0 !0 ?0", PriceLists, payload(wholesale))
		prices := payload(`{"variant_id": "v", "price": 11}`, `{"variant_id": "v", "price_list_id": "w", "price": 9}`,
			`{"variant_id": "v", "price_list_id": "w", "from_quantity": 10, "price": 8.5}`)
		s.wantCounts("3: +0 ~3 =0 !0 ?0", Prices, prices)
		s.wantState("variant p/v   110000", "price p/v w from 1000=90000", "price p/v w from 10000=85000")

		version := s.productVersion("p")
		s.wantCounts("3: +0 ~0 =3 !0 ?0", Prices, prices)
		if s.productVersion("p") != version {
			s.Error("a push that changes nothing has raised the version of the product")
		}

		s.wantCounts("2: +0 ~1 =1 !0 ?0", Prices,
			payload(`{"variant_id": "v", "price_list_id": "w", "price": null}`,
				`{"variant_id": "v", "price_list_id": "w", "from_quantity": 7, "price": null}`))
		s.wantState("!from 1000=", "price p/v w from 10000=85000")
		if s.productVersion("p") != version+1 {
			s.Error("a removed price has not raised the version of the product")
		}
	})
}

// productVersion returns the version of the product with an external id.
func (s *fixture) productVersion(externalID string) (version int64) {
	s.Helper()
	const sql = "SELECT version FROM products WHERE store_id = $1 AND external_id = $2"
	s.Read(func(tx store.Tx) error {
		return database.QueryRow(s.Context(), tx, sql, []any{externalID}, &version)
	})
	return version
}

// Section 13: bad input is an error of the item that names the member; the others are applied.
func TestListPrices_failTheirItemAlone(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.push(Products, payload(mug))
		s.push(PriceLists, payload(wholesale))
		run := s.push(Prices, payload(`{"variant_id": "v", "price": 1, "from_quantity": 2}`,
			`{"variant_id": "v", "price_list_id": "w", "from_quantity": 0, "price": 1}`,
			`{"variant_id": "v", "price_list_id": "w", "from_quantity": 1e9, "price": 1}`,
			`{"variant_id": "v", "price_list_id": "w", "from_quantity": -1, "price": 1}`,
			`{"variant_id": "v", "price_list_id": "w", "from_quantity": "many", "price": 1}`,
			`{"variant_id": "v", "price_list_id": "w", "price": -1}`,
			`{"variant_id": "v", "price_list_id": "`+strings.Repeat("x", 300)+`", "price": 1}`,
			`{"variant_id": "v", "price_list_id": "w"}`,
			`{"variant_id": "v", "price_list_id": "w", "price": 7}`))
		s.wantNotes(run, "0 v from_quantity:required; 1 v from_quantity:out_of_range; 2 v from_quantity:out_of_range; "+
			"3 v from_quantity:out_of_range; 4 v from_quantity:wrong_type; 5 v price:out_of_range; "+
			"6 v price_list_id:too_long; 7 v price:required")
		s.wantState("price p/v w from 1000=70000")

		run = s.push(Products, payload(
			`{"id": "q", "name": "Q", "variants": [{"id": 1, "price": 1, "prices": [{"price_list_id": "w"}]}]}`,
			`{"id": "r", "name": "R", "single_variant": true, "variant_prices": [{"price": 2, "from_quantity": 0}]}`,
			`{"id": "t", "name": "T", "single_variant": true, "variant_price": 1, "variant_prices": [
				{"price_list_id": "w", "price": 3}, {"price_list_id": "w", "from_quantity": 1, "price": 4}]}`))
		s.wantNotes(run, "0 q variants[0].prices[0].price:required; 1 r variant_prices[0].from_quantity:out_of_range; "+
			"1 r variant_prices[0].price_list_id:required; 2 t variant_prices:duplicate_price")
		s.wantState("price t/- w from 1000=40000")
	})
}

// Section 13: a product push sets the listed pairs, removes those that are null, and leaves the others.
func TestListPrices_arePushedWithProducts(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.push(PriceLists, payload(wholesale))
		const product = `{"id": "p", "name": "Mug", "variants": [{"id": "v", "price": 10, "prices": %s}]}`
		first := payload(fmt.Sprintf(product, `[{"price_list_id": "w", "price": 9},
			{"price_list_id": "w", "price": 8, "from_quantity": 2.5}]`))
		s.wantCounts("1: +1 ~0 =0 !0 ?0", Products, first)
		s.wantCounts("1: +0 ~0 =1 !0 ?0", Products, first)
		s.wantState("price p/v w from 1000=90000", "price p/v w from 2500=80000")

		s.wantCounts("1: +0 ~1 =0 !0 ?0", Products, payload(fmt.Sprintf(product,
			`[{"price_list_id": "w", "price": null}, {"price_list_id": "w", "price": 5, "from_quantity": 100}]`)))
		s.wantState("!from 1000=", "price p/v w from 2500=80000", "price p/v w from 100000=50000")
	})
}

// Section 13: an unknown list is pending, as other references are: its prices are kept, and are in it when it arrives.
func TestListPrices_waitForTheirList(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.push(Products, payload(mug))
		price := payload(`{"variant_id": "v", "price_list_id": "w", "price": 9}`)
		s.wantNotes(s.push(Prices, price), "0 v price_list_id:unknown_price_list")
		run := s.push(Products, payload(`{"id": "p", "variants": [{"id": "v", "prices": [
			{"price_list_id": "w", "from_quantity": 3, "price": 8}]}]}`))
		s.wantNotes(run, "0 p variants[0].prices[0].price_list_id:unknown_price_list")
		s.wantState("price p/v w from 1000=90000", "!price list")

		if got := s.pendingText(); got != "price-lists w 1" {
			s.Errorf("pending is %q", got)
		}
		text, _ := s.export(Products)
		if !strings.Contains(text, `"prices":[{"price_list_id":"w","from_quantity":1,"price":9},`) {
			s.Errorf("the export lacks the pending prices: %s", text)
		}

		s.wantCounts("1: +1 ~0 =0 !0 ?0", PriceLists, payload(wholesale))
		s.wantState("price list w Wholesale EUR", "price p/v w from 1000=90000", "price p/v w from 3000=80000")
		s.wantCounts("1: +0 ~0 =1 !0 ?0", Prices, price)
		if got := s.pendingText(); got != "" {
			s.Errorf("pending is %q", got)
		}
	})
}

// A list that the API creates, or gives the awaited external id, gets the prices that wait for it.
func TestListPrices_waitForAListOfTheAPI(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		lists := pricelist.New(s.Catalog.Core()).Lists
		s.push(Products, payload(mug))
		s.push(Prices, payload(`{"variant_id": "v", "price_list_id": "a", "price": 9}`,
			`{"variant_id": "v", "price_list_id": "b", "price": 8}`))
		s.Write(func(tx store.Tx) error {
			_, err := lists.Create(s.Context(), tx, pricelist.ListEdit{Name: new("A"), ExternalID: new("a")})
			return err
		})
		s.wantState("price list a A", "price p/v a from 1000=90000")

		version := s.productVersion("p")
		s.Write(func(tx store.Tx) error {
			l, err := lists.Create(s.Context(), tx, pricelist.ListEdit{Name: new("B")})
			if err != nil {
				return err
			}
			_, err = lists.Edit(s.Context(), tx, l.ID, pricelist.ListEdit{ExternalID: new("b")}, nil)
			return err
		})
		s.wantState("price list b B", "price p/v b from 1000=80000")
		if s.productVersion("p") == version {
			s.Error("the product has the same version, though a list has got its price")
		}
	})
}

// Only a price creates an awaited list: null removes nothing, and neither does an item that fails.
func TestListPrices_awaitNoListForNull(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.push(Products, payload(mug))
		var nulls []string
		for i := range pricelist.MaxLists + 1 {
			nulls = append(nulls, fmt.Sprintf(`{"variant_id": "v", "price_list_id": "n%d", "price": null}`, i))
		}
		s.wantNotes(s.wantCounts("101: +0 ~0 =101 !0 ?0", Prices, payload(nulls...)), "")
		s.wantNotes(s.push(Products, payload(`{"id": "p", "variants": [{"id": "v", "prices": [
			{"price_list_id": "m", "price": null}]}]}`)), "")
		run := s.push(Products, payload(`{"id": "q", "name": "", "variants": [{"id": "w", "prices": [
			{"price_list_id": "f", "price": 1}]}]}`))
		if run.Failed != 1 {
			s.Errorf("the counts are %s, want an error", s.countsText(run))
		}
		s.wantAwaited(0, "")

		run = s.push(Prices, payload(`{"variant_id": "v", "price_list_id": "a", "price": 9}`))
		s.wantNotes(run, "0 v price_list_id:unknown_price_list")
		s.wantAwaited(1, "price-lists a 1")
		s.wantNotes(s.push(Prices, payload(`{"variant_id": "v", "price_list_id": "a", "from_quantity": 2,
			"price": null}`)), "")
	})
}

// wantAwaited fails the test unless this many lists are awaited, and the pending page is text.
func (s *fixture) wantAwaited(want int64, text string) {
	s.Helper()
	if got := s.Count("price_lists WHERE store_id = $1 AND awaited_since IS NOT NULL", s.Store.ID); got != want {
		s.Errorf("%d lists are awaited, want %d", got, want)
	}
	if got := s.pendingText(); got != text {
		s.Errorf("pending is %q, want %q", got, text)
	}
}

// An awaited list ends with its last price, as other pending references end with what refers to it. One whose prices
// went with their products takes no place.
func TestListPrices_awaitNoListWithoutPrices(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.push(Products, payload(mug))
		prices := make([]string, pricelist.MaxLists)
		for i := range prices {
			prices[i] = fmt.Sprintf(`{"variant_id": "v", "price_list_id": "u%03d", "price": 1}`, i)
		}
		s.push(Prices, payload(prices...))
		s.wantNotes(s.push(Prices, payload(`{"variant_id": "v", "price_list_id": "next", "price": 1}`)),
			"0 v price_list_id:too_many_price_lists")

		s.push(Prices, payload(`{"variant_id": "v", "price_list_id": "u007", "price": null}`))
		s.push(Products, payload(`{"id": "p", "variants": [{"id": "v", "prices": [
			{"price_list_id": "u008", "price": null}]}]}`))
		if got := s.Count("price_lists WHERE store_id = $1", s.Store.ID); got != int64(pricelist.MaxLists-2) {
			s.Errorf("%d lists are left", got)
		}

		s.push(Products, payload(`{"id": "p", "deleted": true}`))
		s.push(Products, payload(mug))
		run := s.push(Prices, payload(`{"variant_id": "v", "price_list_id": "next", "price": 1}`))
		s.wantNotes(run, "0 v price_list_id:unknown_price_list")
		s.wantAwaited(1, "price-lists next 1")
	})
}

// The gate deletes an awaited list with its prices: a mistyped id does not stay for ever. A mirror does the same. The
// list comes again with the next price, also in the same push.
func TestPriceLists_areDeletedWhileAwaited(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		const product = `{"id": "p", "name": "Mug", "variants": [{"id": "v", "price": 10, "prices": [
			{"price_list_id": "w", "price": 9}]}]}`
		s.push(Products, payload(product))
		_, lists := s.export(PriceLists)
		_, products := s.export(Products)
		s.wantCounts("1: +0 ~1 =0 !0 ?0", PriceLists, payload(`{"id": "w", "deleted": true, "version": 7}`))
		s.wantState("!price p/v")
		s.wantAwaited(0, "")

		if changed, _ := s.exportChanges(PriceLists, lists.Cursor); changed != `{"id":"w","deleted":true}`+"\n" {
			s.Errorf("the export of changed lists is %s", changed)
		}
		if changed, _ := s.exportChanges(Products, products.Cursor); !strings.Contains(changed, `"id":"p"`) ||
			strings.Contains(changed, `"w"`) {
			s.Errorf("the export of changed products is %s", changed)
		}
		s.wantCounts("1: +0 ~0 =1 !0 ?0", PriceLists, payload(`{"id": "w", "deleted": true}`))

		s.wantCounts("1: +0 ~1 =0 !0 ?1", Products, payload(product))
		s.wantState("price p/v w from 1000=90000")
		s.wantAwaited(1, "price-lists w 1")
	})
}

// The pending page has all awaited lists, as each takes a place of the hundred, also those that only archived products
// have prices in.
func TestPending_hasListsOfArchivedProducts(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.push(Products, payload(mug, `{"id": "q", "name": "Q", "categories": ["c"]}`))
		s.push(Prices, payload(`{"variant_id": "v", "price_list_id": "w", "price": 9}`))
		s.push(Products, payload(`{"id": "p", "archived": true}`))
		s.wantAwaited(1, "categories c 1; price-lists w 0")
	})
}

// pendingText returns what is awaited.
func (s *fixture) pendingText() string {
	s.Helper()
	var list []string
	s.Read(func(tx store.Tx) error {
		list = nil
		pending, _, err := s.Pushes.Pending(s.Context(), tx, 0, 10)
		for _, p := range pending {
			list = append(list, fmt.Sprintf("%s %s %d", p.Entity, p.ID, p.WantedBy))
		}
		return err
	})
	return strings.Join(list, "; ")
}

// Section 13: a store has at most 100 lists. One more fails alone, and so does a price of a list that is unknown while
// 100 others are awaited.
func TestPriceLists_areAtMostHundred(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.push(Products, payload(mug))
		var lists, prices []string
		for i := range pricelist.MaxLists + 1 {
			lists = append(lists, fmt.Sprintf(`{"id": "l%d", "name": "%d"}`, i, i))
			prices = append(prices, fmt.Sprintf(`{"variant_id": "v", "price_list_id": "u%03d", "price": 1}`, i))
		}

		run := s.wantCounts("101: +100 ~0 =0 !1 ?0", PriceLists, payload(lists...))
		s.wantNotes(run, "100 l100 id:too_many_price_lists")
		s.wantCounts("1: +0 ~1 =0 !0 ?0", PriceLists, payload(`{"id": "l1", "name": "Renamed"}`))

		run = s.push(Prices, payload(prices...))
		if run.Updated != pricelist.MaxLists || run.Failed != 1 ||
			!strings.Contains(s.notesText(run), "100 v price_list_id:too_many_price_lists") {
			s.Errorf("the counts are %s: %s", s.countsText(run), s.notesText(run))
		}
	})
}

// Section 13: price lists are renamed, deleted and exported; nonsense fails the item.
func TestPriceLists_arePushed(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		run := s.push(PriceLists, payload(wholesale, `{"id": "x"}`, `{"id": "y", "name": "Y", "currency": "ZZZ"}`,
			`{"id": "z", "name": "`+strings.Repeat("z", 1000)+`"}`))
		s.wantNotes(run, "1 x name:required; 2 y currency:unknown_currency; 3 z name:too_long")
		s.wantCounts("1: +0 ~0 =1 !0 ?0", PriceLists, payload(wholesale))
		s.wantChanges(PriceLists, payload(`{"id": "w", "name": "Club"}`), `0 w updated; name "Wholesale" > "Club"`)
		text, cursor := s.export(PriceLists)
		if text != `{"id":"w","name":"Club","currency":"EUR"}`+"\n" {
			s.Errorf("the export is %s", text)
		}

		s.push(Products, payload(mug))
		s.push(Prices, payload(`{"variant_id": "v", "price_list_id": "w", "price": 9}`))
		s.wantCounts("1: +0 ~1 =0 !0 ?0", PriceLists, payload(`{"id": "w", "deleted": true}`))
		s.wantState("!price p/v", "!price list")
		s.wantCounts("1: +0 ~0 =1 !0 ?0", PriceLists, payload(`{"id": "w", "deleted": true}`))
		run = s.push(Prices, payload(`{"variant_id": "v", "price_list_id": "w", "price": 9}`))
		s.wantNotes(run, "0 v price_list_id:unknown_price_list") // a deleted list is unknown
		changed, _ := s.exportChanges(PriceLists, cursor.Cursor)
		if changed != `{"id":"w","deleted":true}`+"\n" {
			s.Errorf("the export of changes is %s", changed)
		}
	})
}

// Section 13: a dry run names a price in a list as variants[ID].prices[LIST,QUANTITY].
func TestListPrices_areInTheChanges(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.push(PriceLists, payload(wholesale))
		s.push(Products, payload(mug))
		s.push(Prices, payload(`{"variant_id": "v", "price_list_id": "w", "price": 9}`))
		s.wantChanges(Products, payload(`{"id": "p", "variants": [{"id": "v", "prices": [
			{"price_list_id": "w", "price": null}, {"price_list_id": "w", "from_quantity": 10, "price": 8}]}]}`),
			"0 p updated; variants[v].prices[w,1] 9 > null; variants[v].prices[w,10] null > 8")
		s.wantChanges(Prices, payload(`{"variant_id": "v", "price_list_id": "w", "from_quantity": 10, "price": 7}`,
			`{"variant_id": "v", "price_list_id": "w", "from_quantity": 20, "price": 6}`),
			"0 v updated; price 8 > 7\n1 v updated; price null > 6")
	})
}

// Section 13: the lock and the token member price cover prices in lists.
func TestListPrices_areLockedAndOwned(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		const product = `{"id": "1", "name": "Mug", "variants": [{"id": "v", "price": 10, "prices": [
			{"price_list_id": "w", "price": %d}]}]}`
		const price = `{"variant_id": "v", "price_list_id": "w", "price": %d}`
		s.push(PriceLists, payload(wholesale))
		s.push(Products, payload(fmt.Sprintf(product, 9)))
		s.lock(productfield.Price)
		s.wantNotes(s.push(Products, payload(fmt.Sprintf(product, 9))), "")
		s.wantNotes(s.push(Products, payload(fmt.Sprintf(product, 8))), "0 1 variants[0].prices:locked")
		s.wantNotes(s.push(Prices, payload(fmt.Sprintf(price, 7))), "0 v price:locked")
		s.wantState("price 1/v w from 1000=90000")

		s.lock(0)
		run := s.push(Products, payload(fmt.Sprintf(product, 6)), s.newToken("name"))
		if notes := s.notesText(run); !strings.Contains(notes, "not_owned") {
			s.Errorf("a token without price has no warning: %s", notes)
		}
		s.wantNotes(s.push(Prices, payload(fmt.Sprintf(price, 6)), s.newToken("name")), "0 v price:not_owned")
		s.wantState("price 1/v w from 1000=90000")
		s.push(Products, payload(fmt.Sprintf(product, 5)), s.newToken("price"))
		s.wantState("price 1/v w from 1000=50000")
	})
}

// Section 13: tables have a column for each list, price:LIST and price:LIST@QUANTITY.
func TestListPrices_areColumns(t *testing.T) {
	csv := func(p *Params) { p.Format = item.CSV }
	eachEngine(t, func(s *fixture) {
		s.wantCounts("1: +1 ~0 =0 !0 ?0", PriceLists, "id;name;currency\nw;Wholesale;EUR\n", csv)
		const header = "id;name;variant_id;price;price:w;price:w@10;price:w@2,5\n"
		s.wantCounts("1: +1 ~0 =0 !0 ?0", Products, header+"p;Mug;v;10;9;8,5;\n", csv)
		s.wantState("variant p/v   100000", "price p/v w from 1000=90000", "price p/v w from 10000=85000",
			"!from 2500=")
		s.wantCounts("1: +0 ~1 =0 !0 ?0", Products, header+"p;Mug;v;10;null;;7\n", csv)
		s.wantState("!from 1000=", "price p/v w from 10000=85000", "price p/v w from 2500=70000")

		s.wantCounts("2: +0 ~2 =0 !0 ?0", Prices,
			"variant_id;price;price_list_id;from_quantity\nv;6;w;\nv;5;w;10\n", csv)
		s.wantState("price p/v w from 1000=60000", "price p/v w from 10000=50000")
	})
}

// An export of products and one of prices have the prices in lists, and change nothing when they are pushed.
func TestListPrices_areExported(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.push(PriceLists, payload(wholesale))
		s.push(Products, payload(mug))
		s.push(Prices, payload(`{"variant_id": "v", "price_list_id": "w", "from_quantity": 10, "price": 9}`))
		text, _ := s.export(Prices)
		if want := `{"variant_id":"v","product_id":"p","price":10}` + "\n" +
			`{"variant_id":"v","product_id":"p","price_list_id":"w","from_quantity":10,"price":9}` +
			"\n"; text != want {
			s.Errorf("the export is %s", text)
		}
		s.wantCounts("2: +0 ~0 =2 !0 ?0", Prices, text, ndjson)
		text, _ = s.export(Products)
		s.edit("p", catalog.ProductEdit{Description: new("")})
		s.wantCounts("1: +0 ~0 =1 !0 ?0", Products, text, ndjson)
	})
}

// The same push is applied again after its list was deleted, even while the prices of many products are still there.
func TestPriceLists_withManyPricesAreDeletedLater(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		const n = 600 // more than a deletion deletes at once
		var products []string
		for i := range n {
			products = append(products, fmt.Sprintf(`{"id": "p%d", "name": "P", "single_variant": true,
				"variant_price": 1, "variant_prices": [{"price_list_id": "w", "price": 2}]}`, i))
		}
		s.push(PriceLists, payload(wholesale))
		s.push(Products, payload(products...))
		s.push(PriceLists, payload(`{"id": "w", "deleted": true}`))
		if got := s.Count("price_lists WHERE store_id = $1 AND deleted_at IS NOT NULL", s.Store.ID); got != 1 {
			s.Fatalf("%d lists are hidden, want 1", got)
		}
		s.wantState("!price p0", "!price list")
		text, _ := s.export(Products)
		if strings.Contains(text, "prices") {
			s.Errorf("the export has prices of the deleted list: %s", text)
		}

		s.wantCounts("1: +0 ~1 =0 !0 ?1", Products, payload(products[0]))
		s.wantState("price p0/- w from 1000=20000")
		if err := s.Catalog.Deletions.Complete(s.Context(), s.DB); err != nil {
			s.Fatal(err)
		}
		if got := s.Count("variant_prices WHERE store_id = $1", s.Store.ID); got != 1 {
			s.Errorf("%d prices are left, want 1", got)
		}
		s.wantCounts("2: +0 ~2 =0 !0 ?2", Products, payload(products[0], products[1]))
		s.wantCounts("2: +0 ~0 =2 !0 ?2", Products, payload(products[0], products[1]))
	})
}

// The log shows the prices of variants in price lists.
func TestListPrices_areInTheLog(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.push(PriceLists, payload(wholesale))
		s.push(Products, payload(mug))
		s.push(Prices, payload(`{"variant_id": "v", "price_list_id": "w", "price": 9}`,
			`{"variant_id": "v", "price_list_id": "w", "from_quantity": 10, "price": 8.5}`))

		var shown []string
		s.Read(func(tx store.Tx) error {
			shown = nil
			keys, err := s.Catalog.Products.KeysByExternalID(s.Context(), tx, []string{"p"})
			if err != nil {
				return err
			}
			text, err := view.ReadProductText(s.Context(), tx, keys["p"])
			for _, m := range text.Members {
				shown = append(shown, m.Field+"="+m.Text)
			}
			return err
		})
		for _, want := range []string{": Wholesale=9", ": Wholesale ≥ 10=8.5"} {
			if !slices.Contains(shown, want) {
				s.Errorf("the log shows %q, without %q", shown, want)
			}
		}
	})
}
