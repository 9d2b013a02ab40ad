package order

import (
	"context"
	"math"
	"slices"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

const (
	// MaxCounted is the number of orders up to which Totals counts. It bounds the rows that a search reads.
	MaxCounted = 10_000
	// MaxDraftsCounted is the number of drafts up to which TotalsByState counts.
	MaxDraftsCounted = 1000
)

// The spans for which the totals of orders are kept, in UTC. They begin at multiples of their length.
const (
	daySpan     = 24 * time.Hour
	quarterSpan = 15 * time.Minute
)

// moneyUnit is the number of units of money.Money in one unit of a currency.
const moneyUnit = 10_000

// Totals are the number of orders and the sums of their totals.
type Totals struct {
	// Orders is the number of orders; if there are More, it is the number up to which they were counted.
	Orders int64
	// More is true if there may be more orders. Then there are no Sums.
	More bool
	// Sums are sorted by currency. Drafts are not in them.
	Sums []Sum
}

// Sum is a sum of totals in one currency.
type Sum struct {
	Currency string
	Total    money.Money
}

// Totals returns the totals of the orders that match the filter, which usually has a search. It reads the orders one by
// one. Cancelled orders are not in the sums, unless the filter selects only these.
func (s *Service) Totals(ctx context.Context, tx store.Tx, f Filter) (t Totals, err error) {
	defer fault.AddContext(&err, "sum orders of store %s", tx.StoreID())
	sel, err := s.newSelection(ctx, tx, f)
	if err != nil {
		return Totals{}, err
	}
	return sel.sum(ctx, tx)
}

// Totals returns the same as Service.Totals for the filter of the list, if the part is the whole list.
func (p Part) Totals(f Filter) (t Totals, ok bool) {
	for i := range p.Orders {
		o := &p.Orders[i]
		t.Orders++
		if o.State != Draft && (f.State != "" || o.State != Cancelled) {
			t.add(Sum{o.Currency, o.Total})
		}
	}
	return t, p.whole
}

// StateTotals are the totals of the orders in each state. States without orders are not in the map.
type StateTotals map[State]Totals

// TotalsByState returns the totals of the orders that were submitted in a period, by their present state, and counts
// the drafts that were created in it. The bounds are rounded down to a quarter of an hour; a zero time is no bound.
// Its time does not depend on the number of orders: their totals are kept up to date by day and quarter of an hour.
func (s *Service) TotalsByState(
	ctx context.Context, tx store.Tx, from, before time.Time,
) (totals StateTotals, err error) {
	defer fault.AddContext(&err, "sum orders of store %s", tx.StoreID())
	if totals, err = selectTotals(ctx, tx, from.Truncate(quarterSpan), before.Truncate(quarterSpan)); err != nil {
		return nil, err
	}
	drafts, err := countDrafts(ctx, tx, from, before, MaxDraftsCounted+1)
	if drafts > 0 {
		totals[Draft] = Totals{Orders: min(drafts, MaxDraftsCounted), More: drafts > MaxDraftsCounted}
	}
	return totals, err
}

// Submitted returns the totals of all submitted orders. Cancelled ones are not in the sums.
func (all StateTotals) Submitted() (t Totals) {
	for _, state := range States() {
		if state == Draft {
			continue
		}
		t.Orders += all[state].Orders
		if state == Cancelled {
			continue
		}
		for _, sum := range all[state].Sums {
			t.add(sum)
		}
	}
	return t
}

// add adds a sum to the sum of its currency, and keeps the sums sorted.
func (t *Totals) add(sum Sum) {
	for i := range t.Sums {
		if t.Sums[i].Currency == sum.Currency {
			t.Sums[i].Total = addMoney(t.Sums[i].Total, sum.Total)
			return
		}
		if t.Sums[i].Currency > sum.Currency {
			t.Sums = slices.Insert(t.Sums, i, sum)
			return
		}
	}
	t.Sums = append(t.Sums, sum)
}

// addMoney returns the sum of two amounts, at most the largest int64.
func addMoney(a, b money.Money) money.Money {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
