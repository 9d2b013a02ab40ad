package search

import (
	"flag"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/pricing"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/catalogtest"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/storetest"
)

// Columns, SQL and a naive model must agree on random queries on random catalogues, also after random changes.
func TestFind_columnsSQLAndModelAgree(t *testing.T) {
	checksSet := false // the command line may set -rapid.checks
	flag.Visit(func(f *flag.Flag) { checksSet = checksSet || f.Name == "rapid.checks" })

	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		if !checksSet {
			if err := flag.Set("rapid.checks", map[string]string{database.SQLite: "12",
				database.Postgres: "3"}[db.Engine()]); err != nil {
				t.Fatal(err)
			}
		}

		fromColumns, builds, loads, chains := int64(0), int64(0), int64(0), int64(0)
		count := func(stats Stats) {
			fromColumns += stats.Columns
			builds += stats.Builds
			loads += stats.Loads
			chains += stats.Chains
		}

		rapid.Check(t, func(r *rapid.T) {
			m := newModelStore(t, r, db)
			for range rapid.IntRange(2, 6).Draw(r, "rounds") {
				for range rapid.IntRange(1, 5).Draw(r, "steps") {
					m.mutate()
				}

				for range 3 {
					m.checkQuery()
				}

				count(m.search.Stats())
				m.restartNode()
			}

			// By chance alone, a node loads no file in one of forty runs.
			m.checkQuery()
			m.saveColumns()
			m.search = m.newNode(m.search.Dir)
			m.checkQuery()
			count(m.search.Stats())
		})

		if fromColumns == 0 || builds == 0 || loads == 0 || chains == 0 {
			t.Errorf("%d answers from columns, %d builds, %d loads, %d chains: the test did not exercise the columns",
				fromColumns, builds, loads, chains)
		}

		t.Logf("%d answers from columns, %d builds, %d loads, %d chains", fromColumns, builds, loads, chains)
	})
}

// modelStore is a store that changes at random. It keeps a copy of its catalogue to compute expected answers.
type modelStore struct {
	*rapid.T
	fixture *storetest.Fixture
	catalog *catalog.Service
	search  *Service

	// textMatches reports whether a product matches the words of a query.
	textMatches func(p catalogtest.Product, text string) bool

	features, options []catalog.Attribute
	values            map[catalog.AttributeID][]catalog.Value
	categories        []catalog.Category
	stocks            []catalog.Stock
	products          []catalogtest.Product              // with all details, including archived products
	lists             []int64                            // the row keys of price lists
	listPrices        map[int64]map[int64][]pricing.Step // by the row keys of variant and list
	ordered           map[catalog.ProductID]int64        // what is ordered of products, in thousandths
}

func newModelStore(t *testing.T, r *rapid.T, db *database.DB) *modelStore {
	m := &modelStore{T: r, fixture: storetest.New(t, db), ordered: map[catalog.ProductID]int64{}}
	m.catalog = catalog.New(catalog.Deps{Now: m.fixture.Clock.Now,
		MaxDirectLinks: rapid.SampledFrom([]int{0, -1}).Draw(r, "links that a deletion deletes")})
	m.search = m.newNode(t.TempDir())
	for range 3 {
		m.createAttribute(catalog.Feature)
		m.createAttribute(catalog.Option)
	}

	for range 5 {
		m.createCategory()
	}

	for i := range 2 {
		m.Write(func(tx store.Tx) error {
			_, err := m.catalog.Stocks.Create(m.Context(), tx,
				catalog.StockEdit{Name: new(fmt.Sprint("stock ", i))})
			return err
		})
	}

	for i := range 3 {
		m.createList(fmt.Sprint("list ", i))
	}

	m.reload()
	m.createProducts()
	m.reload()

	return m
}

func (m *modelStore) newNode(dir string) *Service {
	node := New(Deps{DB: m.fixture.DB, Products: m.catalog.Products, Log: slog.New(slog.DiscardHandler),
		Memory: 1 << 30,
		Dir:    dir})
	node.saving.minSavedProducts = 0
	if err := node.openFiles(); err != nil {
		m.Fatal(err)
	}
	return node
}

// restartNode writes the columns to a file at random, and replaces the node by one that has only that file. Without
// columns since the last time, the file shows an older state, or is not there.
func (m *modelStore) restartNode() {
	if m.chance(70, "save") {
		m.saveColumns()
	}
	if m.chance(50, "restart") {
		m.search = m.newNode(m.search.Dir)
	}
}

func (m *modelStore) saveColumns() {
	if err := m.search.saveIndex(m.Context(), m.search.index(m.fixture.Store.ID)); err != nil {
		m.Fatal(err)
	}
}

