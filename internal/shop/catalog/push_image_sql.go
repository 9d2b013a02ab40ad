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

// imageIDsOfProducts returns the images that products have.
func imageIDsOfProducts(ctx context.Context, tx store.Tx, productKeys []int64) (ids []ImageID, err error) {
	err = tx.QueryRows(ctx, imageIDsOfProductsSQL, keyBatch(productKeys), func(rows database.Rows) error {
		var i ImageID
		err := rows.Scan(&i)
		ids = append(ids, i)
		return err
	})
	return ids, err
}

// imagesByExternalID returns those of the images that the store has.
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

// imageChanges is what a batch of pushed products changes about images, each table at once.
type imageChanges struct {
	attached       *database.Batch
	placed         *database.Batch
	deletedImages  []int64        // images
	deletedSources []int64        // sources
	requested      []*imageSource // those without a key are new
}

func newImageChanges() *imageChanges {
	return &imageChanges{
		attached: database.NewBatch(database.BigInt, database.BigInt),
		placed:   database.NewBatch(database.BigInt, database.BigInt, database.Bool),
	}
}

// attach gives an image without an owner to a product.
func (c *imageChanges) attach(imageKey, productKey int64) { c.attached.Add(imageKey, productKey) }

// setPosition writes where an image is shown, and whether it is to leave.
func (c *imageChanges) setPosition(im *shownImage) {
	c.placed.Add(im.key, im.position, im.removeAfterDownload)
}

// save writes the changes, and sets the keys of new sources. Images that come to a product are changed at that time; the bytes of those
// that go are of no use from now on.
func (c *imageChanges) save(ctx context.Context, tx store.Tx, at, now time.Time) error {
	if _, err := tx.ExecRows(ctx, attachImagesSQL, c.attached, at.UnixMicro()); err != nil {
		return err
	}
	if _, err := tx.ExecRows(ctx, setImagePositionsSQL, c.placed); err != nil {
		return err
	}
	slices.Sort(c.deletedSources)
	if _, err := tx.ExecRows(ctx, deleteSourcesSQL, keyBatch(c.deletedSources)); err != nil {
		return err
	}
	slices.SortFunc(c.requested, func(a, b *imageSource) int {
		return cmp.Or(cmp.Compare(a.productKey, b.productKey), cmp.Compare(a.position, b.position), cmp.Compare(a.url, b.url))
	})
	if err := requestSources(ctx, tx, c.requested); err != nil {
		return err
	}
	return deleteImages(ctx, tx, c.deletedImages, now)
}
