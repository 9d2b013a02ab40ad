package database

import "context"

// The statement is allowed in a read-only transaction.
const notifySQL = `
SELECT pg_notify($1, $2)`

// sendNotification notifies the listeners of a channel. It is for PostgreSQL only.
func sendNotification(ctx context.Context, q Querier, channel, payload string) error {
	_, err := q.Exec(ctx, notifySQL, channel, payload)
	return err
}
