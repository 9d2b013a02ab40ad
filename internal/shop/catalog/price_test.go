package catalog_test

import (
	"fmt"
	"testing"

	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/catalog/push"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/store"
)

// none is the price of what is not for sale.
var none = money.Price{}

// priceRange returns the price range of a product, as both ways of reading it say.
func (s *catalogFixture) priceRange(id ProductID) string {
	s.Helper()
	var texts [2]string

	s.Read(func(tx store.Tx) error {
		p, err := s.Products.Find(s.Context(), tx, id, Live)
		if err != nil {
			return err
		}
		rows, _, err := view.ReadRows(s.Context(), tx, []int64{p.Key}, view.Parts{Variants: true}, Live)
		if err != nil {
			return err
		}

		for i, read := range []Product{p, rows[0].Product} {
			texts[i] = "none"
			if read.PriceFrom != nil {
				texts[i] = fmt.Sprint(*read.PriceFrom, " to ", *read.PriceTo)
			}
		}

		return nil
	})
	if texts[0] != texts[1] {
		s.Errorf("the totals say %s, the variants %s", texts[0], texts[1])
	}

	return texts[0]
}

func TestProducts_priceRangeIsThatOfVariantsForSale(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		for want, prices := range map[string][]money.Price{
			"none":       {none, none},
			"0 to 0":     {none, money.NewPrice(0)},
			"3 to 9":     {money.NewPrice(9), none, money.NewPrice(3)},
			"1 to 20000": {none, money.NewPrice(20000), money.NewPrice(1)},
		} {
			var variants []VariantEdit
			for i, price := range prices {
				variants = append(variants, VariantEdit{SKU: new(fmt.Sprint(i)), Price: &price})
			}

			p := s.mustCreate(withVariants(variants...))
			for i, price := range prices {
				if got := p.Variants[i].Price; got != price {
					s.Errorf("a variant has the price %v, want %v", got, price)
				}
			}

			if got := s.priceRange(p.ID); got != want {
				s.Errorf("the prices are %s, want %s", got, want)
			}
		}
	})
}

func TestVariants_priceIsRemovedAndSetAgain(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		p := s.mustCreate(withVariants(VariantEdit{SKU: new("a"), Price: new(money.NewPrice(5))}))
		for _, price := range []money.Price{none, money.NewPrice(0), none, money.NewPrice(7)} {
			s.must(s.editVariant(p.ID, p.Variants[0].ID, VariantEdit{Price: &price}))
			if got := s.loadVariant(p.ID, p.Variants[0].ID).Price; got != price {
				s.Errorf("the price is %v, want %v", got, price)
			}
		}
		s.must(s.editVariant(p.ID, p.Variants[0].ID, VariantEdit{Name: new("A")}))
		if got := s.loadVariant(p.ID, p.Variants[0].ID).Price; got != money.NewPrice(7) {
			s.Errorf("an edit without a price sets it to %v", got)
		}
	})
}

func TestPushProducts_priceIsAbsentNullOrANumber(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		push := func(price *money.Price) ProductPush {
			return productPush("1", "Lamp", VariantPush{ID: "a", SKU: new("A"), Price: price})
		}
		s.wantOutcomes("created ~variants[0].price:no_price", push(nil))
		s.wantProduct("1", "Lamp | a A none")

		for price, want := range map[money.Price]string{none: "none", money.NewPrice(0): "0",
			money.NewPrice(50000): "5"} {
			id := "new " + want
			s.wantOutcomes("created", productPush(id, "Lamp", VariantPush{ID: "a", SKU: new("A"), Price: &price}))
			s.wantProduct(id, "Lamp | a A "+want)
		}

		for _, step := range []struct {
			price         *money.Price
			outcome, want string
		}{
			{new(money.NewPrice(50000)), "updated", "5"}, {nil, "updated", "5"}, {&none, "updated", "none"},
			{&none, "unchanged", "none"}, {new(money.NewPrice(0)), "updated", "0"}, {nil, "updated", "0"},
		} {
			s.wantOutcomes(step.outcome, push(step.price))
			s.wantProduct("1", "Lamp | a A "+step.want)
		}
	})
}

