package order

import (
	"context"
	"math"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

const addTotalsSQL = `
WITH r(span, start, state, orders, whole, rest) AS (ROWS)
INSERT INTO order_totals (store_id, span, start, state, currency, orders, whole, rest)
SELECT $1, span, start, state, $2, orders, whole, rest
FROM r
WHERE TRUE
ON CONFLICT (store_id, span, start, state, currency) DO UPDATE
SET orders = order_totals.orders + excluded.orders, whole = order_totals.whole + excluded.whole,
	rest = order_totals.rest + excluded.rest`

const addCustomerTotalsSQL = `
INSERT INTO customer_totals (store_id, customer_key, currency, orders, whole, rest)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (store_id, customer_key, currency) DO UPDATE
SET orders = customer_totals.orders + excluded.orders, whole = customer_totals.whole + excluded.whole,
	rest = customer_totals.rest + excluded.rest`

// totalsByStateSQL sums up the days from $2 to $3, and the quarters of an hour from $4 to $5 and from $6 to $7.
const totalsByStateSQL = `
SELECT t.state, t.currency, CAST(SUM(t.orders) AS BIGINT), CAST(SUM(t.whole) AS BIGINT), CAST(SUM(t.rest) AS BIGINT)
FROM (
	SELECT d.state, d.currency, d.orders, d.whole, d.rest
	FROM order_totals d
	WHERE d.store_id = $1
	  AND d.span = 'day'
	  AND d.start >= $2
	  AND d.start < $3
	UNION ALL
	SELECT q.state, q.currency, q.orders, q.whole, q.rest
	FROM order_totals q
	WHERE q.store_id = $1
	  AND q.span = 'quarter'
	  AND q.start >= $4
	  AND q.start < $5
	UNION ALL
	SELECT u.state, u.currency, u.orders, u.whole, u.rest
	FROM order_totals u
	WHERE u.store_id = $1
	  AND u.span = 'quarter'
	  AND u.start >= $6
	  AND u.start < $7
) AS t
GROUP BY t.state, t.currency
ORDER BY t.state, t.currency`

// countDraftsSQL is completed by conditions on the time of creation and by closingCountSQL.
const countDraftsSQL = `
SELECT COUNT(*)
FROM (
	SELECT 1
	FROM orders o
	WHERE o.store_id = $1
	  AND o.state = 'draft'`

const closingCountSQL = `
) AS d`

// addTotals adds an order to the totals of its state and of its customer, and subtracts it from the totals of the state
// before. For a submission, before is Draft. No caller needs the result, so the statements are sent together with the
// next one.
func addTotals(ctx context.Context, tx store.Tx, o *Order, before State) error {
	batch := database.NewBatch(database.Text, database.BigInt, database.Text, database.BigInt, database.BigInt,
		database.BigInt)
	whole := int64(o.Total) / moneyUnit
	rest := int64(o.Total) % moneyUnit
	for _, span := range []struct {
		name   string
		length time.Duration
	}{{"day", daySpan}, {"quarter", quarterSpan}} {
		start := o.SubmittedAt.Truncate(span.length).UnixMicro()
		batch.Add(span.name, start, string(o.State), int64(1), whole, rest)
		if before != Draft {
			batch.Add(span.name, start, string(before), int64(-1), -whole, -rest)
		}
	}

	if err := tx.ExecLater(ctx, addTotalsSQL, batch, o.Currency); err != nil || o.personKey() == 0 {
		return err
	}

	// The totals of a customer have all submitted orders but the cancelled ones.
	switch {
	case before == Draft, before == Cancelled:
		return tx.ExecLater(ctx, addCustomerTotalsSQL, nil, o.personKey(), o.Currency, int64(1), whole, rest)
	case o.State == Cancelled:
		return tx.ExecLater(ctx, addCustomerTotalsSQL, nil, o.personKey(), o.Currency, int64(-1), -whole, -rest)
	}

	return nil
}

// changeTotals adds the difference between the total of a submitted order and what it was before to the totals of its
// state and of its customer. The order is not cancelled.
func changeTotals(ctx context.Context, tx store.Tx, o *Order, before money.Money) error {
	batch := database.NewBatch(database.Text, database.BigInt, database.Text, database.BigInt, database.BigInt,
		database.BigInt)
	whole := int64(o.Total)/moneyUnit - int64(before)/moneyUnit
	rest := int64(o.Total)%moneyUnit - int64(before)%moneyUnit
	batch.Add("day", o.SubmittedAt.Truncate(daySpan).UnixMicro(), string(o.State), int64(0), whole, rest)
	batch.Add("quarter", o.SubmittedAt.Truncate(quarterSpan).UnixMicro(), string(o.State), int64(0), whole, rest)
	if err := tx.ExecLater(ctx, addTotalsSQL, batch, o.Currency); err != nil || o.personKey() == 0 {
		return err
	}
	return tx.ExecLater(ctx, addCustomerTotalsSQL, nil, o.personKey(), o.Currency, int64(0), whole, rest)
}

// selectTotals sums up the submitted orders by state. The bounds are multiples of a quarter of an hour, or zero.
func selectTotals(ctx context.Context, tx store.Tx, from, before time.Time) (StateTotals, error) {
	totals := StateTotals{}
	err := database.QueryEach(ctx, tx, totalsByStateSQL, spans(from, before), func(rows database.Rows) error {
		var state State
		var currency string
		var orders, whole, rest int64
		err := rows.Scan((*string)(&state), &currency, &orders, &whole, &rest)
		if t := totals[state]; orders > 0 {
			totals[state] = Totals{Orders: t.Orders + orders,
				Sums: append(t.Sums, Sum{currency, sumOfParts(whole, rest)})}
		}
		return err
	})
	return totals, err
}

// spans returns the arguments of totalsByStateSQL for a period: the days in UTC that are inside it, and the quarters of
// an hour before and after them.
func spans(from, before time.Time) []any {
	first, last := int64(math.MinInt64), int64(math.MaxInt64)
	if !from.IsZero() {
		first = from.UnixMicro()
	}

	if !before.IsZero() {
		last = before.UnixMicro()
	}

	firstDay, lastDay := first, last
	if !from.IsZero() {
		if firstDay = from.Truncate(daySpan).UnixMicro(); firstDay < first {
			firstDay += daySpan.Microseconds()
		}
	}

	if !before.IsZero() {
		lastDay = before.Truncate(daySpan).UnixMicro()
	}

	if firstDay >= lastDay { // no whole day
		return []any{int64(0), int64(0), first, last, int64(0), int64(0)}
	}

	return []any{firstDay, lastDay, first, firstDay, lastDay, last}
}

// countDrafts counts the drafts that were created in a period, up to limit.
func countDrafts(ctx context.Context, tx store.Tx, from, before time.Time, limit int64) (n int64, err error) {
	c := store.NewConditions()
	c.AndPeriod("o.created_at", from, before)
	sql := countDraftsSQL + c.String() + c.LimitOffset(limit, 0) + closingCountSQL
	err = database.QueryRow(ctx, tx, sql, c.Args(), &n)
	return n, err
}

// sum reads up to MaxCounted + 1 orders that match the filter, without the search if that has no candidates, and sums
// up those that match the search too.
func (s selection) sum(ctx context.Context, tx store.Tx) (t Totals, err error) {
	c := s.conditions()
	inner := s.statement("o.currency, o.state, o.total, o.words, o.phone") + c.String()
	if s.filter.Submitted {
		submittedAt, key := s.position()
		inner += "\nORDER BY " + submittedAt + " DESC, " + key + " DESC"
	} else {
		inner += "\nORDER BY o.key DESC"
	}

	inner += c.LimitOffset(MaxCounted+1, 0)
	args := c.Args()
	match, patterns := s.query.matchSQL(len(args) + 2)
	args = append(args, patterns...)
	summed := match + " AND o.state <> 'draft'"

	if s.filter.State == "" {
		summed += " AND o.state <> 'cancelled'"
	}

	var read int64

	err = database.QueryEach(ctx, tx, `
SELECT o.currency, COUNT(*), COUNT(CASE WHEN `+match+` THEN 1 END), COUNT(CASE WHEN `+summed+` THEN 1 END),
	CAST(COALESCE(SUM(CASE WHEN `+summed+` THEN o.total / 10000 END), 0) AS BIGINT),
	CAST(COALESCE(SUM(CASE WHEN `+summed+` THEN o.total % 10000 END), 0) AS BIGINT)
FROM (`+inner+`) AS o
GROUP BY o.currency
ORDER BY o.currency`, args, func(rows database.Rows) error {
		var currency string
		var n, matching, inSum, whole, rest int64
		err := rows.Scan(&currency, &n, &matching, &inSum, &whole, &rest)
		read += n
		t.Orders += matching

		if inSum > 0 {
			t.Sums = append(t.Sums, Sum{currency, sumOfParts(whole, rest)})
		}

		return err
	})
	if read > MaxCounted {
		return Totals{Orders: MaxCounted, More: true}, err
	}

	return t, err
}

// sumOfParts returns whole*10000 + rest, at most the largest int64. The sum of the largest totals does not fit an
// int64, so the statements sum up the two parts of the totals.
func sumOfParts(whole, rest int64) money.Money {
	if whole += rest / moneyUnit; whole >= math.MaxInt64/moneyUnit {
		return math.MaxInt64
	}
	return money.Money(whole*moneyUnit + rest%moneyUnit)
}
