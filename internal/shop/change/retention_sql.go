package change

import (
	"context"

	"vitrine/internal/kit/database"
)

// raiseFloorsSQL raises the floors of stores to the versions that they had at the end of an old day: at the beginning
// of the next day with a change, or now.
const raiseFloorsSQL = `
UPDATE change_heads
SET floor = COALESCE((SELECT MIN(d.version) FROM change_days d WHERE d.store_id = change_heads.store_id
	AND d.day > $1), version)
WHERE store_id IN (SELECT d.store_id FROM change_days d WHERE d.day <= $1 ORDER BY d.store_id, d.day LIMIT $2)`

const pruneDaysSQL = `
DELETE FROM change_days
WHERE (store_id, day) IN (SELECT d.store_id, d.day FROM change_days d WHERE d.day <= $1 ORDER BY d.store_id, d.day
	LIMIT $2)`

const pruneDeletedSQL = `
DELETE FROM deleted_products
WHERE (store_id, id) IN (
	SELECT d.store_id, d.id
	FROM deleted_products d
	WHERE d.deleted_at < $1
	  AND d.version <= (SELECT h.floor FROM change_heads h WHERE h.store_id = d.store_id)
	ORDER BY d.deleted_at
	LIMIT $2)`

const pruneCategoriesSQL = `
DELETE FROM changed_categories
WHERE (store_id, id) IN (
	SELECT c.store_id, c.id
	FROM changed_categories c
	WHERE c.state = 0
	  AND c.changed_at < $1
	  AND c.version <= (SELECT h.floor FROM change_heads h WHERE h.store_id = c.store_id)
	ORDER BY c.changed_at
	LIMIT $2)`

// raiseFloors raises the floors of the stores of up to pruneChunk rows of change_days up to a day, and deletes these
// rows.
func raiseFloors(ctx context.Context, q database.Querier, day int64) (deleted int64, err error) {
	if _, err := q.Exec(ctx, raiseFloorsSQL, day, pruneChunk); err != nil {
		return 0, err
	}
	return q.Exec(ctx, pruneDaysSQL, day, pruneChunk)
}

// pruneRows deletes up to pruneChunk rows of each kind of deleted things, and reports whether there may be more.
func pruneRows(ctx context.Context, q database.Querier, before int64) (more bool, err error) {
	products, err := q.Exec(ctx, pruneDeletedSQL, before, pruneChunk)
	if err != nil {
		return false, err
	}
	categories, err := q.Exec(ctx, pruneCategoriesSQL, before, pruneChunk)
	return products == pruneChunk || categories == pruneChunk, err
}
