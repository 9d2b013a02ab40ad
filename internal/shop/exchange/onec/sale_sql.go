package onec

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// insertEchoSQL records the last event of the store, which the same transaction has emitted.
const insertEchoSQL = `
INSERT INTO commerceml_echoes (store_id, sequence)
SELECT store_id, last
FROM event_sequences
WHERE store_id = $1`

const echoesAfterSQL = `
SELECT sequence
FROM commerceml_echoes
WHERE store_id = $1
  AND sequence > $2`

const deleteEchoesSQL = `
DELETE FROM commerceml_echoes
WHERE store_id = $1
  AND sequence <= $2`

const offerIDsSQL = `
WITH r(id) AS (ROWS)
SELECT v.id, COALESCE(v.external_id, (SELECT p.external_id FROM products p WHERE p.store_id = $1
	AND p.key = v.product_key), '')
FROM r
CROSS JOIN LOOKUP (variants v WHERE v.store_id = $1 AND v.id = r.id)`

// echoesAfter returns the sequences of the events that 1C itself has caused, after a sequence.
func echoesAfter(ctx context.Context, tx store.Tx, after int64) (map[int64]bool, error) {
	found := map[int64]bool{}
	return found, database.QueryEach(ctx, tx, echoesAfterSQL, []any{after}, func(rows database.Rows) error {
		var sequence int64
		err := rows.Scan(&sequence)
		found[sequence] = true
		return err
	})
}

// offerIDs returns the external ids of variants. A variant without one has the external id of its product.
func offerIDs(ctx context.Context, tx store.Tx, ids []catalog.VariantID) (map[catalog.VariantID]string, error) {
	names := map[catalog.VariantID]string{}
	return names, tx.QueryRows(ctx, offerIDsSQL, database.BatchOf(database.UUID, ids), database.PutPairs(names))
}

// insertEcho records that 1C has caused the event which the transaction has emitted last.
func insertEcho(ctx context.Context, tx store.Tx) error { return database.Exec(ctx, tx, insertEchoSQL) }

func deleteEchoes(ctx context.Context, tx store.Tx, upTo int64) error {
	return database.Exec(ctx, tx, deleteEchoesSQL, upTo)
}
