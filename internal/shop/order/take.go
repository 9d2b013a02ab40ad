package order

import (
	"context"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// Take records that accounting has taken orders: it has them as its own, and sets their goods aside. sequence is not
// less than that of any earlier call, and tells later which orders were taken by when. Orders that were taken before,
// and those that do not exist, are left alone. The stock does not change, but quantities that accounting sends from now
// on are what is left after these orders: see TakenReservations.
//
// Lock order: the orders by key, the products by key, as for all changes of an order's state.
func (s *Service) Take(ctx context.Context, tx store.Tx, ids []ID, sequence int64) (err error) {
	defer fault.AddContext(&err, "take %d orders of store %s", len(ids), tx.StoreID())
	keys, err := lockOrdersToTake(ctx, tx, ids)
	if err != nil || len(keys) == 0 {
		return err
	}
	if err := setTaken(ctx, tx, keys, sequence); err != nil {
		return err
	}

	reserved, err := selectReservationsOfOrders(ctx, tx, keys)
	if err != nil {
		return err
	}
	return s.Catalog.Stocks.ForgetPushedQuantities(ctx, tx, reserved)
}

// TakenReservations returns what orders that accounting has taken have reserved of variants: by a sequence, and later.
// It is a catalog.TakenReservations.
func (s *Service) TakenReservations(
	ctx context.Context, tx store.Tx, variantKeys []int64, takenUpTo int64,
) (_ []catalog.Taken, err error) {
	defer fault.AddContext(&err, "read the reservations of taken orders for %d variants", len(variantKeys))
	return selectTakenReservations(ctx, tx, variantKeys, takenUpTo)
}
