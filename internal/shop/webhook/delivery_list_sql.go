package webhook

import (
	"context"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const listDeliveriesSQL = `
SELECT ` + deliveryColumns + `
FROM deliveries d
WHERE d.store_id = $1
  AND d.key < $2`

const selectAttemptsSQL = `
SELECT number, started_at, duration_ms, status_code, phase, excerpt
FROM attempts
WHERE store_id = $1
  AND delivery_key = $2
ORDER BY number`

// Sequences grow with time. So the events since $2 are those from the first one on, which an index finds.
const countDeliveriesSQL = `
SELECT receiver_key, status, COUNT(*)
FROM deliveries
WHERE store_id = $1
  AND sequence >= (
	SELECT sequence
	FROM events
	WHERE store_id = $1
	  AND created_at >= $2
	ORDER BY created_at, sequence
	LIMIT 1)
GROUP BY receiver_key, status`

const countStrandedSQL = `
SELECT status, COUNT(*)
FROM deliveries
WHERE store_id = $1
  AND receiver_key = $2
  AND stranded = TRUE
GROUP BY status`

// conditions returns the filter as SQL conditions and appends their arguments to args.
func (f DeliveryFilter) conditions(args *[]any) string {
	var b strings.Builder
	add := func(condition string, arg any) {
		*args = append(*args, arg)
		b.WriteString("\n  AND " + strings.Replace(condition, "$n", "$"+strconv.Itoa(len(*args)), 1))
	}
	if f.ReceiverID != nil {
		add("d.receiver_key = (SELECT r.key FROM receivers r WHERE r.store_id = $1 AND r.id = $n)", *f.ReceiverID)
	}
	if f.Status != "" {
		add("d.status = $n", string(f.Status))
		if f.Status == Held || f.Status == Dead {
			// This lets the planner use the partial index over stranded deliveries.
			b.WriteString("\n  AND d.stranded = TRUE")
		}
	}
	if f.Type != "" {
		add("d.type = $n", f.Type)
	}
	if !f.From.IsZero() {
		add("d.created_at >= $n", f.From.UnixMicro())
	}
	if !f.Before.IsZero() {
		add("d.created_at < $n", f.Before.UnixMicro())
	}
	return b.String()
}

// selectDeliveryPage returns up to limit deliveries that match the filter and have keys below before, newest first.
func selectDeliveryPage(
	ctx context.Context, tx store.Tx, f DeliveryFilter, before, limit int64,
) (list []Delivery, err error) {
	args := []any{tx.StoreID(), before, limit}
	sql := listDeliveriesSQL + f.conditions(&args) + "\nORDER BY d.key DESC\nLIMIT $3"
	err = database.QueryEach(ctx, tx.Unscoped(), sql, args, func(rows database.Rows) error {
		d, err := scanDelivery(rows)
		list = append(list, d)
		return err
	})
	return list, err
}

func selectAttempts(ctx context.Context, tx store.Tx, deliveryKey int64) (list []Attempt, err error) {
	err = database.QueryEach(ctx, tx, selectAttemptsSQL, []any{deliveryKey}, func(rows database.Rows) error {
		var a Attempt
		var started, took int64
		err := rows.Scan(&a.Number, &started, &took, &a.StatusCode, &a.Phase, &a.Excerpt)
		a.StartedAt, a.Duration = time.UnixMicro(started).UTC(), time.Duration(took)*time.Millisecond
		list = append(list, a)
		return err
	})
	return list, err
}

// countDeliveries counts the deliveries of events since a time, by receiver and status.
func countDeliveries(ctx context.Context, tx store.Tx, since time.Time) (map[int64]StatusCounts, error) {
	counts := map[int64]StatusCounts{}
	err := database.QueryEach(ctx, tx, countDeliveriesSQL, []any{since.UnixMicro()}, func(rows database.Rows) error {
		var receiver, n int64
		var status string
		if err := rows.Scan(&receiver, &status, &n); err != nil {
			return err
		}
		if counts[receiver] == nil {
			counts[receiver] = StatusCounts{}
		}
		counts[receiver][Status(status)] = n
		return nil
	})
	return counts, err
}

// countStranded counts the held and the dead deliveries of a receiver.
func countStranded(ctx context.Context, tx store.Tx, receiverKey int64) (StatusCounts, error) {
	counts := StatusCounts{}
	err := database.QueryEach(ctx, tx, countStrandedSQL, []any{receiverKey}, func(rows database.Rows) error {
		var status string
		var n int64
		err := rows.Scan(&status, &n)
		counts[Status(status)] = n
		return err
	})
	return counts, err
}
