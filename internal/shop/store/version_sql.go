package store

import (
	"context"
	"math/rand/v2"
	"strings"

	"vitrine/internal/kit/database"
)

// Part is a part of a store's catalogue whose versions have stamps.
type Part string

// The parts. SearchPart is what only the order and the meaning of searches depend on: the popularity of products, and
// the synonyms and pins of the store.
const (
	CategoriesPart Part = "categories"
	AttributesPart Part = "attributes"
	SearchPart     Part = "search"
)

// keptStamps is the number of versions of a part whose stamps are kept. A reader that is further behind reloads
// everything.
const keptStamps = 1000

const raiseCategoriesVersionSQL = `
INSERT INTO catalog_versions (store_id, version, categories, floor, mark)
VALUES ($1, 0, 1, 0, MARK)
ON CONFLICT (store_id) DO UPDATE
SET categories = catalog_versions.categories + 1, mark = EXCLUDED.mark
RETURNING categories`

const raiseSearchVersionSQL = `
INSERT INTO catalog_versions (store_id, version, categories, floor, search, search_rules, mark)
VALUES ($1, 0, 0, 0, 1, 1, MARK)
ON CONFLICT (store_id) DO UPDATE
SET search = catalog_versions.search + 1, search_rules = catalog_versions.search + 1, mark = EXCLUDED.mark
RETURNING search`

const raisePopularityVersionSQL = `
INSERT INTO catalog_versions (store_id, version, categories, floor, search, mark)
VALUES ($1, 0, 0, 0, 1, MARK)
ON CONFLICT (store_id) DO UPDATE
SET search = catalog_versions.search + 1, mark = EXCLUDED.mark
RETURNING search`

const insertStampSQL = `
INSERT INTO version_stamps (store_id, part, version, stamp)
VALUES ($1, $2, $3, $4)`

const deleteStampsSQL = `
DELETE FROM version_stamps
WHERE store_id = $1
  AND part = $2
  AND version <= $3`

const stampSQL = `
SELECT stamp
FROM version_stamps
WHERE store_id = $1
  AND part = $2
  AND version = $3`

// WithMark puts the mark of the transaction, MarkSQL, in the place of MARK in a statement that raises a version.
func WithMark(sql string, tx Tx) string {
	return strings.Replace(sql, "MARK", MarkSQL(tx.Dialect()), 1)
}

// RaiseVersion increases the version of a part with a statement for WithMark that returns the new version, and gives
// the version a random stamp.
func RaiseVersion(ctx context.Context, tx Tx, sql string, part Part) (version int64, err error) {
	if err := database.QueryRow(ctx, tx, WithMark(sql, tx), nil, &version); err != nil {
		return 0, err
	}
	if err := database.Exec(ctx, tx, insertStampSQL, string(part), version, rand.Int64()); err != nil {
		return 0, err
	}
	return version, database.Exec(ctx, tx, deleteStampsSQL, string(part), version-keptStamps)
}

// RaiseCategoriesVersion increases the version of the category tree. It locks the store's row of catalog_versions until
// the commit.
func RaiseCategoriesVersion(ctx context.Context, tx Tx) error {
	_, err := RaiseVersion(ctx, tx, raiseCategoriesVersionSQL, CategoriesPart)
	return err
}

// RaiseSearchVersion increases the version of what only searches depend on, and returns it. It locks the store's row of
// catalog_versions until the commit, so a transaction calls it after all its other locks.
func RaiseSearchVersion(ctx context.Context, tx Tx) (version int64, err error) {
	return RaiseVersion(ctx, tx, raiseSearchVersionSQL, SearchPart)
}

// RaisePopularityVersion is RaiseSearchVersion for a change of the popularity of products alone. Such changes are
// frequent, so readers do not read the rest again.
func RaisePopularityVersion(ctx context.Context, tx Tx) (version int64, err error) {
	return RaiseVersion(ctx, tx, raisePopularityVersionSQL, SearchPart)
}

// FindStamp returns the stamp of a version of a part, or database.ErrNoRows if it is not recorded.
func FindStamp(ctx context.Context, tx Tx, part Part, version int64) (stamp int64, err error) {
	err = database.QueryRow(ctx, tx, stampSQL, []any{string(part), version}, &stamp)
	return stamp, err
}
