package audit

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const insertEntrySQL = `
INSERT INTO audit_entries (store_id, created_at, actor_kind, actor_id, actor_name, action, object_kind, object_id,
	object_label, changes)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`

// countSinceSQL reads the index of kinds.
const countSinceSQL = `
SELECT COUNT(*)
FROM audit_entries
WHERE store_id = $1
  AND object_kind = $2
  AND created_at > $3
  AND actor_kind = $4
  AND actor_id = $5
  AND action = $6`

// countSince returns how many entries of an actor about an action and a kind of object are newer than a time.
func countSince(ctx context.Context, tx store.Tx, since time.Time, by store.Actor, e Entry) (n int64, err error) {
	err = database.QueryRow(ctx, tx, countSinceSQL,
		[]any{e.Object.Kind, since.UnixMicro(), string(by.Kind), by.ID, string(e.Action)}, &n)
	return n, err
}

// insertEntry sends the entry with the next statement of the transaction, since nothing depends on its result.
func insertEntry(ctx context.Context, tx store.Tx, at time.Time, by store.Actor, e Entry, changes string) error {
	return tx.ExecLater(ctx, insertEntrySQL, nil, at.UnixMicro(), string(by.Kind), by.ID, by.Name, string(e.Action),
		e.Object.Kind, e.Object.ID, e.Object.Label, changes)
}
