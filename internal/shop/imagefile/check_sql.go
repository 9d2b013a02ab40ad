package imagefile

import (
	"context"

	"vitrine/internal/kit/database"
)

const imagesByIDSQL = `
WITH r(store_id, id) AS (ROWS)
SELECT i.key, i.store_id, i.id, i.format, i.size
FROM r
CROSS JOIN LOOKUP (images i WHERE i.store_id = r.store_id AND i.id = r.id)`

const leftoversByIDSQL = `
WITH r(store_id, id) AS (ROWS)
SELECT l.store_id, l.image_id
FROM r
CROSS JOIN LOOKUP (image_leftovers l WHERE l.store_id = r.store_id AND l.image_id = r.id)`

const imagesAfterSQL = `
SELECT key, store_id, id, format, size
FROM images
WHERE key > $1
ORDER BY key
LIMIT $2`

// storedImage is a row of an image.
type storedImage struct {
	imageRef
	key    int64
	format string
	size   int64
}

// original returns the name of the image's original file.
func (im *storedImage) original() string {
	properties := Image{Format: im.format}
	return im.file(properties.File(Original))
}

func scanStoredImage(rows database.Rows) (im storedImage, err error) {
	err = rows.Scan(&im.key, &im.storeID, &im.imageID, &im.format, &im.size)
	return im, err
}

func refBatch(refs []imageRef) *database.Batch {
	batch := database.NewBatch(database.UUID, database.UUID)
	for _, r := range refs {
		batch.Add(r.storeID, r.imageID)
	}
	return batch
}

// imagesByID returns the images that exist.
func imagesByID(ctx context.Context, q database.Querier, refs []imageRef) (map[imageRef]storedImage, error) {
	images := map[imageRef]storedImage{}
	err := q.QueryRows(ctx, imagesByIDSQL, refBatch(refs), func(rows database.Rows) error {
		im, err := scanStoredImage(rows)
		images[im.imageRef] = im
		return err
	})
	return images, err
}

// leftoversByID returns the images that are in image_leftovers.
func leftoversByID(ctx context.Context, q database.Querier, refs []imageRef) (map[imageRef]bool, error) {
	leftovers := map[imageRef]bool{}
	err := q.QueryRows(ctx, leftoversByIDSQL, refBatch(refs), func(rows database.Rows) error {
		var r imageRef
		err := rows.Scan(&r.storeID, &r.imageID)
		leftovers[r] = true
		return err
	})
	return leftovers, err
}

// imagesAfter returns up to limit images of all stores in the order of their keys, starting after a key.
func imagesAfter(ctx context.Context, q database.Querier, key int64, limit int) (images []storedImage, err error) {
	err = database.QueryEach(ctx, q, imagesAfterSQL, []any{key, limit},
		database.AppendScanned(&images, scanStoredImage))
	return images, err
}
