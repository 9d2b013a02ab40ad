package imagefile

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/periodic"
	"vitrine/internal/shop/store"
)

const (
	// removeInterval is how often Run removes orphans if Wake is not called.
	removeInterval = time.Minute
	// removeBatch is the number of images whose bytes are removed before their rows in image_leftovers are deleted.
	removeBatch = 100
)

// Drop removes the bytes of an upload that did not become an image. If that fails, Run removes them after an hour.
func (f *Files) Drop(ctx context.Context, storeID store.ID, u Upload) {
	im := imageRef{storeID, u.ID}
	err := f.Blobs.Remove(ctx, im.folder())
	if err == nil {
		err = f.DB.Write(ctx, func(q database.Querier) error { return deleteOrphans(ctx, q, []imageRef{im}) })
	}
	if err != nil && ctx.Err() == nil {
		f.Log.WarnContext(ctx, "removing the bytes of an unused upload failed; retrying in an hour", "image_id", u.ID,
			"error", err)
	}
}

// Wake makes Run remove the bytes of deleted images now instead of within a minute. It is called after the commit of a
// deletion.
func (f *Files) Wake() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// Run calls RemoveOrphans until ctx ends: at the start, when it is woken, and every minute.
func (f *Files) Run(ctx context.Context) error {
	return periodic.Run(ctx, f.Log, periodic.Task{
		Name: "remove the bytes of deleted images", Every: removeInterval, Wake: f.wake, Do: f.RemoveOrphans,
	})
}

// RemoveOrphans removes the bytes of all orphans that are due: deleted images, and uploads that did not become images.
// If the bytes of an image cannot be removed, its row in image_leftovers stays, and RemoveOrphans continues with the
// other images. It returns all such errors, joined. Several nodes may call it concurrently.
func (f *Files) RemoveOrphans(ctx context.Context) error {
	var failed []error
	var last orphan
	for more := true; more; {
		due, err := database.Read(ctx, f.DB, func(q database.Querier) ([]orphan, error) {
			return dueOrphans(ctx, q, f.Now(), last, removeBatch)
		})
		if err != nil {
			return errors.Join(append(failed, err)...)
		}

		if more = len(due) == removeBatch; more {
			last = due[len(due)-1]
		}

		removed, faults := f.removeFolders(ctx, due)
		failed = append(failed, faults...)
		if len(removed) == 0 {
			continue
		}

		err = f.DB.Write(ctx, func(q database.Querier) error { return deleteOrphans(ctx, q, removed) })
		if err != nil {
			return errors.Join(append(failed, err)...)
		}
	}

	return errors.Join(failed...)
}

// removeFolders removes the bytes of orphans. It returns the images whose bytes it removed, and the errors for the
// other images. It stops when ctx ends.
func (f *Files) removeFolders(ctx context.Context, due []orphan) (removed []imageRef, failed []error) {
	for _, l := range due {
		if ctx.Err() != nil {
			return removed, append(failed, ctx.Err())
		}
		if err := f.Blobs.Remove(ctx, l.folder()); err != nil {
			failed = append(failed, fmt.Errorf("image %s: %w", l.imageID, err))
			continue
		}
		removed = append(removed, l.imageRef)
	}
	return removed, failed
}
