package webhook

import (
	"context"
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

const countStrandedSQL = `
SELECT status, COUNT(*)
FROM deliveries
WHERE store_id = $1
  AND receiver_key = $2
  AND stranded = TRUE
GROUP BY status`

// conditions returns the WHERE conditions of the filter. The parameters before and limit become $2 and $3 of the
// statement.
func (f DeliveryFilter) conditions(before, limit int64) *store.Conditions {
	c := store.NewConditions(before, limit)
	if f.ReceiverID != nil {
		c.And("d.receiver_key = (SELECT r.key FROM receivers r WHERE r.store_id = $1 AND r.id = $n)", *f.ReceiverID)
	}
	if f.Status != "" {
		c.And("d.status = $n", string(f.Status))
		if f.Status == Held || f.Status == Dead {
			c.And("d.stranded = TRUE") // lets the planner use the partial index over stranded deliveries
		}
	}
	if f.Type != "" {
		c.And("d.type = $n", f.Type)
	}
	c.AndPeriod("d.created_at", f.From, f.Before)
	return c
}

// selectDeliveryPage returns up to limit deliveries that match the filter, newest first. Their keys are less than the
// parameter before.
func selectDeliveryPage(
	ctx context.Context, tx store.Tx, f DeliveryFilter, before, limit int64,
) (list []Delivery, err error) {
	c := f.conditions(before, limit)
	sql := listDeliveriesSQL + c.String() + "\nORDER BY d.key DESC\nLIMIT $3"
	err = database.QueryEach(ctx, tx, sql, c.Args(), database.AppendScanned(&list, scanDelivery))
	return list, err
}

func selectAttempts(ctx context.Context, tx store.Tx, deliveryKey int64) (list []Attempt, err error) {
	err = database.QueryEach(ctx, tx, selectAttemptsSQL, []any{deliveryKey},
		database.AppendScanned(&list, func(rows database.Rows) (a Attempt, err error) {
			var millis int64
			err = rows.Scan(&a.Number, database.Time(&a.StartedAt), &millis, &a.StatusCode, &a.Phase, &a.Excerpt)
			a.Duration = time.Duration(millis) * time.Millisecond
			return a, err
		}))
	return list, err
}

// countStranded counts the held and the dead deliveries of a receiver.
func countStranded(ctx context.Context, tx store.Tx, receiverKey int64) (StatusCounts, error) {
	counts := StatusCounts{}
	err := database.QueryEach(ctx, tx, countStrandedSQL, []any{receiverKey}, func(rows database.Rows) error {
		var status Status
		var n int64
		err := rows.Scan((*string)(&status), &n)
		counts[status] = n
		return err
	})
	return counts, err
}