// Write is like Fixture.Write, but reports failures to rapid. Some consecutive writes get the same time.
func (m *modelStore) Write(fn func(tx store.Tx) error) {
	m.Helper()
	m.fixture.Clock.Advance(time.Duration(m.draw(0, 2, "tick")) * time.Second)
	if err := m.fixture.TryWrite(fn); err != nil {
		m.Fatal(err)
	}
}

// Read is like Fixture.Read, but reports failures to rapid.
func (m *modelStore) Read(fn func(tx store.Tx) error) {
	m.Helper()
	if err := m.fixture.TryRead(fn); err != nil {
		m.Fatal(err)
	}
}

func (m *modelStore) draw(from, to int, label string) int {
	return rapid.IntRange(from, to).Draw(m.T, label)
}

func (m *modelStore) chance(percent int, label string) bool { return m.draw(1, 100, label) <= percent }

func pickOne[T any](m *modelStore, list []T, label string) T {
	return rapid.SampledFrom(list).Draw(m.T, label)
}

func (m *modelStore) createAttribute(kind catalog.Kind) {
	name := fmt.Sprint(kind, m.draw(0, 99, "name"))
	e := catalog.AttributeEdit{Name: &name}
	names := []string{"v0", "v1", "v2", "v3"}[:m.draw(1, 4, "values")]
	if kind == catalog.Feature {
		e.Filterable = new(m.chance(80, "filterable"))
		if m.chance(40, "range") {
			e.FieldType = new(catalog.Range)
			for i := range names {
				names[i] = fmt.Sprintf("%d,5", i)
			}
		}
	}

	m.Write(func(tx store.Tx) error {
		_, err := m.catalog.Attributes.Create(m.Context(), tx, kind, e)
		return err
	})
}

func (m *modelStore) createCategory() {
	e := catalog.CategoryEdit{Name: new(fmt.Sprint("c", len(m.categories)))}
	if len(m.categories) > 0 && m.chance(70, "child") {
		e.ParentID = new(pickOne(m, m.categories, "parent").ID)
	}
	m.Write(func(tx store.Tx) error {
		c, err := m.catalog.Categories.Create(m.Context(), tx, e)
		m.categories = append(m.categories, c)
		return err
	})
}

func (m *modelStore) randomText() string {
	list := []string{"red", "Redwood", "ЛАМПА", "лампа", "x1", "shirt", "Shirts", "a-b", "東京", "c++", "👟"}
	text := pickOne(m, list, "word")
	for range m.draw(0, 2, "more words") {
		text += " " + pickOne(m, list, "word")
	}
	return text
}

func (m *modelStore) randomProductEdit() catalog.ProductEdit {
	e := catalog.ProductEdit{Name: new(m.randomText())}
	categories := []catalog.CategoryID{}
	for _, c := range m.categories {
		if m.chance(30, "in category") {
			categories = append(categories, c.ID)
		}
	}

	features := []catalog.ValueRef{}
	for _, f := range m.features {
		for _, v := range m.values[f.ID] {
			if m.chance(30, "has value") {
				features = append(features, catalog.ValueRef{Attribute: f.ID, Value: v.ID})
			}
		}
	}

	e.Categories, e.Features, e.Variants = &categories, &features, m.randomVariantEdits()
	return e
}

// randomPrice returns a price, or none.
func (m *modelStore) randomPrice() *money.Price {
	if m.chance(25, "not for sale") {
		return new(money.Price)
	}
	return new(money.NewPrice(money.Money(m.draw(0, 5, "price") * 10000)))
}

func (m *modelStore) randomVariantEdits() *[]catalog.VariantEdit {
	list := []catalog.VariantEdit{}
	seen := map[string]bool{}
	for i := range m.draw(0, 3, "variants") {
		v := catalog.VariantEdit{SKU: new(fmt.Sprint("SKU", m.draw(1, 30, "sku"))), Price: m.randomPrice(),
			ExternalID: new(fmt.Sprint("e", i))}
		options := []catalog.ValueRef{}
		for _, o := range m.options {
			if len(m.values[o.ID]) > 0 && m.chance(60, "has option") {
				options = append(options, catalog.ValueRef{Attribute: o.ID,
					Value: pickOne(m, m.values[o.ID], "value").ID})
			}
		}

		if key := fmt.Sprint(options); seen[key] && len(options) > 0 {
			continue
		} else {
			seen[key] = true
		}

		remainders := []catalog.RemainderEdit{}
		for _, s := range m.stocks {
			if m.chance(40, "in stock") {
				remainders = append(remainders, catalog.RemainderEdit{Stock: s.ID,
					Quantity: money.Quantity(m.draw(0, 1, "quantity") * 1000)})
			}
		}

		v.Options, v.Remainders = &options, &remainders
		list = append(list, v)
	}

	return &list
}

