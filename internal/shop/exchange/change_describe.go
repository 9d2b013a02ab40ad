package exchange

import (
	"context"
	"maps"
	"slices"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/export"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/store"
)

// subjects returns the items by their subjects.
func subjects[T any](list []*item.Decoded[T]) map[string]*item.Decoded[T] {
	found := make(map[string]*item.Decoded[T], len(list))
	for _, it := range list {
		found[it.Subject] = it
	}
	return found
}

// describeProducts describes products. Things without an external id have their own id after export.OwnIDMark, so that
// nothing is left out.
func (s *Pushes) describeProducts(
	ctx context.Context, tx store.Tx, list []*item.Decoded[catalog.ProductPush],
) (map[string]described, error) {
	found := map[string]described{}
	ids := slices.Collect(maps.Keys(subjects(list)))
	keys, err := s.Catalog.Products.KeysByExternalID(ctx, tx, ids)
	if err != nil || len(keys) == 0 {
		return found, err
	}

	sel := export.ProductSelection{Keys: slices.Sorted(maps.Values(keys)), OwnIDs: true}
	return found, s.catalogExports.Products(ctx, tx, sel, func(p *export.ExportedProduct) error {
		if p.Archived {
			found[p.ID] = described{archived: true}
			return nil
		}
		setExportedImages(tx.StoreID(), "", p)
		found[p.ID] = described{text: item.AppendProduct(nil, &p.ProductPush)}
		return nil
	})
}

// describeAttributes describes options or features, with the values that the items name.
func (s *Pushes) describeAttributes(kind catalog.Kind) describer[catalog.AttributePush] {
	return func(
		ctx context.Context, tx store.Tx, list []*item.Decoded[catalog.AttributePush],
	) (map[string]described, error) {
		found := map[string]described{}
		items := subjects(list)
		ids := slices.Sorted(maps.Keys(items))
		return found, s.catalogExports.AttributesByID(ctx, tx, kind, ids, func(a *export.ExportedAttribute) error {
			push := &items[a.ID].Content
			named := make(map[string]bool, len(push.Values)+len(push.Removed))
			for _, v := range push.Values {
				named[v.ID] = true
			}

			for _, id := range push.Removed {
				named[id] = true
			}

			text := item.AppendAttribute(nil, &a.AttributePush)
			n := 0
			_, err := a.EachValue(func(v catalog.ValuePush) error {
				if named[v.ID] {
					text = item.AppendValue(text, n, v)
					n++
				}
				return nil
			})
			found[a.ID] = described{text: item.AppendEnd(text)}

			return err
		})
	}
}

func (s *Pushes) describeCategories(
	ctx context.Context, tx store.Tx, list []*item.Decoded[catalog.CategoryPush],
) (map[string]described, error) {
	found := map[string]described{}
	items := subjects(list)
	return found, s.catalogExports.Categories(ctx, tx, 0, func(c *export.ExportedCategory) error {
		if items[c.ID] != nil {
			found[c.ID] = described{text: item.AppendCategory(nil, &c.CategoryPush)}
		}
		return nil
	})
}

func (s *Pushes) describeStocks(
	ctx context.Context, tx store.Tx, list []*item.Decoded[catalog.StockPush],
) (map[string]described, error) {
	found := map[string]described{}
	items := subjects(list)
	return found, s.catalogExports.Stocks(ctx, tx, 0, func(t *export.ExportedStock) error {
		if items[t.ID] != nil {
			found[t.ID] = described{text: item.AppendStock(nil, &t.StockPush)}
		}
		return nil
	})
}

func (s *Pushes) describePriceLists(
	ctx context.Context, tx store.Tx, list []*item.Decoded[catalog.PriceListPush],
) (map[string]described, error) {
	found := map[string]described{}
	items := subjects(list)
	return found, s.catalogExports.PriceLists(ctx, tx, 0, func(l *export.ExportedPriceList) error {
		if items[l.ID] != nil {
			found[l.ID] = described{text: item.AppendPriceList(nil, &l.PriceListPush)}
		}
		return nil
	})
}

func (s *Pushes) describePrices(
	ctx context.Context, tx store.Tx, list []*item.Decoded[catalog.PricePush],
) (map[string]described, error) {
	items := make([]catalog.PricePush, len(list))
	for i, it := range list {
		items[i] = it.Content
	}
	prices, err := s.catalogPushes.Prices(ctx, tx, items)
	found := map[string]described{}
	for i, price := range prices {
		if price != nil {
			items[i].Price = *price
			found[list[i].Subject] = described{text: item.AppendPrice(nil, &items[i])}
		}
	}
	return found, err
}

func (s *Pushes) describeRemainders(
	ctx context.Context, tx store.Tx, list []*item.Decoded[catalog.RemainderPush],
) (map[string]described, error) {
	items := make([]catalog.RemainderPush, len(list))
	for i, it := range list {
		items[i] = it.Content
	}
	stored, err := s.catalogPushes.Quantities(ctx, tx, items)
	found := map[string]described{}
	for i, quantity := range stored {
		if quantity != nil {
			items[i].Quantity = *quantity
			found[list[i].Subject] = described{text: item.AppendRemainder(nil, &items[i])}
		}
	}
	return found, err
}
