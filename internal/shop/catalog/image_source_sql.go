package catalog

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

// The states of an image source: while a download is requested, and after it.
const (
	sourceWaiting = "waiting"
	sourceDone    = "done"
	sourceFailed  = "failed"
)

// Callers may append a lock clause. Rows are locked in key order, so that transactions cannot deadlock: a LOOKUP itself
// would lock rows in the order in which it finds them. Once a row is locked, its product_key is checked again.
const shownImagesSQL = `
WITH r(key) AS (ROWS), f(key, product_key) AS (
	SELECT x.key, x.product_key
	FROM r
	CROSS JOIN LOOKUP (images x WHERE x.store_id = $1 AND x.product_key = r.key))
SELECT i.key, i.product_key, i.variant_key, i.position, i.leaving, i.digest
FROM f
CROSS JOIN images i
WHERE i.key = f.key
  AND i.product_key + 0 = f.product_key
ORDER BY i.key`

// linksOfProductsSQL reads the images of the variants of products, of archived ones too.
const linksOfProductsSQL = `
WITH r(key) AS (ROWS)
SELECT v.product_key, l.variant_key, l.image_key, l.position, l.leaving
FROM r
CROSS JOIN LOOKUP (variants v WHERE v.store_id = $1 AND v.product_key = r.key)
CROSS JOIN LOOKUP (variant_images l WHERE l.store_id = $1 AND l.variant_key = v.key)
ORDER BY l.variant_key, l.image_key`

const sourceColumns = `s.key, s.product_key, s.variant_key, s.url, s.position, COALESCE(s.image_key, 0), s.owns, ` +
	`s.etag, s.modified, s.run_key, s.item, s.place`

const sourcesOfProductsSQL = `
WITH r(key) AS (ROWS)
SELECT ` + sourceColumns + `
FROM r
CROSS JOIN LOOKUP (image_sources s WHERE s.store_id = $1 AND s.product_key = r.key)
ORDER BY s.key`

const selectImageSourceSQL = `
SELECT ` + sourceColumns + `
FROM image_sources s
WHERE s.store_id = $1
  AND s.key = $2`

const insertSourcesSQL = `
WITH r(product_key, variant_key, url, position, run_key, item, place) AS (ROWS)
INSERT INTO image_sources (store_id, product_key, variant_key, url, position, state, owns, etag, modified, run_key,
	item, place)
SELECT $1, product_key, variant_key, url, position, 'waiting', TRUE, '', '', run_key, item, place
FROM r
RETURNING key, product_key, variant_key, url`

// The ETag and the Last-Modified time are kept only as long as the source has an image.
// IS TRUE keeps PostgreSQL from reading all rows of the store; see docs/planner.md.
const requestSourcesSQL = `
WITH r(key, position, image_key, owns, run_key, item, place) AS (ROWS)
UPDATE image_sources
SET position = r.position, state = 'waiting', image_key = r.image_key, owns = r.owns, run_key = r.run_key,
	item = r.item, place = r.place,
	etag = CASE WHEN r.image_key IS NULL THEN '' ELSE image_sources.etag END,
	modified = CASE WHEN r.image_key IS NULL THEN '' ELSE image_sources.modified END
FROM r
WHERE (image_sources.store_id = $1) IS TRUE
  AND image_sources.key = r.key`

const DeleteSourcesSQL = `
WITH r(key) AS (ROWS)
DELETE FROM image_sources
WHERE (store_id = $1) IS TRUE
  AND key IN (SELECT key FROM r)`

const saveImageSourceSQL = `
UPDATE image_sources
SET state = $3, image_key = $4, owns = $5, etag = $6, modified = $7
WHERE store_id = $1
  AND key = $2`

const transferImageSQL = `
UPDATE image_sources
SET owns = TRUE
WHERE store_id = $1
  AND image_key = $2
  AND variant_key = $3`

const minSourcePositionSQL = `
SELECT MIN(s.position)
FROM image_sources s
WHERE s.store_id = $1
  AND s.image_key = $2
  AND s.variant_key = $3`

