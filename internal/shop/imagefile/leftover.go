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

// RemoveLeftovers removes the bytes of all images that are due: deleted ones, and uploads that never came to an end. Those that cannot be
// removed stay noted, and keep no others from being removed; it returns their faults together. Several nodes may do it at once.
func (f *ImageFiles) RemoveLeftovers(ctx context.Context) error {
	var failed []error
	var last leftover
	for more := true; more; {
		var due []leftover
		err := f.db.Read(ctx, func(q database.Querier) (err error) {
			due, err = dueLeftovers(ctx, q, f.now(), last, removeAtOnce)
			return err
		})
		if err != nil {
			return errors.Join(append(failed, err)...)
		}
		if more = len(due) == removeAtOnce; more {
			last = due[len(due)-1]
		}
		gone, faults := f.removeFolders(ctx, due)
		failed = append(failed, faults...)
		if len(gone) == 0 {
			continue
		}
		err = f.db.Write(ctx, func(q database.Querier) error { return forgetLeftovers(ctx, q, gone) })
		if err != nil {
			return errors.Join(append(failed, err)...)
		}
	}
	return errors.Join(failed...)
}

// removeFolders returns those whose bytes are gone, and why others are not. It ends early with ctx.
func (f *ImageFiles) removeFolders(ctx context.Context, due []leftover) (gone []imageRef, failed []error) {
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
