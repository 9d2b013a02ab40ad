package searchrule

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

const selectRulesSQL = `
SELECT synonyms, synonyms_version, pins_version
FROM search_rules
WHERE store_id = $1`

const insertRulesSQL = `
INSERT INTO search_rules (store_id, synonyms, synonyms_version, pins_version)
VALUES ($1, '{}', 1, 1)
ON CONFLICT (store_id) DO NOTHING`

const updateSynonymsSQL = `
UPDATE search_rules
SET synonyms = $2, synonyms_version = synonyms_version + 1
WHERE store_id = $1`

const raisePinsVersionSQL = `
UPDATE search_rules
SET pins_version = pins_version + 1
WHERE store_id = $1`

const selectPinsSQL = `
SELECT x.query_order, x.query, p.key, p.id, p.name
FROM search_pins x
CROSS JOIN LOOKUP (products p WHERE p.store_id = $1 AND p.key = x.product_key)
WHERE x.store_id = $1
ORDER BY x.query_order, x.product_order`

const loadPinsSQL = `
SELECT query_order, query, product_key
FROM search_pins
WHERE store_id = $1
ORDER BY query_order, product_order`

const clearPinsSQL = `
DELETE FROM search_pins
WHERE store_id = $1`

const insertPinsSQL = `
WITH r(query_order, product_order, query, product_key) AS (ROWS)
INSERT INTO search_pins (store_id, query_order, product_order, query, product_key)
SELECT $1, query_order, product_order, query, product_key
FROM r`

const pinnedProductsSQL = `
WITH r(id) AS (ROWS)
SELECT p.key, p.id, p.name
FROM r
CROSS JOIN LOOKUP (products p WHERE p.store_id = $1 AND p.id = r.id)`

// ruleRow is the row of a store in search_rules.
type ruleRow struct {
	synonyms                     Synonyms
	synonymsVersion, pinsVersion int64
}

// selectRules returns the row of the store, or that of a store without rules. lock is a locking clause of the dialect,
// or "".
func selectRules(ctx context.Context, tx store.Tx, lock string) (ruleRow, error) {
	row := ruleRow{synonymsVersion: 1, pinsVersion: 1}
	text := "{}"
	err := database.QueryRow(ctx, tx, selectRulesSQL+lock, nil, &text, &row.synonymsVersion, &row.pinsVersion)
	if err != nil && !errors.Is(err, database.ErrNoRows) {
		return ruleRow{}, err
	}

	if err := json.Unmarshal([]byte(text), &row.synonyms); err != nil {
		return ruleRow{}, err
	}
	if row.synonyms.Groups == nil {
		row.synonyms.Groups = [][]string{}
	}
	if row.synonyms.OneWay == nil {
		row.synonyms.OneWay = []OneWay{}
	}
	return row, nil
}

// lockRules creates the row of the store if there is none, locks it until the transaction ends, and returns it.
func lockRules(ctx context.Context, tx store.Tx) (ruleRow, error) {
	if err := database.Exec(ctx, tx, insertRulesSQL); err != nil {
		return ruleRow{}, err
	}
	return selectRules(ctx, tx, tx.Dialect().ForUpdate)
}

// updateSynonyms stores synonyms and raises their version.
func updateSynonyms(ctx context.Context, tx store.Tx, s Synonyms) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return database.Exec(ctx, tx, updateSynonymsSQL, string(text))
}

// selectPins returns the pins in their order, with the names of the products.
func selectPins(ctx context.Context, tx store.Tx) ([]Pin, error) {
	pins := []Pin{}
	last := int64(-1)
	err := database.QueryEach(ctx, tx, selectPinsSQL, nil, func(rows database.Rows) error {
		var at int64
		var query string
		var p PinnedProduct
		err := rows.Scan(&at, &query, &p.Key, &p.ID, &p.Name)

		if at != last {
			pins = append(pins, Pin{Query: query})
			last = at
		}
		pin := &pins[len(pins)-1]
		pin.Products = append(pin.Products, p)
		return err
	})
	return pins, err
}

// selectPinnedKeys calls add for each product of the pins, in their order.
func selectPinnedKeys(ctx context.Context, tx store.Tx, add func(query string, productKey int64)) error {
	return database.QueryEach(ctx, tx, loadPinsSQL, nil, func(rows database.Rows) error {
		var at, productKey int64
		var query string
		err := rows.Scan(&at, &query, &productKey)
		if err == nil {
			add(query, productKey)
		}
		return err
	})
}

// selectPinned returns the products of pins that the store has. lock is a locking clause of the dialect, or "".
func selectPinned(
	ctx context.Context, tx store.Tx, pins []PinEdit, lock string,
) (map[catalog.ProductID]PinnedProduct, error) {
	known := map[catalog.ProductID]PinnedProduct{}
	batch := database.NewBatch(database.UUID)
	for _, p := range pins {
		for _, productID := range p.Products {
			if _, added := known[productID]; !added {
				known[productID] = PinnedProduct{}
				batch.Add(productID)
			}
		}
	}

	clear(known)
	return known, tx.QueryRows(ctx, pinnedProductsSQL+lock, batch, func(rows database.Rows) error {
		var p PinnedProduct
		err := rows.Scan(&p.Key, &p.ID, &p.Name)
		known[p.ID] = p
		return err
	})
}

// replacePins stores pins in the place of all others and raises their version.
func replacePins(ctx context.Context, tx store.Tx, pins []Pin) error {
	if err := database.Exec(ctx, tx, clearPinsSQL); err != nil {
		return err
	}

	batch := database.NewBatch(database.BigInt, database.BigInt, database.Text, database.BigInt)
	for i, pin := range pins {
		for n, p := range pin.Products {
			batch.Add(int64(i), int64(n), pin.Query, p.Key)
		}
	}
	if err := database.ExecRows(ctx, tx, insertPinsSQL, batch); err != nil {
		return err
	}

	return database.Exec(ctx, tx, raisePinsVersionSQL)
}