// followImageSQL gives the variants that have an image another one in its place, unless they have that already.
const followImageSQL = `
UPDATE variant_images
SET image_key = $3
WHERE store_id = $1
  AND image_key = $2
  AND NOT EXISTS (SELECT 1 FROM variant_images l WHERE l.store_id = $1 AND l.variant_key = variant_images.variant_key
	AND l.image_key = $3)`

const ownerVariantSQL = `
SELECT variant_key
FROM images
WHERE store_id = $1
  AND key = $2`

const countPendingSourcesSQL = `
SELECT COUNT(*)
FROM image_sources
WHERE store_id = $1
  AND product_key = $2
  AND variant_key = $3
  AND state = 'waiting'
  AND image_key IS NULL`

const lockProductRowSQL = `
SELECT external_id
FROM products
WHERE store_id = $1
  AND key = $2`

const placeImageSQL = `
UPDATE images
SET product_key = $3, variant_key = 0, position = $4, leaving = FALSE
WHERE store_id = $1
  AND key = $2`

// ImageOwner is a product, or one of its variants, with a list of images of its own. VariantKey is 0 for the product.
type ImageOwner struct{ ProductKey, VariantKey int64 }

// ShownImage is an image of a product or of a variant.
type ShownImage struct {
	Key, ProductKey int64
	// VariantKey is the variant that owns the image; 0 if the product does.
	VariantKey          int64
	Position            int64
	RemoveAfterDownload bool   // it is deleted when the downloads of its owner have ended
	digest              string // of the bytes as they were sent
}

// Galleries calls fn for each image of the products and of their variants, with the product or variant that shows it.
// The position and RemoveAfterDownload are those in the list of this owner. The rows of the images are locked in the
// order of their keys, if lock says so.
func Galleries(
	ctx context.Context, tx store.Tx, lock string, productKeys []int64, fn func(ImageOwner, ShownImage),
) error {
	images := map[int64]ShownImage{}
	err := shownImages(ctx, tx, lock, productKeys, func(im ShownImage) {
		images[im.Key] = im
		if im.VariantKey == 0 {
			fn(ImageOwner{ProductKey: im.ProductKey}, im)
		}
	})
	if err != nil {
		return err
	}

	return write.QueryByKey(ctx, tx, linksOfProductsSQL, productKeys, func(rows database.Rows) error {
		var owner ImageOwner
		var l VariantLink
		err := rows.Scan(&owner.ProductKey, &owner.VariantKey, &l.ImageKey, &l.Position, &l.RemoveAfterDownload)
		if im, found := images[l.ImageKey]; found {
			im.Position, im.RemoveAfterDownload = l.Position, l.RemoveAfterDownload
			fn(owner, im)
		}
		return err
	})
}

// shownImages calls fn for each image of the products and their variants, in the order of the images' keys.
func shownImages(ctx context.Context, tx store.Tx, lock string, productKeys []int64, fn func(ShownImage)) error {
	return write.QueryByKey(ctx, tx, shownImagesSQL+lock, productKeys, func(rows database.Rows) error {
		var im ShownImage
		var digest []byte
		err := rows.Scan(&im.Key, &im.ProductKey, &im.VariantKey, &im.Position, &im.RemoveAfterDownload, &digest)
		im.digest = string(digest)
		fn(im)
		return err
	})
}

func scanImageSource(rows database.Rows) (ImageSource, error) {
	var s ImageSource
	err := rows.Scan(&s.Key, &s.ProductKey, &s.VariantKey, &s.URL, &s.Position, &s.ImageKey, &s.Owns, &s.etag,
		&s.modified, &s.Origin.RunKey, &s.Origin.Item, &s.FieldPath)
	return s, err
}

// Owner returns the product or variant that gets the image.
func (s *ImageSource) Owner() ImageOwner { return ImageOwner{s.ProductKey, s.VariantKey} }

// SourcesOfProducts calls fn for each image source of the products and their variants.
func SourcesOfProducts(ctx context.Context, tx store.Tx, productKeys []int64, fn func(ImageSource)) error {
	return write.QueryByKey(ctx, tx, sourcesOfProductsSQL, productKeys, func(rows database.Rows) error {
		s, err := scanImageSource(rows)
		fn(s)
		return err
	})
}

