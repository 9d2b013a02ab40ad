package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/outbound"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
)

// errRemoved says that the product had an image with the downloaded bytes when the download began, and that the image
// was removed during the download. The job is retried and then stores the bytes.
var errRemoved = errors.New("the image with these bytes was removed during the download")

// downloadResult is the result of applying a download in a transaction.
type downloadResult struct {
	used    bool    // the upload became an image
	changed []int64 // key of the product, if its images changed
	failed  bool    // the download gave no image
}

// lockedSource is a source with its product and the images of its owner. The product and the images are locked.
type lockedSource struct {
	ImageSource
	shown map[int64]ShownImage
	// externalID is the external id of the product.
	externalID *string
}

// applyFetched applies the result of a download to the product, in the caller's transaction.
func (d *Downloader) applyFetched(
	ctx context.Context, tx store.Tx, sourceKey, productKey int64, f fetchedImage,
) (done downloadResult, err error) {
	l, err := lockImageSource(ctx, tx, sourceKey, productKey)
	if errors.Is(err, database.ErrNoRows) {
		return done, nil // the product or the source was deleted
	}
	if err != nil {
		return done, err
	}

	was := l.ImageSource
	if f.ETag != "" || f.LastModified != "" || !f.NotModified {
		l.etag, l.modified = f.ETag, f.LastModified
	}

	same, has := l.withDigest(f.digest)
	switch {
	case f.NotModified, has && same.Key == was.ImageKey:
	case has:
		l.ImageKey, l.Owns = same.Key, same.RemoveAfterDownload
		if same.RemoveAfterDownload {
			done.changed = []int64{productKey}
			same.RemoveAfterDownload, same.Position = false, l.positionFor(was)
			l.shown[same.Key] = same
			err = placeImage(ctx, tx, same.Key, l.Owner(), same.Position)
		}
	case f.upload == nil:
		err = errRemoved
	default:
		done.used = true
		done.changed = []int64{productKey}
		err = d.createImage(ctx, tx, &l, *f.upload, l.positionFor(was))
	}

	if err != nil {
		return done, err
	}
	if err := saveImageSource(ctx, tx, l.ImageSource, sourceDone); err != nil {
		return done, err
	}

	if was.ImageKey != 0 && was.ImageKey != l.ImageKey && was.Owns {
		done.changed = []int64{productKey}
		if err := dropImage(ctx, tx, &was, &l.ImageSource, d.Now()); err != nil {
			return done, err
		}
	}

	err = endDownload(ctx, tx, &l, &done, d.Now())
	return done, err
}

// withDigest returns the product's image with this digest, if there is one. It prefers the image of this source, then
// images without RemoveAfterDownload, then the oldest image.
func (l *lockedSource) withDigest(digest string) (same ShownImage, has bool) {
	rank := func(im ShownImage) int {
		switch {
		case im.Key == l.ImageKey:
			return 0
		case !im.RemoveAfterDownload:
			return 1
		}
		return 2
	}
	for _, im := range l.shown {
		if im.digest != digest {
			continue
		}
		if !has || cmp.Or(cmp.Compare(rank(im), rank(same)), cmp.Compare(im.Key, same.Key)) < 0 {
			same = im
			has = true
		}
	}

	return same, has
}

// positionFor returns the position of a new image of the source: the position of the source's previous image, or else
// the pushed position.
func (l *lockedSource) positionFor(was ImageSource) int64 {
	if im, has := l.shown[was.ImageKey]; has {
		return im.Position
	}
	return l.Position
}

// createImage creates an image from an upload and attaches it to the owner of the source.
func (d *Downloader) createImage(
	ctx context.Context, tx store.Tx, l *lockedSource, u imagefile.Upload, position int64,
) error {
	im, err := d.images.Create(ctx, tx, u, ImageEdit{})
	if err != nil {
		return err
	}
	l.ImageKey = im.Key
	l.Owns = true
	return attachNewImage(ctx, tx, im.Key, l.Owner(), position)
}

// giveUp runs when a job has failed for good. It reports the failure to the item of the last push that requested the
// download. It clears the digest of the product's last push, so that the next push requests the download again even if
// its content is the same.
func (d *Downloader) giveUp(ctx context.Context, q database.Querier, t *downloadTask, cause error) error {
	return d.fail(ctx, q, t.Payload, cause)
}

// park fails a source whose job is parked. A push that requests the image again does not start the job again.
func (d *Downloader) park(ctx context.Context, q database.Querier, ref sourceRef) error {
	return d.fail(ctx, q, ref, fault.New(fault.Unavailable, "parked", "The server stopped unexpectedly several times "+
		"while it worked on this image, so the image was set aside. It can be tried again in the administration."))
}

// unpark makes a source wait for its download again.
func (d *Downloader) unpark(ctx context.Context, q database.Querier, ref sourceRef) error {
	tx := store.In(q, ref.storeID)
	src, err := selectImageSource(ctx, tx, ref.key)
	if errors.Is(err, database.ErrNoRows) {
		return nil // the job ends at once
	}
	if err != nil {
		return err
	}
	return saveImageSource(ctx, tx, src, sourceWaiting)
}

// fail reports that an image cannot be had.
func (d *Downloader) fail(ctx context.Context, q database.Querier, ref sourceRef, cause error) error {
	tx := store.In(q, ref.storeID)
	var l lockedSource
	src, err := selectImageSource(ctx, tx, ref.key)
	if err == nil {
		l, err = lockImageSource(ctx, tx, ref.key, src.ProductKey)
	}

	if errors.Is(err, database.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := saveImageSource(ctx, tx, l.ImageSource, sourceFailed); err != nil {
		return err
	}

	done := downloadResult{failed: true}
	if err := endDownload(ctx, tx, &l, &done, d.Now()); err != nil {
		return err
	}
	if err := clearPushDigest(ctx, tx, l.ProductKey); err != nil {
		return err
	}

	name, err := d.imageName(ctx, tx, l.URL)
	if err != nil {
		return err
	}

	// Lock order, as in a push: the product, then the run, then the store's row in catalog_versions.
	err = d.Report(ctx, tx, l.Origin, l.externalID, fault.Field{Field: l.FieldPath, Code: "image_failed",
		Message: fmt.Sprintf("The image at %s was not taken: %s", name, downloadFailureReason(cause))})
	if err != nil {
		return err
	}

	return d.RecordChanges(ctx, tx, done.changed...)
}

// imageName returns the address of an image as people know it: of an image in a package of 1C, its path there.
func (d *Downloader) imageName(ctx context.Context, tx store.Tx, address string) (string, error) {
	if !strings.HasPrefix(address, PackagePicture) || d.PackagePath == nil {
		return imageURLWithoutQuery(address), nil
	}
	return d.PackagePath(ctx, tx, address)
}

// downloadFailureReason returns a message for the client that says why a download failed.
func downloadFailureReason(cause error) string {
	var failed *outbound.Failure
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
