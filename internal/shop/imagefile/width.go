package imagefile

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"time"

	"vitrine/internal/kit/blob"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/picture"
	"vitrine/internal/shop/store"
)

// Widths are the widths in pixels in which an image can be had, up to its own.
var Widths = []int64{160, 320, 640, 960, 1280, 1920}

// maxWaitingWidths limits how many images of a store wait to be made in another width.
const maxWaitingWidths = 128

// UnknownColor stands for the color of an image that cannot be decoded any more.
const UnknownColor = "#808080"

// WidthsOf returns the widths in which an image of this width can be had.
func WidthsOf(width int64) []int64 {
	n, found := slices.BinarySearch(Widths, width)
	if found {
		n++
	}
	return Widths[:n]
}

// widthFiles are the possible names of the files of an image in another width.
var widthFiles = func() (names []string) {
	for _, w := range Widths {
		names = append(names, widthFile(w, ".jpg"), widthFile(w, ".png"))
	}
	return names
}()

func widthFile(width int64, extension string) string {
	return "w" + strconv.FormatInt(width, 10) + extension
}

// isImageFile reports whether files of images have this name.
func isImageFile(name string) bool {
	return slices.Contains(originals, name) || slices.Contains(thumbnails, name) || slices.Contains(widthFiles, name)
}

// waitingWidths counts the images that wait to be made in another width, by store.
type waitingWidths struct {
	mu    sync.Mutex
	count map[store.ID]int
}

// begin reports whether one more image of the store may wait. If so, the caller calls end.
func (w *waitingWidths) begin(storeID store.ID) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.count[storeID] >= maxWaitingWidths {
		return false
	}
	if w.count == nil {
		w.count = map[store.ID]int{}
	}
	w.count[storeID]++
	return true
}

func (w *waitingWidths) end(storeID store.ID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.count[storeID]--; w.count[storeID] == 0 {
		delete(w.count, storeID)
	}
}

// OpenWidth opens an image, given by the name of its original, in one of the Widths. The file is made at the first
// request and kept; concurrent requests for it wait for one another. OpenWidth returns the file with its name and media
// type. It returns fault.Malformed for a width above that of the image, fault.NotFound if there is no such image or it
// cannot be decoded, or fault.Unavailable if too many images are being made, or the blob store is unreachable. The
// caller closes the file.
func (f *Files) OpenWidth(
	ctx context.Context, storeID store.ID, imageID ID, original string, width int64,
) (_ blob.File, name, mediaType string, err error) {
	defer fault.AddContext(&err, "open image %s in the width %d", imageID, width)
	if !slices.Contains(originals, original) {
		return nil, "", "", fault.Missing("image")
	}

	im := imageRef{storeID, imageID}
	for made := false; ; made = true {
		for _, extension := range []string{".jpg", ".png"} {
			name := widthFile(width, extension)
			file, err := f.Blobs.Open(ctx, im.file(name))
			if err == nil {
				return file, name, imageMediaType(name), nil
			}
			if !errors.Is(err, blob.ErrNotFound) {
				return nil, "", "", err
			}
		}

		if made { // and removed since, with its image
			return nil, "", "", fault.Missing("image")
		}
		if err := f.makeWidth(ctx, im, original, width); err != nil {
			return nil, "", "", err
		}
	}
}

// makeWidth makes an image in another width. Concurrent callers share one call of putWidth.
func (f *Files) makeWidth(ctx context.Context, im imageRef, original string, width int64) error {
	if !f.waiting.begin(im.storeID) {
		return fault.New(fault.Unavailable, "busy",
			"Too many images are being made smaller at this moment. Try again shortly.").After(5 * time.Second)
	}
	defer f.waiting.end(im.storeID)

	return f.share(ctx, im.file(widthFile(width, "")), func(ctx context.Context) error {
		return f.putWidth(ctx, im, original, width)
	})
}

// putWidth makes and stores an image in another width. A panic of the decoder becomes an error, as in putThumbnails.
func (f *Files) putWidth(ctx context.Context, im imageRef, original string, width int64) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("make an image smaller: panic: %v\n%s", p, debug.Stack())
		}
	}()

	file, err := f.Blobs.Open(ctx, im.file(original))
	if errors.Is(err, blob.ErrNotFound) {
		return fault.Missing("image")
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // the file was only read

	made, err := f.decoder.Narrower(ctx, widthOwner(im.storeID), file, int(width))
	if tooWide, ok := errors.AsType[*picture.WidthError](err); ok {
		return fault.New(fault.Malformed, "malformed_query",
			"The query parameter w is %d, but the image is only %d pixels wide; leave w out for the image itself.",
			width, tooWide.Width)
	}
	if isUndecodable(err) {
		return fault.New(fault.NotFound, "no_thumbnail",
			"This image cannot be had in other sizes, because it cannot be decoded; use the original.").Because(err)
	}
	if err != nil {
		return imageBusyFault(ctx, err)
	}

	extension := ".png"
	if made.Format == picture.JPEG {
		extension = ".jpg"
	}
	if err := f.Blobs.Put(ctx, im.file(widthFile(width, extension)), made.Bytes); err != nil {
		return err
	}
	return f.removeLateThumbnails(ctx, im)
}

// widthOwner returns the name under which the decoder lets a store wait for images in other widths, so that visitors
// who ask for many do not delay its uploads.
func widthOwner(storeID store.ID) string { return ownerOf(storeID) + " widths" }

// isUndecodable reports whether err says that an image can never be decoded.
func isUndecodable(err error) bool {
	_, refused := errors.AsType[*picture.Refusal](err)
	_, tooLarge := errors.AsType[*picture.MemoryError](err)
	return refused || tooLarge
}

// Color returns the dominant color of a stored image, and UnknownColor if it cannot be decoded or does not exist.
func (f *Files) Color(ctx context.Context, storeID store.ID, imageID ID) (_ string, err error) {
	defer fault.AddContext(&err, "find the color of image %s", imageID)
	file, err := f.openOriginal(ctx, imageRef{storeID, imageID})
	if errors.Is(err, blob.ErrNotFound) {
		return UnknownColor, nil
	}
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }() // the file was only read

	color, err := f.decoder.Color(ctx, widthOwner(storeID), file)
	if isUndecodable(err) {
		return UnknownColor, nil
	}
	return color, err
}