// selectImageSource reads a source, or returns database.ErrNoRows. Sources need no locks of their own: a transaction
// locks the product before it writes a source.
func selectImageSource(ctx context.Context, tx store.Tx, key int64) (ImageSource, error) {
	return database.QueryOne(ctx, tx, selectImageSourceSQL, []any{key}, scanImageSource)
}

// RequestSources marks sources as waiting for a download. It inserts the new ones and sets their keys.
func RequestSources(ctx context.Context, tx store.Tx, requested []*ImageSource) error {
	type name struct {
		owner ImageOwner
		url   string
	}
	added := map[name]*ImageSource{}
	insert := database.NewBatch(database.BigInt, database.BigInt, database.Text, database.BigInt, database.BigInt,
		database.BigInt, database.Text)
	update := database.NewBatch(database.BigInt, database.BigInt, database.BigInt, database.Bool, database.BigInt,
		database.BigInt, database.Text)

	for _, s := range requested {
		if s.Key != 0 {
			update.Add(s.Key, s.Position, database.NullIfZero(s.ImageKey), s.Owns, s.Origin.RunKey, s.Origin.Item,
				s.FieldPath)
			continue
		}
		added[name{s.Owner(), s.URL}] = s
		insert.Add(s.ProductKey, s.VariantKey, s.URL, s.Position, s.Origin.RunKey, s.Origin.Item, s.FieldPath)
	}

	if err := database.ExecRows(ctx, tx, requestSourcesSQL, update); err != nil {
		return err
	}

	return tx.QueryRows(ctx, insertSourcesSQL, insert, func(rows database.Rows) error {
		var key int64
		var n name
		err := rows.Scan(&key, &n.owner.ProductKey, &n.owner.VariantKey, &n.url)
		if s := added[n]; s != nil {
			s.Key = key
		}
		return err
	})
}

// saveImageSource writes the state of a source after a download.
func saveImageSource(ctx context.Context, tx store.Tx, s ImageSource, state string) error {
	return database.Exec(ctx, tx, saveImageSourceSQL,
		s.Key, state, database.NullIfZero(s.ImageKey), s.Owns, s.etag, s.modified)
}

// placeImage gives an owner of the product an image of it at a position, and clears its mark RemoveAfterDownload.
func placeImage(ctx context.Context, tx store.Tx, imageKey int64, owner ImageOwner, position int64) error {
	if owner.VariantKey == 0 {
		return database.Exec(ctx, tx, placeImageSQL, imageKey, owner.ProductKey, position)
	}
	return LinkImages(ctx, tx, []VariantLink{{VariantKey: owner.VariantKey, ImageKey: imageKey, Position: position}},
		[]int64{owner.ProductKey})
}

const attachNewImageSQL = `
UPDATE images
SET product_key = $3, variant_key = $4
WHERE store_id = $1
  AND key = $2`

// attachNewImage attaches an image that was just created to its owner.
func attachNewImage(ctx context.Context, tx store.Tx, imageKey int64, owner ImageOwner, position int64) error {
	err := database.Exec(ctx, tx, attachNewImageSQL, imageKey, owner.ProductKey, owner.VariantKey)
	if err != nil {
		return err
	}
	return placeImage(ctx, tx, imageKey, owner, position)
}

// lockImageSource reads a source and locks its product and the product's images. Lock order: images before products. It
// returns database.ErrNoRows if the source or the product was deleted.
func lockImageSource(ctx context.Context, tx store.Tx, sourceKey, productKey int64) (l lockedSource, err error) {
	var galleries map[ImageOwner]map[int64]ShownImage
	read := func() error {
		galleries = map[ImageOwner]map[int64]ShownImage{}
		return Galleries(ctx, tx, tx.Dialect().ForUpdate, []int64{productKey},
			func(owner ImageOwner, im ShownImage) {
				if galleries[owner] == nil {
					galleries[owner] = map[int64]ShownImage{}
				}
				galleries[owner][im.Key] = im
			})
	}
	if err := read(); err != nil {
		return l, err
	}

	sql := lockProductRowSQL + tx.Dialect().ForUpdate
	if err := database.QueryRow(ctx, tx, sql, []any{productKey}, &l.externalID); err != nil {
		return l, err
	}

	// Images may have been attached or detached before the product was locked.
	if err := read(); err != nil {
		return l, err
	}

	l.ImageSource, err = selectImageSource(ctx, tx, sourceKey)
	l.shown = galleries[l.Owner()]
	if l.shown == nil {
		l.shown = map[int64]ShownImage{}
	}
	if _, has := l.shown[l.ImageKey]; !has {
		l.ImageKey = 0
	}

	return l, err
}

