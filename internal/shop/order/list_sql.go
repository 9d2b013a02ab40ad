package order

import (
	"context"
	"math"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

const fromOrdersSQL = `
FROM orders o
WHERE o.store_id = $1`

const fromCandidatesSQL = `
FROM c
CROSS JOIN LOOKUP (orders o WHERE o.store_id = $1 AND o.key = c.key)
WHERE o.store_id = $1`

const countItemsSQL = `
WITH r(key) AS (ROWS)
SELECT r.key, (SELECT COUNT(*) FROM order_items i WHERE i.store_id = $1 AND i.order_key = r.key)
FROM r`

// countStatesSQL counts up to $4 submitted orders in each state.
const countStatesSQL = `
WITH r(state) AS (ROWS)
SELECT r.state, (
	SELECT COUNT(*)
	FROM (
		SELECT 1
		FROM orders o
		WHERE o.store_id = $1
		  AND o.state = r.state
		  AND o.submitted_at IS NOT NULL
		  AND o.submitted_at >= $2
		  AND o.submitted_at < $3
		LIMIT $4
	) AS x
)
FROM r`

const countDraftsSQL = `
SELECT COUNT(*)
FROM (
	SELECT 1
	FROM orders o
	WHERE o.store_id = $1
	  AND o.state = 'draft'
	  AND o.created_at >= $2
	  AND o.created_at < $3
	LIMIT $4
) AS x`

const sumOfCustomersSQL = `
WITH r(key) AS (ROWS)
SELECT r.key, o.currency, COUNT(*), CAST(SUM(o.total / 10000) AS BIGINT), CAST(SUM(o.total % 10000) AS BIGINT)
FROM r
CROSS JOIN LOOKUP (orders o WHERE o.store_id = $1 AND o.customer_key = r.key AND o.customer_key IS NOT NULL)
WHERE o.submitted_at IS NOT NULL
  AND o.state <> 'cancelled'
GROUP BY r.key, o.currency
ORDER BY r.key, o.currency`

const selectReservedSQL = `
SELECT i.key, s.name, r.quantity
FROM order_items i
CROSS JOIN LOOKUP (reservations r WHERE r.store_id = $1 AND r.item_key = i.key)
CROSS JOIN LOOKUP (stocks s WHERE s.store_id = $1 AND s.key = r.stock_key)
WHERE i.store_id = $1
  AND i.order_key = $2
ORDER BY i.key, s.name, r.stock_key`

// selection is a filter as SQL.
type selection struct {
	filter Filter
	query  query
	// candidates are the arguments of candidatesSQL, or nil without it.
	candidates []any
}

func newSelection(ctx context.Context, tx store.Tx, f Filter) (s selection, err error) {
	s = selection{filter: f, query: parseQuery(f.Search)}
	if f.State != Draft { // drafts are few
		s.candidates, err = candidates(ctx, tx, s.query)
	}
	return s, err
}

// statement returns a statement that selects columns of the orders, up to its WHERE clause without the conditions.
func (s selection) statement(columns string) string {
	if s.candidates == nil {
		return "\nSELECT " + columns + fromOrdersSQL
	}
	return candidatesSQL + "\nSELECT " + columns + fromCandidatesSQL
}

// conditions returns the WHERE conditions of the filter, without the search.
func (s selection) conditions() *store.Conditions {
	f := s.filter
	c := store.NewConditions(s.candidates...)
	if f.CustomerKey != 0 {
		c.And("o.customer_key = $n", f.CustomerKey)
	}
	if f.State != "" {
		c.And("o.state = $n", string(f.State))
	}
	if f.Submitted {
		c.And("o.submitted_at IS NOT NULL")
	}
	c.AndPeriod("o.created_at", f.CreatedFrom, f.CreatedBefore)
	c.AndPeriod("o.submitted_at", f.SubmittedFrom, f.SubmittedBefore)
	return c
}

// selectPage returns one page of the orders, newest first and without their items, and the number of all.
func (s selection) selectPage(ctx context.Context, tx store.Tx, limit, offset int64) ([]Order, int64, error) {
	list := store.ListSQL{
		Select: s.statement(orderColumns), Count: s.statement("COUNT(*)"), OrderBy: "o.key DESC",
	}
	c := s.conditions()
	andWords(c, s.query)
	return store.SelectPage(ctx, tx, list, c, limit, offset, scanOnlyOrder)
}

// selectFrom returns up to limit orders from a position on, in the order of the list, or in the opposite order if the
// position is Newer.
func (s selection) selectFrom(ctx context.Context, tx store.Tx, at *Position, limit int) (list []Order, err error) {
	c := s.conditions()
	andWords(c, s.query)
	direction, compare := "DESC", "<"
	if at != nil && at.Newer {
		direction, compare = "ASC", ">"
	}
	orderBy := "\nORDER BY o.key " + direction
	if s.filter.Submitted {
		orderBy = "\nORDER BY o.submitted_at " + direction + ", o.key " + direction
	}
	switch {
	case at == nil:
	case s.filter.Submitted:
		c.And("(o.submitted_at, o.key) "+compare+" ($n, $n)", at.SubmittedAt, at.Key)
	default:
		c.And("o.key "+compare+" $n", at.Key)
	}
	sql := s.statement(orderColumns) + c.String() + orderBy + c.LimitOffset(int64(limit), 0)
	err = database.QueryEach(ctx, tx, sql, c.Args(), database.AppendScanned(&list, scanOnlyOrder))
	return list, err
}

// sum reads up to MaxCounted + 1 orders that match the filter, without the search if that has no candidates, and sums
// up those that match the search too.
func (s selection) sum(ctx context.Context, tx store.Tx) (t Totals, err error) {
	c := s.conditions()
	inner := s.statement("o.currency, o.state, o.total, o.words") + c.String()
	if s.filter.Submitted {
		inner += "\nORDER BY o.submitted_at DESC, o.key DESC"
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
		read, t.Orders = read+n, t.Orders+matching
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

// sumOfParts returns whole*10000 + rest, at most the largest int64. The sum of the largest totals does not fit an int64,
// so the statements sum up the two parts of the totals.
func sumOfParts(whole, rest int64) catalog.Money {
	const unit = 10_000
	if whole += rest / unit; whole >= math.MaxInt64/unit {
		return math.MaxInt64
	}
	return catalog.Money(whole*unit + rest%unit)
}

func countItems(ctx context.Context, tx store.Tx, orders []Order) ([]int64, error) {
	counts, index := make([]int64, len(orders)), make(map[int64]int, len(orders))
	batch := database.NewBatch(database.BigInt)
	for i := range orders {
		index[orders[i].Key] = i
		batch.Add(orders[i].Key)
	}
	err := tx.QueryRows(ctx, countItemsSQL, batch, func(rows database.Rows) error {
		var key, n int64
		err := rows.Scan(&key, &n)
		counts[index[key]] = n
		return err
	})
	return counts, err
}

// countStates counts the orders in each state between two times; a zero time is no bound.
func countStates(ctx context.Context, tx store.Tx, from, before time.Time) (StateCounts, error) {
	first, after := int64(math.MinInt64), int64(math.MaxInt64)
	if !from.IsZero() {
		first = from.UnixMicro()
	}
	if !before.IsZero() {
		after = before.UnixMicro()
	}
	counts, batch := StateCounts{}, database.NewBatch(database.Text)
	for _, state := range States() {
		if state != Draft {
			batch.Add(string(state))
		}
	}
	args := []any{first, after, int64(MaxStateCounted + 1)}
	err := tx.QueryRows(ctx, countStatesSQL, batch, func(rows database.Rows) error {
		var state State
		var n int64
		err := rows.Scan((*string)(&state), &n)
		counts[state] = n
		return err
	}, args...)
	if err != nil {
		return nil, err
	}
	var drafts int64
	err = database.QueryRow(ctx, tx, countDraftsSQL, args, &drafts)
	counts[Draft] = drafts
	return counts, err
}

func sumOfCustomers(ctx context.Context, tx store.Tx, customerKeys []int64) (map[int64]CustomerTotals, error) {
	totals := map[int64]CustomerTotals{}
	err := tx.QueryRows(ctx, sumOfCustomersSQL, database.BatchOf(database.BigInt, customerKeys),
		func(rows database.Rows) error {
			var key, n, whole, rest int64
			var currency string
			err := rows.Scan(&key, &currency, &n, &whole, &rest)
			t := totals[key]
			totals[key] = CustomerTotals{t.Orders + n, append(t.Sums, Sum{currency, sumOfParts(whole, rest)})}
			return err
		})
	return totals, err
}

func selectReserved(ctx context.Context, tx store.Tx, orderKey int64) (list []ReservedItem, err error) {
	err = database.QueryEach(ctx, tx, selectReservedSQL, []any{orderKey},
		database.AppendScanned(&list, func(rows database.Rows) (r ReservedItem, err error) {
			err = rows.Scan(&r.ItemKey, &r.Stock, (*int64)(&r.Quantity))
			return r, err
		}))
	return list, err
}
