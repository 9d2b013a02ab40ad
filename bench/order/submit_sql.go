package order

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"time"

	"vitrine/bench/harness"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/event"
)

const bareDraftsSQL = `
SELECT i.order_key, i.key, i.variant_key, v.product_key, m.stock_key, i.quantity, i.price
FROM orders o
CROSS JOIN order_items i
CROSS JOIN variants v
CROSS JOIN remainders m
WHERE o.store_id = $1
  AND o.state = 'draft'
  AND i.store_id = $1
  AND i.order_key = o.key
  AND v.store_id = $1
  AND v.key = i.variant_key
  AND m.store_id = $1
  AND m.variant_key = v.key
ORDER BY i.order_key, v.product_key, i.key`

const bareProductsSQL = `
WITH r(key) AS (ROWS)
UPDATE products
SET version = products.version + 1
FROM r
WHERE products.store_id = $1
  AND products.key = r.key`

const bareRemaindersSQL = `
WITH r(variant_key, stock_key, quantity) AS (ROWS)
INSERT INTO remainders (store_id, variant_key, stock_key, quantity, reserved)
SELECT $1, variant_key, stock_key, 0, quantity
FROM r
WHERE TRUE
ON CONFLICT (store_id, variant_key, stock_key) DO UPDATE
SET reserved = remainders.reserved + excluded.reserved`

const bareVariantsSQL = `
WITH r(key, quantity) AS (ROWS)
UPDATE variants
SET available = variants.available - r.quantity
FROM r
WHERE variants.store_id = $1
  AND variants.key = r.key`

const bareReservationsSQL = `
WITH r(item_key, variant_key, stock_key, quantity) AS (ROWS)
INSERT INTO reservations (store_id, item_key, variant_key, stock_key, quantity)
SELECT $1, item_key, variant_key, stock_key, quantity
FROM r`

const bareRecordSQL = `
INSERT INTO idempotency (store_id, hash, fingerprint, status, created_at)
VALUES ($1, $2, $2, 200, $3)`

const barePiecesSQL = `
WITH r(number, sealed) AS (ROWS)
INSERT INTO idempotency_pieces (store_id, hash, number, sealed)
SELECT $1, $2, number, sealed
FROM r`

const bareNumberSQL = `
UPDATE order_numbers
SET last = last + 1
WHERE store_id = $1
RETURNING last`

const bareOrderSQL = `
UPDATE orders
SET number = $3, state = 'submitted', name = $4, phone = $5, email = $6, address = $7, total = $8, words = $9,
	version = version + 1, submitted_at = $10, updated_at = $10
WHERE store_id = $1
  AND key = $2`

const bareSequenceSQL = `
UPDATE event_sequences
SET last = last + 1
WHERE store_id = $1
RETURNING last`

const bareEventSQL = `
INSERT INTO events (store_id, sequence, id, type, payload, created_at)
VALUES ($1, $2, $3, $4, $5, $6)`

const bareVersionSQL = `
UPDATE catalog_versions
SET version = version + 1
WHERE store_id = $1
RETURNING version`

const bareChangesSQL = `
WITH r(key) AS (ROWS)
INSERT INTO product_changes (store_id, version, product_key, changed_at)
SELECT $1, $2, key, $3
FROM r`

// submittedRowsSQL counts the rows written by submissions, by table.
const submittedRowsSQL = `
SELECT
	(SELECT COUNT(*) FROM orders WHERE store_id = $1 AND number IS NOT NULL),
	(SELECT last FROM order_numbers WHERE store_id = $1),
	(SELECT COUNT(*) FROM reservations WHERE store_id = $1),
	(SELECT COUNT(*) FROM events WHERE store_id = $1),
	(SELECT last FROM event_sequences WHERE store_id = $1),
	(SELECT COUNT(*) FROM product_changes WHERE store_id = $1),
	(SELECT version FROM catalog_versions WHERE store_id = $1),
	(SELECT CAST(SUM(version) AS BIGINT) FROM products WHERE store_id = $1),
	(SELECT COUNT(*) FROM idempotency WHERE store_id = $1),
	(SELECT COUNT(*) FROM idempotency_pieces WHERE store_id = $1)`

