package exchange

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/store"
)

const insertRunChangesSQL = `
WITH r(number, item, external_id, action, changes, before) AS (ROWS)
INSERT INTO exchange_changes (store_id, run_key, number, item, external_id, action, changes, before)
SELECT $1, $2, number, item, external_id, action, changes, before
FROM r`

const listRunChangesSQL = `
SELECT item, external_id, action, changes, before
FROM exchange_changes
WHERE store_id = $1
  AND run_key = $2
  AND number > $3
ORDER BY number
LIMIT $4`

const listRunChangesBackwardsSQL = `
SELECT item, external_id, action, changes, before
FROM exchange_changes
WHERE store_id = $1
  AND run_key = $2
  AND number < $3
ORDER BY number DESC
LIMIT $4`

// insertRunChanges stores what items change. It may be called only once for each item.
func insertRunChanges(ctx context.Context, tx store.Tx, runKey int64, changes []RunChange) error {
	for chunk := range slices.Chunk(changes, batchItems) {
		batch := database.NewBatch(database.BigInt, database.BigInt, database.Text, database.Text, database.Text,
			database.Text)
		for _, c := range chunk {
			batch.Add(c.number(), c.Index, c.ID, string(c.Action), string(wire.AppendJSON(nil, c.Changes)),
				string(c.before))
		}
		if _, err := tx.ExecRows(ctx, insertRunChangesSQL, batch, runKey); err != nil {
			return err
		}
	}
	return nil
}

// changesAfter reads up to limit changes of a run, beginning with the first number greater than the parameter after.
func changesAfter(ctx context.Context, tx store.Tx, runKey, after, limit int64) (list []RunChange, err error) {
	err = database.QueryEach(ctx, tx, listRunChangesSQL, []any{runKey, after, limit},
		database.AppendScanned(&list, scanRunChange))
	return list, err
}

// changesBefore is like changesAfter, but reads backwards, beginning with the first number less than before.
func changesBefore(ctx context.Context, tx store.Tx, runKey, before, limit int64) (list []RunChange, err error) {
	err = database.QueryEach(ctx, tx, listRunChangesBackwardsSQL, []any{runKey, before, limit},
		database.AppendScanned(&list, scanRunChange))
	return list, err
}

func scanRunChange(rows database.Rows) (c RunChange, err error) {
	var changes, before string
	if err := rows.Scan(&c.Index, &c.ID, (*string)(&c.Action), &changes, &before); err != nil {
		return c, err
	}
	c.before = jsontext.Value(before)
	err = json.Unmarshal([]byte(changes), &c.Changes)
	return c, err
}
