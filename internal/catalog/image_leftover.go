package catalog

import (
	"context"
	"errors"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/store"
)

const (
	// removeEvery is how often it is looked for bytes to remove, without being told to.
	removeEvery = time.Minute
	// removeAtOnce is how many images lose their bytes before that is noted.
	removeAtOnce = 100
)

// Drop removes the bytes of an upload that no image was made of. What fails is done by Run in an hour.
func (f *ImageFiles) Drop(ctx context.Context, storeID store.ID, u Upload) {
	im := imageRef{storeID, u.ID}
	err := f.blobs.Remove(ctx, im.folder())
	if err == nil {
		err = f.db.Write(ctx, func(q database.Querier) error { return forgetLeftovers(ctx, q, []imageRef{im}) })
	}
	if err != nil && ctx.Err() == nil {
		f.log.Warn("the bytes of a refused image were not removed; they will be in an hour", "image", u.ID, "error", err)
	}
}

// Wake has the bytes of deleted images removed now instead of in a minute. It is called once a deletion is committed.
func (f *ImageFiles) Wake() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// Run removes bytes that nothing needs any more until ctx ends: at once, whenever it is woken, and each minute.
func (f *ImageFiles) Run(ctx context.Context) error {
	tick := time.NewTicker(removeEvery)
	defer tick.Stop()
	for {
		if err := f.RemoveLeftovers(ctx); err != nil && ctx.Err() == nil {
			f.log.Warn("the bytes of some deleted images were not removed; they will be tried again", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-f.wake:
		case <-tick.C:
		}
	}
}

// RemoveLeftovers removes the bytes of all images that are due: deleted ones, and uploads that never came to an end. Several nodes may do
// it at once.
func (f *ImageFiles) RemoveLeftovers(ctx context.Context) error {
	for more := true; more; {
		var due []imageRef
		err := f.db.Read(ctx, func(q database.Querier) (err error) {
			due, err = dueLeftovers(ctx, q, f.now(), removeAtOnce)
			return err
		})
		if err != nil || len(due) == 0 {
			return err
		}
		gone := due[:0]
		for _, im := range due {
			if err = f.blobs.Remove(ctx, im.folder()); err != nil {
				break
			}
			gone = append(gone, im)
		}
		more = err == nil && len(due) == removeAtOnce
		if len(gone) == 0 {
			return err
		}
		forgotten := f.db.Write(ctx, func(q database.Querier) error { return forgetLeftovers(ctx, q, gone) })
		if err != nil || forgotten != nil {
			return errors.Join(err, forgotten)
		}
	}
	return nil
}
