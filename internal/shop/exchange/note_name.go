package exchange

import (
	"context"
	"slices"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

// nameNotes sets the names of notes about goods that did not say theirs, such as prices, from the catalogue.
func nameNotes(ctx context.Context, tx store.Tx, entity string, notes []RunNote) error {
	labels := catalog.ProductLabels
	switch entity {
	case Products:
	case Prices, Remainders:
		labels = catalog.VariantLabels
	default:
		return nil
	}

	for chunk := range slices.Chunk(notes, batchItems) {
		var ids []string
		for _, n := range chunk {
			if n.Name == "" && n.ID != nil {
				ids = append(ids, *n.ID)
			}
		}
		if len(ids) == 0 {
			continue
		}

		slices.Sort(ids)
		found, err := labels(ctx, tx, slices.Compact(ids))
		if err != nil {
			return err
		}

		for i := range chunk {
			if n := &chunk[i]; n.Name == "" && n.ID != nil {
				n.Name = item.Truncate(found[*n.ID], rule.MaxName)
			}
		}
	}

	return nil
}
