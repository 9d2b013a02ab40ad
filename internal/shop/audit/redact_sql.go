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
