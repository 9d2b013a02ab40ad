package imagefile

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"vitrine/internal/kit/blob"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/picture"
	"vitrine/internal/shop/store"
)

const (
	// thumbnailQueue is the number of images that can wait for their thumbnails.
	thumbnailQueue = 256
	// smallSide and mediumSide are the maximum lengths of a thumbnail's longer side, in pixels.
	smallSide  = 160
	mediumSide = 640
)

// QueueThumbnails queues an image, so that its thumbnails are made in the background. It never blocks: if the queue is
// full, the thumbnails are made when a client requests them.
func (f *Files) QueueThumbnails(storeID store.ID, imageID ID) {
	select {
	case f.queue <- imageRef{storeID, imageID}:
	default:
	}
}

// RunThumbnails makes the thumbnails of queued images until ctx ends.
func (f *Files) RunThumbnails(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case im := <-f.queue:
			// An image that was deleted in the meantime needs no thumbnails.
			if err := f.makeThumbnails(ctx, im); err != nil && ctx.Err() == nil && fault.KindOf(err) != fault.NotFound {
				f.Log.WarnContext(ctx, "making thumbnails failed; retrying on request", "image_id", im.imageID,
					"error", err)
			}
		}
	}
}

// makeThumbnails makes both thumbnails of an image. Concurrent callers for one image share one call of putThumbnails,
// which runs under the context of the first caller. If that context ends early, another caller makes the thumbnails.
// makeThumbnails returns fault.NotFound if there is no such image.
func (f *Files) makeThumbnails(ctx context.Context, im imageRef) error {
	return f.share(ctx, im.folder(), func(ctx context.Context) error { return f.putThumbnails(ctx, im) })
}

// share calls fn, or waits for the call of another caller with the same key. If the context of that caller ends early,
// fn is called again.
func (f *Files) share(ctx context.Context, key string, fn func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, thumbnailTimeout)
	defer cancel()

	for {
		first := false
		call := f.making.DoChan(key, func() (any, error) {
			first = true
			return nil, fn(ctx)
		})
		select {
		case <-ctx.Done():
			return imageBusyFault(ctx, ctx.Err())
		case result := <-call:
			if !first && ctx.Err() == nil && isContextError(result.Err) {
				continue
			}
			return result.Err
		}
	}
}

func isContextError(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// putThumbnails makes and stores both thumbnails of an image, unless they exist already. A panic of the decoder becomes
// an error: DoChan runs putThumbnails in a goroutine of its own, in which a panic would end the process.
func (f *Files) putThumbnails(ctx context.Context, im imageRef) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("make thumbnails: panic: %v\n%s", p, debug.Stack())
		}
	}()

	made, err := f.hasThumbnails(ctx, im)
	if err != nil || made {
		return err
	}
	original, err := f.openOriginal(ctx, im)
	if errors.Is(err, blob.ErrNotFound) {
		return fault.Missing("image")
	}
	if err != nil {
		return err
	}
	defer func() { _ = original.Close() }() // the file was only read

	pictures, err := f.decoder.Thumbnails(ctx, ownerOf(im.storeID), original, mediumSide, smallSide)
	if isUndecodable(err) {
		// The limits were wider when the image was stored.
		return fault.New(fault.NotFound, "no_thumbnail",
			"This image has no thumbnails, because it cannot be decoded; use the original.").Because(err)
	}

	if err != nil {
		return imageBusyFault(ctx, err)
	}

	for i, size := range []Size{Medium, Small} {
		file := Image{Opaque: pictures[i].Format == picture.JPEG}
		if err := f.Blobs.Put(ctx, im.file(file.File(size)), pictures[i].Bytes); err != nil {
			return err
		}
	}

	return f.removeLateThumbnails(ctx, im)
}

// hasThumbnails reports whether both thumbnails exist. The small one is stored last, so it checks only the small one.
func (f *Files) hasThumbnails(ctx context.Context, im imageRef) (bool, error) {
	for _, name := range []string{"small.jpg", "small.png"} {
		file, err := f.Blobs.Open(ctx, im.file(name))
		if err == nil {
			return true, file.Close()
		}
		if !errors.Is(err, blob.ErrNotFound) {
			return false, err
		}
	}
	return false, nil
}

// removeLateThumbnails removes the thumbnails and returns fault.NotFound if the image was removed before they were
// stored. Nothing else would remove them.
func (f *Files) removeLateThumbnails(ctx context.Context, im imageRef) error {
	original, err := f.openOriginal(ctx, im)
	if err == nil {
		return original.Close()
	}
	if !errors.Is(err, blob.ErrNotFound) {
		return err
	}
	return errors.Join(fault.Missing("image"), f.Blobs.Remove(ctx, im.folder()))
}
