package demo_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/demo"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/catalogtest"
	"vitrine/internal/testkit/storetest"
)

// fixture is a new store.
type fixture struct {
	*storetest.Fixture
	catalog *catalog.Service
}

// eachDatabase runs fn with a new store on both engines.
func eachDatabase(t *testing.T, fn func(s *fixture)) {
	t.Helper()
	storetest.Each(t, func(f *storetest.Fixture) {
		f.Clock.FollowRealTime()
		fn(&fixture{f, catalog.New(catalog.Deps{Now: f.Clock.Now})})
	})
}

// fill calls Fill, which must succeed.
func (s *fixture) fill(o demo.Options) demo.Report {
	s.Helper()
	report, err := demo.Fill(s.Context(), s.DB, s.catalog, s.Store.ID, o)
	if err != nil {
		s.Fatal(err)
	}
	return report
}

// productSheet is a product with all its references as text.
type productSheet struct {
	ExternalID, Name, Description, Modifiers string
	Categories, Features, Variants           []string
}

// expectedProducts returns the sheets of the generator's first n products.
func expectedProducts(g *demo.Generator, n int) []productSheet {
	name := func(list []demo.Attribute, choices []demo.Choice) []string {
		words := make([]string, 0, len(choices))
		for _, c := range choices {
			words = append(words, list[c.Attribute].Name+"="+list[c.Attribute].Values[c.Value])
		}
		slices.Sort(words)
		return words
	}
	sheets := make([]productSheet, n)
	for i := range sheets {
		p := g.Product(i + 1)
		s := productSheet{
			ExternalID: p.ExternalID, Name: p.Name, Description: p.Description, Modifiers: p.Modifiers,
			Features: name(g.Features(), p.Features),
		}
		if s.Modifiers == "" {
			s.Modifiers = "[]"
		}

		for _, c := range p.Categories {
			s.Categories = append(s.Categories, g.Categories()[c].ExternalID)
		}

		slices.Sort(s.Categories)

		for _, v := range p.Variants {
			var rest []string
			for _, r := range v.Remainders {
				rest = append(rest, fmt.Sprint(g.Stocks()[r.Stock].ExternalID, " ", r.Quantity))
			}
			slices.Sort(rest)
			s.Variants = append(s.Variants,
				fmt.Sprint(v.ExternalID, v.Name, v.SKU, v.Barcode, v.Price, name(g.Options(), v.Options), rest))
		}

		sheets[i] = s
	}

	return sheets
}

// storedProducts returns the sheets of the store's products, in order of their external ids.
func (s *fixture) storedProducts() []productSheet {
	s.Helper()
	var sheets []productSheet

	s.Read(func(tx store.Tx) error {
		external := map[string]string{} // external id by id
		categories, _, err := s.catalog.Categories.List(s.Context(), tx, catalog.CategoryFilter{}, 1000, 0)
		for _, c := range categories {
			external[c.ID.String()] = *c.ExternalID
		}

		if err != nil {
			return err
		}

		stocks, _, err := s.catalog.Stocks.List(s.Context(), tx, "", 10, 0)
		for _, st := range stocks {
			external[st.ID.String()] = *st.ExternalID
		}

		if err != nil {
			return err
		}

		var keys []int64
		err = database.QueryEach(s.Context(), tx.Unscoped(),
			"SELECT key FROM products WHERE store_id = $1 ORDER BY key",
			[]any{s.Store.ID}, database.AppendColumn(&keys))
		if err != nil {
			return err
		}

		products, err := catalogtest.ReadProducts(s.Context(), tx, s.catalog.Products, keys, catalog.AnyArchived)
		for i := range products {
			sheets = append(sheets, sheetOf(&products[i], external))
		}

		return err
	})

	slices.SortFunc(sheets, func(a, b productSheet) int { return strings.Compare(a.ExternalID, b.ExternalID) })
	return sheets
}

