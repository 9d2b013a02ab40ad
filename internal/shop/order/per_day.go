package order

import (
	"context"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

// CartsCount is the name of the daily count of carts: drafts that got their first item.
const CartsCount = "cart.filled"

// DayTotals are the orders that were submitted on a day.
type DayTotals struct {
	Day time.Time // midnight in the timezone of the store
	// Orders leaves out cancelled orders. InCurrency also leaves out orders in another currency than the store has.
	// Revenue is the revenue of the InCurrency orders.
	Orders, Cancelled, InCurrency int64
	Revenue                       money.Money
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

	quarters, err := selectQuarters(ctx, tx, days[0].Day, midnight(last.Add(12*time.Hour), 1))
	at := 0
	for _, q := range quarters { // in the order of time
		for at+1 < len(days) && !q.start.Before(days[at+1].Day) {
			at++
		}

		d := &days[at]
		d.Orders += q.orders
		d.Cancelled += q.cancelled
		if q.currency == shop.Currency {
			d.InCurrency += q.orders
			d.Revenue = addMoney(d.Revenue, q.revenue)
		}
	}

	return days, err
}

// HasOrders reports whether an order was ever submitted in the store.
func HasOrders(ctx context.Context, tx store.Tx) (_ bool, err error) {
	defer fault.AddContext(&err, "look for orders of store %s", tx.StoreID())
	return hasOrderTotals(ctx, tx)
}

// quarterTotals are the orders that were submitted in a quarter of an hour, in one currency. Orders and revenue leave
// out cancelled ones.
type quarterTotals struct {
	start             time.Time
	currency          string
	orders, cancelled int64
	revenue           money.Money
}