// dropImage deletes the previous image of a source. If other sources of the owner have the same image, they own it from
// now on, and it moves to the first of their positions. The variants that have an image of the product have the new one
// instead.
func dropImage(ctx context.Context, tx store.Tx, was, l *ImageSource, now time.Time) error {
	owners, err := tx.Exec(ctx, transferImageSQL, was.ImageKey, was.VariantKey)
	if err != nil {
		return err
	}
	if owners > 0 {
		var position int64
		args := []any{was.ImageKey, was.VariantKey}
		if err := database.QueryRow(ctx, tx, minSourcePositionSQL, args, &position); err != nil {
			return err
		}
		return placeImage(ctx, tx, was.ImageKey, was.Owner(), position)
	}

	if was.VariantKey == 0 && l.ImageKey != 0 {
		if err := database.Exec(ctx, tx, followImageSQL, was.ImageKey, l.ImageKey); err != nil {
			return err
		}
	}

	var variantKey int64
	if err := database.QueryRow(ctx, tx, ownerVariantSQL, []any{was.ImageKey}, &variantKey); err != nil {
		return err
	}
	return removeImages(ctx, tx, was.Owner(), []ShownImage{{Key: was.ImageKey, VariantKey: variantKey}}, now)
}

const unlinkImagesOfVariantSQL = `
WITH r(key) AS (ROWS)
DELETE FROM variant_images
WHERE store_id = $1
  AND variant_key = $2
  AND image_key IN (SELECT key FROM r)`

// removeImages takes images from a list: it deletes those that the owner of the list owns.
func removeImages(ctx context.Context, tx store.Tx, owner ImageOwner, images []ShownImage, now time.Time) error {
	var owned, shared []int64
	for _, im := range images {
		if im.VariantKey == owner.VariantKey {
			owned = append(owned, im.Key)
		} else {
			shared = append(shared, im.Key)
		}
	}
	if err := write.ExecByKey(ctx, tx, unlinkImagesOfVariantSQL, shared, owner.VariantKey); err != nil {
		return err
	}
	return DeleteImages(ctx, tx, owned, now)
}

// endDownload deletes the images that are marked with RemoveAfterDownload, unless another source of their owner still
// waits for its first image. If no image at all could be had, those that the owner has stay. It then raises the
// version of the product if the images changed.
func endDownload(ctx context.Context, tx store.Tx, l *lockedSource, done *downloadResult, now time.Time) error {
	var waiting int64
	if err := database.QueryRow(ctx, tx, countPendingSourcesSQL, []any{l.ProductKey, l.VariantKey},
		&waiting); err != nil {
		return err
	}

	var removed []ShownImage
	for _, im := range l.shown {
		if im.RemoveAfterDownload && waiting == 0 {
			removed = append(removed, im)
		}
	}

	if done.failed && len(removed) == len(l.shown) {
		for _, im := range removed {
			if err := placeImage(ctx, tx, im.Key, l.Owner(), im.Position); err != nil {
				return err
			}
		}
		removed = nil
	}

	if len(removed) > 0 {
		done.changed = []int64{l.ProductKey}
		if err := removeImages(ctx, tx, l.Owner(), removed, now); err != nil {
			return err
		}
	}

	if len(done.changed) == 0 {
		return nil
	}
	if err := setTouched(ctx, tx, []int64{l.ProductKey}, now); err != nil {
		return err
	}

	return raiseProductVersions(ctx, tx, []int64{l.ProductKey})
}
