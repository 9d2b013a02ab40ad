package catalog

import (
	"context"
	"errors"
	"fmt"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/outbound"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
)

// errRemoved says that the product had an image with the downloaded bytes when the download began, and that the image
// was removed since then. The job is retried and then stores the bytes.
var errRemoved = errors.New("the image with these bytes was removed during the download")

// downloadResult is the result of applying a download in a transaction.
type downloadResult struct {
	used    bool    // the upload became an image
	changed []int64 // key of the product, if its images changed
}

// lockedSource is a source with its product and the product's images. The product and the images are locked.
type lockedSource struct {
	imageSource
	shown map[int64]shownImage
	// externalID is that of the product.
	externalID *string
}

// lockSource reads a source and locks its product and the product's images. Lock order: images before products. It
// returns database.ErrNoRows if the source or the product was deleted.
func (d *Downloader) lockSource(
	ctx context.Context, q database.Querier, ref sourceRef, productKey int64,
) (l lockedSource, err error) {
	read := func() error {
		l.shown = map[int64]shownImage{}
		return shownImages(ctx, store.In(q, ref.storeID), []int64{productKey},
			func(im shownImage) { l.shown[im.key] = im })
	}
	if err := read(); err != nil {
		return l, err
	}
	if l.externalID, err = lockProductRow(ctx, store.In(q, ref.storeID), productKey); err != nil {
		return l, err
	}
	// Images may have been attached or detached before the product was locked.
	if err := read(); err != nil {
		return l, err
	}
	l.imageSource, err = selectSource(ctx, q, ref)
	if _, has := l.shown[l.imageKey]; !has {
		l.imageKey = 0
	}
	return l, err
}

// applyFetched applies the result of a download to the product, in the caller's transaction.
func (d *Downloader) applyFetched(
	ctx context.Context, q database.Querier, ref sourceRef, productKey int64, f fetchedImage,
) (done downloadResult, err error) {
	l, err := d.lockSource(ctx, q, ref, productKey)
	if errors.Is(err, database.ErrNoRows) {
		return done, nil // the product or the source was deleted
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

// withDigest returns the product's image with this digest, if there is one. It prefers the image of this source, then
// an image that stays, then the oldest.
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

// positionFor returns the position of a new image of the source: that of the source's previous image, or else the
// pushed one.
func (l *lockedSource) positionFor(was imageSource) int64 {
	if im, has := l.shown[was.imageKey]; has {
		return im.position
	}
	return l.position
}

// createImage creates an image from an upload and attaches it to the product.
func (d *Downloader) createImage(
	ctx context.Context, q database.Querier, ref sourceRef, l *lockedSource, u imagefile.Upload, position int64,
) error {
	im, err := d.images.Create(ctx, store.In(q, ref.storeID), u, ImageEdit{})
	if err != nil {
		return err
	}
	l.imageKey, l.owns = im.Key, true
	return attachImage(ctx, store.In(q, ref.storeID), im.Key, l.productKey, position)
}

// dropImage deletes the previous image of a source. If another source of the product has the same image, that source
// owns it from now on and it is kept.
func (d *Downloader) dropImage(ctx context.Context, q database.Querier, ref sourceRef, imageKey int64) error {
	inherited, err := transferImage(ctx, store.In(q, ref.storeID), imageKey)
	if err != nil || inherited {
		return err
	}
	return deleteImages(ctx, store.In(q, ref.storeID), []int64{imageKey}, d.now())
}

// endDownload raises the version of a product whose images changed. When the last download of the product has ended, it
// deletes the images that are marked with removeAfterDownload.
func (d *Downloader) endDownload(
	ctx context.Context, q database.Querier, ref sourceRef, l *lockedSource, done *downloadResult,
) error {
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

// giveUp runs when a job has failed for good. It reports the failure to the item of the last push that requested the
// download. It clears the digest of the product's last push, so that the next push requests the download again even if
// its content is the same.
func (d *Downloader) giveUp(ctx context.Context, q database.Querier, t *downloadTask, cause error) error {
	ref := t.Payload
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
	// Lock order, as in a push: the product, then the run, then the store's row in catalog_versions.
	err = d.Report(ctx, store.In(q, ref.storeID), l.origin, l.externalID,
		fault.Field{Field: l.fieldPath, Code: "image_failed", Message: fmt.Sprintf(
			"The image at %s was not taken: %s", withoutQuery(l.url), failureReason(cause))})
	if err != nil {
		return err
	}
	return d.recordChanges(ctx, store.In(q, ref.storeID), done.changed...)
}

// failureReason returns a message for the client that says why a download failed.
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
