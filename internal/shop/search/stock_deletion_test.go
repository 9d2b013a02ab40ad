package search

import (
	"fmt"
	"testing"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

// Deleting a stock that very many variants use made all lists wait until the columns were built again.
func TestRegression_columnsFollowDeletionsOfStocks(t *testing.T) {
	complete := func(f *fixture, _ stockedShop) {
		if err := f.catalog.Deletions.Complete(f.Context(), f.DB); err != nil {
			f.Fatal(err)
		}
	}

	edit := func(f *fixture, shop stockedShop) {
		f.Write(func(tx store.Tx) error {
			for _, p := range shop.products[:len(shop.products)/2] {
				_, err := f.catalog.Products.Edit(f.Context(), tx, p.ID, catalog.ProductEdit{Name: new("edited")}, nil)
				if err != nil {
					return err
				}
			}
			return nil
		})
	}

	// removeValue changes the variants of all products, but records no product as changed.
	removeValue := func(f *fixture, shop stockedShop) {
		f.Write(func(tx store.Tx) error {
			_, err := catalog.New(catalog.Deps{Now: f.Clock.Now}).Attributes.Edit(f.Context(), tx, catalog.Option,
				shop.colour.Attribute, catalog.AttributeEdit{Removed: catalog.ListOf(shop.colour.Value)}, nil)
			return err
		})
	}
	type step = func(f *fixture, shop stockedShop)
	for name, steps := range map[string][]step{
		"at once":                                   nil,
		"after the links are deleted":               {complete},
		"after some products are edited":            {edit},
		"after some are edited and the others done": {edit, complete},
		"after an option lost a value":              {removeValue},
	} {
		t.Run(name, func(t *testing.T) {
			eachEngine(t, func(f *fixture) {
				f.catalog.Service = catalog.New(catalog.Deps{Now: f.Clock.Now, MaxDirectLinks: -1})
				left := steps
				shop := f.createStockedShop()
				node, idx := f.newWaitingNode(0)
				node.buildIndex(f.Context(), idx)
				for i, stock := range shop.stocks {
					f.Write(func(tx store.Tx) error { return f.catalog.Stocks.Delete(f.Context(), tx, stock.ID, nil) })
					if i == 0 && name == "at once" {
						continue // both deletions are found by one refresh
					}

					for _, do := range left {
						do(f, shop)
					}

					if name == "after an option lost a value" {
						left = nil
					}

					if err := node.refreshIndex(f.Context(), idx); err != nil {
						f.Fatal(err)
					}

					f.wantSameAsSQL(fmt.Sprint("without stock ", i), node, Query{InStock: true})
				}

				if n := node.Stats().Builds; n != 1 {
					f.Errorf("the columns were built %d times, want once", n)
				}
			})
		})
	}
}

// stockedShop is a catalogue with stocks. All variants have the value colour.
type stockedShop struct {
	products []catalog.Product
	stocks   []catalog.Stock
	colour   catalog.ValueRef
}

// createStockedShop creates products with all combinations of no remainder, an empty one and a positive one in three
// stocks, and returns the first two stocks.
func (f *fixture) createStockedShop() (shop stockedShop) {
	f.Helper()
	for i := range 3 {
		shop.stocks = append(shop.stocks, f.catalog.CreateStock(fmt.Sprint("stock ", i)))
	}

	colour := f.createOption("Colour", "red")
	for i := range 27 {
		var remainders []catalog.RemainderEdit
		for n, digit := range []int{i % 3, i / 3 % 3, i / 9} {
			if digit > 0 {
				quantity := money.Quantity(1000 * (digit - 1))
				remainders = append(remainders, catalog.RemainderEdit{Stock: shop.stocks[n].ID, Quantity: quantity})
			}
		}

		shop.products = append(shop.products, f.catalog.CreateProduct(fmt.Sprint("product ", i), 1, catalog.ProductEdit{
			Variants: &[]catalog.VariantEdit{{Price: new(money.NewPrice(1)), Options: &colour,
				Remainders: &remainders}},
		}))
	}

	shop.stocks = shop.stocks[:2]
	shop.colour = colour[0]
	return shop
}

// createOption creates an option with a value, and returns a reference to the value.
func (f *fixture) createOption(name, value string) (refs []catalog.ValueRef) {
	f.Helper()
	f.Write(func(tx store.Tx) error {
		refs = nil
		e := catalog.AttributeEdit{Name: &name, Values: catalog.NewValues(value)}
		a, err := f.catalog.Attributes.Create(f.Context(), tx, catalog.Option, e)
		if err != nil {
			return err
		}
		return f.catalog.Attributes.EachValue(f.Context(), tx, a, func(v catalog.Value) error {
			refs = append(refs, catalog.ValueRef{Attribute: a.ID, Value: v.ID})
			return nil
		})
	})
	return refs
}
