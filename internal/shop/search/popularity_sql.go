package search

import (
	"context"
	"errors"
	"math"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// The popularity of a product is the number of pieces that were ordered of it in the last 90 days. Package order counts
// them, in thousandths; here a begun piece is a whole one.

// popularitySQL is the popularity of the product p. It is equal to that of popularityOf.
const popularitySQL = `COALESCE((SELECT CASE WHEN y.quantity >= 4294967295000 THEN 4294967295 ` +
	`ELSE (y.quantity + 999) / 1000 END ` +
	`FROM product_popularity y WHERE y.store_id = $1 AND y.product_key = p.key), 0)`

// popularityOfKeysSQL selects a row for each product: most of them have no popularity.
const popularityOfKeysSQL = `
WITH r(key) AS (ROWS)
SELECT r.key, COALESCE((SELECT x.quantity FROM product_popularity x WHERE x.store_id = $1 AND x.product_key = r.key), 0)
FROM r
ORDER BY r.key`

const changedPopularitySQL = `
SELECT product_key, quantity
FROM product_popularity
WHERE store_id = $1
  AND version > $2
  AND version <= $3
ORDER BY version, product_key
LIMIT $4`

// popularityOf returns the popularity of a product of which a quantity was ordered, in thousandths, at most MaxUint32.
func popularityOf(quantity int64) uint32 {
	return uint32(max(0, min((quantity+999)/1000, math.MaxUint32)))
}

// productPopularity is the popularity of the product with this row key.
type productPopularity struct {
	key        int64
	popularity uint32
}

// popularityChanges are the products whose popularity changed. With all set, the others have none, and the synonyms and
// pins may have changed, too.
type popularityChanges struct {
	all  bool
	list []productPopularity
}

// apply changes the popularity of the products that the columns have.
func (p popularityChanges) apply(c *searchColumns) {
	if p.all {
		clear(c.popularity)
	}
	for _, one := range p.list {
		if row, ok := c.findRow(one.key); ok {
			c.popularity[row] = one.popularity
		}
	}
}

// readPopularity returns what changed of the popularity of products from a state of the past up to the snapshot of tx,
// whose versions are current. It returns errTooManyChanges if more than maxChanges products changed.
func readPopularity(
	ctx context.Context, tx store.Tx, from State, current Versions, maxChanges int,
) (changes popularityChanges, err error) {
	if from.search == current.search {
		return changes, nil
	}

	after := from.search
	if after > 0 {
		_, err := store.FindStamp(ctx, tx, store.SearchPart, after)
		switch {
		case errors.Is(err, database.ErrNoRows):
			changes.all = true // it cannot be told whether the state is one of a lost history
			after = 0
		case err != nil:
			return changes, err
		}
	}

	args := []any{after, current.search, maxChanges + 1}
	err = database.QueryEach(ctx, tx, changedPopularitySQL, args, func(rows database.Rows) error {
		var key, quantity int64
		err := rows.Scan(&key, &quantity)
		changes.list = append(changes.list, productPopularity{key, popularityOf(quantity)})
		return err
	})
	if len(changes.list) > maxChanges {
		return changes, errTooManyChanges
	}
	return changes, err
}
