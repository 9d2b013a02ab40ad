package catalog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

const showAttributeSQL = `
UPDATE attributes
SET kind = $3
WHERE store_id = $1
  AND key = $2
  AND kind = 'staged'`

// The external id is then free for another attribute.
const hideAttributeSQL = `
UPDATE attributes
SET kind = 'deleted', external_id = NULL, pushed = NULL
WHERE store_id = $1
  AND key = $2
  AND kind = $3`

// lockDeletedSQL also hides an attribute that was staged long ago.
const lockDeletedSQL = `
UPDATE attributes
SET kind = 'deleted'
WHERE store_id = $1
  AND key = $2
  AND kind IN ('deleted', 'staged')`

// Values of an attribute with a deletion may have links.
const findHiddenSQL = `
SELECT a.store_id, a.key
FROM attributes a
WHERE (a.kind = 'deleted' OR (a.kind = 'staged' AND a.created_at < $1))
  AND (SELECT COUNT(*) FROM deletions d WHERE d.store_id = a.store_id AND d.kind = 'attribute'
	AND d.target_key = a.key) = 0
ORDER BY a.key
LIMIT 1`

const someValueKeysSQL = `
SELECT key
FROM attribute_values
WHERE store_id = $1
  AND attribute_key = $2
ORDER BY key
LIMIT $3`

// showAttribute makes a staged attribute visible.
func showAttribute(ctx context.Context, tx store.Tx, a *Attribute) error {
	n, err := tx.Exec(ctx, showAttributeSQL, a.Key, string(a.Kind))
	if err == nil && n != 1 {
		err = fmt.Errorf("the staged attribute %s is gone", a.ID)
	}
	return err
}

// hideAttribute makes an attribute of the kind invisible.
func hideAttribute(ctx context.Context, tx store.Tx, attributeKey int64, kind Kind) error {
	return database.Exec(ctx, tx, hideAttributeSQL, attributeKey, string(kind))
}

// findHidden returns the key of an attribute that is deleted or was staged before a time, or 0 if there is none.
func findHidden(ctx context.Context, q database.Querier, before time.Time) (storeID store.ID, key int64, err error) {
	err = database.QueryRow(ctx, q, findHiddenSQL, []any{before.UnixMicro()}, &storeID, &key)
	if errors.Is(err, database.ErrNoRows) {
		err = nil
	}
	return storeID, key, err
}

// purgeSome deletes some values of a hidden attribute, or the attribute if it has no more values. It reports whether
// the attribute is still there.
func purgeSome(ctx context.Context, tx store.Tx, attributeKey int64) (bool, error) {
	n, err := tx.Exec(ctx, lockDeletedSQL, attributeKey)
	if err != nil || n == 0 {
		return false, err
	}
	var keys []int64
	err = database.QueryEach(ctx, tx, someValueKeysSQL, []any{attributeKey, write.ChunkSize},
		database.AppendColumn(&keys))
	if err != nil {
		return false, err
	}
	if len(keys) == 0 {
		return false, database.Exec(ctx, tx, deleteAttributeSQL, attributeKey)
	}
	_, err = DeleteValues(ctx, tx, keys)
	return true, err
}
