package transfer

import (
	"context"
	"fmt"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
)

// Remove removes a store with all that it has, and returns how many rows it had. At first nobody can use the store any
// more and it does no work; then its images and rows go, in short transactions. If Remove is interrupted, another call
// removes the rest. Accounts of people who administer no other store are removed, too.
func (s *Service) Remove(ctx context.Context, storeID store.ID) (rows int64, err error) {
	ctx = database.InBackground(ctx)
	write := func(fn func(store.Tx) error) error {
		return s.DB.Write(ctx, func(q database.Querier) error { return fn(store.In(q, storeID)) })
	}
	if err := write(func(tx store.Tx) error { return closeStore(ctx, tx) }); err != nil {
		return 0, fmt.Errorf("close store %s: %w", storeID, err)
	}
	if err := s.removeBlobs(ctx, storeID); err != nil {
		return 0, err
	}

	for _, part := range removable() {
		for more := true; more; {
			var removed int64
			err := write(func(tx store.Tx) (err error) {
				removed, err = removeSome(ctx, tx, part.name, part.order)
				return err
			})
			if err != nil {
				return rows, fmt.Errorf("remove rows of %s: %w", part.name, err)
			}
			rows += removed
			more = removed > 0
			s.report(Progress{Rows: rows, Table: part.name})
		}
	}

	return rows + 1, write(func(tx store.Tx) error { return deleteStore(ctx, tx) })
}

// removable returns the tables with a store_id, each before those that its rows refer to. The rows of others go with
// the store.
func removable() []table {
	list := []table{
		{name: "commerceml_recording_chunks", order: "store_id, recording_key, number"},
		{name: "commerceml_recordings", order: "store_id, key"},
		{name: "login_requests", order: "store_id, id"},
		{name: "image_leftovers", order: "store_id, image_id"},
	}
	all := tables()
	for _, t := range slices.Backward(all) {
		if t.index("store_id") >= 0 {
			list = append(list, t)
		}
	}
	return list
}

// removeBlobs removes the files of the images.
func (s *Service) removeBlobs(ctx context.Context, storeID store.ID) error {
	var images []imagefile.ID
	err := s.DB.Snapshot(ctx, func(q database.Querier) error {
		images = nil
		return eachImage(ctx, store.In(q, storeID), func(im storedImage) error {
			images = append(images, im.id)
			return nil
		})
	})
	if err != nil {
		return err
	}

	for _, imageID := range images {
		if err := s.Blobs.Remove(ctx, imagefile.Folder(storeID, imageID)); err != nil {
			return fmt.Errorf("remove the files of image %s: %w", imageID, err)
		}
	}
	return nil
}
