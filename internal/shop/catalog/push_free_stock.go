package catalog

import (
	"context"

	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

// FreeStock says that the quantities of a pushed item are what is left after the orders that accounting has taken:
// these orders have reserved goods here, and accounting has set the same goods aside. Without it, what is reserved here
// would be subtracted twice.
type FreeStock struct {
	// TakenUpTo says which orders accounting had taken when it sent the item, see order.Service.Take.
	TakenUpTo int64
}

// Taken is what orders that accounting has taken have reserved of a variant in a stock. Quantity is that of the orders
// that were taken by a sequence, Later that of the others. Variant and Stock are row keys.
type Taken struct {
	Variant, Stock  int64
	Quantity, Later money.Quantity
}

// TakenReservations reads what orders that accounting has taken have reserved of variants, with one element for each
// variant and stock.
type TakenReservations func(
	ctx context.Context, tx store.Tx, variantKeys []int64, takenUpTo int64,
) ([]Taken, error)

// readTaken reads what the orders of a FreeStock have reserved of variants. later are the variants of which other
// orders have reserved something that accounting has taken since. If free is nil there is nothing to read.
func (s *Pushes) readTaken(
	ctx context.Context, tx store.Tx, free *FreeStock, variantKeys []int64,
) (taken quantities, later []int64, err error) {
	if free == nil || len(variantKeys) == 0 {
		return nil, nil, nil
	}
	list, err := s.TakenReservations(ctx, tx, variantKeys, free.TakenUpTo)
	taken = make(quantities, len(list))
	for _, t := range list {
		taken[remainderKey{t.Variant, t.Stock}] = t.Quantity
		if t.Later > 0 {
			later = append(later, t.Variant)
		}
	}
	return taken, later, err
}

// subtractFrom changes the quantities of locked remainders to what accounting knows: without the goods of taken orders.
// The result may be negative. The caller adds these goods to what it writes, with addTo.
func (qs quantities) subtractFrom(held map[remainderKey]Remainder) {
	for at := range qs {
		m, found := held[at]
		// A deleted variant may have left its key to another one, which has none of its reservations.
		qs[at] = min(qs[at], m.Reserved)
		if found {
			m.Quantity -= qs[at]
			held[at] = m
		}
	}
}

// addTo adds the goods of taken orders to quantities that are written.
func (qs quantities) addTo(written quantities) {
	for at, taken := range qs {
		if _, found := written[at]; found {
			written[at] += taken
		}
	}
}
