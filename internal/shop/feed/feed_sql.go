package feed

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

const listFeedsSQL = `
SELECT name, definition, key_sealed, version, created_at, updated_at
FROM feeds
WHERE store_id = $1`

const selectFeedSQL = listFeedsSQL + `
  AND name = $2`

const countFeedsSQL = `
SELECT COUNT(*)
FROM feeds
WHERE store_id = $1`

const lockFeedsSQL = `
SELECT id
FROM stores
WHERE id = $1`

const insertFeedSQL = `
INSERT INTO feeds (store_id, name, definition, key_hash, key_sealed, version, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`

const updateFeedSQL = `
UPDATE feeds
SET definition = $3, key_hash = $4, key_sealed = $5, version = $6, updated_at = $7
WHERE store_id = $1
  AND name = $2`

const deleteFeedSQL = `
DELETE FROM feeds
WHERE store_id = $1
  AND name = $2`

const selectKeySQL = `
SELECT f.name, ` + store.Columns + `, ` + store.VersionColumns + `
FROM feeds AS f
JOIN stores AS s ON s.id = f.store_id` + store.VersionJoins + `
WHERE f.key_hash = $1`

// keyRow is a feed key with its store.
type keyRow struct {
	name     string
	store    store.Row
	versions store.Versions
}

func selectKey(ctx context.Context, q database.Querier, hash access.TokenHash) (row keyRow, err error) {
	err = database.QueryRow(ctx, q, selectKeySQL, []any{hash[:]},
		slices.Concat([]any{&row.name}, row.store.Dest(), row.versions.Dest())...)
	return row, err
}

// lockFeeds locks out others who create and change feeds of the store until the commit, and counts its feeds.
func lockFeeds(ctx context.Context, tx store.Tx) (n int64, err error) {
	var storeID store.ID
	if err := database.QueryRow(ctx, tx, lockFeedsSQL+tx.Dialect().ForUpdate, nil, &storeID); err != nil {
		return 0, err
	}
	err = database.QueryRow(ctx, tx, countFeedsSQL, nil, &n)
	return n, err
}

func (s *Service) scanFeed(rows database.Rows) (f Feed, err error) {
	var definition string
	var sealed []byte
	err = rows.Scan(&f.Name, &definition, &sealed, &f.Version, database.Time(&f.CreatedAt),
		database.Time(&f.UpdatedAt))
	if err != nil {
		return Feed{}, err
	}

	if err := json.Unmarshal([]byte(definition), &f.Definition); err != nil {
		return Feed{}, fmt.Errorf("read the definition of feed %s: %w", f.Name, err)
	}
	token, err := s.Vault.Open(tokenPurpose, sealed)
	if err != nil {
		return Feed{}, fmt.Errorf("decrypt the key of feed %s: %w", f.Name, err)
	}
	f.Token = string(token)
	return f, nil
}

func (s *Service) selectFeeds(ctx context.Context, tx store.Tx, limit, offset int64) ([]Feed, int64, error) {
	list := store.ListSQL{Select: listFeedsSQL, Count: countFeedsSQL, OrderBy: "name"}
	return store.SelectPage(ctx, tx, list, store.NewConditions(), limit, offset, s.scanFeed)
}

// selectFeed returns a feed, or fault.NotFound. lock is a locking clause of the dialect, or "".
func (s *Service) selectFeed(ctx context.Context, tx store.Tx, name, lock string) (Feed, error) {
	return store.SelectOne(ctx, tx, selectFeedSQL+lock, []any{name}, "feed", s.scanFeed)
}

// stored returns the columns of the definition and of the key.
func (s *Service) stored(f *Feed) (definition string, hash, sealed []byte, err error) {
	text, err := json.Marshal(&f.Definition, json.Deterministic(true))
	sum := access.HashToken(f.Token)
	return string(text), sum[:], s.Vault.Seal(tokenPurpose, []byte(f.Token)), err
}

func (s *Service) insertFeed(ctx context.Context, tx store.Tx, f *Feed) error {
	definition, hash, sealed, err := s.stored(f)
	if err != nil {
		return err
	}
	return database.Exec(ctx, tx, insertFeedSQL, f.Name, definition, hash, sealed, f.Version, f.CreatedAt.UnixMicro(),
		f.UpdatedAt.UnixMicro())
}

func (s *Service) updateFeed(ctx context.Context, tx store.Tx, f *Feed) error {
	definition, hash, sealed, err := s.stored(f)
	if err != nil {
		return err
	}
	return database.Exec(ctx, tx, updateFeedSQL, f.Name, definition, hash, sealed, f.Version, f.UpdatedAt.UnixMicro())
}

func deleteFeed(ctx context.Context, tx store.Tx, name string) error {
	return database.Exec(ctx, tx, deleteFeedSQL, name)
}
