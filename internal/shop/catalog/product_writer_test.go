package catalog_test

import (
	"context"
	"maps"
	"testing"

	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/store"
)

// A product keeps who wrote each of its members last, whichever way it was written.
func TestWriters_ofMembers(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		shoes := s.category("Shoes")
		material := s.feature("Material", "Wool")
		as := func(w productfield.Writer, fn func(ctx context.Context, tx store.Tx) error) {
			s.Helper()
			s.Write(func(tx store.Tx) error { return fn(productfield.WithWriter(s.Context(), w), tx) })
		}
		name := "Lamp"
		description := "Bright"
		sku := "L"
		price := money.Money(100)
		paid := money.Money(200)
		var p Product
		as(1, func(ctx context.Context, tx store.Tx) (err error) {
			p, err = s.Products.Create(ctx, tx, ProductEdit{Name: &name, ExternalID: new("lamp"),
				Categories: &[]CategoryID{},
				Variants:   &[]VariantEdit{{SKU: &sku, Price: new(money.NewPrice(price)), ExternalID: new("v")}}})
			return err
		})
		want := map[productfield.Set]productfield.Writer{
			productfield.Name: 1, productfield.Categories: 1, productfield.Price: 1, productfield.Variants: 1}

		check := func(what string, writer productfield.Writer, written productfield.Set) {
			s.Helper()
			for one := productfield.Name; one <= productfield.Modifiers; one <<= 1 {
				if written.Has(one) {
					want[one] = writer
				}
			}

			got, err := inTx(s, func(tx store.Tx) (map[productfield.Set]productfield.Writer, error) {
				return s.Products.Writers(s.Context(), tx, p.Key)
			})
			if err != nil || !maps.Equal(got, want) {
				s.Errorf("%s: the writers are %v, want %v: %v", what, got, want, err)
			}
		}

		check("created", 0, 0)
		as(2, func(ctx context.Context, tx store.Tx) error {
			_, err := s.Products.Edit(ctx, tx, p.ID, ProductEdit{Name: &name, Description: &description}, nil)
			return err
		})
		check("edited", 2, productfield.Description)
		as(3, func(ctx context.Context, tx store.Tx) error {
			_, err := s.Pushes.ApplyPrices(ctx, tx, []PricePush{{Variant: "v", Price: money.NewPrice(paid)}})
			return err
		})
		check("quick prices", 3, productfield.Price)
		as(4, func(ctx context.Context, tx store.Tx) error {
			_, err := s.Pushes.ApplyRemainders(ctx, tx, []RemainderPush{{Variant: "v", Stock: "main", Quantity: 1000}})
			return err
		})
		check("quick remainders", 4, productfield.Remainders)
		as(5, func(ctx context.Context, tx store.Tx) error {
			_, err := s.Products.AddCategoryToAll(ctx, tx, []int64{p.Key}, shoes.ID)
			return err
		})
		check("category of many", 5, productfield.Categories)
		as(6, func(ctx context.Context, tx store.Tx) error {
			_, err := s.Products.AddFeatureToAll(ctx, tx, []int64{p.Key}, material.ref("Wool"))
			return err
		})
		check("feature of many", 6, productfield.Features)
		push := ProductPush{ID: "lamp", Digest: Digest{1}, Name: new("Torch"), Description: &description,
			Modifiers: new("[]")}

		for writer := productfield.Writer(7); writer < 9; writer++ { // the second push is unchanged
			as(writer, func(ctx context.Context, tx store.Tx) error {
				_, err := s.Pushes.ApplyProducts(ctx, tx, []ProductPush{push})
				return err
			})
		}

		check("pushed", 7, productfield.Name|productfield.Modifiers)
		locks := productfield.Name
		as(9, func(ctx context.Context, tx store.Tx) error {
			_, err := s.Products.Edit(ctx, tx, p.ID, ProductEdit{Locks: &locks}, nil)
			return err
		})
		check("locked", 9, 0)
		push.Digest = Digest{2}
		push.Name = new("Lantern")
		push.Description = new("Dim")
		as(10, func(ctx context.Context, tx store.Tx) error {
			_, err := s.Pushes.ApplyProducts(ctx, tx, []ProductPush{push})
			return err
		})
		check("pushed to a locked product", 10, productfield.Description|productfield.Modifiers)
		s.Write(func(tx store.Tx) error {
			_, err := s.Products.Edit(s.Context(), tx, p.ID, ProductEdit{Name: &name}, nil)
			return err
		})
		delete(want, productfield.Name)
		check("edited by nobody who is known", 0, 0)
	})
}
