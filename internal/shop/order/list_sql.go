package order

import (
	"context"
	"strings"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const fromOrdersSQL = `
FROM orders o
WHERE o.store_id = $1`

const fromCandidatesSQL = `
FROM c
CROSS JOIN LOOKUP (orders o WHERE o.store_id = $1 AND o.key = c.key)
WHERE o.store_id = $1`

// fromTaggedSQL reads the orders with a tag by the index order_tags_tag.
const fromTaggedSQL = `
FROM order_tags t
CROSS JOIN LOOKUP (orders o WHERE o.store_id = $1 AND o.key = t.order_key)
WHERE t.store_id = $1`

// fromSortedSQL reads the orders of a part of a list.
const fromSortedSQL = `
FROM p
CROSS JOIN LOOKUP (orders o WHERE o.store_id = $1 AND o.key = p.key)
WHERE o.store_id = $1`

// countNewSQL counts by the index orders_state.
const countNewSQL = `
SELECT COUNT(*)
FROM (
	SELECT 1
	FROM orders o
	WHERE o.store_id = $1
	  AND o.state = 'submitted'
	LIMIT $2
) AS n`

// nextNewSQL reads the first row after a position of the index orders_state_submitted.
const nextNewSQL = `
SELECT o.id
FROM orders o
WHERE o.store_id = $1
  AND o.state = 'submitted'
  AND o.submitted_at IS NOT NULL
  AND (o.submitted_at, o.key) > ($2, $3)
ORDER BY o.submitted_at, o.key
LIMIT 1`

const countItemsSQL = `
WITH r(key) AS (ROWS)
SELECT r.key, (SELECT COUNT(*) FROM order_items i WHERE i.store_id = $1 AND i.order_key = r.key)
FROM r`

const sumOfCustomersSQL = `
WITH r(key) AS (ROWS)
SELECT r.key, t.currency, t.orders, t.whole, t.rest
FROM r
CROSS JOIN LOOKUP (customer_totals t WHERE t.store_id = $1 AND t.customer_key = r.key)
WHERE t.orders > 0
ORDER BY r.key, t.currency`

const selectReservedSQL = `
WITH k(key) AS (ROWS)
SELECT i.key, s.name, r.quantity
FROM k
CROSS JOIN LOOKUP (order_items i WHERE i.store_id = $1 AND i.order_key = k.key)
CROSS JOIN LOOKUP (reservations r WHERE r.store_id = $1 AND r.item_key = i.key)
CROSS JOIN LOOKUP (stocks s WHERE s.store_id = $1 AND s.key = r.stock_key)
ORDER BY i.key, s.name, r.stock_key`

// selection is a filter as SQL.
type selection struct {
	filter Filter
	query  query
	// candidates are the arguments of candidatesSQL, or nil without it.
	candidates []any
}

func (s *Service) newSelection(ctx context.Context, tx store.Tx, f Filter) (sel selection, err error) {
	sel = selection{filter: f, query: parseQuery(f.Search)}
	if f.Tolerant || f.PhoneEnds {
		sel.query = sel.query.withPhoneEnd()
	}
	if f.State == Draft { // drafts are few
		return sel, nil
	}
	if sel.candidates, err = s.candidates(ctx, tx, sel.query); err != nil || !f.Tolerant {
		return sel, err
	}

	corrected, changed, err := sel.query.corrected(ctx, tx)
	if err != nil || !changed {
		return sel, err
	}

	// The words of the newest orders are not in the index yet.
	typed := selection{filter: Filter{Search: f.Search}, query: sel.query, candidates: sel.candidates}
	found, err := typed.selectFrom(ctx, tx, nil, 1)
	if err != nil || len(found) > 0 {
		return sel, err
	}
	sel.query = corrected
	sel.candidates, err = s.candidates(ctx, tx, sel.query)
	return sel, err
}

// statement returns a statement that selects columns of the orders, up to its WHERE clause without the conditions.
func (s selection) statement(columns string) string {
	switch {
	case s.byTag():
		return "\nSELECT " + columns + fromTaggedSQL
	case s.candidates == nil:
		return "\nSELECT " + columns + fromOrdersSQL
	}
	return candidatesSQL + "\nSELECT " + columns + fromCandidatesSQL
}

// byTag reports whether the rows of the tag are read first, and then their orders. The orders in an open state are few,
// and so are those that a search leaves; of these the tags are looked up.
func (s selection) byTag() bool {
	return s.filter.Tag != "" && s.candidates == nil && s.filter.State != Submitted && s.filter.State != Confirmed
}

// position returns the columns by which the list of submitted orders is sorted.
func (s selection) position() (submittedAt, key string) {
	if s.byTag() {
		return "t.submitted_at", "t.order_key"
	}
	return "o.submitted_at", "o.key"
}

// conditions returns the WHERE conditions of the filter, without the search.
func (s selection) conditions() *store.Conditions {
	f := s.filter
	c := store.NewConditions(s.candidates...)
	if f.CustomerKey != 0 {
		c.And("o.customer_key = $n", f.CustomerKey)
	}

	if f.GuestKey != 0 {
		c.And("o.guest_key = $n", f.GuestKey)
		c.And("o.guest_key IS NOT NULL AND o.customer_key IS NULL")
	}

	if f.State != "" {
		c.And("o.state = $n", string(f.State))
	}

	switch {
	case s.byTag():
		c.And("t.tag = $n", foldTag(f.Tag))
	case f.Tag != "":
		// A count is looked up for each order by the primary key, while PostgreSQL makes a join of an EXISTS.
		c.And("(SELECT COUNT(*) FROM order_tags t WHERE t.store_id = $1 AND t.order_key = o.key AND t.tag = $n) > 0",
			foldTag(f.Tag))
	}

	submittedAt, _ := s.position()
	if f.Submitted && !s.byTag() {
		c.And("o.submitted_at IS NOT NULL")
		if f.State == "" && f.CustomerKey == 0 && f.GuestKey == 0 {
			c.And("o.number IS NOT NULL") // for the index orders_submitted, which is the wrong one otherwise
		}
	}

	c.AndPeriod("o.created_at", f.CreatedFrom, f.CreatedBefore)
	c.AndPeriod(submittedAt, f.SubmittedFrom, f.SubmittedBefore)
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
	var sql string
	if s.windowed() {
		sql, c = s.sortedWindow(c, at, limit)
	} else {
		orderBy := s.andPosition(c, at)
		sql = s.statement(orderColumns) + c.String() + orderBy + c.LimitOffset(int64(limit), 0)
	}
	err = database.QueryEach(ctx, tx, sql, c.Args(), database.AppendScanned(&list, scanOnlyOrder))
	return list, err
}

// windowed reports whether the list is sorted by the total and no index has its orders in that order. The orders that a
// search leaves are few.
func (s selection) windowed() bool {
	f := s.filter
	return f.sortsByTotal() && s.candidates == nil &&
		(f.Tag != "" || f.CustomerKey != 0 || !f.SubmittedFrom.IsZero() || !f.SubmittedBefore.IsZero() ||
			!f.CreatedFrom.IsZero() || !f.CreatedBefore.IsZero())
}

// sortsByTotal reports whether the list is sorted by the totals. Those of drafts are not stored.
func (f Filter) sortsByTotal() bool { return f.Sort.byTotal() && f.Submitted }

// andPosition adds the condition of a position and returns the ORDER BY clause.
func (s selection) andPosition(c *store.Conditions, at *Position) (orderBy string) {
	submittedAt, key := s.position()
	switch {
	case s.filter.sortsByTotal():
		return s.andTotal(c, "o", at)
	case s.filter.Submitted:
		direction, compare := s.filter.Sort.direction(at)
		if at != nil {
			c.And("("+submittedAt+", "+key+") "+compare+" ($n, $n)", at.SubmittedAt, at.Key)
		}
		return "\nORDER BY " + submittedAt + " " + direction + ", " + key + " " + direction
	}

	direction, compare := s.filter.Sort.direction(at)
	if at != nil {
		c.And("o.key "+compare+" $n", at.Key)
	}
	return "\nORDER BY o.key " + direction
}

// andTotal does the same for a list that is sorted by the totals of a table.
func (s selection) andTotal(c *store.Conditions, table string, at *Position) (orderBy string) {
	direction, compare := s.filter.Sort.direction(at)
	if at != nil {
		c.And("("+table+".total, "+table+".key) "+compare+" ($n, $n)", int64(at.Total), at.Key)
	}
	return "\nORDER BY " + table + ".total " + direction + ", " + table + ".key " + direction
}

// direction returns the direction in which the rows after a position are read, and how they compare with it.
func (s Sort) direction(at *Position) (direction, compare string) {
	descending := s == ByNewest || s == ByLargest
	if at != nil && at.Newer {
		descending = !descending
	}
	if descending {
		return "DESC", "<"
	}
	return "ASC", ">"
}

// sortedWindow returns a statement that reads the newest MaxSorted orders that meet the conditions, and sorts them by
// the total; and its arguments.
func (s selection) sortedWindow(
	inner *store.Conditions, at *Position, limit int,
) (sql string, outer *store.Conditions) {
	submittedAt, key := s.position()
	newest := s.statement("o.key, o.total") + inner.String() +
		"\nORDER BY " + submittedAt + " DESC, " + key + " DESC" + inner.LimitOffset(MaxSorted, 0)

	outer = store.NewConditions(inner.Args()...)
	orderBy := s.andTotal(outer, "n", at)
	page := "\nSELECT n.key, n.total\nFROM n\nWHERE TRUE" + outer.String() + orderBy +
		outer.LimitOffset(int64(limit), 0)

	sql = "\nWITH n(key, total) AS (" + newest + "\n), p(key, total) AS (" + page + "\n)\nSELECT " + orderColumns +
		fromSortedSQL + strings.ReplaceAll(orderBy, "n.", "o.")
	return sql, outer
}

func countNew(ctx context.Context, tx store.Tx, limit int64) (n int64, err error) {
	err = database.QueryRow(ctx, tx, countNewSQL, []any{limit}, &n)
	return n, err
}

// selectNextNew returns the id of the first new order after a position, or none.
func selectNextNew(ctx context.Context, tx store.Tx, at Position) (list []ID, err error) {
	err = database.QueryEach(ctx, tx, nextNewSQL, []any{at.SubmittedAt, at.Key}, database.AppendColumn(&list))
	return list, err
}

func countItems(ctx context.Context, tx store.Tx, orders []Order) ([]int64, error) {
	counts := make([]int64, len(orders))
	index := make(map[int64]int, len(orders))
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

func selectReserved(ctx context.Context, tx store.Tx, orderKeys []int64) (list []ReservedItem, err error) {
	err = tx.QueryRows(ctx, selectReservedSQL, database.BatchOf(database.BigInt, orderKeys),
		database.AppendScanned(&list, func(rows database.Rows) (r ReservedItem, err error) {
			err = rows.Scan(&r.ItemKey, &r.Stock, (*int64)(&r.Quantity))
			return r, err
		}))
	return list, err
}

var ordersOfIDsSQL = `
WITH r(id) AS (ROWS)
SELECT ` + orderColumns + `
FROM r
CROSS JOIN LOOKUP (orders o WHERE o.store_id = $1 AND o.id = r.id)`

// ordersOfIDs reads the orders with these ids, by id. Those that do not exist are left out.
func ordersOfIDs(ctx context.Context, tx store.Tx, ids []ID) (map[ID]Order, error) {
	found := make(map[ID]Order, len(ids))
	return found, tx.QueryRows(ctx, ordersOfIDsSQL, database.BatchOf(database.UUID, ids),
		func(rows database.Rows) error {
			o, err := scanOrder(rows)
			found[o.ID] = o
			return err
		})
}
