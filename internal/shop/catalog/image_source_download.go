package catalog

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/outbound"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/imagefile"
)

// acceptImages are the formats that are taken.
const acceptImages = "image/jpeg, image/png, image/webp, image/gif, */*;q=0.1"

// found is what a download found at an address.
type found struct {
	outbound.Fetched
	digest string
	upload *imagefile.Upload // nil where the product has those bytes already
}

// download asks for an image and brings it to its product. No transaction is open while the host is waited for.
func (s *ImageSources) download(ctx context.Context, t *queue.Task) error {
	ref, err := readSourceRef(t.Payload)
	if err != nil {
		return queue.Abort(err)
	}
	var src imageSource
	var digests map[string]bool
	err = s.DB.Snapshot(ctx, func(q database.Querier) (err error) {
		src, digests, err = s.look(ctx, q, ref)
		return err
	})
	if errors.Is(err, database.ErrNoRows) {
		return nil // nobody wants it any more
	}
	if err != nil {
		return err
	}
	fetched, err := s.Guard.Fetch(ctx, outbound.FetchRequest{URL: src.url, Accept: acceptImages, MaxBytes: imagefile.MaxBytes, ETag: src.etag, LastModified: src.modified})
	if err != nil {
		return afterFetch(err)
	}
	f := found{Fetched: fetched}
	if !f.NotModified {
		sum := sha256.Sum256(f.Body)
		f.digest = string(sum[:])
	}
	if !f.NotModified && !digests[f.digest] {
		u, err := s.Files.Store(ctx, ref.storeID, bytes.NewReader(f.Body))
		if fault.KindOf(err) == fault.Invalid {
			return queue.Abort(err)
		}
		if err != nil {
			return err
		}
		f.upload = &u
	}
	return s.bring(ctx, t, ref, src.productKey, f)
}

// look reads a source and the digests of the images that its product has. Without an image it is asked for anew, whatever the host said before.
func (s *ImageSources) look(ctx context.Context, q database.Querier, ref sourceRef) (imageSource, map[string]bool, error) {
	src, err := oneSource(ctx, q, ref)
	if err != nil {
		return src, nil, err
	}
	digests, has := map[string]bool{}, false
	err = shownImagesUnlocked(ctx, q, ref.storeID, src.productKey, func(im shownImage) {
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
		return queue.Later(min(failed.RetryAfter, waitAtMost), err)
	}
	return err
}

// bring settles a download in one transaction with the end of its job, and then has done what follows from it.
func (s *ImageSources) bring(ctx context.Context, t *queue.Task, ref sourceRef, productKey int64, f found) error {
	var done settledSource
	err := s.DB.Write(ctx, func(q database.Querier) (err error) {
		if done, err = s.settle(ctx, q, ref, productKey, f); err != nil {
			return err
		}
		if err := t.Complete(ctx, q); err != nil {
			return err
		}
		return s.Catalog.productsChanged(ctx, q, ref.storeID, done.changed...)
	})
	if err != nil {
		return err
	}
	if f.upload != nil && done.used {
		s.Files.QueueThumbnails(ref.storeID, f.upload.ID)
	} else if f.upload != nil {
		s.Files.Drop(ctx, ref.storeID, *f.upload)
	}
	if len(done.changed) > 0 {
		s.Files.Wake()
	}
	return nil
}
