package catalog_test

import (
	"fmt"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/storetest"
)

// BenchmarkCreateProducts creates 1,000 products at a time. Each has a category, 8 features, and 2 variants with an
// option and 2 remainders.
func BenchmarkCreateProducts(b *testing.B) {
	for _, engine := range databasetest.Engines() {
		b.Run(engine, func(b *testing.B) {
			const many = 1000
			s, edits := newBenchFixture(b, engine, many)
			round := 0
			for b.Loop() {
				for i := range edits {
					edits[i].ExternalID = new(fmt.Sprintf("%d-%d", round, i))
				}

				round++
				err := s.DB.WriteAlone(b.Context(), func(q database.Querier) error {
					_, err := s.Products.CreateAll(b.Context(), store.In(q, s.Store.ID), edits)
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
			}

			b.ReportMetric(float64(b.N*many)/b.Elapsed().Seconds(), "products/s")
		})
	}
}

func newBenchFixture(b *testing.B, engine string, many int) (*catalogFixture, []ProductEdit) {
	b.Helper()
	s := newFixture(storetest.Open(b, engine))
	var features, options []ValueRef
	var categories []CategoryID
	var stocks []StockID

	s.Write(func(tx store.Tx) error {
		for i := range 10 {
			a, err := s.Attributes.Create(b.Context(), tx,
				map[bool]Kind{true: Option, false: Feature}[i < 2], benchValues(50))
			if err != nil {
				return err
			}

			err = s.Attributes.EachValue(b.Context(), tx, a, func(v Value) error {
				if i < 2 {
					options = append(options, ValueRef{a.ID, v.ID})
				} else {
					features = append(features, ValueRef{a.ID, v.ID})
				}
				return nil
			})
			if err != nil {
				return err
			}
		}

		for range 100 {
			c, err := s.Categories.Create(b.Context(), tx, CategoryEdit{Name: new("Shirts")})
			if err != nil {
				return err
			}
			categories = append(categories, c.ID)
		}

		for range 3 {
			t, err := s.Stocks.Create(b.Context(), tx, StockEdit{Name: new("Stock")})
			if err != nil {
				return err
			}
			stocks = append(stocks, t.ID)
		}

		return nil
	})

	edits := make([]ProductEdit, many)
	for i := range edits {
		carried := make([]ValueRef, 8)
		for j := range carried {
			carried[j] = features[j*50+(i*7+j)%50]
		}

		variants := make([]VariantEdit, 2)
		for j := range variants {
			variants[j] = VariantEdit{
				SKU: new(fmt.Sprintf("SKU-%d-%d", i, j)), Price: new(money.NewPrice(money.Money(i*100 + j))),
				Name:       new(fmt.Sprint("Variant ", j)),
				Options:    &[]ValueRef{options[(i+j)%50]},
				Remainders: &[]RemainderEdit{{stocks[0], 5000}, {stocks[1], money.Quantity(i)}},
			}
		}

		edits[i] = ProductEdit{
			Name:        new(fmt.Sprintf("Product number %d of the shop", i)),
			Description: new("Heavy cotton, made to last. " + id.New[Product]().String()),
			Categories:  &[]CategoryID{categories[i%100]}, Features: &carried, Variants: &variants,
		}
	}

	return s, edits
}

func benchValues(n int) AttributeEdit {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprint("value ", i)
	}
	return AttributeEdit{Name: new("Attribute"), Values: NewValues(names...)}
}
