package catalog_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"vitrine/internal/kit/fault"
	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/catalog/push"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

const (
	noName    = "A name may not be empty; 1 to 255 characters are right."
	longText  = "This has 1048576 characters; at most 255 are allowed."
	control   = "A text may hold no control character other than tab and newline; this one has U+0001."
	negative  = "A price may not be negative."
	manyMoney = "A number with at most 12 digits before the point and 4 decimals is expected; this one has more digits."
	manyGoods = "A number with at most 9 digits before the point and 3 decimals is expected; this one has more digits."
)

// brokenNames are names that no surface lets through, with the codes and messages of bodies in JSON.
var brokenNames = map[string]fault.Field{
	" ":                        {Code: "required", Message: noName},
	"a\x01b":                   {Code: "control_character", Message: control},
	strings.Repeat("x", 1<<20): {Code: "too_long", Message: longText},
	"a\xff":                    {Code: "invalid_characters", Message: "This text is not UTF-8."},
}

// wantBroken checks that a use case refuses a value with one broken rule.
func (s *catalogFixture) wantBroken(what string, err error, want fault.Field) {
	s.Helper()
	var f *fault.Error
	if !errors.As(err, &f) || f.Kind != fault.Invalid || len(f.Fields) != 1 || f.Fields[0] != want {
		s.Errorf("%s: got %.300v, want %+v", what, err, want)
	}
}

// A caller that forgets to check what was sent is told by the use case, in the words of the public API.
func TestUseCases_checkNamesThemselves(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		for name, want := range brokenNames {
			uses := map[string]func(tx store.Tx) error{
				"name of a product": func(tx store.Tx) error {
					_, err := s.Products.Create(s.Context(), tx, ProductEdit{Name: &name})
					return err
				},
				"name of a category": func(tx store.Tx) error {
					_, err := s.Categories.Create(s.Context(), tx, CategoryEdit{Name: &name})
					return err
				},
				"name of a stock": func(tx store.Tx) error {
					_, err := s.Stocks.Create(s.Context(), tx, StockEdit{Name: &name})
					return err
				},
				"name of a feature": func(tx store.Tx) error {
					_, err := s.Attributes.Create(s.Context(), tx, Feature, AttributeEdit{Name: &name})
					return err
				},
				"values[0].name of an option": func(tx store.Tx) error {
					e := AttributeEdit{Name: new("Size"), Values: NewValues(name)}
					_, err := s.Attributes.Create(s.Context(), tx, Option, e)
					return err
				},
			}

			for what, use := range uses {
				path, _, _ := strings.Cut(what, " of ")
				s.wantBroken(what, s.TryWrite(use), want.At(path))
			}
		}
	})
}

func TestUseCases_checkVariantsThemselves(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		stock := s.stock("main")
		long := strings.Repeat("x", 1<<20)
		outOfRange := func(message string) fault.Field { return fault.Field{Code: "out_of_range", Message: message} }
		tooLong := fault.Field{Code: "too_long", Message: longText}

		for member, c := range map[string]struct {
			edit VariantEdit
			want fault.Field
		}{
			"sku":         {VariantEdit{SKU: &long}, tooLong},
			"name":        {VariantEdit{Name: &long}, tooLong},
			"external_id": {VariantEdit{ExternalID: &long}, tooLong},
			"price":       {VariantEdit{Price: new(money.NewPrice(-1))}, outOfRange(negative)},
			"price ":      {VariantEdit{Price: new(money.NewPrice(1e16))}, outOfRange(manyMoney)},
			"remainders[0].quantity": {VariantEdit{Remainders: &[]RemainderEdit{{Stock: stock.ID, Quantity: 1e12}}},
				outOfRange(manyGoods)},
		} {
			if c.edit.Price == nil {
				c.edit.Price = new(money.NewPrice(1))
			}

			_, err := inTx(s, func(tx store.Tx) (Product, error) {
				return s.Products.Create(s.Context(), tx, withName("x", withVariants(c.edit)))
			})
			s.wantBroken(member, err, c.want.At("variants[0]."+strings.TrimSpace(member)))
		}
	})
}

// Pushes check their items, too: what no decoder lets through fails in the transaction.
func TestPushes_checkItemsThemselves(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		for name, want := range brokenNames {
			expectBroken(s, "category", s.Pushes.ApplyCategories, CategoryPush{ID: "c", Name: &name}, want.At("name"))
			expectBroken(s, "stock", s.Pushes.ApplyStocks, StockPush{ID: "s", Name: &name}, want.At("name"))
			expectBroken(s, "product", s.Pushes.ApplyProducts, ProductPush{ID: "p", Name: &name}, want.At("name"))
			options := func(ctx context.Context, tx store.Tx, items []AttributePush) ([]push.Pushed, error) {
				return s.Pushes.ApplyAttributes(ctx, tx, Option, items)
			}
			expectBroken(s, "option", options, AttributePush{ID: "o", Name: &name}, want.At("name"))
			expectBroken(s, "value", options, AttributePush{ID: "o", Name: new("Size"),
				Values: []ValuePush{{ID: "v", Name: name}}}, want.At("values[0].name"))
		}

		variants := []VariantPush{{ID: "v", Price: new(money.NewPrice(-1))}}
		expectBroken(s, "price", s.Pushes.ApplyProducts, ProductPush{ID: "p", Name: new("x"), Variants: &variants},
			fault.Field{Field: "variants[0].price", Code: "out_of_range", Message: negative})
	})
}

// expectBroken checks that a push fails its only item with one broken rule.
func expectBroken[Item any](
	s *catalogFixture, what string, apply func(context.Context, store.Tx, []Item) ([]push.Pushed, error), item Item,
	want fault.Field,
) {
	s.Helper()
	list, err := inTx(s, func(tx store.Tx) ([]push.Pushed, error) { return apply(s.Context(), tx, []Item{item}) })
	if err != nil || list[0].Outcome != push.Failed || len(list[0].Errors) != 1 || list[0].Errors[0] != want {
		s.Errorf("%s: %.300v, got %.300v, want %+v", what, err, list, want)
	}
}

// AddValues names the lines of the request. Before, it counted only the values that the feature did not have.
func TestAddValues_namesTheWrongLine(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		a, err := inTx(s, func(tx store.Tx) (Attribute, error) {
			return s.Attributes.Create(s.Context(), tx, Feature, AttributeEdit{Name: new("Weight"),
				FieldType: new(Range), Values: NewValues("1")})
		})
		if err != nil {
			s.Fatal(err)
		}

		_, err = inTx(s, func(tx store.Tx) (AddedValues, error) {
			return s.Attributes.AddValues(s.Context(), tx, Feature, a.ID, []string{"1", "light"}, nil)
		})
		s.wantInvalid(err, "values[1].name not_a_number")
	})
}
