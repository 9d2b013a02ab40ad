// Package catalogtest creates products and what they refer to, for the tests of packages above catalog. It is for tests
// only.
package catalogtest

import (
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/storetest"
)

// Catalog is the catalogue of the store of a Fixture. Its methods end the test when they fail.
type Catalog struct {
	*storetest.Fixture
	*catalog.Service
}

// New returns the catalogue of the Fixture's store, with the Fixture's clock.
func New(f *storetest.Fixture) *Catalog {
	return &Catalog{f, catalog.New(catalog.Deps{Now: f.Clock.Now})}
}

// CreateStock creates a stock.
func (c *Catalog) CreateStock(name string) (created catalog.Stock) {
	c.Helper()
	c.Write(func(tx store.Tx) (err error) {
		created, err = c.Stocks.Create(c.Context(), tx, catalog.StockEdit{Name: &name})
		return err
	})
	return created
}

// CreateProduct creates a product from e, by default with one variant of this price, and returns it with its variants.
func (c *Catalog) CreateProduct(name string, price money.Money, e catalog.ProductEdit) catalog.Product {
	c.Helper()
	e.Name = &name

	if e.Variants == nil {
		e.Variants = &[]catalog.VariantEdit{{Price: new(money.NewPrice(price))}}
	}

	var list []view.ProductRows

	c.Write(func(tx store.Tx) error {
		created, err := c.Products.Create(c.Context(), tx, e)
		if err != nil {
			return err
		}
		list, _, err = view.ReadRows(c.Context(), tx, []int64{created.Key}, view.Parts{Variants: true},
			catalog.Live)
		return err
	})

	return list[0].Product
}

// CreateFeature creates a feature with values, and returns it with references to the values.
func (c *Catalog) CreateFeature(
	name string, filterable bool, values ...string,
) (created catalog.Attribute, refs []catalog.ValueRef) {
	c.Helper()
	e := catalog.AttributeEdit{Name: &name, Filterable: &filterable, Values: catalog.NewValues(values...)}
	c.Write(func(tx store.Tx) (err error) {
		refs = nil
		if created, err = c.Attributes.Create(c.Context(), tx, catalog.Feature, e); err != nil {
			return err
		}
		return c.Attributes.EachValue(c.Context(), tx, created, func(v catalog.Value) error {
			refs = append(refs, catalog.ValueRef{Attribute: created.ID, Value: v.ID})
			return nil
		})
	})
	return created, refs
}
