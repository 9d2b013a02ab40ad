package catalog

import (
	"context"
	"errors"
	"fmt"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/outbound"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
)

// errRemoved says that the bytes which a download found were the product's when it began, and are not any more.
var errRemoved = errors.New("the image with these bytes was removed meanwhile")

// downloadResult is what a transaction made of a download.
type downloadResult struct {
	used    bool    // the upload became an image
	changed []int64 // the product, if it shows something else now
}

// lockedSource is a source with its product and the images of that, all locked.
type lockedSource struct {
	imageSource
	shown map[int64]shownImage
	// externalID is the product's.
	externalID *string
}

// lockSource reads a source for a write: images first, then the product, as everybody does. It returns database.ErrNoRows if the source is gone.
func (d *Downloader) lockSource(ctx context.Context, q database.Querier, ref sourceRef, productKey int64) (l lockedSource, err error) {
	read := func() error {
		l.shown = map[int64]shownImage{}
		return shownImages(ctx, store.In(q, ref.storeID), []int64{productKey}, func(im shownImage) { l.shown[im.key] = im })
	}
	if err := read(); err != nil {
		return l, err
	}
	if l.externalID, err = lockProductRow(ctx, store.In(q, ref.storeID), productKey); err != nil {
		return l, err
	}
	// Some may have come or gone before the product was ours.
	if err := read(); err != nil {
		return l, err
	}
	l.imageSource, err = selectSource(ctx, q, ref)
	if _, has := l.shown[l.imageKey]; !has {
		l.imageKey = 0
	}
	return l, err
}

// applyFetched brings what was found to the product, in the caller's transaction.
func (d *Downloader) applyFetched(ctx context.Context, q database.Querier, ref sourceRef, productKey int64, f fetchedImage) (done downloadResult, err error) {
	l, err := d.lockSource(ctx, q, ref, productKey)
	if errors.Is(err, database.ErrNoRows) {
		return done, nil // the product is gone, or does not want it any more
	}
	if err != nil {
		return done, err
	}
	was := l.imageSource
	if f.ETag != "" || f.LastModified != "" || !f.NotModified {
		l.etag, l.modified = f.ETag, f.LastModified
	}
	same, has := l.withDigest(f.digest)
	switch {
	case f.NotModified, has && same.key == was.imageKey:
	case has:
		l.imageKey, l.owns = same.key, same.removeAfterDownload
		if same.removeAfterDownload {
			done.changed = []int64{productKey}
			same.removeAfterDownload, same.position = false, l.positionFor(was)
			l.shown[same.key] = same
			err = keepImage(ctx, store.In(q, ref.storeID), same)
		}
	case f.upload == nil:
		err = errRemoved
	default:
		done.used, done.changed = true, []int64{productKey}
		err = d.createImage(ctx, q, ref, &l, *f.upload, l.positionFor(was))
	}
	if err != nil {
		return done, err
	}
	if err := saveSource(ctx, q, ref, l.imageSource, sourceDone); err != nil {
		return done, err
	}
	if was.imageKey != 0 && was.imageKey != l.imageKey && was.owns {
		done.changed = []int64{productKey}
		if err := d.dropImage(ctx, q, ref, was.imageKey); err != nil {
			return done, err
		}
	}
	return done, d.endDownload(ctx, q, ref, &l, &done)
}

// withDigest finds the image of the product that has these bytes: the one that is from the address if that has, else one that stays, if any does.
func (l *lockedSource) withDigest(digest string) (same shownImage, has bool) {
	better := func(im shownImage) bool {
		switch {
		case !has || im.key == l.imageKey:
			return true
		case same.key == l.imageKey:
			return false
		case im.removeAfterDownload != same.removeAfterDownload:
			return same.removeAfterDownload
		}
		return im.key < same.key
	}
	for _, im := range l.shown {
		if im.digest == digest && better(im) {
			same, has = im, true
		}
	}
	return same, has
}

