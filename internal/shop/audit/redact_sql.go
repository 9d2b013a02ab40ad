package audit

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

const redactSQL = `
WITH r(object_id) AS (ROWS)
UPDATE audit_entries
SET object_label = '', changes = '[]'
WHERE store_id = $1
  AND object_kind = $2
  AND object_id IN (SELECT object_id FROM r)`

// Redact removes the names and the changed values of objects from their entries. Who did what and when stays.
func (s *Service) Redact(ctx context.Context, tx store.Tx, kind string, objectIDs []string) (err error) {
	defer fault.AddContext(&err, "redact entries about %d objects of kind %s", len(objectIDs), kind)
	return database.ExecRows(ctx, tx, redactSQL, database.BatchOf(database.Text, objectIDs), kind)
}

const moveSQL = `
UPDATE audit_entries
SET object_id = $4
WHERE store_id = $1
  AND object_kind = $2
  AND object_id = $3`

// Move gives the entries about an object to another one of which it becomes a part, so that they are found and redacted
// with it. The labels stay.
func Move(ctx context.Context, tx store.Tx, kind, from, to string) (err error) {
	defer fault.AddContext(&err, "move entries about objects of kind %s", kind)
	return database.Exec(ctx, tx, moveSQL, kind, from, to)
}
