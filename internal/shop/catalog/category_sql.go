package catalog

import (
	"context"
	"encoding/binary"
	"maps"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

// NoPositionSQL is the position of a category or a value without a place; it is the default in the schema.
const NoPositionSQL = `1000000000`

const listCategoriesSQL = `
SELECT c.key, c.id, c.external_id, c.name, c.slug, c.seo, c.parent_key, c.position, c.version, c.created_at,
	c.updated_at, c.description,
	(SELECT p.id FROM categories p WHERE p.store_id = $1 AND p.key = c.parent_key)
FROM categories c
WHERE c.store_id = $1
  AND c.deleted_at IS NULL`

const selectCategorySQL = listCategoriesSQL + `
  AND c.id = $2`

const countCategoriesSQL = `
SELECT COUNT(*)
FROM categories
WHERE store_id = $1
  AND deleted_at IS NULL`

const insertCategorySQL = `
INSERT INTO categories (store_id, id, external_id, name, words, parent_key, version, created_at, updated_at, slug, seo,
	description)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
RETURNING key`

const updateCategorySQL = `
UPDATE categories
SET external_id = $3, name = $4, words = $5, parent_key = $6, version = $7, updated_at = $8, position = $9,
	slug = $10, seo = $11, description = $12, pushed = NULL
WHERE store_id = $1
  AND key = $2`

const deleteCategorySQL = `
DELETE FROM categories
WHERE store_id = $1
  AND key = $2`

// LockByID appends a lock clause. Rows are locked in key order, so that transactions cannot deadlock.
const categoryKeysSQL = `
WITH r(id) AS (ROWS)
SELECT c.key, c.id
FROM r
CROSS JOIN categories c
WHERE c.key = (SELECT x.key FROM categories x WHERE x.store_id = $1 AND x.id = r.id)
  AND c.deleted_at IS NULL
ORDER BY c.key`

// countAncestorsSQL walks from category $2 up to the root, looking up each row by its key, and counts category $3.
const countAncestorsSQL = `
WITH RECURSIVE up(key) AS (
	SELECT CAST($2 AS BIGINT)
	UNION
	SELECT (SELECT c.parent_key FROM categories c WHERE c.store_id = $1 AND c.key = up.key)
	FROM up
	WHERE up.key IS NOT NULL)
SELECT COUNT(*)
FROM up
WHERE key = $3`

const reparentChildrenSQL = `
UPDATE categories
SET version = version + 1, position = ` + NoPositionSQL +
	`, parent_key = (SELECT p.parent_key FROM categories p WHERE p.store_id = $1 AND p.key = $2), pushed = NULL
WHERE store_id = $1
  AND parent_key = $2`

const productsOfCategorySQL = `
SELECT product_key
FROM product_categories
WHERE store_id = $1
  AND category_key = $2
  AND product_key > $3
ORDER BY product_key
LIMIT $4`

const deleteProductCategoriesSQL = `
DELETE FROM product_categories
WHERE store_id = $1
  AND category_key = $2`

const lockDeletionsSQL = `
SELECT pg_advisory_xact_lock($1)`

func scanCategory(rows database.Rows) (Category, error) {
	var c Category
	err := rows.Scan(&c.Key, &c.ID, &c.ExternalID, &c.Name, &c.Slug, &c.SEO, &c.parentKey, &c.position, &c.Version,
		database.Time(&c.CreatedAt), database.Time(&c.UpdatedAt), &c.Description, &c.ParentID)
	return c, err
}

// selectCategory reads a category, or returns fault.NotFound.
func selectCategory(ctx context.Context, tx store.Tx, categoryID CategoryID, lock string) (Category, error) {
	return store.SelectOne(ctx, tx, selectCategorySQL+lock, []any{categoryID}, "category", scanCategory)
}

// List returns one page of a store's categories, siblings in their order, and the total number that match the filter.
// It returns fault.Invalid if the store does not have the parent that the filter names.
func (s *Categories) List(
	ctx context.Context, tx store.Tx, f CategoryFilter, limit, offset int64,
) (_ []Category, _ int64, err error) {
	defer fault.AddContext(&err, "list categories")

	c := store.NewConditions()
	c.AndSearch("words", f.Search)
	if f.Roots {
		c.And("parent_key IS NULL")
	}

	if f.ParentID != nil {
		parent, err := selectCategory(ctx, tx, *f.ParentID, "")
		if fault.KindOf(err) == fault.NotFound {
			err = fault.OneField("parent_id", "unknown_category", "There is no category with this id in this store.")
		}
		if err != nil {
			return nil, 0, err
		}
		c.And("parent_key = $n", parent.Key)
	}

	list := store.ListSQL{Select: listCategoriesSQL, Count: countCategoriesSQL, OrderBy: "position, key"}
	found, total, err := store.SelectPage(ctx, tx, list, c, limit, offset, scanCategory)
	if err != nil {
		return nil, 0, err
	}
	return found, total, fillCategoryImages(ctx, tx, found)
}

func insertCategory(ctx context.Context, tx store.Tx, c *Category) error {
	at := c.CreatedAt.UnixMicro()
	err := database.QueryRow(ctx, tx, insertCategorySQL, []any{
		c.ID, c.ExternalID, c.Name, locale.SearchText(c.Name), c.parentKey, c.Version, at, at,
		c.Slug.OrNull(), c.SEO.OrNull(), c.Description,
	}, &c.Key)
	return store.ExternalIDFault(err, "categories", "category")
}

func updateCategory(ctx context.Context, tx store.Tx, c *Category) error {
	err := database.Exec(ctx, tx, updateCategorySQL, c.Key, c.ExternalID, c.Name, locale.SearchText(c.Name),
		c.parentKey,
		c.Version, c.UpdatedAt.UnixMicro(), c.position, c.Slug.OrNull(), c.SEO.OrNull(),
		c.Description)
	return store.ExternalIDFault(err, "categories", "category")
}

// isSelfOrDescendant reports whether the category with this key is the one with ancestorKey or one of its descendants.
func isSelfOrDescendant(ctx context.Context, tx store.Tx, key, ancestorKey int64) (bool, error) {
	var n int64
	err := database.QueryRow(ctx, tx, countAncestorsSQL, []any{key, ancestorKey}, &n)
	return n > 0, err
}

// lockCategoryDeletions serializes the deletions of categories within a store. Otherwise the concurrent deletions of a
// parent and its child would deadlock, since each locks a row that the other needs. SQLite has a single writer and
// needs no lock.
func lockCategoryDeletions(ctx context.Context, tx store.Tx) error {
	if tx.Dialect().Engine != database.Postgres {
		return nil
	}
	b := tx.StoreID().Bytes()
	return database.Exec(ctx, tx.Unscoped(), lockDeletionsSQL, int64(binary.BigEndian.Uint64(b[8:])))
}

// lockCategories fills in the keys of those categories that the store has, and locks them against deletion.
func lockCategories(ctx context.Context, tx store.Tx, keys map[CategoryID]int64) error {
	return write.LockByID(ctx, tx, categoryKeysSQL, keys)
}

// removeCategoryFromProducts removes a category from its products and increases their versions. If it has more than
// limit products, it changes nothing and returns false.
func removeCategoryFromProducts(ctx context.Context, tx store.Tx, categoryKey int64, limit int) (bool, error) {
	var productKeys []int64
	err := database.QueryEach(ctx, tx, productsOfCategorySQL, []any{categoryKey, int64(0), limit + 1},
		database.AppendColumn(&productKeys))
	if err != nil || len(productKeys) > limit {
		return false, err
	}
	if err := touchProducts(ctx, tx, productKeys); err != nil {
		return false, err
	}
	if err := write.TouchShownProducts(ctx, tx, productKeys); err != nil {
		return false, err
	}
	return true, database.Exec(ctx, tx, deleteProductCategoriesSQL, categoryKey)
}

// deleteCategory deletes a category and moves its children to its parent.
func deleteCategory(ctx context.Context, tx store.Tx, categoryKey int64) error {
	return write.ExecEach(ctx, tx, []string{reparentChildrenSQL, deleteCategorySQL}, categoryKey)
}

// The statement reads the pictures of categories. The second condition matches that of a partial index; see
// docs/planner.md.
const categoryImagesSQL = `
WITH r(key) AS (ROWS)
SELECT i.category_key, i.id, i.format, i.opaque, i.width, i.height, i.alt, i.color
FROM r
CROSS JOIN LOOKUP (images i WHERE i.store_id = $1 AND i.category_key = r.key AND i.category_key > 0)
ORDER BY i.category_key, i.key`

const allCategoryImagesSQL = `
SELECT i.category_key, i.id, i.format, i.opaque, i.width, i.height, i.alt, i.color
FROM images i
WHERE i.store_id = $1
  AND i.category_key > 0
ORDER BY i.category_key, i.key`

const imagesOfCategoryIDsSQL = `
WITH r(id) AS (ROWS), c(key) AS (
	SELECT x.key
	FROM r
	CROSS JOIN LOOKUP (categories x WHERE x.store_id = $1 AND x.id = r.id))
SELECT i.id
FROM c
CROSS JOIN LOOKUP (images i WHERE i.store_id = $1 AND i.category_key = c.key AND i.category_key > 0)
ORDER BY i.key`

const imageKeysOfCategorySQL = `
SELECT key
FROM images
WHERE store_id = $1
  AND category_key = $2
  AND category_key > 0
ORDER BY key`

const categoriesOfImagesSQL = `
WITH r(key) AS (ROWS), f(key) AS (
	SELECT DISTINCT i.category_key
	FROM r
	CROSS JOIN LOOKUP (images i WHERE i.store_id = $1 AND i.key = r.key)
	WHERE i.category_key > 0)
SELECT c.id
FROM f
CROSS JOIN LOOKUP (categories c WHERE c.store_id = $1 AND c.key = f.key)
ORDER BY c.key`

const detachCategoryImageSQL = `
UPDATE images
SET category_key = 0, version = version + 1, updated_at = CASE WHEN updated_at < $4 THEN $4 ELSE updated_at + 1 END
WHERE store_id = $1
  AND category_key = $2
  AND category_key > 0
  AND key <> $3`

const attachCategoryImageSQL = `
UPDATE images
SET category_key = $2, version = version + 1, updated_at = CASE WHEN updated_at < $4 THEN $4 ELSE updated_at + 1 END
WHERE store_id = $1
  AND key = $3
  AND category_key <> $2`

const raiseVersionsOfCategoriesSQL = `
WITH r(key) AS (ROWS)
UPDATE categories
SET version = categories.version + 1
FROM r
WHERE categories.store_id = $1
  AND categories.key = r.key`

// fillCategoryImages reads the pictures of categories, as products show images.
func fillCategoryImages(ctx context.Context, tx store.Tx, categories []Category) error {
	at := make(map[int64]*Category, len(categories))
	batch := database.NewBatch(database.BigInt)
	for i := range categories {
		categories[i].Image = nil
		at[categories[i].Key] = &categories[i]
		batch.Add(categories[i].Key)
	}
	return tx.QueryRows(ctx, categoryImagesSQL, batch, func(rows database.Rows) error {
		key, im, err := ScanProductImage(rows)
		if err == nil {
			im.CategoryID = &at[key].ID
			at[key].Image = &im
		}
		return err
	})
}

// CategoryImages returns the pictures of all categories of the store, by the row keys of these.
func CategoryImages(ctx context.Context, tx store.Tx) (map[int64]Image, error) {
	found := map[int64]Image{}
	return found, database.QueryEach(ctx, tx, allCategoryImagesSQL, nil, func(rows database.Rows) error {
		key, im, err := ScanProductImage(rows)
		found[key] = im
		return err
	})
}

// imagesOfCategoryIDs returns the ids of the pictures of categories.
func imagesOfCategoryIDs(ctx context.Context, tx store.Tx, ids []CategoryID) (images []ImageID, err error) {
	err = tx.QueryRows(ctx, imagesOfCategoryIDsSQL, database.BatchOf(database.UUID, ids),
		database.AppendColumn(&images))
	return images, err
}

func imageKeysOfCategory(ctx context.Context, tx store.Tx, categoryKey int64) (keys []int64, err error) {
	err = database.QueryEach(ctx, tx, imageKeysOfCategorySQL, []any{categoryKey}, database.AppendColumn(&keys))
	return keys, err
}

// categoriesOfImages returns the ids of the categories whose pictures the images are.
func categoriesOfImages(ctx context.Context, tx store.Tx, imageKeys []int64) (ids []CategoryID, err error) {
	err = write.QueryByKey(ctx, tx, categoriesOfImagesSQL, imageKeys, database.AppendColumn(&ids))
	return ids, err
}

// placeCategoryImage makes an image the only one of a category; a key of 0 leaves it none. The images get a higher
// version and a new update time, which is the parameter at, in microseconds.
func placeCategoryImage(ctx context.Context, tx store.Tx, categoryKey, imageKey, at int64) error {
	return write.ExecEach(ctx, tx, []string{detachCategoryImageSQL, attachCategoryImageSQL}, categoryKey, imageKey, at)
}

func raiseVersionsOfCategories(ctx context.Context, tx store.Tx, keys map[CategoryID]int64) error {
	return write.ExecByKey(ctx, tx, raiseVersionsOfCategoriesSQL, slices.Sorted(maps.Values(keys)))
}