func sheetOf(p *catalogtest.Product, external map[string]string) productSheet {
	name := func(list []catalog.AttributeValue) []string {
		words := make([]string, 0, len(list))
		for _, c := range list {
			words = append(words, c.Name+"="+c.Value.Name)
		}
		slices.Sort(words)
		return words
	}
	s := productSheet{
		ExternalID: *p.ExternalID, Name: p.Name, Description: p.Description, Modifiers: p.Modifiers,
		Features: name(p.Features),
	}
	for _, c := range p.Categories {
		s.Categories = append(s.Categories, external[c.ID.String()])
	}

	slices.Sort(s.Categories)

	for _, v := range p.Variants {
		var rest []string
		for _, r := range v.Remainders {
			rest = append(rest, fmt.Sprint(external[r.StockID.String()], " ", r.Quantity))
		}
		slices.Sort(rest)
		s.Variants = append(s.Variants, fmt.Sprint(*v.ExternalID, v.Name, v.SKU, v.Barcodes.First(), *v.Price.OrNil(),
			name(v.Options), rest))
	}

	return s
}

// storedReferences returns the store's categories, stocks, features and options as text.
func (s *fixture) storedReferences() []string {
	s.Helper()
	var words []string

	s.Read(func(tx store.Tx) error {
		categories, _, err := s.catalog.Categories.List(s.Context(), tx, catalog.CategoryFilter{}, 1000, 0)
		if err != nil {
			return err
		}

		at := map[catalog.CategoryID]string{}
		for _, c := range categories {
			above := "-"
			if c.ParentID != nil {
				above = at[*c.ParentID]
			}
			at[c.ID] = *c.ExternalID
			words = append(words, fmt.Sprint("category ", *c.ExternalID, " ", c.Name, " under ", above))
		}

		stocks, _, err := s.catalog.Stocks.List(s.Context(), tx, "", 10, 0)
		for _, st := range stocks {
			words = append(words, fmt.Sprint("stock ", *st.ExternalID, " ", st.Name))
		}

		for _, kind := range []catalog.Kind{catalog.Feature, catalog.Option} {
			list, _, listErr := s.catalog.Attributes.List(s.Context(), tx, kind, "", 100, 0)
			err = errors.Join(err, listErr)
			for _, a := range list {
				values := []string{}
				err = errors.Join(err, s.catalog.Attributes.EachValue(s.Context(), tx, a, func(v catalog.Value) error {
					values = append(values, v.Name)
					return nil
				}))
				words = append(
					words, fmt.Sprint(kind, " ", a.Name, " ", a.Filterable, a.FieldType, a.RangeType, values))
			}
		}

		return err
	})

	return words
}

func expectedReferences(g *demo.Generator) []string {
	var words []string
	for _, c := range g.Categories() {
		above := "-"
		if c.Parent >= 0 {
			above = g.Categories()[c.Parent].ExternalID
		}
		words = append(words, fmt.Sprint("category ", c.ExternalID, " ", c.Name, " under ", above))
	}
	for _, st := range g.Stocks() {
		words = append(words, fmt.Sprint("stock ", st.ExternalID, " ", st.Name))
	}
	for _, a := range slices.Concat(g.Features(), g.Options()) {
		words = append(words, fmt.Sprint(a.Kind, " ", a.Name, " ", a.Filterable, a.FieldType, a.RangeType, a.Values))
	}
	return words
}