// positionFor is where an image from the address is shown: in the place of the one that was from there, or where the push said.
func (l *lockedSource) positionFor(was imageSource) int64 {
	if im, has := l.shown[was.imageKey]; has {
		return im.position
	}
	return l.position
}

// createImage makes an image of an upload and shows it.
func (d *Downloader) createImage(ctx context.Context, q database.Querier, ref sourceRef, l *lockedSource, u imagefile.Upload, position int64) error {
	im, err := d.images.Create(ctx, store.In(q, ref.storeID), u, ImageEdit{})
	if err != nil {
		return err
	}
	l.imageKey, l.owns = im.Key, true
	return attachImage(ctx, store.In(q, ref.storeID), im.Key, l.productKey, position)
}

// dropImage deletes the image that was at an address before, unless another address of the product has it too: then it is that one's.
func (d *Downloader) dropImage(ctx context.Context, q database.Querier, ref sourceRef, imageKey int64) error {
	inherited, err := transferImage(ctx, store.In(q, ref.storeID), imageKey)
	if err != nil || inherited {
		return err
	}
	return deleteImages(ctx, store.In(q, ref.storeID), []int64{imageKey}, d.now())
}

// endDownload raises the version of a product that shows something else now. With the last of its downloads those images go that were to leave.
func (d *Downloader) endDownload(ctx context.Context, q database.Querier, ref sourceRef, l *lockedSource, done *downloadResult) error {
	waiting, err := countPendingSources(ctx, store.In(q, ref.storeID), l.productKey)
	if err != nil {
		return err
	}
	var removed []int64
	for key, im := range l.shown {
		if im.removeAfterDownload && waiting == 0 {
			removed = append(removed, key)
		}
	}
	if len(removed) > 0 {
		done.changed = []int64{l.productKey}
		if err := deleteImages(ctx, store.In(q, ref.storeID), removed, d.now()); err != nil {
			return err
		}
	}
	if len(done.changed) == 0 {
		return nil
	}
	return raiseProductVersion(ctx, store.In(q, ref.storeID), l.productKey)
}

// giveUp says of a download that it failed for good, at the item of the push that asked for it last. The next push of the product asks for it
// again, even one that says the same.
func (d *Downloader) giveUp(ctx context.Context, q database.Querier, t *queue.Task, cause error) error {
	ref, err := readSourceRef(t.Payload)
	if err != nil {
		return nil //nolint:nilerr // there is nothing to say it of
	}
	src, err := selectSource(ctx, q, ref)
	if errors.Is(err, database.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	l, err := d.lockSource(ctx, q, ref, src.productKey)
	if errors.Is(err, database.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := saveSource(ctx, q, ref, l.imageSource, sourceFailed); err != nil {
		return err
	}
	var done downloadResult
	if err := d.endDownload(ctx, q, ref, &l, &done); err != nil {
		return err
	}
	if err := clearPushDigest(ctx, store.In(q, ref.storeID), l.productKey); err != nil {
		return err
	}
	// Who pushes locks the run behind the product, and before the store's row of changes.
	err = d.Report(ctx, store.In(q, ref.storeID), l.origin, l.externalID, fault.Field{Field: l.fieldPath, Code: "image_failed", Message: fmt.Sprintf(
		"The image at %s was not taken: %s", withoutQuery(l.url), failureReason(cause))})
	if err != nil {
		return err
	}
	return d.recordChanges(ctx, store.In(q, ref.storeID), done.changed...)
}

// failureReason says in words why a download failed.
func failureReason(cause error) string {
	var failed *outbound.Error
	var refused *fault.Error
	switch {
	case errors.As(cause, &failed):
		return failed.Message
	case errors.As(cause, &refused) && len(refused.Fields) > 0:
		return refused.Fields[0].Message
	case errors.As(cause, &refused):
		return refused.Message
	}
	return "Something went wrong on our side. Push the product again to have it tried again."
}
