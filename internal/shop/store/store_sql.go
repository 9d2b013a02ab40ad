package store

import (
	"context"
	"errors"
	"strings"

	"vitrine/internal/kit/database"
)

// Columns lists the columns of a store for a query with `stores AS s`. Scan them into a Row.
const Columns = `s.id, s.name, s.timezone, s.locale, s.currency, s.site_url, s.cors_origins, s.public_remainders, ` +
	`s.old_price_list_id, s.address, s.product_path, s.category_path, s.version, s.created_at, s.updated_at`

// VersionColumns lists the columns of a store's Versions for a query with `stores AS s` and VersionJoins. Scan them
// into Versions.Dest.
const VersionColumns = `COALESCE(cv.version, 0), COALESCE(cv.categories, 0), COALESCE(cv.floor, 0),
	COALESCE(cv.search, 0), COALESCE(cv.search_rules, 0), COALESCE(av.version, 0),
	COALESCE((SELECT l.changed_at FROM product_changes l WHERE l.store_id = s.id AND l.version = cv.version
		ORDER BY l.product_key LIMIT 1), 0),
	COALESCE((SELECT t.stamp FROM version_stamps t WHERE t.store_id = s.id AND t.part = 'categories'
		AND t.version = cv.categories), 0),
	COALESCE((SELECT t.stamp FROM version_stamps t WHERE t.store_id = s.id AND t.part = 'attributes'
		AND t.version = av.version), 0),
	COALESCE((SELECT t.stamp FROM version_stamps t WHERE t.store_id = s.id AND t.part = 'search'
		AND t.version = cv.search), 0),
	COALESCE((SELECT r.stamp FROM redirect_versions r WHERE r.store_id = s.id), 0)`

// VersionJoins joins the tables of VersionColumns.
const VersionJoins = `
LEFT JOIN catalog_versions AS cv ON cv.store_id = s.id
LEFT JOIN attribute_versions AS av ON av.store_id = s.id`

const selectVersionsSQL = `
SELECT ` + VersionColumns + `
FROM stores AS s` + VersionJoins + `
WHERE s.id = $1`

const selectStoreSQL = `
SELECT ` + Columns + `
FROM stores AS s
WHERE s.id = $1`

const selectStoresSQL = `
SELECT ` + Columns + `
FROM stores AS s
ORDER BY s.created_at, s.id`

const countStoresSQL = `
SELECT COUNT(*)
FROM stores`

const insertStoreSQL = `
INSERT INTO stores (id, name, timezone, locale, currency, site_url, cors_origins, public_remainders, product_path,
	category_path, version, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`

const updateStoreSQL = `
UPDATE stores
SET name = $2, timezone = $3, locale = $4, currency = $5, site_url = $6, cors_origins = $7, public_remainders = $8,
	version = $9, updated_at = $10, old_price_list_id = $11, product_path = $12, category_path = $13, address = $14
WHERE id = $1`

const listCurrencySQL = `
SELECT currency
FROM price_lists
WHERE store_id = $1
  AND id = $2
  AND deleted_at IS NULL`

const groupsHaveListsSQL = `
SELECT EXISTS (SELECT 1 FROM customer_group_lists x WHERE x.store_id = $1)`

// Versions are the versions of the parts of a store's catalogue. A transaction that changes a part increases its
// version.
type Versions struct {
	Products, Categories, Attributes int64
	// Search is the version of what only the order and the meaning of searches depend on: see SearchPart.
	Search int64
	// SearchRules is the version of the search that last changed more than the popularity of products.
	SearchRules int64
	// PrunedUpTo is the version of the products up to which the change log is deleted.
	PrunedUpTo int64
	// ChangedAt is the time of the change that made the version of the products, in microseconds, or 0 if it is not
	// recorded. A database that was restored from a backup may get to the same version by another change.
	ChangedAt int64
	// These are random numbers that tell the versions of categories, attributes and the search apart from those that
	// the database had before it was restored, or 0 if they are not recorded.
	CategoriesStamp, AttributesStamp, SearchStamp int64
	// RedirectsStamp is a random number that each change of the store's own redirects replaces, or 0. Only what paths
	// lead to depends on it.
	RedirectsStamp int64
}

