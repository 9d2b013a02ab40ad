package order

import (
	"context"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

// MaxBestSellerOrders is the number of orders whose items BestSellers adds up.
const MaxBestSellerOrders = 1000

// Sold is how much of a product was ordered.
type Sold struct {
	ProductID catalog.ProductID
	// Name is the present name of the product, or that of an item if the product was deleted.
	Name string
	// Deleted says that the product was deleted.
	Deleted  bool
	Quantity money.Quantity
	// Orders is the number of orders that have the product.
	Orders int64
}

// BestSellers returns up to limit products of which most was ordered in a period, without cancelled orders. It looks at
// the newest MaxBestSellerOrders orders of the period.
func BestSellers(
	ctx context.Context, tx store.Tx, from, before time.Time, limit int,
) (_ []Sold, err error) {
	defer fault.AddContext(&err, "find the best sellers of store %s", tx.StoreID())
	return selectBestSellers(ctx, tx, from, before, limit)
}