func (m *modelStore) createProducts() {
	edits := make([]catalog.ProductEdit, m.draw(1, 6, "products"))
	for i := range edits {
		edits[i] = m.randomProductEdit()
	}
	m.Write(func(tx store.Tx) error {
		_, err := m.catalog.Products.CreateAll(m.Context(), tx, edits)
		return err
	})
}

// mutate makes a random change and reloads the catalogue.
func (m *modelStore) mutate() {
	ctx := m.Context()
	if m.chance(30, "order") {
		m.order()
	}

	switch m.draw(0, 17, "step") {
	case 0, 1, 2:
		m.createProducts()

	case 3, 4:
		if len(m.products) > 0 {
			p := pickOne(m, m.products, "product")
			e := m.randomProductEdit()
			m.Write(func(tx store.Tx) error {
				_, err := m.catalog.Products.Edit(ctx, tx, p.ID, e, nil)
				return err
			})
		}

	case 5:
		if len(m.products) > 0 {
			p := pickOne(m, m.products, "product")
			m.Write(func(tx store.Tx) (err error) {
				if p.ArchivedAt == nil {
					_, err = m.catalog.Products.Archive(ctx, tx, p.ID, nil)
				} else {
					_, err = m.catalog.Products.Restore(ctx, tx, p.ID, nil)
				}
				return err
			})
		}

	case 6:
		if len(m.products) > 0 {
			p := pickOne(m, m.products, "product")
			m.Write(func(tx store.Tx) error {
				return m.catalog.Products.Delete(ctx, tx, p.ID, nil)
			})
		}
	case 7, 8:
		m.editAttribute()
	case 9:
		m.createAttribute(pickOne(m, []catalog.Kind{catalog.Feature, catalog.Option}, "kind"))
	case 10:
		m.createCategory()
	case 11:
		if len(m.categories) > 0 {
			c := pickOne(m, m.categories, "category")
			m.Write(func(tx store.Tx) error {
				return m.catalog.Categories.Delete(ctx, tx, c.ID, nil)
			})
		}

	case 12:
		if len(m.categories) > 1 {
			c := pickOne(m, m.categories, "category")
			to := pickOne(m, m.categories, "to")
			e := catalog.CategoryEdit{Root: true}
			if !slices.Contains(m.ancestors(to.ID), c.ID) {
				e = catalog.CategoryEdit{ParentID: &to.ID}
			}

			m.Write(func(tx store.Tx) error {
				_, err := m.catalog.Categories.Edit(ctx, tx, c.ID, e, nil)
				return err
			})
		}

	case 13:
		if len(m.stocks) > 1 && m.chance(30, "delete the stock") {
			m.Write(func(tx store.Tx) error {
				return m.catalog.Stocks.Delete(ctx, tx, m.stocks[0].ID, nil)
			})
		}
	case 15, 16, 17:
		for range min(4, len(m.products)) {
			m.setListPrices(pickOne(m, m.products, "product"))
		}
	case 14:
		if err := m.catalog.Deletions.Complete(ctx, m.fixture.DB); err != nil {
			m.Fatal(err)
		}
	}

	m.reload()
}

// order changes what is ordered of some products, as package order does.
func (m *modelStore) order() {
	m.Write(func(tx store.Tx) error {
		version, err := store.RaisePopularityVersion(m.Context(), tx)
		if err != nil {
			return err
		}

		quantities := []int64{0, 1, 999, 1000, 1001, 5000, 4294967294000, 4294967294001, 1 << 50}
		for range min(3, len(m.products)) {
			p := pickOne(m, m.products, "ordered product")
			quantity := pickOne(m, quantities, "quantity")
			m.ordered[p.ID] = quantity
			_, err := tx.Exec(m.Context(), `
				INSERT INTO product_popularity (store_id, product_key, quantity, version)
				VALUES ($1, $2, $3, $4)
				ON CONFLICT (store_id, product_key) DO UPDATE
				SET quantity = excluded.quantity, version = excluded.version`, p.Key, quantity, version)
			if err != nil {
				return err
			}
		}

		if m.chance(20, "forget the stamps") { // a reader that is behind cannot know that it is of the same history
			_, err = tx.Exec(m.Context(), "DELETE FROM version_stamps WHERE store_id = $1 AND part = 'search'")
		}
		return err
	})
}

