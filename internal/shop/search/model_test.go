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
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/databasetest"
)

// Random catalogues, changed at random, asked at random: the columns, SQL and a naive reading of the catalogue must give the same answer.
func TestFind_columnsAndSQLAndANaiveModelAgree(t *testing.T) {
	given := false // whoever looks for more gives -rapid.checks
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		if !given {
			if err := flag.Set("rapid.checks", map[string]string{database.SQLite: "12", database.Postgres: "3"}[db.Engine()]); err != nil {
				t.Fatal(err)
			}
		}
		fromColumns, builds := int64(0), int64(0)
		rapid.Check(t, func(r *rapid.T) {
			w := newWorld(r, db)
			for range rapid.IntRange(2, 6).Draw(r, "rounds") {
				for range rapid.IntRange(1, 5).Draw(r, "steps") {
					w.step()
				}
				for range 3 {
					w.ask()
				}
			}
			stats := w.search.Stats()
			fromColumns, builds = fromColumns+stats.Columns, builds+stats.Builds
		})
		if fromColumns == 0 || builds == 0 {
			t.Errorf("%d answers from columns, %d builds: half of the test did not happen", fromColumns, builds)
		}
		t.Logf("%d answers from columns, %d builds", fromColumns, builds)
	})
}

// world is a store being changed at random.
type world struct {
	*rapid.T
	db      *database.DB
	catalog *catalog.Service
	search  *Service
	storeID store.ID
	time    time.Time

	features, options []catalog.Attribute
	values            map[catalog.AttributeID][]catalog.Value
	categories        []catalog.Category
	stocks            []catalog.Stock
	products          []catalog.Product // whole, archived ones too
}

func newWorld(r *rapid.T, db *database.DB) *world {
	w := &world{T: r, db: db, time: time.Date(2026, 11, 15, 0, 0, 0, 0, time.UTC)}
	now := func() time.Time { return w.time }
	w.catalog = catalog.NewService(now)
	w.search = NewService(Deps{DB: db, Catalog: w.catalog, Log: slog.New(slog.DiscardHandler), Memory: 1 << 30})
	w.write(func(q database.Querier) error {
		s, err := store.NewService(db, now).Create(w.Context(), q, store.Edit{})
		w.storeID = s.ID
		return err
	})
	for range 3 {
		w.makeAttribute(catalog.Feature)
		w.makeAttribute(catalog.Option)
	}
	for range 5 {
		w.makeCategory()
	}
	for i := range 2 {
		w.write(func(q database.Querier) error {
			_, err := w.catalog.CreateStock(w.Context(), q, w.storeID, catalog.StockEdit{Name: new(fmt.Sprint("stock ", i))})
			return err
		})
	}
	w.readAll()
	w.makeProducts()
	w.readAll()
	return w
}

func (w *world) write(fn func(q database.Querier) error) {
	w.Helper()
	// Now and then two writes fall into the same microsecond.
	w.time = w.time.Add(time.Duration(w.draw(0, 2, "tick")) * time.Second)
	if err := w.db.Write(w.Context(), fn); err != nil {
		w.Fatal(err)
	}
}

func (w *world) draw(from, to int, label string) int {
	return rapid.IntRange(from, to).Draw(w.T, label)
}

func (w *world) chance(percent int, label string) bool { return w.draw(1, 100, label) <= percent }

func one[T any](w *world, list []T, label string) T { return rapid.SampledFrom(list).Draw(w.T, label) }

func (w *world) makeAttribute(kind catalog.Kind) {
	name := fmt.Sprint(kind, w.draw(0, 99, "name"))
	e := catalog.Edit{Name: &name}
	n := w.draw(1, 4, "values")
	text := func(i int) string { return fmt.Sprint("v", i) }
	if kind == catalog.Feature {
		e.Filterable = new(w.chance(80, "filterable"))
		if w.chance(40, "range") {
			e.FieldType = new(catalog.Range)
			text = func(i int) string { return fmt.Sprintf("%d,5", i) }
		}
	}
	e.ValuesLen = n
	e.Values = func(fn func(int, catalog.ValueEdit) error) error {
		for i := range n {
			if err := fn(i, catalog.ValueEdit{Name: text(i)}); err != nil {
				return err
			}
		}
		return nil
	}
	w.write(func(q database.Querier) error {
		_, err := w.catalog.CreateAttribute(w.Context(), q, w.storeID, kind, e)
		return err
	})
}