const lastPayloadSQL = `
SELECT payload
FROM events
WHERE store_id = $1
ORDER BY sequence DESC
LIMIT 1`

const lastPiecesSQL = `
SELECT p.sealed
FROM idempotency_pieces p
WHERE p.store_id = $1
  AND p.hash = (SELECT i.hash FROM idempotency i WHERE i.store_id = $1 ORDER BY i.created_at DESC, i.hash LIMIT 1)
ORDER BY p.number`

// bareSubmitter writes the rows of a submission with the same database package, driver and connection pool. All keys
// are known in advance, and it does nothing else.
type bareSubmitter struct {
	*OrderServer
	db             *database.DB
	payload        []byte   // of an event
	responseChunks [][]byte // of a stored response
}

// bareOrder is a draft with its lines in order of their products.
type bareOrder struct {
	key   int64
	total int64
	lines []bareLine
}

type bareLine struct{ key, variant, product, stock, quantity int64 }

// newBareSubmitter submits one order through the program to get the payload of an event and a stored response.
func (g *OrderServer) newBareSubmitter(ctx context.Context) (*bareSubmitter, error) {
	b := &bareSubmitter{OrderServer: g, db: g.App.DB}
	if _, err := g.SubmitDrafts(ctx, Submission{Idempotent: true}, 1, 1); err != nil {
		return nil, err
	}

	err := b.db.Read(ctx, func(q database.Querier) error {
		if err := database.QueryRow(ctx, q, lastPayloadSQL, []any{g.Keys.StoreID}, &b.payload); err != nil {
			return err
		}

		b.responseChunks = nil
		return database.QueryEach(ctx, q, lastPiecesSQL, []any{g.Keys.StoreID}, func(rows database.Rows) error {
			var sealed []byte
			err := rows.Scan(&sealed)
			b.responseChunks = append(b.responseChunks, sealed)
			return err
		})
	})

	return b, err
}

// submitDrafts creates drafts, writes them as submitted orders, and returns the duration of the writing.
func (b *bareSubmitter) submitDrafts(ctx context.Context, keyed bool, clients, n int) (time.Duration, error) {
	if _, err := b.createDrafts(ctx, n); err != nil {
		return 0, err
	}
	orders, err := b.readDrafts(ctx)
	if err != nil {
		return 0, err
	}
	if len(orders) != n {
		return 0, fmt.Errorf("there are %d drafts, want %d", len(orders), n)
	}
	return harness.RunConcurrently(clients, n, func(i int) error {
		return b.db.Write(ctx, func(q database.Querier) error { return b.writeOrder(ctx, q, &orders[i], keyed) })
	})
}

func (b *bareSubmitter) readDrafts(ctx context.Context) (orders []bareOrder, err error) {
	err = b.db.Read(ctx, func(q database.Querier) error {
		orders = nil
		return database.QueryEach(ctx, q, bareDraftsSQL, []any{b.Keys.StoreID}, func(rows database.Rows) error {
			var key, price int64
			var l bareLine
			if err := rows.Scan(&key, &l.key, &l.variant, &l.product, &l.stock, &l.quantity, &price); err != nil {
				return err
			}

			if len(orders) == 0 || orders[len(orders)-1].key != key {
				orders = append(orders, bareOrder{key: key})
			}

			o := &orders[len(orders)-1]
			o.total += price * l.quantity / 1000
			o.lines = append(o.lines, l)

			return nil
		})
	})

	return orders, err
}

