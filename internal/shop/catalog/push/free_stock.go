package push

import (
	"context"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// readTaken reads what the orders of a FreeStock have reserved of variants. later are the variants of which other
// orders have reserved something that accounting has taken since. If free is nil there is nothing to read.
func (s *Pushes) readTaken(
	ctx context.Context, tx store.Tx, free *catalog.FreeStock, variantKeys []int64,
) (taken catalog.Quantities, later []int64, err error) {
	if free == nil || len(variantKeys) == 0 {
		return nil, nil, nil
	}
	list, err := s.TakenReservations(ctx, tx, variantKeys, free.TakenUpTo)
	taken = make(catalog.Quantities, len(list))
	for _, t := range list {
		taken[catalog.RemainderKey{Variant: t.Variant, Stock: t.Stock}] = t.Quantity
		if t.Later > 0 {
			later = append(later, t.Variant)
		}
	}
	return taken, later, err
}
