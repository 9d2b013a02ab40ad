package exchange

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"vitrine/bench/harness"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// rawChunkSize is the number of products per transaction, the same as in the gate.
const rawChunkSize = 1000

// rawInserter inserts the rows that the gate wrote into a second database with the same tables, indexes and foreign
// keys. It uses the same database package and driver, and does nothing else.
type rawInserter struct {
	from, to *database.DB
	tables   map[string]*rawTable
}

func newRawInserter(ctx context.Context, from, to string) (r *rawInserter, err error) {
	r = &rawInserter{tables: map[string]*rawTable{}}
	if r.from, err = database.Open(ctx, database.Config{URL: from}); err != nil {
		return nil, err
	}
	if r.to, err = database.Open(ctx, database.Config{URL: to}); err != nil {
		return nil, errors.Join(err, r.from.Close())
	}
	return r, nil
}

func (r *rawInserter) close() error { return errors.Join(r.from.Close(), r.to.Close()) }

// copyReferences copies the rows that products refer to, of all stores.
func (r *rawInserter) copyReferences(ctx context.Context) error {
	for _, name := range []string{"stores", "attributes", "attribute_values", "categories", "stocks"} {
		b, err := r.read(ctx, name, "TRUE")
		if err != nil {
			return err
		}
		if _, err := r.insert(ctx, []rawRows{b}); err != nil {
			return err
		}
	}
	return nil
}

// analyze runs ANALYZE on PostgreSQL, as the gate does.
func (r *rawInserter) analyze(ctx context.Context) error {
	if r.to.Engine() != database.Postgres {
		return nil
	}
	return r.to.Write(ctx, func(q database.Querier) error {
		_, err := q.Exec(ctx, "ANALYZE")
		return err
	})
}

// insertProducts inserts the rows of all products of a store whose key is greater than the parameter after, in
// transactions of rawChunkSize products. It returns the number of products, the greatest key, and the duration of the
// transactions, without the time for reading the rows from the first database.
func (r *rawInserter) insertProducts(
	ctx context.Context, storeID store.ID, after int64,
) (n int, last int64, took time.Duration, err error) {
	for last = after; ; {
		rows, key, err := r.nextChunk(ctx, storeID, last)
		if err != nil || len(rows) == 0 {
			return n, last, took, err
		}
		one, err := r.insert(ctx, rows)
		if err != nil {
			return n, last, took, err
		}
		n += rows[0].Len()
		last = key
		took += one
	}
}

// nextChunk reads the rows of the next products and the key of the last one. It returns no rows if there are no more
// products.
func (r *rawInserter) nextChunk(
	ctx context.Context, storeID store.ID, after int64,
) (rows []rawRows, last int64, err error) {
	products, err := r.read(ctx, "products",
		fmt.Sprintf("store_id = $1 AND key > $2 ORDER BY key LIMIT %d", rawChunkSize), storeID, after)
	if err != nil || products.Len() == 0 {
		return nil, 0, err
	}

	rows = []rawRows{products}
	add := func(name, key string, span [2]int64) (rawRows, error) {
		b, err := r.read(ctx, name, "store_id = $1 AND "+key+" BETWEEN $2 AND $3 ORDER BY "+key, storeID, span[0],
			span[1])
		rows = append(rows, b)
		return b, err
	}
	for _, name := range []string{"product_categories", "product_values"} {
		if _, err := add(name, "product_key", products.keys); err != nil {
			return nil, 0, err
		}
	}

	variants, err := add("variants", "product_key", products.keys)
	if err != nil {
		return nil, 0, err
	}

	for _, name := range []string{"variant_values", "remainders"} {
		if _, err := add(name, "variant_key", variants.keys); err != nil {
			return nil, 0, err
		}
	}

	return rows, products.keys[1], nil
}

// insert writes the rows in one transaction and returns the duration.
func (r *rawInserter) insert(ctx context.Context, all []rawRows) (time.Duration, error) {
	return harness.MeasureTime(func() error {
		return r.to.WriteAlone(ctx, func(q database.Querier) error {
			for _, rows := range all {
				columns := strings.Join(rows.table.names, ", ")
				if _, err := q.ExecRows(ctx, "WITH r("+columns+") AS (ROWS)\nINSERT INTO "+rows.table.name+
					" ("+columns+")\nSELECT "+columns+"\nFROM r", rows.Batch); err != nil {
					return err
				}
			}
			return nil
		})
	})
}
