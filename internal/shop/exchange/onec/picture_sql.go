package onec

import (
	"context"
	"encoding/hex"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// gonePicturesSQL lists images whose session is deleted, in the order of the primary key.
const gonePicturesSQL = `
SELECT p.store_id, p.path, p.digest, p.session_key
FROM commerceml_pictures p
WHERE (p.store_id, p.path) > ($1, $2)
  AND NOT EXISTS (
	SELECT 1
	FROM commerceml_sessions s
	WHERE s.store_id = p.store_id
	  AND s.key = p.session_key)
ORDER BY p.store_id, p.path
LIMIT $3`

// deleteUnusedPicturesSQL deletes the given images that no product has. The range of the URL makes the index usable
// that has only these URLs.
const deleteUnusedPicturesSQL = `
WITH r(store_id, path, session_key, url) AS (ROWS)
DELETE FROM commerceml_pictures
WHERE (store_id, path, session_key) IN (
	SELECT r.store_id, r.path, r.session_key
	FROM r
	WHERE NOT EXISTS (
		SELECT 1
		FROM image_sources i
		WHERE i.store_id = r.store_id
		  AND i.url = r.url
		  AND i.url >= 'commerceml:'
		  AND i.url < 'commerceml;'))`

// gonePicture is an image whose package is not there any more.
type gonePicture struct {
	storeID store.ID
	path    string
	digest  []byte
	session int64
}

// gonePictures returns images whose session is deleted, beginning after one.
func gonePictures(
	ctx context.Context, q database.Querier, after gonePicture, limit int64,
) (list []gonePicture, err error) {
	scan := func(rows database.Rows) (p gonePicture, err error) {
		err = rows.Scan(&p.storeID, &p.path, &p.digest, &p.session)
		return p, err
	}
	args := []any{after.storeID, after.path, limit}
	err = database.QueryEach(ctx, q, gonePicturesSQL, args, database.AppendScanned(&list, scan))
	return list, err
}

// deleteUnusedPictures deletes the given images that no product has.
func deleteUnusedPictures(ctx context.Context, q database.Querier, list []gonePicture) error {
	batch := database.NewBatch(database.UUID, database.Text, database.BigInt, database.Text)
	for _, p := range list {
		batch.Add(p.storeID, p.path, p.session, catalog.PackagePicture+hex.EncodeToString(p.digest))
	}
	_, err := q.ExecRows(ctx, deleteUnusedPicturesSQL, batch)
	return err
}
