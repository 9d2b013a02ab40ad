package demo_test

import (
	"context"
	"testing"

	"vitrine/internal/demo"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/pricelist"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/pricing"
	"vitrine/internal/shop/store"
)

func TestFill_addsOldAndWholesalePrices(t *testing.T) {
	eachDatabase(t, func(s *fixture) {
		if report := s.fill(demo.Options{Products: 2, Seed: 1}); !report.Wholesale.IsZero() {
			s.Errorf("without price lists there is the group %s", report.Wholesale)
		}
		report := s.fill(demo.Options{Products: 40, Seed: 1, Stores: s.Stores})
		if again := s.fill(demo.Options{Products: 40, Seed: 1, Stores: s.Stores}); again.Wholesale != report.Wholesale {
			s.Errorf("a second run makes another group: %s and %s", report.Wholesale, again.Wholesale)
		}

		found, err := s.Stores.Find(s.Context(), s.Store.ID)
		if err != nil || found.OldPriceList == nil {
			s.Fatalf("the store has no list of old prices: %v", err)
		}
		s.checkListPrices(demo.NewGenerator(1), report.Wholesale, *found.OldPriceList)
	})
}

// checkListPrices fails the test unless wholesale prices are below the prices of the products and fall with the
// quantity, and old prices are above them. Products 5 and 33 are on sale; product 30 has no wholesale price.
func (s *fixture) checkListPrices(g *demo.Generator, groupID pricelist.GroupID, old store.PriceListID) {
	s.Helper()
	prices := pricelist.New(s.catalog.Core())
	err := s.DB.Read(s.Context(), func(q database.Querier) error {
		ctx, tx := s.Context(), store.In(q, s.Store.ID)
		group, err := prices.Groups.Find(ctx, tx, groupID)
		if err != nil {
			return err
		}
		chain, err := prices.Groups.Chain(ctx, tx, &group)
		if err != nil {
			return err
		}

		reader := pricelist.Reader{Chain: chain, Old: &old, Steps: true}
		for _, number := range []int{5, 30, 33} {
			if err := s.checkProductPrices(ctx, tx, g.ExternalID(number), number, reader); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		s.Fatal(err)
	}
}

func (s *fixture) checkProductPrices(
	ctx context.Context, tx store.Tx, externalID string, number int, reader pricelist.Reader,
) error {
	keys, err := s.catalog.Products.KeysByExternalID(ctx, tx, []string{externalID})
	if err != nil {
		return err
	}
	key := keys[externalID]
	prices, err := pricelist.OfProducts(ctx, tx, []int64{key}, reader)
	if err != nil {
		return err
	}
	rows, _, err := view.ReadRows(ctx, tx, []int64{key}, view.Parts{Variants: true}, catalog.Live)
	if err != nil {
		return err
	}

	for _, v := range rows[0].Variants {
		of := prices.Of(v.Key, v.Price)
		steps := of.Steps()
		base, _ := v.Price.Amount()
		if _, onSale := prices.Old(v.Key, v.Price).Amount(); onSale != (number%4 == 1) {
			s.Errorf("product %d: on sale is %t", number, onSale)
		}
		if number%10 == 0 {
			if len(steps) != 1 || steps[0].Price != base {
				s.Errorf("product %d has the steps %v", number, steps)
			}
			continue
		}
		if len(steps) != 3 || steps[0].From != pricing.One || steps[0].Price >= base ||
			steps[1].Price >= steps[0].Price || steps[2].Price >= steps[1].Price {
			s.Errorf("product %d costs %v and has the steps %v", number, base, steps)
		}
	}
	return nil
}