func (w *world) makeCategory() {
	e := catalog.CategoryEdit{Name: new(fmt.Sprint("c", len(w.categories)))}
	if len(w.categories) > 0 && w.chance(70, "child") {
		e.ParentID = new(one(w, w.categories, "parent").ID)
	}
	w.write(func(q database.Querier) error {
		c, err := w.catalog.CreateCategory(w.Context(), q, w.storeID, e)
		w.categories = append(w.categories, c)
		return err
	})
}

func (w *world) words() string {
	list := []string{"red", "Redwood", "ЛАМПА", "лампа", "x1", "shirt", "Shirts", "a-b"}
	text := one(w, list, "word")
	for range w.draw(0, 2, "more words") {
		text += " " + one(w, list, "word")
	}
	return text
}

func (w *world) productEdit() catalog.ProductEdit {
	e := catalog.ProductEdit{Name: new(w.words())}
	categories := []catalog.CategoryID{}
	for _, c := range w.categories {
		if w.chance(30, "in category") {
			categories = append(categories, c.ID)
		}
	}
	features := []catalog.ValueRef{}
	for _, f := range w.features {
		for _, v := range w.values[f.ID] {
			if w.chance(30, "has value") {
				features = append(features, catalog.ValueRef{Attribute: f.ID, Value: v.ID})
			}
		}
	}
	e.Categories, e.Features, e.Variants = &categories, &features, w.variantEdits()
	return e
}

func (w *world) variantEdits() *[]catalog.VariantEdit {
	list := []catalog.VariantEdit{}
	seen := map[string]bool{}
	for i := range w.draw(0, 3, "variants") {
		v := catalog.VariantEdit{SKU: new(fmt.Sprint("SKU", w.draw(1, 30, "sku"))), Price: new(catalog.Money(w.draw(0, 5, "price") * 10000)), ExternalID: new(fmt.Sprint("e", i))}
		options := []catalog.ValueRef{}
		for _, o := range w.options {
			if len(w.values[o.ID]) > 0 && w.chance(60, "has option") {
				options = append(options, catalog.ValueRef{Attribute: o.ID, Value: one(w, w.values[o.ID], "value").ID})
			}
		}
		if key := fmt.Sprint(options); seen[key] && len(options) > 0 {
			continue
		} else {
			seen[key] = true
		}
		remainders := []catalog.RemainderEdit{}
		for _, s := range w.stocks {
			if w.chance(40, "in stock") {
				remainders = append(remainders, catalog.RemainderEdit{Stock: s.ID, Quantity: catalog.Quantity(w.draw(0, 1, "quantity") * 1000)})
			}
		}
		v.Options, v.Remainders = &options, &remainders
		list = append(list, v)
	}
	return &list
}

func (w *world) makeProducts() {
	edits := make([]catalog.ProductEdit, w.draw(1, 6, "products"))
	for i := range edits {
		edits[i] = w.productEdit()
	}
	w.write(func(q database.Querier) error {
		_, err := w.catalog.CreateProducts(w.Context(), q, w.storeID, edits)
		return err
	})
}

