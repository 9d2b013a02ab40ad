package push

import (
	"cmp"
	"context"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

const imageIDsOfProductsSQL = `
WITH r(key) AS (ROWS)
SELECT i.id
FROM r
CROSS JOIN LOOKUP (images i WHERE i.store_id = $1 AND i.product_key = r.key)
ORDER BY i.key`

const imagesByExternalIDSQL = `
WITH r(external_id) AS (ROWS)
SELECT i.external_id, i.id
FROM r
CROSS JOIN LOOKUP (images i WHERE i.store_id = $1 AND i.external_id = r.external_id)
ORDER BY i.key`

// IS TRUE keeps PostgreSQL from reading all rows of the store; see docs/planner.md.
const setImagePositionsSQL = `
WITH r(key, position, leaving) AS (ROWS)
UPDATE images
SET position = r.position, leaving = r.leaving
FROM r
WHERE (images.store_id = $1) IS TRUE
  AND images.key = r.key`

// The rows are looked up by the beginning of the primary key; see docs/planner.md.
const unlinkVariantImagesSQL = `
WITH r(variant_key, image_key) AS (ROWS)
DELETE FROM variant_images
WHERE store_id = $1
  AND variant_key IN (SELECT variant_key FROM r)
  AND (variant_key, image_key) IN (SELECT variant_key, image_key FROM r)`

func imageIDsOfProducts(ctx context.Context, tx store.Tx, productKeys []int64) (ids []catalog.ImageID, err error) {
	err = tx.QueryRows(ctx, imageIDsOfProductsSQL, write.KeyBatch(productKeys), database.AppendColumn(&ids))
	return ids, err
}

// imagesByExternalID returns the ids of the images that have these external ids, by external id.
func imagesByExternalID(ctx context.Context, tx store.Tx, externalIDs []string) (map[string]catalog.ImageID, error) {
	found := map[string]catalog.ImageID{}
	return found, tx.QueryRows(ctx, imagesByExternalIDSQL, write.TextBatch(externalIDs), database.PutPairs(found))
}

// imageChanges collects the changes to images of a whole batch, so that a fixed number of statements writes them.
type imageChanges struct {
	// attached has the keys of images without an owner, and of the products and variants that get them.
	attached       *database.Batch
	positions      *database.Batch        // of the images of products
	links          []catalog.VariantLink  // the images of variants
	linked         []int64                // keys of the products of these variants
	unlinked       *database.Batch        // keys of variants and of images that they lose and do not own
	deletedImages  []int64                // keys
	deletedSources []int64                // keys
	requested      []*catalog.ImageSource // a new source has no key
}

func newImageChanges() *imageChanges {
	return &imageChanges{
		attached:  database.NewBatch(database.BigInt, database.BigInt, database.BigInt),
		unlinked:  database.NewBatch(database.BigInt, database.BigInt),
		positions: database.NewBatch(database.BigInt, database.BigInt, database.Bool),
	}
}

// setPosition records the position and the mark RemoveAfterDownload of an image of the owner.
func (c *imageChanges) setPosition(owner catalog.ImageOwner, im *catalog.ShownImage) {
	if owner.VariantKey != 0 {
		c.links = append(c.links, catalog.VariantLink{VariantKey: owner.VariantKey, ImageKey: im.Key,
			Position: im.Position, RemoveAfterDownload: im.RemoveAfterDownload})
		c.linked = append(c.linked, owner.ProductKey)
		return
	}
	c.positions.Add(im.Key, im.Position, im.RemoveAfterDownload)
}

// save writes the changes and sets the keys of new sources. The parameter at is the new update time of attached images;
// now is the time from which on the bytes of deleted images are orphans.
func (c *imageChanges) save(ctx context.Context, tx store.Tx, at, now time.Time) error {
	slices.Sort(c.deletedSources)
	err := write.ExecAll(ctx, tx, write.Statement{SQL: catalog.AttachImagesSQL, Batch: c.attached,
		Args: []any{at.UnixMicro()}},
		write.Statement{SQL: setImagePositionsSQL, Batch: c.positions},
		write.Statement{SQL: unlinkVariantImagesSQL, Batch: c.unlinked},
		write.Statement{SQL: catalog.DeleteSourcesSQL, Batch: write.KeyBatch(c.deletedSources)})
	if err != nil {
		return err
	}

	slices.SortFunc(c.requested, func(a, b *catalog.ImageSource) int {
		return cmp.Or(cmp.Compare(a.ProductKey, b.ProductKey), cmp.Compare(a.VariantKey, b.VariantKey),
			cmp.Compare(a.Position, b.Position),
			cmp.Compare(a.URL, b.URL))
	})
	if err := catalog.LinkImages(ctx, tx, c.links, c.linked); err != nil {
		return err
	}
	if err := catalog.RequestSources(ctx, tx, c.requested); err != nil {
		return err
	}

	return catalog.DeleteImages(ctx, tx, c.deletedImages, now)
}
