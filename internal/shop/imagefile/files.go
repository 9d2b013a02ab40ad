// Package imagefile owns the bytes of images: it stores them, makes thumbnails of them, and removes those that no image needs. The images
// themselves, what they are of and in which order they are shown, belong to the catalogue.
package imagefile

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path"
	"slices"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"

	"vitrine/internal/kit/blob"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/picture"
	"vitrine/internal/shop/store"
)

const (
	// MaxBytes is the longest image that is taken.
	MaxBytes = picture.MaxBytes
	// maxUploads is how many uploads are held in memory; the others wait with theirs on the disk.
	maxUploads = 8
	// UploadTimeout bounds an upload from the first to the last byte in the blob store, uploadTTL how long its bytes wait for their row. The
	// second must be much longer than the first and a request's time in the database together.
	UploadTimeout = 5 * time.Minute
	uploadTTL     = time.Hour
	// thumbnailTimeout bounds how long somebody waits for a thumbnail that is not there yet.
	thumbnailTimeout = 30 * time.Second
)

// Files are the bytes of images: it stores them, makes thumbnails of them, and removes those that nothing needs any more. It is safe
// for concurrent use.
//
// No transaction spans the database and the blob store, so a note in the database goes before the bytes: it says when they are to be
// removed. The transaction that makes the image takes the note away, the one that deletes it writes it again. So whatever fails or
// crashes, there are no bytes without an image or a note, and no image without its bytes.
type Files struct {
	db      *database.DB
	blobs   blob.Store
	now     func() time.Time
	log     *slog.Logger
	decoder *picture.Decoder
	uploads *semaphore.Weighted
	making  singleflight.Group // by imageRef.folder
	queue   chan imageRef      // images that need thumbnails
	wake    chan struct{}
}

// Deps is what Files needs.
type Deps struct {
	DB    *database.DB
	Blobs blob.Store
	Now   func() time.Time
	Log   *slog.Logger
}

// New makes it. The caller runs Run and RunThumbnails beside it, and closes the blob store.
func New(deps Deps) *Files {
	return &Files{
		db: deps.DB, blobs: deps.Blobs, now: deps.Now, log: deps.Log, decoder: picture.NewDecoder(),
		uploads: semaphore.NewWeighted(maxUploads), queue: make(chan imageRef, thumbnailQueue), wake: make(chan struct{}, 1),
	}
}

// Upload is an image whose bytes are stored and which is not in the database yet.
type Upload struct {
	ID            ID
	Format        picture.Format
	Opaque        bool
	Width, Height int
	Size          int64    // of what is stored
	Digest        [32]byte // of the bytes as they were sent
}

// Store checks an image and stores its bytes without their metadata; catalog.Images.Create then makes it part of the store, or they are removed
// in an hour. It returns fault.Invalid for what is no image that is taken, or fault.Unavailable if the bytes cannot be stored now.
func (f *Files) Store(ctx context.Context, storeID store.ID, content io.ReadSeeker) (Upload, error) {
	ctx, cancel := context.WithTimeout(ctx, UploadTimeout)
	defer cancel()
	if err := f.uploads.Acquire(ctx, 1); err != nil {
		return Upload{}, busyFault(ctx, err)
	}
	defer f.uploads.Release(1)
	sum := sha256.New()
	if _, err := io.Copy(sum, content); err != nil {
		return Upload{}, err
	}
	if _, err := content.Seek(0, io.SeekStart); err != nil {
		return Upload{}, err
	}
	p, err := f.decoder.Clean(ctx, content)
	if err != nil {
		return Upload{}, pictureFault(ctx, err)
	}
	u := Upload{ID: id.New[Image](), Format: p.Format, Opaque: p.Opaque, Width: p.Width, Height: p.Height, Size: int64(len(p.Bytes))}
	sum.Sum(u.Digest[:0])
	err = f.db.Write(ctx, func(q database.Querier) error {
		return MarkOrphan(ctx, store.In(q, storeID), u.ID, f.now().Add(uploadTTL))
	})
	if err != nil {
		return Upload{}, err
	}
	original := Image{Format: string(u.Format)}
	return u, f.blobs.Put(ctx, imageRef{storeID, u.ID}.file(original.File(Original)), p.Bytes)
}

// imageRef names the files of an image.
type imageRef struct {
	storeID store.ID
	imageID ID
}

// folder is where they are in the blob store.
func (im imageRef) folder() string { return path.Join(im.storeID.String(), im.imageID.String()) }

func (im imageRef) file(name string) string { return path.Join(im.folder(), name) }

// pictureFault turns a refusal into words for the request that sent the picture.
func pictureFault(ctx context.Context, err error) error {
	var refusal *picture.Refusal
	if errors.As(err, &refusal) {
		return fault.OneField("file", refusal.Code, "%s", refusal.Message)
	}
	return busyFault(ctx, err)
}

// busyFault says that the wait for a decoder was too long.
func busyFault(ctx context.Context, err error) error {
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() != nil {
		return fault.New(fault.Unavailable, "busy", "Too many images are being read at this moment; nothing was changed. Try again shortly.").After(5 * time.Second).Because(err)
	}
	return err
}

// originals are the names that the file of an image itself can have, and thumbnails those of the smaller ones.
var (
	originals  = []string{"original.jpg", "original.png", "original.webp", "original.gif"}
	thumbnails = []string{"small.jpg", "small.png", "medium.jpg", "medium.png"}
)

// Open opens a file of an image by its name, as Image.File gives it, and returns its media type with it. A thumbnail that is not there yet
// is made. It returns fault.NotFound, or fault.Unavailable if the blob store is away or busy. The caller closes the file.
func (f *Files) Open(ctx context.Context, storeID store.ID, imageID ID, name string) (blob.File, string, error) {
	if !slices.Contains(originals, name) && !slices.Contains(thumbnails, name) {
		return nil, "", fault.Missing("image")
	}
	im := imageRef{storeID, imageID}
	file, err := f.blobs.Open(ctx, im.file(name))
	if errors.Is(err, blob.ErrNotFound) && slices.Contains(thumbnails, name) {
		if err := f.makeThumbnails(ctx, im); err != nil {
			return nil, "", err
		}
		file, err = f.blobs.Open(ctx, im.file(name))
	}
	if errors.Is(err, blob.ErrNotFound) {
		return nil, "", fault.Missing("image")
	}
	return file, mediaType(name), err
}

func mediaType(name string) string {
	switch path.Ext(name) {
	case ".jpg":
		return "image/jpeg"
	case ".png":
		return "image/png"
	case ".webp":
		return "image/webp"
	}
	return "image/gif"
}

// openOriginal opens the image itself, or returns blob.ErrNotFound.
func (f *Files) openOriginal(ctx context.Context, im imageRef) (blob.File, error) {
	for _, name := range originals {
		file, err := f.blobs.Open(ctx, im.file(name))
		if err == nil || !errors.Is(err, blob.ErrNotFound) {
			return file, err
		}
	}
	return nil, fmt.Errorf("image %s: %w", im.imageID, blob.ErrNotFound)
}
