package catalog

import (
	"context"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
)

const listImagesSQL = `
SELECT i.key, i.id, i.external_id, (SELECT p.id FROM products p WHERE p.store_id = $1 AND p.key = i.product_key),
	i.format, i.opaque, i.width, i.height, i.version, i.created_at, i.updated_at
FROM images i
WHERE i.store_id = $1`

const countImagesSQL = `
SELECT COUNT(*)
FROM images
WHERE store_id = $1`

// Few products are archived, so those that are not shown are counted.
const countShownImagesSQL = `
SELECT (SELECT COUNT(*) FROM images WHERE store_id = $1) - COUNT(*)
FROM products p
CROSS JOIN images i
WHERE p.store_id = $1
  AND p.archived_at IS NOT NULL
  AND i.store_id = $1
  AND i.product_key = p.key`

// notOfArchivedSQL leaves out the images of archived products.
const notOfArchivedSQL = `
  AND NOT EXISTS (SELECT 1 FROM products p WHERE p.store_id = $1 AND p.key = i.product_key AND p.archived_at IS NOT NULL)`

const selectImageSQL = listImagesSQL + `
  AND i.id = $2`

const insertImageSQL = `
INSERT INTO images (store_id, id, external_id, position, format, opaque, width, height, size, digest, version, created_at, updated_at)
VALUES ($1, $2, $3, 0, $4, $5, $6, $7, $8, $9, $10, $11, $11)
RETURNING key`

const updateImageSQL = `
UPDATE images
SET external_id = $3, version = $4, updated_at = $5
WHERE store_id = $1
  AND key = $2`

const deleteImageSQL = `
DELETE FROM images
WHERE store_id = $1
  AND key = $2`

func scanImage(rows database.Rows) (Image, error) {
	var im Image
	var created, updated int64
	err := rows.Scan(&im.Key, &im.ID, &im.ExternalID, &im.ProductID, &im.Format, &im.Opaque, &im.Width, &im.Height, &im.Version, &created, &updated)
	im.CreatedAt, im.UpdatedAt = time.UnixMicro(created), time.UnixMicro(updated)
	return im, err
}

func listImages(ctx context.Context, q database.Querier, storeID store.ID, archived bool, limit, offset int64) ([]Image, int64, error) {
	list, count := listImagesSQL, countImagesSQL
	if !archived {
		list, count = listImagesSQL+notOfArchivedSQL, countShownImagesSQL
	}
	return listPage(ctx, q, list, count, []any{storeID}, limit, offset, scanImage)
}

// selectImage reads an image, or returns fault.NotFound.
func selectImage(ctx context.Context, q database.Querier, storeID store.ID, imageID ImageID, lock rowLock) (Image, error) {
	return selectOne(ctx, q, selectImageSQL+lock.clause(q), []any{storeID, imageID}, "image", scanImage)
}

// selectShownImage is selectImage, and does not find those of archived products.
func selectShownImage(ctx context.Context, q database.Querier, storeID store.ID, imageID ImageID) (Image, error) {
	return selectOne(ctx, q, selectImageSQL+notOfArchivedSQL, []any{storeID, imageID}, "image", scanImage)
}

func deleteImage(ctx context.Context, q database.Querier, storeID store.ID, imageKey int64) error {
	_, err := q.Exec(ctx, deleteImageSQL, storeID, imageKey)
	return err
}

func insertImage(ctx context.Context, q database.Querier, storeID store.ID, im *Image, u imagefile.Upload) error {
	err := database.QueryRow(ctx, q, insertImageSQL, []any{
		storeID, im.ID, im.ExternalID, im.Format, im.Opaque, im.Width, im.Height, u.Size, u.Digest[:], im.Version, im.CreatedAt.UnixMicro(),
	}, &im.Key)
	return externalIDFault(err, "images", "image")
}

func updateImage(ctx context.Context, q database.Querier, storeID store.ID, im *Image) error {
	_, err := q.Exec(ctx, updateImageSQL, storeID, im.Key, im.ExternalID, im.Version, im.UpdatedAt.UnixMicro())
	return externalIDFault(err, "images", "image")
}

const orphanImagesSQL = `
WITH r(key) AS (ROWS)
INSERT INTO image_leftovers (store_id, image_id, due_at)
SELECT i.store_id, i.id, $2
FROM r
CROSS JOIN images i
WHERE i.store_id = $1
  AND i.key = r.key
ON CONFLICT (store_id, image_id) DO UPDATE
SET due_at = excluded.due_at`

const deleteImagesSQL = `
WITH r(key) AS (ROWS)
DELETE FROM images
WHERE store_id = $1
  AND key IN (SELECT key FROM r)`

// deleteImages deletes images that are locked; their bytes are removed once that is committed.
func deleteImages(ctx context.Context, q database.Querier, storeID store.ID, keys []int64, now time.Time) error {
	slices.Sort(keys)
	if _, err := q.ExecRows(ctx, orphanImagesSQL, keyBatch(keys), storeID, now.UnixMicro()); err != nil {
		return err
	}
	_, err := q.ExecRows(ctx, deleteImagesSQL, keyBatch(keys), storeID)
	return err
}