// step changes something, and knows all of it again.
func (w *world) step() {
	ctx := w.Context()
	switch w.draw(0, 13, "step") {
	case 0, 1, 2:
		w.makeProducts()
	case 3, 4:
		if len(w.products) > 0 {
			p, e := one(w, w.products, "product"), w.productEdit()
			w.write(func(q database.Querier) error {
				_, err := w.catalog.EditProduct(ctx, q, w.storeID, p.ID, e, nil)
				return err
			})
		}
	case 5:
		if len(w.products) > 0 {
			p := one(w, w.products, "product")
			w.write(func(q database.Querier) (err error) {
				if p.ArchivedAt == nil {
					_, err = w.catalog.ArchiveProduct(ctx, q, w.storeID, p.ID, nil)
				} else {
					_, err = w.catalog.RestoreProduct(ctx, q, w.storeID, p.ID, nil)
				}
				return err
			})
		}
	case 6:
		if len(w.products) > 0 {
			p := one(w, w.products, "product")
			w.write(func(q database.Querier) error { return w.catalog.DeleteProduct(ctx, q, w.storeID, p.ID, nil) })
		}
	case 7, 8:
		w.changeAttribute()
	case 9:
		w.makeAttribute(one(w, []catalog.Kind{catalog.Feature, catalog.Option}, "kind"))
	case 10:
		w.makeCategory()
	case 11:
		if len(w.categories) > 0 {
			c := one(w, w.categories, "category")
			w.write(func(q database.Querier) error { return w.catalog.DeleteCategory(ctx, q, w.storeID, c.ID, nil) })
		}
	case 12:
		if len(w.categories) > 1 {
			c, to := one(w, w.categories, "category"), one(w, w.categories, "to")
			e := catalog.CategoryEdit{Root: true}
			if !slices.Contains(w.ancestors(to.ID), c.ID) {
				e = catalog.CategoryEdit{ParentID: &to.ID}
			}
			w.write(func(q database.Querier) error {
				_, err := w.catalog.EditCategory(ctx, q, w.storeID, c.ID, e, nil)
				return err
			})
		}
	case 13:
		if len(w.stocks) > 1 && w.chance(30, "delete the stock") {
			w.write(func(q database.Querier) error { return w.catalog.DeleteStock(ctx, q, w.storeID, w.stocks[0].ID, nil) })
		}
	}
	w.readAll()
}

func (w *world) changeAttribute() {
	all := slices.Concat(w.features, w.options)
	if len(all) == 0 {
		return
	}
	ctx, a := w.Context(), one(w, all, "attribute")
	e := catalog.Edit{Name: new(a.Name + "'")}
	switch values := w.values[a.ID]; {
	case w.chance(10, "delete it"):
		w.write(func(q database.Querier) error { return w.catalog.DeleteAttribute(ctx, q, w.storeID, a.Kind, a.ID, nil) })
		return
	case a.Kind == catalog.Feature && w.chance(30, "flip"):
		e.Filterable = new(!a.Filterable)
	case len(values) > 0:
		gone := one(w, values, "value").ID
		e.RemovedLen, e.Removed = 1, func(fn func(int, catalog.ValueID) error) error { return fn(0, gone) }
		if w.chance(50, "and add one") { // on SQLite it may get the key of the one that goes
			e.ValuesLen, e.Values = 1, func(fn func(int, catalog.ValueEdit) error) error { return fn(0, catalog.ValueEdit{Name: "77"}) }
		}
	}
	w.write(func(q database.Querier) error {
		_, err := w.catalog.EditAttribute(ctx, q, w.storeID, a.Kind, a.ID, e, nil)
		return err
	})
}

// readAll reads the whole store by the catalogue's own means.
func (w *world) readAll() {
	w.Helper()
	ctx := w.Context()
	err := w.db.Snapshot(ctx, func(q database.Querier) (err error) {
		const most = 10_000
		w.features, w.options, w.values = nil, nil, map[catalog.AttributeID][]catalog.Value{}
		for kind, to := range map[catalog.Kind]*[]catalog.Attribute{catalog.Feature: &w.features, catalog.Option: &w.options} {
			if *to, _, err = w.catalog.Attributes(ctx, q, w.storeID, kind, "", most, 0); err != nil {
				return err
			}
			for _, a := range *to {
				err := w.catalog.EachValue(ctx, q, w.storeID, a, func(v catalog.Value) error {
					w.values[a.ID] = append(w.values[a.ID], v)
					return nil
				})
				if err != nil {
					return err
				}
			}
		}
		if w.categories, _, err = w.catalog.Categories(ctx, q, w.storeID, catalog.CategoryFilter{}, most, 0); err != nil {
			return err
		}
		if w.stocks, _, err = w.catalog.Stocks(ctx, q, w.storeID, "", most, 0); err != nil {
			return err
		}
		var keys []int64
		err = database.Each(ctx, q, "SELECT key FROM products WHERE store_id = $1 ORDER BY key", []any{w.storeID}, func(rows database.Rows) error {
			var key int64
			err := rows.Scan(&key)
			keys = append(keys, key)
			return err
		})
		if err != nil {
			return err
		}
		if w.products, err = w.catalog.ProductsOf(ctx, q, w.storeID, keys); err != nil {
			return err
		}
		if err := w.catalog.FillFeatures(ctx, q, w.storeID, w.products); err != nil {
			return err
		}
		if err := w.catalog.FillCategories(ctx, q, w.storeID, w.products); err != nil {
			return err
		}
		return w.catalog.FillVariants(ctx, q, w.storeID, w.products, catalog.Live)
	})
	if err != nil {
		w.Fatal(err)
	}
}

