package imagefile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"vitrine/internal/kit/blob"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/store"
)

// checkBatch is how many files, or images, are looked up at a time.
const checkBatch = 500

// CheckReport receives what Check finds. Each text names a file.
type CheckReport struct {
	// Missing is called for an image whose original file does not exist, or has another size than the image.
	Missing func(text string)
	// Orphan is called for a file that no image needs and that nothing will remove.
	Orphan func(text string)
}

// CheckedFiles counts what Check has read.
type CheckedFiles struct {
	// Files counts the files of images, and Others the files in the storage that Vitrine did not write. The marker is
	// in neither.
	Files  int64 `json:"files"`
	Bytes  int64 `json:"bytes"`
	Others int64 `json:"others"`
	// Images are the images in the database.
	Images int64 `json:"images"`
}

// Check compares the images in the database with the files in the storage, in both directions, while both may change.
// Files of images that were uploaded less than an hour ago and files in image_leftovers are no orphans. Missing
// thumbnails and widths are made when they are asked for. Check needs memory for one batch and for a bit per image.
func Check(
	ctx context.Context, db *database.DB, blobs blob.Store, now time.Time, report CheckReport,
) (CheckedFiles, error) {
	c := &fileCheck{db: db, blobs: blobs, youngest: now.Add(-uploadTTL), report: report, seen: bitmap{}}

	err := blobs.Each(ctx, func(name string, size int64) error {
		if ref, ok := parseFile(name); ok {
			c.batch = append(c.batch, listedFile{ref, name, size})
			c.counts.Files++
			c.counts.Bytes += size
		} else if name != markerFile {
			c.counts.Others++
		}

		if len(c.batch) == checkBatch {
			return c.lookUpFiles(ctx)
		}

		return nil
	})
	if err == nil {
		err = c.lookUpFiles(ctx)
	}

	if err == nil {
		err = c.findMissing(ctx)
	}

	return c.counts, err
}

// IsImage reports whether a file in the storage has the name of a file of an image.
func IsImage(name string) bool {
	_, ok := parseFile(name)
	return ok
}

// parseFile returns the image to which a file belongs.
func parseFile(name string) (imageRef, bool) {
	parts := strings.Split(name, "/")
	if len(parts) != 3 || !isImageFile(parts[2]) {
		return imageRef{}, false
	}
	storeID, err := id.Parse[store.Store](parts[0])
	imageID, imageErr := id.Parse[Image](parts[1])
	return imageRef{storeID, imageID}, err == nil && imageErr == nil
}

type listedFile struct {
	imageRef
	name string
	size int64
}

type fileCheck struct {
	db       *database.DB
	blobs    blob.Store
	youngest time.Time // of the images whose files may be orphans
	report   CheckReport
	batch    []listedFile
	seen     bitmap // the keys of images whose original file was listed with the right size
	counts   CheckedFiles
}

// lookUpFiles looks up the images of a batch of files.
func (c *fileCheck) lookUpFiles(ctx context.Context) error {
	refs := make([]imageRef, len(c.batch))
	for i, f := range c.batch {
		refs[i] = f.imageRef
	}

	slices.SortFunc(refs, func(a, b imageRef) int { return strings.Compare(a.folder(), b.folder()) })
	refs = slices.Compact(refs)
	var images map[imageRef]storedImage
	var leftovers map[imageRef]bool
	err := c.db.Snapshot(ctx, func(q database.Querier) (err error) {
		if images, err = imagesByID(ctx, q, refs); err == nil {
			leftovers, err = leftoversByID(ctx, q, refs)
		}
		return err
	})
	if err != nil {
		return err
	}

	for _, f := range c.batch {
		im, known := images[f.imageRef]
		switch {
		case known && f.name == im.original() && f.size == im.size:
			c.seen.set(im.key)
		case known, leftovers[f.imageRef], f.imageID.CreatedAt().After(c.youngest):
		default:
			if err := c.reportOrphan(ctx, f); err != nil {
				return err
			}
		}
	}

	c.batch = c.batch[:0]
	return nil
}

// reportOrphan reports a file, unless it was removed with its row in image_leftovers since it was listed.
func (c *fileCheck) reportOrphan(ctx context.Context, f listedFile) error {
	file, err := c.blobs.Open(ctx, f.name)
	if errors.Is(err, blob.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	c.report.Orphan(fmt.Sprintf("%s (%d bytes)", f.name, f.size))
	return file.Close()
}

// findMissing goes through all images and looks again at those whose file was not listed.
func (c *fileCheck) findMissing(ctx context.Context) error {
	for last := int64(0); ; {
		images, err := database.Read(ctx, c.db, func(q database.Querier) ([]storedImage, error) {
			return imagesAfter(ctx, q, last, checkBatch)
		})
		if err != nil {
			return err
		}

		for i := range images {
			if !c.seen.has(images[i].key) {
				if err := c.reportMissing(ctx, &images[i]); err != nil {
					return err
				}
			}
		}

		c.counts.Images += int64(len(images))
		if len(images) < checkBatch {
			return nil
		}

		last = images[len(images)-1].key
	}
}

// reportMissing reports an image, unless its file was stored since the files were listed, or the image was deleted.
func (c *fileCheck) reportMissing(ctx context.Context, im *storedImage) error {
	text := im.original() + " is missing"
	file, err := c.blobs.Open(ctx, im.original())
	switch {
	case err == nil:
		size := file.Size()
		if err := file.Close(); err != nil || size == im.size {
			return err
		}
		text = fmt.Sprintf("%s has %d bytes and should have %d", im.original(), size, im.size)
	case !errors.Is(err, blob.ErrNotFound):
		return err
	}

	still, err := database.Read(ctx, c.db, func(q database.Querier) (map[imageRef]storedImage, error) {
		return imagesByID(ctx, q, []imageRef{im.imageRef})
	})
	if err == nil && len(still) > 0 {
		c.report.Missing(text)
	}

	return err
}

// bitmap is a set of row keys, a bit for each. Keys are dense: a million of them take 128 KiB.
type bitmap map[int64]*[bitmapPage / 64]uint64

const bitmapPage = 1 << 15

func (b bitmap) set(key int64) {
	page := b[key/bitmapPage]
	if page == nil {
		page = new([bitmapPage / 64]uint64)
		b[key/bitmapPage] = page
	}
	page[key%bitmapPage/64] |= 1 << (key % 64)
}

func (b bitmap) has(key int64) bool {
	page := b[key/bitmapPage]
	return page != nil && page[key%bitmapPage/64]&(1<<(key%64)) != 0
}
