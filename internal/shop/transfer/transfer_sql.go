package transfer

import (
	"context"
	"fmt"
	"strings"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
)

// withoutTimeouts lets a transaction take as long as the archive is read or written.
func withoutTimeouts(ctx context.Context, q database.Querier) error {
	if q.Dialect().Engine != database.Postgres {
		return nil
	}
	for _, sql := range []string{
		"SET LOCAL statement_timeout = 0", "SET LOCAL idle_in_transaction_session_timeout = 0",
	} {
		if err := database.Exec(ctx, q, sql); err != nil {
			return err
		}
	}
	return nil
}

const listImagesSQL = `
SELECT id, format, opaque
FROM images
WHERE store_id = $1
ORDER BY key`

// storedImage is an image with files.
type storedImage struct {
	imagefile.Image
	id imagefile.ID
}

// eachImage calls fn for each image of the store.
func eachImage(ctx context.Context, tx store.Tx, fn func(storedImage) error) error {
	return database.QueryEach(ctx, tx, listImagesSQL, nil, func(rows database.Rows) error {
		var im storedImage
		if err := rows.Scan(&im.id, &im.Format, &im.Opaque); err != nil {
			return err
		}
		return fn(im)
	})
}

// The rows of a store in tables without a store_id. A job begins with the id of its store, or has it as its lane.
const (
	storeRowsSQL = `
WHERE t.id = $1`
	accountRowsSQL = `
WHERE t.id IN (SELECT account_id FROM operators WHERE store_id = $1)`
	recoveryCodeRowsSQL = `
WHERE t.account_id IN (SELECT account_id FROM operators WHERE store_id = $1)`
	jobRowsSQL = `
WHERE (t.lane = $1 OR substr(t.payload, 1, 16) = $2)`
	parkedJobRowsSQL = `
WHERE t.owner = $1`
	otherRowsSQL = `
WHERE t.store_id = $1`

	// Categories come after their parents.
	categoryDepthsSQL = `
WITH RECURSIVE tree(tree_key, depth) AS (
	SELECT key, 0
	FROM categories
	WHERE store_id = $1
	  AND parent_key IS NULL
	UNION ALL
	SELECT c.key, tree.depth + 1
	FROM tree
	JOIN categories c ON c.store_id = $1 AND c.parent_key = tree.tree_key)`
	categoryRowsSQL = `
JOIN tree ON tree.tree_key = t.key
WHERE t.store_id = $1`
)

// storeRows returns the condition for the rows of a store, and its arguments. The table is called t.
func (t *table) storeRows(storeID store.ID) (where string, args []any) {
	switch t.name {
	case "stores":
		return storeRowsSQL, []any{storeID}
	case "accounts":
		return accountRowsSQL, []any{storeID}
	case "account_recovery_codes":
		return recoveryCodeRowsSQL, []any{storeID}
	case "jobs":
		return jobRowsSQL, []any{storeID.String(), storeID[:]}
	case "parked_jobs":
		return parkedJobRowsSQL, []any{storeID.String()}
	}
	return otherRowsSQL, []any{storeID}
}

// selectSQL returns the statement that reads the rows of a store, and its arguments.
func (t *table) selectSQL(storeID store.ID) (sql string, args []any) {
	var with string
	where, args := t.storeRows(storeID)
	order := "t." + strings.ReplaceAll(t.order, ", ", ", t.")
	if t.name == "categories" {
		with = categoryDepthsSQL
		where = categoryRowsSQL
		order = "tree.depth, t.key"
	}

	names := quotedNames(t.stored())
	return with + "\nSELECT t." + strings.Join(names, ", t.") + "\nFROM " + t.name + " t" + where +
		"\nORDER BY " + order, args
}

func quotedNames(list []column) []string {
	names := make([]string, len(list))
	for i, c := range list {
		names[i] = `"` + c.name + `"`
	}
	return names
}

// eachStored calls fn for each row of the store.
func (t *table) eachStored(
	ctx context.Context, q database.Querier, storeID store.ID, fn func(row []any) error,
) error {
	list := t.stored()
	sql, args := t.selectSQL(storeID)
	return database.QueryEach(ctx, q, sql, args, func(rows database.Rows) error {
		row, err := scanRow(rows, list)
		if err != nil {
			return err
		}
		return fn(row)
	})
}

// insertSQL returns the statement that inserts the rows of a batch.
func (t *table) insertSQL(d database.Dialect) string {
	list := t.stored()
	names := strings.Join(quotedNames(list), ", ")
	into, values := names, names
	for _, c := range t.columns {
		if c.role == ofTransaction {
			into += `, "` + c.name + `"`
			values += ", " + store.MarkSQL(d)
		}
	}
	return fmt.Sprintf(`
WITH r(%s) AS (ROWS)
INSERT INTO %s (%s)
SELECT %s
FROM r`, names, t.name, into, values)
}