// Dest returns the arguments of Scan, in the order of VersionColumns.
func (v *Versions) Dest() []any {
	return []any{&v.Products, &v.Categories, &v.PrunedUpTo, &v.Search, &v.SearchRules, &v.Attributes, &v.ChangedAt,
		&v.CategoriesStamp, &v.AttributesStamp, &v.SearchStamp, &v.RedirectsStamp}
}

// SameCatalog reports whether v and other are of the same catalogue: the same versions, made by the same changes.
func (v Versions) SameCatalog(other Versions) bool {
	v.PrunedUpTo = other.PrunedUpTo
	return v == other
}

// FindVersions returns the versions of the store's catalogue, or database.ErrNoRows if there is no such store.
func FindVersions(ctx context.Context, tx Tx) (v Versions, err error) {
	err = database.QueryRow(ctx, tx, selectVersionsSQL, nil, v.Dest()...)
	return v, err
}

// Row is the scan destination of Columns. It lets another package read a store in its own query. Service.FromRow
// converts it to a Store.
type Row struct {
	fields  Store
	origins string
}

// Dest returns the arguments of Scan, in the order of Columns.
func (r *Row) Dest() []any {
	f := &r.fields
	return []any{&f.ID, &f.Name, &f.Timezone, &f.Locale, &f.Currency, &f.SiteURL, &r.origins, &f.PublicRemainders,
		&f.OldPriceList, &f.Address, (*string)(&f.Paths.Product), (*string)(&f.Paths.Category), &f.Version,
		database.Time(&f.CreatedAt), database.Time(&f.UpdatedAt)}
}

func (r *Row) store() Store {
	r.fields.CORSOrigins = splitOrigins(r.origins)
	return r.fields
}

// joinOrigins encodes origins one per line, because they contain no line breaks. They are decoded in every request, so
// the encoding is simple.
func joinOrigins(origins []string) string { return strings.Join(origins, "\n") }

func splitOrigins(text string) []string {
	if text == "" {
		return []string{}
	}
	return strings.Split(text, "\n")
}

func scanStore(rows database.Rows) (Store, error) {
	var row Row
	err := rows.Scan(row.Dest()...)
	return row.store(), err
}

// selectStore returns a store or database.ErrNoRows. lock is a locking clause of the dialect, or empty.
func selectStore(ctx context.Context, tx Tx, lock string) (Store, error) {
	return database.QueryOne(ctx, tx, selectStoreSQL+lock, nil, scanStore)
}

func selectStores(ctx context.Context, q database.Querier) (list []Store, err error) {
	err = database.QueryEach(ctx, q, selectStoresSQL, nil, database.AppendScanned(&list, scanStore))
	return list, err
}

func countStores(ctx context.Context, q database.Querier) (n int64, err error) {
	err = database.QueryRow(ctx, q, countStoresSQL, nil, &n)
	return n, err
}

func insertStore(ctx context.Context, tx Tx, s Store) error {
	return database.Exec(ctx, tx, insertStoreSQL, s.Name, s.Timezone, s.Locale, s.Currency, s.SiteURL,
		joinOrigins(s.CORSOrigins), s.PublicRemainders, string(s.Paths.Product), string(s.Paths.Category), s.Version,
		s.CreatedAt.UnixMicro(), s.UpdatedAt.UnixMicro())
}

func updateStore(ctx context.Context, tx Tx, s Store) error {
	return database.Exec(ctx, tx, updateStoreSQL, s.Name, s.Timezone, s.Locale, s.Currency, s.SiteURL,
		joinOrigins(s.CORSOrigins), s.PublicRemainders, s.Version, s.UpdatedAt.UnixMicro(), s.OldPriceList,
		string(s.Paths.Product), string(s.Paths.Category), s.Address)
}

// listCurrency returns the currency of a price list, or "" if the store has no such list.
func listCurrency(ctx context.Context, tx Tx, listID PriceListID) (currency string, err error) {
	err = database.QueryRow(ctx, tx, listCurrencySQL, []any{listID}, &currency)
	if errors.Is(err, database.ErrNoRows) {
		return "", nil
	}
	return currency, err
}

// groupsHaveLists reports whether a customer group of the store has a price list.
func groupsHaveLists(ctx context.Context, tx Tx) (used bool, err error) {
	err = database.QueryRow(ctx, tx, groupsHaveListsSQL, nil, &used)
	return used, err
}
