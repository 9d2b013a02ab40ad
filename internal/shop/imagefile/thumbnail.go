package imagefile

import (
	"context"
	"errors"
	"sync"

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

// makeThumbnails makes both thumbnails of an image, unless somebody else has made them while this one waited. It returns fault.NotFound
// if there is no such image.
func (f *Files) makeThumbnails(ctx context.Context, im imageRef) error {
	ctx, cancel := context.WithTimeout(ctx, thumbnailTimeout)
	defer cancel()
	done, err := f.makers.begin(ctx, im)
	if err != nil {
		return busyFault(ctx, err)
	}
	defer done()
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

// makers lets one at a time make the thumbnails of an image. The zero value is ready.
type makers struct {
	mu   sync.Mutex
	busy map[imageRef]chan struct{} // closed when its maker is done
}

// begin waits until nobody else makes those of im.
func (m *makers) begin(ctx context.Context, im imageRef) (done func(), err error) {
	for {
		m.mu.Lock()
		other, found := m.busy[im]
		if !found {
			if m.busy == nil {
				m.busy = map[imageRef]chan struct{}{}
			}
			mine := make(chan struct{})
			m.busy[im] = mine
			m.mu.Unlock()
			return func() { m.end(im, mine) }, nil
		}
		m.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (m *makers) end(im imageRef, mine chan struct{}) {
	m.mu.Lock()
	delete(m.busy, im)
	m.mu.Unlock()
	close(mine)
}
