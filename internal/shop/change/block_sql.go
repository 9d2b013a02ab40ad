package change

import (
	"context"
	"errors"
	"maps"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const blocksSQL = `
WITH r(block) AS (ROWS)
SELECT b.block, b.version, b.entries
FROM r
CROSS JOIN LOOKUP (changed_products b WHERE b.store_id = $1 AND b.block = r.block)`

const saveBlocksSQL = `
WITH r(block, version, entries) AS (ROWS)
INSERT INTO changed_products (store_id, block, version, entries)
SELECT $1, r.block, r.version, r.entries
FROM r
WHERE TRUE
ON CONFLICT (store_id, block) DO UPDATE
SET version = excluded.version, entries = excluded.entries`

const deleteBlocksSQL = `
DELETE FROM changed_products
WHERE store_id = $1`

const changedBlocksSQL = `
SELECT block, version, entries
FROM changed_products
WHERE store_id = $1
  AND block >= $2
  AND version > $3
ORDER BY block`

const existingKeysSQL = `
WITH r(key) AS (ROWS)
SELECT p.key
FROM r
CROSS JOIN LOOKUP (products p WHERE p.store_id = $1 AND p.key = r.key)`

const idsOfKeysSQL = `
WITH r(key) AS (ROWS)
SELECT p.key, p.id
FROM r
CROSS JOIN LOOKUP (products p WHERE p.store_id = $1 AND p.key = r.key)`

// saveKeys records that a version changed products, and forgets others that are gone.
func saveKeys(ctx context.Context, tx store.Tx, version int64, changed, gone []int64) error {
	blocks := map[int64]*block{}
	for _, key := range slices.Concat(changed, gone) {
		blocks[key>>blockBits] = &block{number: key >> blockBits, versions: map[int64]int64{}}
	}

	numbers := slices.Sorted(maps.Keys(blocks))
	err := tx.QueryRows(ctx, blocksSQL, database.BatchOf(database.BigInt, numbers), func(rows database.Rows) error {
		var number, last int64
		var encoded []byte
		if err := rows.Scan(&number, &last, &encoded); err != nil {
			return err
		}
		b, err := decodeBlock(number, last, encoded)
		blocks[number] = b
		return err
	})
	if err != nil {
		return err
	}

	for _, key := range gone {
		delete(blocks[key>>blockBits].versions, key)
	}
	for _, key := range changed {
		blocks[key>>blockBits].versions[key] = version
	}

	batch := database.NewBatch(database.BigInt, database.BigInt, database.Bytes)
	for _, number := range numbers {
		batch.Add(number, blocks[number].last(), blocks[number].encode())
	}
	return database.ExecRows(ctx, tx, saveBlocksSQL, batch)
}

// forgetKeys deletes all blocks of the store.
func forgetKeys(ctx context.Context, tx store.Tx) error {
	return database.Exec(ctx, tx, deleteBlocksSQL)
}

// existingKeys returns those of the keys that products have, sorted.
func existingKeys(ctx context.Context, tx store.Tx, keys []int64) (existing []int64, err error) {
	err = tx.QueryRows(ctx, existingKeysSQL, database.BatchOf(database.BigInt, keys), database.AppendColumn(&existing))
	slices.Sort(existing)
	return existing, err
}

// idsOfKeys returns the ids of products in the order of their keys.
func idsOfKeys(ctx context.Context, tx store.Tx, keys []int64) ([]thingID, error) {
	ids := make(map[int64]thingID, len(keys))
	err := tx.QueryRows(ctx, idsOfKeysSQL, database.BatchOf(database.BigInt, keys), database.PutPairs(ids))
	list := make([]thingID, 0, len(ids))
	for _, key := range keys {
		if productID, ok := ids[key]; ok {
			list = append(list, productID)
		}
	}
	return list, err
}

// errEnough ends a query before its last row.
var errEnough = errors.New("enough rows were read")

// eachChangedKey calls fn with the keys of products above a key that a version in (since, upTo] changed last, in
// ascending order, until fn returns false.
func eachChangedKey(ctx context.Context, tx store.Tx, since, upTo, after int64, fn func(key int64) bool) error {
	args := []any{(after + 1) >> blockBits, since}
	err := database.QueryEach(ctx, tx, changedBlocksSQL, args, func(rows database.Rows) error {
		var number, last int64
		var encoded []byte
		if err := rows.Scan(&number, &last, &encoded); err != nil {
			return err
		}

		enough := false
		err := eachEntry(number, last, encoded, func(key, version int64) bool {
			if key > after && version > since && version <= upTo {
				enough = !fn(key)
			}
			return !enough
		})
		if err == nil && enough {
			err = errEnough
		}
		return err
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}
