package catalog

import (
	"context"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
)

const listImagesSQL = `
SELECT i.key, i.id, i.external_id, (SELECT p.id FROM products p WHERE p.store_id = $1 AND p.key = i.product_key),
	(SELECT v.id FROM variants v WHERE v.store_id = $1 AND v.key = i.variant_key),
	(SELECT c.id FROM categories c WHERE c.store_id = $1 AND c.key = i.category_key),
	i.format, i.opaque, i.width, i.height, i.alt, i.color, i.version, i.created_at, i.updated_at
FROM images i
WHERE i.store_id = $1`

const countImagesSQL = `
SELECT COUNT(*)
FROM images
WHERE store_id = $1`

// This statement counts the images of archived products, which are few, and subtracts them from the total.
const countShownImagesSQL = `
SELECT (SELECT COUNT(*) FROM images WHERE store_id = $1) - COUNT(*)
FROM products p
CROSS JOIN images i
WHERE p.store_id = $1
  AND p.archived_at IS NOT NULL
  AND i.store_id = $1
  AND i.product_key = p.key`

// notOfArchivedSQL excludes the images of archived products.
const notOfArchivedSQL = `
  AND NOT EXISTS (SELECT 1 FROM products p WHERE p.store_id = $1 AND p.key = i.product_key
	AND p.archived_at IS NOT NULL)`

const selectImageSQL = listImagesSQL + `
  AND i.id = $2`

const insertImageSQL = `
INSERT INTO images (store_id, id, external_id, position, format, opaque, width, height, size, digest, version,
	created_at, updated_at, alt, color)
VALUES ($1, $2, $3, 0, $4, $5, $6, $7, $8, $9, $10, $11, $11, $12, $13)
RETURNING key`

const updateImageSQL = `
UPDATE images
SET external_id = $3, version = $4, updated_at = $5, alt = $6
WHERE store_id = $1
  AND key = $2`

func scanImage(rows database.Rows) (Image, error) {
	var im Image
	err := rows.Scan(&im.Key, &im.ID, &im.ExternalID, &im.ProductID, &im.VariantID, &im.CategoryID, &im.Format,
		&im.Opaque, &im.Width, &im.Height, &im.Alt, &im.Color, &im.Version, database.Time(&im.CreatedAt),
		database.Time(&im.UpdatedAt))
	return im, err
}

// List returns one page of a store's images in the order of their creation, and the total number of images. archived
// says whether images of archived products are included.
func (s *Images) List(
	ctx context.Context, tx store.Tx, archived bool, limit, offset int64,
) (_ []Image, _ int64, err error) {
	defer fault.AddContext(&err, "list images")
	list := store.ListSQL{Select: listImagesSQL, Count: countImagesSQL, OrderBy: "key"}
	if !archived {
		list.Select = listImagesSQL + notOfArchivedSQL
		list.Count = countShownImagesSQL
	}
	return store.SelectPage(ctx, tx, list, store.NewConditions(), limit, offset, scanImage)
}

// selectImage reads an image, or returns fault.NotFound. archived says whether images of archived products are found.
func selectImage(ctx context.Context, tx store.Tx, imageID ImageID, archived bool, lock string) (Image, error) {
	sql := selectImageSQL
	if !archived {
		sql += notOfArchivedSQL
	}
	return store.SelectOne(ctx, tx, sql+lock, []any{imageID}, "image", scanImage)
}

func insertImage(ctx context.Context, tx store.Tx, im *Image, u imagefile.Upload) error {
	err := database.QueryRow(ctx, tx, insertImageSQL, []any{
		im.ID, im.ExternalID, im.Format, im.Opaque, im.Width, im.Height, u.Size, u.Digest[:], im.Version,
		im.CreatedAt.UnixMicro(), im.Alt, im.Color,
	}, &im.Key)
	return store.ExternalIDFault(err, "images", "image")
}

func updateImage(ctx context.Context, tx store.Tx, im *Image) error {
	err := database.Exec(ctx, tx, updateImageSQL, im.Key, im.ExternalID, im.Version, im.UpdatedAt.UnixMicro(), im.Alt)
	return store.ExternalIDFault(err, "images", "image")
}

const orphanImagesSQL = `
WITH r(key) AS (ROWS)
INSERT INTO image_leftovers (store_id, image_id, due_at)
SELECT i.store_id, i.id, $2
FROM r
CROSS JOIN LOOKUP (images i WHERE i.store_id = $1 AND i.key = r.key)
WHERE TRUE
ON CONFLICT (store_id, image_id) DO UPDATE
SET due_at = excluded.due_at`

// IS TRUE keeps PostgreSQL from reading all rows of the store; see docs/planner.md.
const deleteImagesSQL = `
WITH r(key) AS (ROWS)
DELETE FROM images
WHERE (store_id = $1) IS TRUE
  AND key IN (SELECT key FROM r)`

// DeleteImages deletes images, which the caller has locked. Their bytes are removed after the commit.
func DeleteImages(ctx context.Context, tx store.Tx, keys []int64, now time.Time) error {
	slices.Sort(keys)
	if err := write.ExecByKey(ctx, tx, orphanImagesSQL, keys, now.UnixMicro()); err != nil {
		return err
	}
	return write.ExecByKey(ctx, tx, deleteImagesSQL, keys)
}

const productsOfImagesSQL = `
WITH r(key) AS (ROWS)
SELECT DISTINCT i.product_key
FROM r
CROSS JOIN LOOKUP (images i WHERE i.store_id = $1 AND i.key = r.key)
WHERE i.product_key IS NOT NULL
ORDER BY i.product_key`

// productsOfImages returns the keys of the products that have images.
func productsOfImages(ctx context.Context, tx store.Tx, imageKeys []int64) (keys []int64, err error) {
	err = write.QueryByKey(ctx, tx, productsOfImagesSQL, imageKeys, database.AppendColumn(&keys))
	return keys, err
}

const uncoloredImagesSQL = `
SELECT store_id, key, id
FROM images
WHERE color = ''
ORDER BY store_id, key
LIMIT $1`

// uncolored is an image without a color.
type uncolored struct {
	storeID store.ID
	key     int64
	imageID ImageID
}

// uncoloredImages returns images of all stores that have no color, store by store.
func uncoloredImages(ctx context.Context, q database.Querier, limit int) (list []uncolored, err error) {
	scan := func(rows database.Rows) (im uncolored, err error) {
		err = rows.Scan(&im.storeID, &im.key, &im.imageID)
		return im, err
	}
	err = database.QueryEach(ctx, q, uncoloredImagesSQL, []any{limit}, database.AppendScanned(&list, scan))
	return list, err
}

const setColorsSQL = `
WITH r(key, color) AS (ROWS)
UPDATE images
SET color = r.color
FROM r
WHERE (images.store_id = $1) IS TRUE
  AND images.key = r.key`

func setColors(ctx context.Context, tx store.Tx, colors *database.Batch) error {
	return database.ExecRows(ctx, tx, setColorsSQL, colors)
}