// writeOrder writes an order. The statements that lock the counters of the store come last, as in the program.
func (b *bareSubmitter) writeOrder(ctx context.Context, q database.Querier, o *bareOrder, keyed bool) error {
	storeID := b.Keys.StoreID
	now := time.Now().UnixMicro()
	products := database.NewBatch(database.BigInt)
	variants := database.NewBatch(database.BigInt, database.BigInt)
	remainders := database.NewBatch(database.BigInt, database.BigInt, database.BigInt)
	reservations := database.NewBatch(database.BigInt, database.BigInt, database.BigInt, database.BigInt)

	for _, l := range o.lines {
		products.Add(l.product)
		variants.Add(l.variant, l.quantity)
		remainders.Add(l.variant, l.stock, l.quantity)
		reservations.Add(l.key, l.variant, l.stock, l.quantity)
	}

	for _, s := range []struct {
		sql  string
		rows *database.Batch
	}{
		{bareProductsSQL, products}, {bareRemaindersSQL, remainders}, {bareVariantsSQL, variants},
		{bareReservationsSQL, reservations},
	} {
		if _, err := q.ExecRows(ctx, s.sql, s.rows, storeID); err != nil {
			return err
		}
	}

	if keyed {
		if err := b.writeIdempotencyRecord(ctx, q, o, now); err != nil {
			return err
		}
	}

	var number, sequence, version int64
	if err := database.QueryRow(ctx, q, bareNumberSQL, []any{storeID}, &number); err != nil {
		return err
	}

	words := strconv.FormatInt(number, 10) + " anna example 49301234567 anna visitor example"
	if _, err := q.Exec(ctx, bareOrderSQL, storeID, o.key, number, "Anna Example", "+49301234567",
		"anna@visitor.example", "1 Long Road", o.total, words, now); err != nil {
		return err
	}

	if err := database.QueryRow(ctx, q, bareSequenceSQL, []any{storeID}, &sequence); err != nil {
		return err
	}

	if _, err := q.Exec(ctx, bareEventSQL, storeID, sequence, id.New[event.Event](), event.OrderSubmitted, b.payload,
		now); err != nil {
		return err
	}

	if err := database.QueryRow(ctx, q, bareVersionSQL, []any{storeID}, &version); err != nil {
		return err
	}

	_, err := q.ExecRows(ctx, bareChangesSQL, products, storeID, version, now)
	return err
}

// writeIdempotencyRecord writes the rows of a stored response.
func (b *bareSubmitter) writeIdempotencyRecord(ctx context.Context, q database.Querier, o *bareOrder, now int64) error {
	hash := sha256.Sum256(strconv.AppendInt(nil, o.key, 10))
	if _, err := q.Exec(ctx, bareRecordSQL, b.Keys.StoreID, hash[:], now); err != nil {
		return err
	}
	pieces := database.NewBatch(database.BigInt, database.Bytes)
	for i, sealed := range b.responseChunks {
		pieces.Add(i+1, sealed)
	}
	_, err := q.ExecRows(ctx, barePiecesSQL, pieces, b.Keys.StoreID, hash[:])
	return err
}

// checkSameWrites runs both sides once and returns an error unless they write the same number of rows to each table.
func (b *bareSubmitter) checkSameWrites(ctx context.Context, ours, raw func() (time.Duration, error)) error {
	var written [2][]int64
	for i, side := range []func() (time.Duration, error){ours, raw} {
		before, err := b.countRows(ctx)
		if err != nil {
			return err
		}
		if _, err := side(); err != nil {
			return err
		}

		after, err := b.countRows(ctx)
		if err != nil {
			return err
		}

		for n := range after {
			written[i] = append(written[i], after[n]-before[n])
		}
	}

	if !slices.Equal(written[0], written[1]) {
		return fmt.Errorf("a submission writes the row counts %v, the bare transaction %v", written[0], written[1])
	}

	return nil
}

// countRows returns the number of rows that submissions have written, by table.
func (b *bareSubmitter) countRows(ctx context.Context) ([]int64, error) {
	counts := make([]int64, 10)
	dest := make([]any, len(counts))
	for i := range counts {
		dest[i] = &counts[i]
	}
	err := b.db.Read(ctx, func(q database.Querier) error {
		return database.QueryRow(ctx, q, submittedRowsSQL, []any{b.Keys.StoreID}, dest...)
	})
	return counts, err
}
