package order

import (
	"context"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// quarterHour is the length of the periods by which submitted orders are counted. Local midnight of every timezone is a
// multiple of it.
const quarterHour = 15 * time.Minute

// CartsCount is the name of the daily count of carts: drafts that got their first item.
const CartsCount = "cart.filled"

// DayTotals are the orders that were submitted on a day.
type DayTotals struct {
	Day time.Time // midnight in the timezone of the store
	// Orders and Revenue leave out cancelled orders. Revenue leaves out orders in another currency than that of the
	// store, too.
	Orders, Cancelled int64
	Revenue           catalog.Money
}

// PerDay returns the totals of each day from the date of from to the date of to, both inclusive, in the timezone of the
// store. It reads counts that are kept with the orders, so its cost depends on the period alone.
func PerDay(ctx context.Context, tx store.Tx, shop store.Store, from, to time.Time) (days []DayTotals, err error) {
	defer fault.AddContext(&err, "count the orders of store %s per day", tx.StoreID())
	zone := shop.Zone()
	midnight := func(t time.Time, plus int) time.Time {
		t = t.In(zone)
		return time.Date(t.Year(), t.Month(), t.Day()+plus, 0, 0, 0, 0, zone)
	}
	last := midnight(to, 0)
	for day := midnight(from, 0); !day.After(last); day = midnight(day.Add(12*time.Hour), 1) {
		days = append(days, DayTotals{Day: day})
	}
	if len(days) == 0 {
		return nil, nil
	}
	quarters, err := selectQuarters(ctx, tx, quarterNumber(days[0].Day), quarterNumber(midnight(last.Add(12*time.Hour), 1)))
	at := 0
	for _, q := range quarters { // in the order of time
		for at+1 < len(days) && q.number >= quarterNumber(days[at+1].Day) {
			at++
		}
		d := &days[at]
		d.Orders += q.orders
		d.Cancelled += q.cancelled
		if q.currency == shop.Currency {
			d.Revenue += catalog.Money(q.revenue)
		}
	}
	return days, err
}

// HasOrders reports whether an order was ever submitted in the store.
func HasOrders(ctx context.Context, tx store.Tx) (_ bool, err error) {
	defer fault.AddContext(&err, "look for orders of store %s", tx.StoreID())
	return hasQuarters(ctx, tx)
}

// quarterNumber returns the number of quarters of an hour since 1970.
func quarterNumber(t time.Time) int64 { return t.Unix() / int64(quarterHour/time.Second) }

// quarter has the submitted orders of a quarter of an hour in one currency.
type quarter struct {
	number                     int64
	currency                   string
	orders, revenue, cancelled int64
}

// countTransition adds an order that changes to a state to the totals of its day. The row is locked until the commit:
// saveTransition calls it after the store's row of order_numbers is locked, which all submissions share.
func countTransition(ctx context.Context, tx store.Tx, o *Order, to State) error {
	q := quarter{currency: o.Currency}
	switch to {
	case Submitted:
		q.orders, q.revenue = 1, int64(o.Total)
	case Cancelled:
		q.orders, q.revenue, q.cancelled = -1, -int64(o.Total), 1
	case Draft, Confirmed, Completed:
		return nil
	}
	q.number = quarterNumber(*o.SubmittedAt)
	return addToQuarter(ctx, tx, q)
}
