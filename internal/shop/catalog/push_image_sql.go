package catalog

import (
	"cmp"
	"context"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const imageIDsOfProductsSQL = `
WITH r(key) AS (ROWS)
SELECT i.id
FROM r
CROSS JOIN images i
WHERE i.store_id = $1
  AND i.product_key = r.key
ORDER BY i.key`

const imagesByExternalIDSQL = `
WITH r(external_id) AS (ROWS)
SELECT i.external_id, i.id
FROM r
CROSS JOIN images i
WHERE i.store_id = $1
  AND i.external_id = r.external_id
ORDER BY i.key`

const setImagePositionsSQL = `
WITH r(key, position, leaving) AS (ROWS)
UPDATE images
SET position = r.position, leaving = r.leaving
FROM r
WHERE images.store_id = $1
  AND images.key = r.key`

// imageIDsOfProducts returns the ids of the images of products.
func imageIDsOfProducts(ctx context.Context, tx store.Tx, productKeys []int64) (ids []ImageID, err error) {
	err = tx.QueryRows(ctx, imageIDsOfProductsSQL, database.BatchOf(database.BigInt, productKeys), func(rows database.Rows) error {
		var i ImageID
		err := rows.Scan(&i)
		ids = append(ids, i)
		return err
	})
	return ids, err
}

// imagesByExternalID returns the ids of the images that have these external ids, by external id.
func imagesByExternalID(ctx context.Context, tx store.Tx, externalIDs []string) (map[string]ImageID, error) {
	batch := database.NewBatch(database.Text)
	for _, text := range externalIDs {
		batch.Add(text)
	}
	found := map[string]ImageID{}
	err := tx.QueryRows(ctx, imagesByExternalIDSQL, batch, func(rows database.Rows) error {
		var text string
		var i ImageID
		err := rows.Scan(&text, &i)
		found[text] = i
		return err
	})
	return found, err
}

// imageChanges collects the changes to images of a whole batch of pushed products. So the number of statements does not
// depend on the number of products.
type imageChanges struct {
	attached       *database.Batch
	positions      *database.Batch
	deletedImages  []int64        // keys
	deletedSources []int64        // keys
	requested      []*imageSource // a new source has no key
}

func newImageChanges() *imageChanges {
	return &imageChanges{
		attached:  database.NewBatch(database.BigInt, database.BigInt),
		positions: database.NewBatch(database.BigInt, database.BigInt, database.Bool),
	}
}

// attach gives an image without an owner to a product.
func (c *imageChanges) attach(imageKey, productKey int64) { c.attached.Add(imageKey, productKey) }

// setPosition records the position and the removeAfterDownload mark of an image.
func (c *imageChanges) setPosition(im *shownImage) {
	c.positions.Add(im.key, im.position, im.removeAfterDownload)
}

// save writes the changes and sets the keys of new sources. Attached images get at as their update time. The bytes of
// deleted images become orphans at now.
func (c *imageChanges) save(ctx context.Context, tx store.Tx, at, now time.Time) error {
	if _, err := tx.ExecRows(ctx, attachImagesSQL, c.attached, at.UnixMicro()); err != nil {
		return err
	}
	if _, err := tx.ExecRows(ctx, setImagePositionsSQL, c.positions); err != nil {
		return err
	}
	slices.Sort(c.deletedSources)
	if _, err := tx.ExecRows(ctx, deleteSourcesSQL, database.BatchOf(database.BigInt, c.deletedSources)); err != nil {
		return err
	}
	slices.SortFunc(c.requested, func(a, b *imageSource) int {
		return cmp.Or(cmp.Compare(a.productKey, b.productKey), cmp.Compare(a.position, b.position),
			cmp.Compare(a.url, b.url))
	})
	if err := requestSources(ctx, tx, c.requested); err != nil {
		return err
	}
	return deleteImages(ctx, tx, c.deletedImages, now)
}
