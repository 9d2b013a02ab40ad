package catalog

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/outbound"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
)

// acceptImages are the formats that are taken.
const acceptImages = "image/jpeg, image/png, image/webp, image/gif, */*;q=0.1"

// Downloader runs the jobs that download images, and attaches what they find to the products. It is safe for concurrent use.
//
// An address has a row from the push that names it on, and a job while it is to be asked for. What the job finds is judged by what the row and the
// product are then: if either is gone, nothing is attached.
type Downloader struct {
	DownloaderDeps
	*core
	images *Images
}

// DownloaderDeps is what a Downloader needs.
type DownloaderDeps struct {
	DB *database.DB
	// Catalog was made with a Guard and a Queue.
	Catalog *Service
	Files   *imagefile.Files
	// Report tells of an item of a run, whose product has that external id, that an image was given up, in the transaction that does so.
	Report func(ctx context.Context, tx store.Tx, from Origin, externalID *string, f fault.Field) error
}

// NewDownloader makes it. Its Kind is to be registered at the queue.
func NewDownloader(deps DownloaderDeps) *Downloader {
	return &Downloader{DownloaderDeps: deps, core: deps.Catalog.Images.core, images: deps.Catalog.Images}
}

// Kind is the sort of background work that downloads are.
func (d *Downloader) Kind() queue.Kind {
	return queue.Kind{
		Name: downloadKind, LaneSlots: 4, NodeSlots: 16, Timeout: downloadTimeout, Run: d.download, OnDead: d.giveUp,
		Retries: []time.Duration{time.Second, 10 * time.Second, time.Minute, 10 * time.Minute},
	}
}

// fetchedImage is what a download found at an address.
type fetchedImage struct {
	outbound.FetchResult
	digest string
	upload *imagefile.Upload // nil where the product has those bytes already
}

// download asks for an image and brings it to its product. No transaction is open while the host is waited for.
func (d *Downloader) download(ctx context.Context, t *queue.Task) error {
	ref, err := readSourceRef(t.Payload)
	if err != nil {
		return queue.Abort(err)
	}
	var src imageSource
	var digests map[string]bool
	err = d.DB.Snapshot(ctx, func(q database.Querier) (err error) {
		src, digests, err = d.readSource(ctx, q, ref)
		return err
	})
	if errors.Is(err, database.ErrNoRows) {
		return nil // nobody wants it any more
	}
	if err != nil {
		return err
	}
	fetched, err := d.downloads.guard.Fetch(ctx, outbound.FetchRequest{URL: src.url, Accept: acceptImages, MaxBytes: imagefile.MaxBytes, ETag: src.etag, LastModified: src.modified})
	if err != nil {
		return afterFetch(err)
	}
	f := fetchedImage{FetchResult: fetched}
	if !f.NotModified {
		sum := sha256.Sum256(f.Body)
		f.digest = string(sum[:])
	}
	if !f.NotModified && !digests[f.digest] {
		u, err := d.Files.Store(ctx, ref.storeID, bytes.NewReader(f.Body))
		if fault.KindOf(err) == fault.Invalid {
			return queue.Abort(err)
		}
		if err != nil {
			return err
		}
		f.upload = &u
	}
	return d.complete(ctx, t, ref, src.productKey, f)
}

// readSource reads a source and the digests of the images that its product has. Without an image it is asked for anew, whatever the host said before.
func (d *Downloader) readSource(ctx context.Context, q database.Querier, ref sourceRef) (imageSource, map[string]bool, error) {
	src, err := selectSource(ctx, q, ref)
	if err != nil {
		return src, nil, err
	}
	digests, has := map[string]bool{}, false
	err = shownImagesUnlocked(ctx, store.In(q, ref.storeID), src.productKey, func(im shownImage) {
		digests[im.digest] = true
		has = has || im.key == src.imageKey
	})
	if !has {
		src.etag, src.modified = "", ""
	}
	return src, digests, err
}

// afterFetch says whether and when a download that failed is tried again.
func afterFetch(err error) error {
	var failed *outbound.Error
	switch {
	case !errors.As(err, &failed):
		return err
	case !failed.Retry:
		return queue.Abort(err)
	case failed.RetryAfter > 0:
		return queue.RetryAfter(min(failed.RetryAfter, maxRetryAfter), err)
	}
	return err
}

// complete settles a download in one transaction with the end of its job, and then has done what follows from it.
func (d *Downloader) complete(ctx context.Context, t *queue.Task, ref sourceRef, productKey int64, f fetchedImage) error {
	var done downloadResult
	err := d.DB.Write(ctx, func(q database.Querier) (err error) {
		if done, err = d.applyFetched(ctx, q, ref, productKey, f); err != nil {
			return err
		}
		if err := t.Complete(ctx, q); err != nil {
			return err
		}
		return d.recordChanges(ctx, store.In(q, ref.storeID), done.changed...)
	})
	if err != nil {
		return err
	}
	if f.upload != nil && done.used {
		d.Files.QueueThumbnails(ref.storeID, f.upload.ID)
	} else if f.upload != nil {
		d.Files.Drop(ctx, ref.storeID, *f.upload)
	}
	if len(done.changed) > 0 {
		d.Files.Wake()
	}
	return nil
}