func TestPushPrices_nullTakesThePriceAway(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		s.push(productPush("1", "Lamp", variantPush("a", "A", 5)))

		apply := func(price money.Price) (outcome push.Outcome) {
			s.Write(func(tx store.Tx) error {
				list, err := s.Pushes.ApplyPrices(s.Context(), tx, []PricePush{{Variant: "a", Price: price}})
				if err == nil {
					outcome = list[0].Outcome
				}
				return err
			})
			return outcome
		}
		for _, step := range []struct {
			price   money.Price
			outcome push.Outcome
			want    string
		}{{none, push.Updated, "none"}, {none, push.Unchanged, "none"}, {money.NewPrice(0), push.Updated, "0"},
			{none, push.Updated, "none"}} {
			if got := apply(step.price); got != step.outcome {
				s.Errorf("the outcome of %v is %v, want %v", step.price, got, step.outcome)
			}
			s.wantProduct("1", "Lamp | a A "+step.want)
		}

		var stored []*money.Price
		s.Write(func(tx store.Tx) (err error) {
			stored, err = s.Pushes.Prices(s.Context(), tx, []PricePush{{Variant: "a"}, {Variant: "unknown"}})
			return err
		})
		if stored[0] == nil || *stored[0] != none || stored[1] != nil {
			s.Errorf("the stored prices are %v, want one without an amount and an unknown one", stored)
		}

		p := s.productByExternalID("1")
		s.mustEdit(p.ID, ProductEdit{Locks: new(productfield.Price)})

		if got := apply(money.NewPrice(70000)); got != push.Unchanged {
			s.Errorf("the outcome of a price where none is locked: %v", got)
		}

		s.wantOutcomes("updated ~variants[0].price:locked", productPush("1", "Lamp", variantPush("a", "B", 9)))
		s.wantProduct("1", "Lamp | a B none")
	})
}

// Prices for a list that was not pushed yet have a currency. Others in another one are left out, and the list that
// arrives in another one says so.
func TestPushPrices_awaitedListHasTheCurrencyOfItsPrices(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		s.push(productPush("1", "Lamp", variantPush("a", "A", 5)), productPush("2", "Desk", variantPush("b", "B", 6)))

		price := func(variant, currency string, amount money.Money) PricePush {
			return PricePush{Variant: variant, List: "w", FromQuantity: 1000, Price: money.NewPrice(amount),
				Currency: currency}
		}
		apply := func(items ...PricePush) (list []push.Pushed) {
			s.Write(func(tx store.Tx) (err error) {
				list, err = s.Pushes.ApplyPrices(s.Context(), tx, items)
				return err
			})
			return list
		}
		first := apply(price("a", "USD", 10000))
		if o := first[0]; o.Outcome != push.Updated {
			s.Errorf("the first price is %+v", o)
		}
		second := apply(price("b", "RUB", 90000), price("a", "", 20000))
		if o := second[0]; o.Outcome != push.Unchanged || o.ProductWarning == nil ||
			o.ProductWarning.Code != "foreign_currency" {
			s.Errorf("a price in another currency is %+v", o)
		}
		if o := second[1]; o.Outcome != push.Updated {
			s.Errorf("a price without a currency is %+v", o)
		}

		var lists []push.Pushed
		s.Write(func(tx store.Tx) (err error) {
			lists, err = s.Pushes.ApplyPriceLists(s.Context(), tx, []PriceListPush{{ID: "w", Name: new("Wholesale"),
				Currency: new("EUR")}})
			return err
		})
		if o := lists[0]; o.Outcome != push.Created || len(o.Warnings) != 1 ||
			o.Warnings[0].Code != "currency_changed" {
			s.Errorf("the list in another currency than its prices is %+v", o)
		}
		if third := apply(price("b", "EUR", 30000)); third[0].Outcome != push.Updated {
			s.Errorf("a price in the currency of the list is %+v", third[0])
		}
	})
}