// query draws filters over what is there.
func (w *world) query() Query {
	q := Query{
		WithFacets: w.chance(80, "facets"), InStock: w.chance(20, "in stock"), Sort: Sort(w.draw(0, int(ByCreatedDown), "sort")),
		Limit: int64(w.draw(1, 8, "limit")), Offset: int64(w.draw(0, 4, "offset")),
	}
	if w.chance(30, "text") {
		q.Text = one(w, []string{"re", "RED", "ламп", "shirt", "sku1", "b", "x1 red", "-", "nothing"}, "text")
	}
	if len(w.categories) > 0 && w.chance(40, "category") {
		q.Category = new(one(w, w.categories, "category").ID)
	}
	if w.chance(20, "price from") {
		q.PriceFrom = new(catalog.Money(w.draw(0, 4, "price") * 10000))
	}
	if w.chance(20, "price to") {
		q.PriceTo = new(catalog.Money(w.draw(1, 5, "price") * 10000))
	}
	choose := func(list []catalog.Attribute) (chosen []Choice) {
		for _, a := range list {
			if (a.Kind == catalog.Feature && !a.Filterable) || !w.chance(25, "choose") {
				continue
			}
			c := Choice{ID: a.ID}
			for _, v := range w.values[a.ID] {
				if w.chance(50, "choose value") {
					c.Values = append(c.Values, v.ID)
				}
			}
			if a.FieldType == catalog.Range && w.chance(60, "bounds") {
				c.From = new(float64(w.draw(0, 2, "from")))
				if w.chance(50, "to") {
					c.To = new(float64(w.draw(1, 4, "to")))
				}
				if w.chance(70, "only bounds") {
					c.Values = nil
				}
			}
			if len(c.Values) > 0 || c.From != nil {
				chosen = append(chosen, c)
			}
		}
		return chosen
	}
	q.Features, q.Options = choose(w.features), choose(w.options)
	if w.chance(10, "archived") {
		q.Archived = one(w, []catalog.Archived{catalog.OnlyArchived, catalog.AnyArchived}, "archived")
	}
	return q
}

func (w *world) ask() {
	w.Helper()
	query := w.query()
	want := w.naive(query)
	sh := w.search.shelf(w.storeID)
	if sh.cols == nil || sh.wanted.Load() {
		w.search.build(w.Context(), sh)
	}
	var bySQL, found Found
	err := w.db.Snapshot(w.Context(), func(q database.Querier) error {
		f, err := resolve(w.Context(), q, w.storeID, query)
		if err != nil {
			return err
		}
		if bySQL, err = findBySQL(w.Context(), q, w.storeID, f, query); err != nil {
			return err
		}
		return w.search.Find(w.Context(), w.storeID, query, func(answer Answer) (err error) {
			found, err = answer(w.Context(), q)
			return err
		})
	})
	if err != nil {
		w.Fatal(err)
	}
	unordered := cmp.Options{cmpopts.EquateEmpty(), cmp.AllowUnexported(Facet{}, ValueCount{}, CategoryCount{}), cmpopts.IgnoreFields(Facet{}, "key"), cmpopts.IgnoreFields(ValueCount{}, "key"), cmpopts.IgnoreFields(CategoryCount{}, "key")}
	if diff := cmp.Diff(want, bySQL, unordered); diff != "" {
		w.Errorf("%+v: the model (-) and SQL (+) differ:\n%s", query, diff)
	}
	if diff := cmp.Diff(want, found, unordered); diff != "" {
		w.Errorf("%+v: the model (-) and Find (+) differ:\n%s", query, diff)
	}
}