func (m *modelStore) editAttribute() {
	all := slices.Concat(m.features, m.options)
	if len(all) == 0 {
		return
	}

	ctx := m.Context()
	a := pickOne(m, all, "attribute")
	e := catalog.AttributeEdit{Name: new(a.Name + "'")}
	switch values := m.values[a.ID]; {
	case m.chance(10, "delete it"):
		m.Write(func(tx store.Tx) error {
			return m.catalog.Attributes.Delete(ctx, tx, a.Kind, a.ID, nil)
		})
		return
	case len(values) > 0 && m.chance(30, "place a value"):
		m.Write(func(tx store.Tx) error {
			_, _, err := m.catalog.Attributes.PlaceValue(ctx, tx, a.Kind, a.ID, pickOne(m, values, "placed value").ID,
				m.draw(1, len(values), "place"), nil)
			return err
		})
		return
	case a.Kind == catalog.Feature && m.chance(30, "flip"):
		e.Filterable = new(!a.Filterable)
	case len(values) > 0:
		gone := pickOne(m, values, "value").ID
		e.Removed = catalog.ListOf(gone)
		if m.chance(50, "and add one") { // on SQLite it may get the key of the removed value
			e.Values = catalog.NewValues("77")
		}
	}

	m.Write(func(tx store.Tx) error {
		_, err := m.catalog.Attributes.Edit(ctx, tx, a.Kind, a.ID, e, nil)
		return err
	})
}

// reload reads the whole catalogue through package catalog.
func (m *modelStore) reload() {
	m.Helper()
	ctx := m.Context()

	m.Read(func(tx store.Tx) (err error) {
		const most = 10_000
		m.features = nil
		m.options = nil
		m.values = map[catalog.AttributeID][]catalog.Value{}
		for kind, to := range map[catalog.Kind]*[]catalog.Attribute{catalog.Feature: &m.features,
			catalog.Option: &m.options} {
			if *to, _, err = m.catalog.Attributes.List(ctx, tx, kind, "", most, 0); err != nil {
				return err
			}
			for _, a := range *to {
				err := m.catalog.Attributes.EachValue(ctx, tx, a, func(v catalog.Value) error {
					m.values[a.ID] = append(m.values[a.ID], v)
					return nil
				})
				if err != nil {
					return err
				}
			}
		}

		if m.categories, _, err = m.catalog.Categories.List(ctx, tx,
			catalog.CategoryFilter{}, most, 0); err != nil {
			return err
		}

		if m.stocks, _, err = m.catalog.Stocks.List(ctx, tx, "", most, 0); err != nil {
			return err
		}

		var keys []int64
		err = database.QueryEach(ctx, tx.Unscoped(), "SELECT key FROM products WHERE store_id = $1 ORDER BY key",
			[]any{tx.StoreID()}, database.AppendColumn(&keys))
		if err != nil {
			return err
		}

		if m.products, err = catalogtest.ReadProducts(ctx, tx, m.catalog.Products, keys, catalog.Live); err != nil {
			return err
		}
		return m.reloadListPrices(tx)
	})
}

// randomQuery returns a query with random filters by existing categories, attributes and values.
func (m *modelStore) randomQuery() Query {
	q := Query{
		WithFacets: m.chance(80, "facets"), InStock: m.chance(20, "in stock"),
		Sort:  Sort(m.draw(0, int(ByCreatedDesc), "sort")),
		Limit: int64(m.draw(1, 8, "limit")), Offset: int64(m.draw(0, 4, "offset")),
	}
	if m.chance(10, "by popularity") {
		q.Sort = ByPopularity
	}

	if m.chance(30, "text") {
		q.Text = pickOne(m, []string{"re", "RED", "ламп", "shirt", "sku1", "b", "x1 red", "-", "nothing", "東", "C+ RED",
			"👟"}, "text")
	}

	if len(m.categories) > 0 && m.chance(40, "category") {
		q.Category = new(pickOne(m, m.categories, "category").ID)
	}

	if m.chance(40, "price lists") {
		q.Prices = pickOne(m, m.chains(), "chain")
	}

	if m.chance(20, "price from") {
		q.PriceFrom = new(money.Money(m.draw(0, 4, "price") * 10000))
	}

	if m.chance(20, "price to") {
		q.PriceTo = new(money.Money(m.draw(1, 5, "price") * 10000))
	}

	choose := func(list []catalog.Attribute) (chosen []Choice) {
		for _, a := range list {
			if (a.Kind == catalog.Feature && !a.Filterable) || !m.chance(25, "choose") {
				continue
			}

			c := Choice{ID: a.ID}
			for _, v := range m.values[a.ID] {
				if m.chance(50, "choose value") {
					c.Values = append(c.Values, v.ID)
				}
			}

			if a.FieldType == catalog.Range && m.chance(60, "bounds") {
				c.From = new(float64(m.draw(0, 2, "from")))
				if m.chance(50, "to") {
					c.To = new(float64(m.draw(1, 4, "to")))
				}
				if m.chance(70, "only bounds") {
					c.Values = nil
				}
			}

			if len(c.Values) > 0 || c.From != nil {
				chosen = append(chosen, c)
			}
		}

		return chosen
	}

	q.Features, q.Options = choose(m.features), choose(m.options)

	if len(m.products) > 0 && m.chance(25, "ids") {
		q.IDs = []catalog.ProductID{id.New[catalog.Product]()}
		for range m.draw(0, 12, "count") {
			q.IDs = append(q.IDs, pickOne(m, m.products, "id").ID)
		}
	}

	if len(m.products) > 0 && m.chance(15, "external ids") {
		q.ExternalIDs = []string{"unknown"}
		for range m.draw(0, 12, "count") {
			if p := pickOne(m, m.products, "external id"); p.ExternalID != nil {
				q.ExternalIDs = append(q.ExternalIDs, *p.ExternalID)
			}
		}
	}

	if m.chance(10, "archived") {
		q.Archived = pickOne(m, []catalog.Archived{catalog.OnlyArchived, catalog.AnyArchived}, "archived")
	}

	return q
}

