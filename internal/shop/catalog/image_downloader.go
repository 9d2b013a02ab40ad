package catalog

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"strings"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/outbound"
	"vitrine/internal/kit/picture"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
)

// acceptImages is the Accept header of downloads.
const acceptImages = "image/jpeg, image/png, image/webp, image/gif, */*;q=0.1"

// Downloader runs the jobs that download images, and attaches the images to products. It is safe for concurrent use.
//
// The push that first names a URL inserts a row for the image source. A source has a job while a download is requested.
// The result of a download is applied to the source and the product as they are after the download: if either was
// deleted, nothing is attached.
type Downloader struct {
	DownloaderDeps
	*Core
	images *Images
	// busyDelay is when a download is repeated whose image could not be stored because of the load.
	busyDelay time.Duration
}

// DownloaderDeps holds the dependencies of a Downloader.
type DownloaderDeps struct {
	DB *database.DB
	// Catalog must have been made with a Guard and a Queue.
	Catalog *Service
	Files   *imagefile.Files
	// Report adds the warning f to the pushed item that the Origin identifies. externalID is the external id of the
	// item's product. Report is called when a download has failed for good, in the transaction that gives up the
	// download.
	Report func(ctx context.Context, tx store.Tx, from Origin, externalID *string, f fault.Field) error
	// Package returns the bytes of an image of a package of 1C, whose address begins with PackagePicture. It returns
	// fault.NotFound if the package is not there any more.
	Package func(ctx context.Context, storeID store.ID, address string) ([]byte, error)
	// PackagePath returns the path that such an image has in its package, for messages.
	PackagePath func(ctx context.Context, tx store.Tx, address string) (string, error)
}

// NewDownloader returns a Downloader. The caller registers its Kind with the queue.
func NewDownloader(deps DownloaderDeps) *Downloader {
	return &Downloader{DownloaderDeps: deps, Core: deps.Catalog.Images.Core, images: deps.Catalog.Images,
		busyDelay: time.Minute}
}

// downloadTask is one attempt to run a download job.
type downloadTask = queue.TaskOf[sourceRef, queue.NoOutput]

// Kind returns the kind of the jobs that download images.
func (d *Downloader) Kind() queue.Kind[sourceRef, queue.NoOutput] {
	return queue.Kind[sourceRef, queue.NoOutput]{
		Name: downloadKind, LaneSlots: 4, NodeSlots: 16, Timeout: downloadTimeout,
		Decode: readSourceRef, Run: d.download, OnDead: d.giveUp,
		Owner:  func(r sourceRef) string { return r.storeID.String() },
		OnPark: d.park, OnUnpark: d.unpark,
		Retries: []time.Duration{time.Second, 10 * time.Second, time.Minute, 10 * time.Minute},
	}
}

// fetchedImage is the result of a download.
type fetchedImage struct {
	outbound.FetchResult
	digest string
	upload *imagefile.Upload // nil if the product has an image with these bytes already
}

// download runs a job: it downloads an image and attaches it to its product. No transaction is open during the request.
func (d *Downloader) download(ctx context.Context, t *downloadTask) error {
	ref := t.Payload
	var src ImageSource
	var digests map[string]bool
	err := d.DB.Snapshot(ctx, func(q database.Querier) (err error) {
		src, digests, err = readImageSource(ctx, store.In(q, ref.storeID), ref.key)
		return err
	})
	if errors.Is(err, database.ErrNoRows) {
		return nil // the source was deleted
	}

	if err != nil {
		return err
	}

	fetched, err := d.fetch(ctx, ref.storeID, src)
	if err != nil {
		return fetchRetryError(err)
	}

	f := fetchedImage{FetchResult: fetched}
	if !f.NotModified {
		sum := sha256.Sum256(f.Body)
		f.digest = string(sum[:])
	}

	if !f.NotModified && !digests[f.digest] {
		u, err := d.Files.Store(ctx, ref.storeID, bytes.NewReader(f.Body))
		if err != nil {
			return d.storeRetryError(err)
		}
		f.upload = &u
	}

	return d.complete(ctx, t, src.ProductKey, f)
}

// fetch returns the bytes of an image, from a package of 1C or from its URL.
func (d *Downloader) fetch(ctx context.Context, storeID store.ID, src ImageSource) (outbound.FetchResult, error) {
	if !strings.HasPrefix(src.URL, PackagePicture) {
		return d.Downloads.Guard.Fetch(ctx, outbound.FetchRequest{URL: src.URL, Accept: acceptImages,
			MaxBytes: imagefile.MaxBytes, ETag: src.etag, LastModified: src.modified})
	}
	if src.etag == src.URL {
		return outbound.FetchResult{NotModified: true}, nil // the address changes with the content
	}
	content, err := d.Package(ctx, storeID, src.URL)
	if fault.KindOf(err) == fault.NotFound {
		return outbound.FetchResult{}, queue.Abort(err)
	}
	return outbound.FetchResult{Body: content, ETag: src.URL}, err
}

// readImageSource reads a source and the digests of the images of its owner. If the owner does not have the source's
// image any more, readImageSource clears the ETag and the Last-Modified time, which makes the request unconditional.
func readImageSource(ctx context.Context, tx store.Tx, key int64) (ImageSource, map[string]bool, error) {
	src, err := selectImageSource(ctx, tx, key)
	if err != nil {
		return src, nil, err
	}

	digests := map[string]bool{}
	has := false
	err = Galleries(ctx, tx, "", []int64{src.ProductKey}, func(owner ImageOwner, im ShownImage) {
		if owner == src.Owner() {
			digests[im.digest] = true
			has = has || im.Key == src.ImageKey
		}
	})

	if !has {
		src.etag, src.modified = "", ""
	}
	return src, digests, err
}

// fetchRetryError maps a failed request to an error that tells the queue whether and when to retry the job.
func fetchRetryError(err error) error {
	var failed *outbound.Failure
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

// storeRetryError maps the error of storing an image to an error that tells the queue whether and when to retry the
// job. A load, or files that cannot be stored now, is no reason to give up the image, however long it lasts.
func (d *Downloader) storeRetryError(err error) error {
	refused, ok := errors.AsType[*fault.Error](err)
	switch {
	case !ok:
		return err
	case refused.Kind == fault.Unavailable:
		return queue.Postpone(d.busyDelay, err)
	case refused.Kind == fault.Invalid && len(refused.Fields) == 1 && refused.Fields[0].Code == picture.TooComplex:
		return err // on a busy machine, any image can take too long; a retry shows whether it was that
	case refused.Kind == fault.Invalid, refused.Kind == fault.TooLarge:
		return queue.Abort(err)
	}
	return err
}

// complete applies the result of a download and completes its job in one transaction. After the commit it queues the
// thumbnails of a new image or drops an upload that was not used.
func (d *Downloader) complete(ctx context.Context, t *downloadTask, productKey int64, f fetchedImage) error {
	ref := t.Payload
	var done downloadResult

	err := d.DB.Write(ctx, func(q database.Querier) (err error) {
		tx := store.In(q, ref.storeID)
		if done, err = d.applyFetched(ctx, tx, ref.key, productKey, f); err != nil {
			return err
		}
		if err := t.Complete(ctx, q); err != nil {
			return err
		}
		return d.RecordChanges(ctx, tx, done.changed...)
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
