package audit

import (
	"context"
	"time"

	"vitrine/internal/shop/store"
)

const insertEntrySQL = `
INSERT INTO audit_entries (store_id, created_at, actor_kind, actor_id, actor_name, action, object_kind, object_id, object_label, changes)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`

// insertEntry sends the entry with the next statement of the transaction, since nothing depends on its result.
func insertEntry(ctx context.Context, tx store.Tx, at time.Time, by Actor, e Entry, changes string) error {
	return tx.ExecLater(ctx, insertEntrySQL, nil, at.UnixMicro(), string(by.Kind), by.ID, by.Name, e.Action,
		e.Object.Kind, e.Object.ID, e.Object.Label, changes)
}
