package imagefile

import (
	"context"
	"errors"

	"vitrine/internal/kit/blob"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/picture"
	"vitrine/internal/shop/store"
)

const (
	// thumbnailQueue is how many images wait for their thumbnails. Of one that finds no room they are made when somebody asks for them.
	thumbnailQueue = 256
	// smallSide and mediumSide are how many pixels the longer side of a thumbnail has at most.
	smallSide  = 160
	mediumSide = 640
)

// QueueThumbnails has the thumbnails of an image made soon. It never waits: somebody who needs them earlier makes them.
func (f *Files) QueueThumbnails(storeID store.ID, imageID ID) {
	select {
	case f.queue <- imageRef{storeID, imageID}:
	default:
	}
}

// RunThumbnails makes the thumbnails that are waited for until ctx ends.
func (f *Files) RunThumbnails(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case im := <-f.queue:
			// One that is deleted already needs none.
			if err := f.makeThumbnails(ctx, im); err != nil && ctx.Err() == nil && fault.KindOf(err) != fault.NotFound {
				f.log.Warn("the thumbnails of an image were not made; they will be when somebody asks for them", "image", im.imageID, "error", err)
			}
		}
	}
}

// makeThumbnails makes both thumbnails of an image. Callers that ask for those of one image at the same time share one call: it runs under
// the context of the first of them, and where that context ends early another caller makes them. It returns fault.NotFound if there is no
// such image.
func (f *Files) makeThumbnails(ctx context.Context, im imageRef) error {
	ctx, cancel := context.WithTimeout(ctx, thumbnailTimeout)
	defer cancel()
	for {
		first := false
		call := f.making.DoChan(im.folder(), func() (any, error) {
			first = true
			return nil, f.putThumbnails(ctx, im)
		})
		select {
		case <-ctx.Done():
			return busyFault(ctx, ctx.Err())
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

// putThumbnails makes and stores both thumbnails of an image, unless they are there already.
func (f *Files) putThumbnails(ctx context.Context, im imageRef) error {
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
	defer func() { _ = original.Close() }() // it was only read
	pictures, err := f.decoder.Thumbnails(ctx, original, mediumSide, smallSide)
	if err != nil {
		return busyFault(ctx, err)
	}
	for i, size := range []Size{Medium, Small} {
		file := Image{Opaque: pictures[i].Format == picture.JPEG}
		if err := f.blobs.Put(ctx, im.file(file.File(size)), pictures[i].Bytes); err != nil {
			return err
		}
	}
	return f.removeLateThumbnails(ctx, im)
}

// hasThumbnails reports whether they are there. The smaller one is put last.
func (f *Files) hasThumbnails(ctx context.Context, im imageRef) (bool, error) {
	for _, name := range []string{"small.jpg", "small.png"} {
		file, err := f.blobs.Open(ctx, im.file(name))
		if err == nil {
			return true, file.Close()
		}
		if !errors.Is(err, blob.ErrNotFound) {
			return false, err
		}
	}
	return false, nil
}

// removeLateThumbnails removes thumbnails that were put after their image was removed: nobody else would.
func (f *Files) removeLateThumbnails(ctx context.Context, im imageRef) error {
	original, err := f.openOriginal(ctx, im)
	if err == nil {
		return original.Close()
	}
	if !errors.Is(err, blob.ErrNotFound) {
		return err
	}
	return errors.Join(fault.Missing("image"), f.blobs.Remove(ctx, im.folder()))
}
