package audit

import (
	"context"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const selectOfObjectSQL = `
SELECT sequence, created_at, actor_kind, actor_id, actor_name, action, object_label, changes
FROM audit_entries
WHERE store_id = $1
  AND object_kind = $2
  AND object_id = $3
ORDER BY sequence DESC
LIMIT $4`

func selectOfObject(
	ctx context.Context, tx store.Tx, kind, objectID string, limit int,
) (list []StoredEntry, err error) {
	err = database.QueryEach(ctx, tx, selectOfObjectSQL, []any{kind, objectID, limit}, func(rows database.Rows) error {
		e := StoredEntry{Entry: Entry{Object: Object{Kind: kind, ID: objectID}}}
		var changes string
		err := rows.Scan(&e.Sequence, database.Time(&e.At), (*string)(&e.Actor.Kind), &e.Actor.ID, &e.Actor.Name,
			(*string)(&e.Action),
			&e.Object.Label, &changes)
		if err == nil {
			err = json.Unmarshal([]byte(changes), &e.Changes)
		}
		list = append(list, e)
		return err
	})
	return list, err
}