// insertRows inserts the rows of a batch with the stored columns.
func (t *table) insertRows(ctx context.Context, q database.Querier, batch *database.Batch) error {
	if batch.Len() == 0 {
		return nil
	}
	_, err := q.ExecRows(ctx, t.insertSQL(q.Dialect()), batch)
	return err
}

const (
	postgresLastKeySQL = `
SELECT COALESCE(MAX(last_value), 0)
FROM pg_sequences
WHERE schemaname = current_schema()`

	sqliteLastKeySQL = `
SELECT COALESCE(MAX(seq), 0) AS last
FROM sqlite_sequence`

	postgresReserveSQL = `
SELECT setval(CAST(pg_get_serial_sequence(quote_ident(table_name), column_name) AS regclass), $1)
FROM information_schema.columns
WHERE table_schema = current_schema()
  AND is_identity = 'YES'`

	sqliteReserveSQL = `
UPDATE sqlite_sequence
SET seq = $1`

	// The only row of the table is locked while keys are reserved.
	lockReservationSQL = `
SELECT oldest_program
FROM schema_compatibility`
)

// lastKey returns a number that is not lower than any key that a row of the installation has or had.
func lastKey(ctx context.Context, q database.Querier) (last int64, err error) {
	if q.Dialect().Engine == database.Postgres {
		err = database.QueryRow(ctx, q, postgresLastKeySQL, nil, &last)
		return last, err
	}

	// Not every table of SQLite has a sequence.
	selects := []string{sqliteLastKeySQL}
	for _, t := range tables() {
		if key := t.rowKey(); key != "" {
			selects = append(selects, fmt.Sprintf("\nSELECT COALESCE(MAX(%s), 0)\nFROM %s", key, t.name))
		}
	}
	sql := "SELECT MAX(last) FROM (" + strings.Join(selects, "\nUNION ALL") + ")"
	err = database.QueryRow(ctx, q, sql, nil, &last)
	return last, err
}

// reserveKeys reserves the keys after offset up to offset+last for the caller, and returns the offset, which is a
// multiple of keyBlock. gap is how many keys others may take meanwhile.
func reserveKeys(ctx context.Context, q database.Querier, last, gap int64) (offset int64, err error) {
	reserve := sqliteReserveSQL
	if q.Dialect().Engine == database.Postgres {
		reserve = postgresReserveSQL
		var oldest int64
		err := database.QueryRow(ctx, q, lockReservationSQL+q.Dialect().ForUpdate, nil, &oldest)
		if err != nil {
			return 0, err
		}
	}

	taken, err := lastKey(ctx, q)
	if err != nil {
		return 0, err
	}
	if taken > 0 || gap > 0 {
		offset = (taken + gap + keyBlock) / keyBlock * keyBlock
	}

	if q.Dialect().Engine == database.SQLite {
		return offset, database.Exec(ctx, q, reserve, offset+last)
	}
	return offset, database.QueryEach(ctx, q, reserve, []any{offset + last}, func(rows database.Rows) error {
		var value int64
		return rows.Scan(&value)
	})
}

const storeExistsSQL = `
SELECT COUNT(*)
FROM stores
WHERE id = $1`

func storeExists(ctx context.Context, q database.Querier, storeID store.ID) (bool, error) {
	var n int64
	err := database.QueryRow(ctx, q, storeExistsSQL, []any{storeID}, &n)
	return n > 0, err
}

const storeNameSQL = `
SELECT name
FROM stores
WHERE id = $1`

func storeName(ctx context.Context, q database.Querier, storeID store.ID) (name string, err error) {
	err = database.QueryRow(ctx, q, storeNameSQL, []any{storeID}, &name)
	return name, err
}

const (
	accountsByEmailSQL = `
WITH r(id, email) AS (ROWS)
SELECT r.id, a.id
FROM r
JOIN accounts a ON a.email = r.email`

	accountsByIDSQL = `
WITH r(id, email) AS (ROWS)
SELECT a.id, a.id
FROM r
JOIN accounts a ON a.id = r.id`
)

// knownAccounts finds accounts of an archive in this installation: by their e-mail address, or else by their id. The
// keys of the result are the ids in the archive, the values those of this installation.
func knownAccounts(ctx context.Context, q database.Querier, batch *database.Batch) (map[rowID]rowID, error) {
	known := map[rowID]rowID{}
	for _, sql := range []string{accountsByIDSQL, accountsByEmailSQL} {
		err := q.QueryRows(ctx, sql, batch, func(rows database.Rows) error {
			var there, here id.Of[table]
			err := rows.Scan(&there, &here)
			known[there] = here
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return known, nil
}

const combinedVariantsSQL = `
SELECT key
FROM variants
WHERE store_id = $1
  AND key > $2
  AND combination IS NOT NULL
ORDER BY key
LIMIT $3`

// combinedVariants returns the next variants with option values.
func combinedVariants(ctx context.Context, tx store.Tx, after, limit int64) (keys []int64, err error) {
	err = database.QueryEach(ctx, tx, combinedVariantsSQL, []any{after, limit}, database.AppendColumn(&keys))
	return keys, err
}