// After any sequence of runs, including an interrupted one, the store has the generator's products exactly once. A
// second run creates nothing, a longer one only the missing products.
func TestFill_createsEachProductOnce(t *testing.T) {
	const n, more, batch = 300, 310, 120
	g := demo.NewGenerator(11)
	variants := 0
	for i := range n - batch {
		variants += len(g.Product(batch + i + 1).Variants)
	}

	eachDatabase(t, func(s *fixture) {
		ctx, cancel := context.WithCancel(s.Context())
		report, err := demo.Fill(ctx, s.DB, s.catalog, s.Store.ID,
			demo.Options{Products: n, Seed: 11, Progress: func(int) { cancel() }}.WithBatchSize(batch))
		if !errors.Is(err, context.Canceled) || report.Created != batch {
			s.Fatalf("interrupted after a batch, Fill returned %v and %+v", err, report)
		}
		if diff := cmp.Diff(expectedProducts(g, batch), s.storedProducts()); diff != "" {
			s.Errorf("products after the interruption differ (-want +got):\n%s", diff)
		}

		var progress []int
		report = s.fill(demo.Options{
			Products: n, Seed: 11, Progress: func(done int) { progress = append(progress, done) },
		}.WithBatchSize(200))
		if report.Created != n-batch || report.Existing != batch || report.Variants != variants ||
			!slices.Equal(progress, []int{200, n}) {
			s.Errorf("the second run reports %+v, want %d variants; the progress is %v", report, variants, progress)
		}

		if diff := cmp.Diff(expectedProducts(g, n), s.storedProducts()); diff != "" {
			s.Errorf("the products differ (-want +got):\n%s", diff)
		}

		if again := s.fill(demo.Options{Products: n, Seed: 11}); again.Created != 0 || again.Existing != n ||
			again.Variants != 0 {
			s.Errorf("the third run reports %+v", again)
		}

		// With another seed, existing products stay as they are.
		if other := s.fill(demo.Options{Products: more, Seed: 12}); other.Created != more-n || other.Existing != n {
			s.Errorf("a longer run reports %+v", other)
		}

		want := slices.Concat(expectedProducts(g, n), expectedProducts(demo.NewGenerator(12), more)[n:])
		if diff := cmp.Diff(want, s.storedProducts()); diff != "" {
			s.Errorf("products after the longer run differ (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(expectedReferences(g), s.storedReferences()); diff != "" {
			s.Errorf("the references differ (-want +got):\n%s", diff)
		}
	})
}

// Data that was changed or deleted between two runs does not stop the second one: it uses what exists and adds what is
// missing.
func TestFill_reusesExistingData(t *testing.T) {
	eachDatabase(t, func(s *fixture) {
		colour := "Colour"
		var own catalog.Attribute
		err := s.TryWrite(func(tx store.Tx) (err error) {
			own, err = s.catalog.Attributes.Create(s.Context(), tx, catalog.Feature,
				catalog.AttributeEdit{Name: &colour, Values: catalog.NewValues("Black")})
			return err
		})
		if err != nil {
			s.Fatal(err)
		}

		s.fill(demo.Options{Products: 10, Seed: 1})

		err = s.TryWrite(func(tx store.Tx) error {
			keys, err := s.catalog.Products.KeysByExternalID(s.Context(), tx, []string{"D-000007", "D-000011"})
			if err != nil || len(keys) != 1 {
				return fmt.Errorf("the keys of D-000007 and D-000011 are %v: %w", keys, err)
			}
			deleted, err := s.catalog.Products.ByKeys(s.Context(), tx, []int64{keys["D-000007"]})
			if err != nil {
				return err
			}
			if err := s.catalog.Products.Delete(s.Context(), tx, deleted[0].ID, nil); err != nil {
				return err
			}

			list, _, err := s.catalog.Categories.List(s.Context(), tx,
				catalog.CategoryFilter{Search: "smartphones"}, 1, 0)
			if err != nil {
				return err
			}

			return s.catalog.Categories.Delete(s.Context(), tx, list[0].ID, nil)
		})
		if err != nil {
			s.Fatal(err)
		}

		if report := s.fill(demo.Options{Products: 10, Seed: 1}); report.Created != 1 || report.Existing != 9 {
			s.Errorf("after the deletion of a product Fill reports %+v", report)
		}

		words := s.storedReferences()
		if got := len(words); got != len(expectedReferences(demo.NewGenerator(1))) {
			s.Errorf("the store has %d references, want %d", got, len(expectedReferences(demo.NewGenerator(1))))
		}

		if !slices.ContainsFunc(words, func(w string) bool {
			return strings.HasPrefix(w, "category demo-electronics-phones-and-tablets-smartphones ")
		}) {
			s.Error("the deleted category was not created again")
		}

		err = s.TryRead(func(tx store.Tx) error {
			now, err := s.catalog.Attributes.Find(s.Context(), tx, catalog.Feature, own.ID)
			if now.ValueCount < 10 || now.Filterable {
				s.Errorf("the existing feature has %d values, filterable %t", now.ValueCount, now.Filterable)
			}
			return err
		})
		if err != nil {
			s.Fatal(err)
		}
	})
}
