package imagefile

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const (
	// removeInterval is how often it is looked for bytes to remove, without being told to.
	removeInterval = time.Minute
	// removeBatch is how many images lose their bytes before that is noted.
	removeBatch = 100
)

// Drop removes the bytes of an upload that no image was made of. What fails is done by Run in an hour.
func (f *Files) Drop(ctx context.Context, storeID store.ID, u Upload) {
	im := imageRef{storeID, u.ID}
	err := f.blobs.Remove(ctx, im.folder())
	if err == nil {
		err = f.db.Write(ctx, func(q database.Querier) error { return deleteOrphans(ctx, q, []imageRef{im}) })
	}
	if err != nil && ctx.Err() == nil {
		f.log.Warn("the bytes of a refused image were not removed; they will be in an hour", "image", u.ID, "error", err)
	}
}

// Wake has the bytes of deleted images removed now instead of in a minute. It is called once a deletion is committed.
func (f *Files) Wake() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// Run removes bytes that nothing needs any more until ctx ends: at once, whenever it is woken, and each minute.
func (f *Files) Run(ctx context.Context) error {
	tick := time.NewTicker(removeInterval)
	defer tick.Stop()
	for {
		if err := f.RemoveOrphans(ctx); err != nil && ctx.Err() == nil {
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

// RemoveOrphans removes the bytes of all images that are due: deleted ones, and uploads that never came to an end. Those that cannot be
// removed stay noted, and keep no others from being removed; it returns their faults together. Several nodes may do it at once.
func (f *Files) RemoveOrphans(ctx context.Context) error {
	var failed []error
	var last orphan
	for more := true; more; {
		var due []orphan
		err := f.db.Read(ctx, func(q database.Querier) (err error) {
			due, err = dueOrphans(ctx, q, f.now(), last, removeBatch)
			return err
		})
		if err != nil {
			return errors.Join(append(failed, err)...)
		}
		if more = len(due) == removeBatch; more {
			last = due[len(due)-1]
		}
		gone, faults := f.removeFolders(ctx, due)
		failed = append(failed, faults...)
		if len(gone) == 0 {
			continue
		}
		err = f.db.Write(ctx, func(q database.Querier) error { return deleteOrphans(ctx, q, gone) })
		if err != nil {
			return errors.Join(append(failed, err)...)
		}
	}
	return errors.Join(failed...)
}

// removeFolders returns those whose bytes are gone, and why others are not. It ends early with ctx.
func (f *Files) removeFolders(ctx context.Context, due []orphan) (gone []imageRef, failed []error) {
	for _, l := range due {
		if ctx.Err() != nil {
			return gone, append(failed, ctx.Err())
		}
		if err := f.blobs.Remove(ctx, l.folder()); err != nil {
			failed = append(failed, fmt.Errorf("image %s: %w", l.imageID, err))
			continue
		}
		gone = append(gone, l.imageRef)
	}
	return gone, failed
}
