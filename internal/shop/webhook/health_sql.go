package webhook

import (
	"context"

	"vitrine/internal/kit/database"
)

const countReceiverStatesSQL = `
SELECT enabled, COALESCE(disabled_reason, ''), COUNT(*), COUNT(failing_since)
FROM receivers
GROUP BY enabled, COALESCE(disabled_reason, '')
ORDER BY enabled, COALESCE(disabled_reason, '')`

// countAllStrandedSQL reads the index deliveries_stranded_store, and no more rows than its limit.
const countAllStrandedSQL = `
SELECT s.status, COUNT(*)
FROM (SELECT status FROM deliveries WHERE stranded = TRUE ORDER BY store_id, key LIMIT $1) s
GROUP BY s.status
ORDER BY s.status`

// countReceiverStates sets Receivers, Failing and Disabled.
func countReceiverStates(ctx context.Context, q database.Querier, h *Health) error {
	return database.QueryEach(ctx, q, countReceiverStatesSQL, nil, func(rows database.Rows) error {
		var enabled bool
		var reason string
		var count, failing int64
		if err := rows.Scan(&enabled, &reason, &count, &failing); err != nil {
			return err
		}
		h.Receivers += count
		if enabled {
			h.Failing += failing
		} else {
			h.Disabled[reason] += count
		}
		return nil
	})
}

// countAllStranded sets Held and Dead.
func countAllStranded(ctx context.Context, q database.Querier, limit int, h *Health) error {
	counts := map[Status]int64{}
	err := database.QueryEach(ctx, q, countAllStrandedSQL, []any{limit}, func(rows database.Rows) error {
		var status string
		var n int64
		err := rows.Scan(&status, &n)
		counts[Status(status)] = n
		return err
	})
	h.Held, h.Dead = counts[Held], counts[Dead]
	return err
}
