package catalog

import (
	"context"
	"maps"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

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