func (m *modelStore) checkQuery() {
	m.Helper()
	m.check(m.randomQuery())

	// Most random queries find few products, which say little of the order.
	m.check(Query{Sort: ByPopularity, Limit: 1000})
}

// check compares the answers to a query.
func (m *modelStore) check(query Query) {
	m.Helper()
	m.textMatches = naiveTextMatches
	want := m.naiveFind(query)

	idx := m.search.index(m.fixture.Store.ID)
	if idx.cols == nil || idx.needsBuild.Load() {
		if !m.search.loadIndex(m.Context(), idx) {
			m.search.buildIndex(m.Context(), idx)
		}
	} else if m.chance(50, "refresh") {
		if err := m.search.refreshIndex(m.Context(), idx); err != nil {
			m.Fatal(err)
		}
	}

	if query.needsPrices() && !query.Prices.IsBase() && m.chance(70, "add the chain") {
		m.search.buildChain(m.Context(), idx, query.Prices)
	}

	var bySQL, found Result

	m.Read(func(tx store.Tx) error {
		f, err := m.search.resolveSearchFilter(m.Context(), tx, query, State{})
		if err != nil {
			return err
		}
		if bySQL, err = findBySQL(m.Context(), tx, f, query); err != nil {
			return err
		}

		current, err := m.search.Versions(m.Context(), tx)
		if err != nil {
			return err
		}

		return m.search.Find(m.Context(), query, nil, func(lookup Lookup) (err error) {
			found, err = lookup(m.Context(), tx, current)
			return err
		})
	})

	unordered := cmp.Options{cmpopts.EquateEmpty(), cmp.AllowUnexported(Facet{}, ValueCount{}, CategoryCount{}),
		cmpopts.IgnoreFields(Facet{}, "key"),
		cmpopts.IgnoreFields(Result{}, "Text"), cmpopts.IgnoreFields(ValueCount{}, "key", "position"),
		cmpopts.IgnoreFields(CategoryCount{}, "key")}
	if diff := cmp.Diff(want, bySQL, unordered); diff != "" {
		m.Errorf("%+v: the model (-) and SQL (+) differ:\n%s", query, diff)
	}

	// SQL knows whole words and beginnings only. The columns know more, so the model takes from them which products
	// match the words, and checks all else.
	if found.Text != nil && !found.Text.Limited {
		matching := m.keysOfText(idx, query)
		m.textMatches = func(p catalogtest.Product, _ string) bool { return matching[p.Key] }
		want = m.naiveFind(query)
	}
	if diff := cmp.Diff(want, found, unordered); diff != "" {
		m.Errorf("%+v: the model (-) and the attempts (+) differ:\n%s", query, diff)
	}
}

// keysOfText returns the keys of the products that the columns find by the words of a query alone.
func (m *modelStore) keysOfText(idx *searchIndex, query Query) map[int64]bool {
	found := idx.cols.find(&searchFilter{text: query.Text}, &idx.cols.base, Query{Text: query.Text, Limit: 1 << 20})
	keys := map[int64]bool{}
	for _, key := range found.Keys {
		keys[key] = true
	}
	return keys
}
