// Package imagefile owns the bytes of images: it stores them, makes thumbnails of them, and removes the bytes that no
// image needs. The rows of images, their products and their display order belong to package catalog.
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

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"

	"vitrine/internal/kit/blob"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/picture"
	"vitrine/internal/shop/store"
)

const (
	// MaxBytes is the maximum size of an image file.
	MaxBytes = picture.MaxBytes
	// UploadTimeout limits an upload from its first byte to the last byte in the blob store. uploadTTL is how long the
	// bytes are kept if the row of their image is not created. It must be much longer than the sum of UploadTimeout and
	// the time that a request may spend in the database.
	UploadTimeout = 5 * time.Minute
	uploadTTL     = time.Hour
	// thumbnailTimeout limits how long a request waits for a thumbnail that does not exist yet.
	thumbnailTimeout = 30 * time.Second
	// putsAtOnce is how many files StoreAll writes at once: each waits for the disk or the network.
	putsAtOnce = 8
)

// Files stores the bytes of images, makes thumbnails of them, and removes the bytes that no image needs. It is safe for
// concurrent use.
//
// No transaction spans the database and the blob store. So a row in image_leftovers, which says when the bytes are to
// be removed, is committed before the bytes are stored. The transaction that creates the image deletes this row; the
// transaction that deletes the image inserts it again. Whatever fails or crashes, there are no bytes without an image
// or such a row, and no image without its bytes.
type Files struct {
	Deps
	decoder *picture.Decoder
	making  singleflight.Group // keyed by imageRef.folder, or by the name of a file without its extension
	waiting waitingWidths
	queue   chan imageRef // images that need thumbnails
	wake    chan struct{}
}

// Deps holds the dependencies of Files.
type Deps struct {
	DB    *database.DB
	Blobs blob.Store
	Now   func() time.Time
	Log   *slog.Logger
	// Memory is how many bytes decoded images may take together; see picture.Options.
	Memory int64
}

// New returns a new Files. The caller runs Run and RunThumbnails, and closes the blob store.
func New(d Deps) *Files {
	return &Files{Deps: d, decoder: picture.NewDecoder(picture.Options{Memory: d.Memory}),
		queue: make(chan imageRef, thumbnailQueue), wake: make(chan struct{}, 1)}
}

// MemoryUsed returns how many bytes of Deps.Memory are in use.
func (f *Files) MemoryUsed() int64 { return f.decoder.Used() }

// IsLarge reports whether Store decodes the image as a large one, for which there are fewer slots. It returns
// fault.Invalid if the header is not the header of a supported image.
func (f *Files) IsLarge(ctx context.Context, content io.ReadSeeker) (bool, error) {
	large, err := f.decoder.IsLarge(content)
	if err != nil {
		return false, pictureFault(ctx, err)
	}
	return large, nil
}

// Upload is an image whose bytes are stored and which has no row in the database yet.
type Upload struct {
	ID            ID
	Format        picture.Format
	Opaque        bool
	Color         string // dominant, as #rrggbb
	Width, Height int
	Size          int64    // of the stored file, in bytes
	Digest        [32]byte // SHA-256 of the bytes as they were sent
}

// Store validates an image, removes its metadata and stores its bytes. The caller then calls catalog.Images.Create;
// otherwise the bytes are removed after an hour. Images wait for each other while they are decoded; the stores take
// turns. Store returns fault.Invalid if the content is not a supported image, fault.TooLarge if it would take too much
// memory, or fault.Unavailable if the bytes cannot be stored now.
func (f *Files) Store(ctx context.Context, storeID store.ID, content io.ReadSeeker) (_ Upload, err error) {
	defer fault.AddContext(&err, "store an image of store %s", storeID)

	ctx, cancel := context.WithTimeout(ctx, UploadTimeout)
	defer cancel()

	sum := sha256.New()
	if _, err := io.Copy(sum, content); err != nil {
		return Upload{}, err
	}
	if _, err := content.Seek(0, io.SeekStart); err != nil {
		return Upload{}, err
	}

	p, err := f.decoder.Clean(ctx, ownerOf(storeID), content)
	if err != nil {
		return Upload{}, pictureFault(ctx, err)
	}
	defer p.Release()

	u := uploadOf(p)
	sum.Sum(u.Digest[:0])
	err = f.DB.Write(ctx, func(q database.Querier) error {
		return MarkOrphan(ctx, store.In(q, storeID), u.ID, f.Now().Add(uploadTTL))
	})
	if err != nil {
		return Upload{}, err
	}

	return u, f.putOriginal(ctx, storeID, u, p.Bytes)
}

// StoreAll stores the bytes of pictures that this program has made, which therefore need no check. The caller then
// calls catalog.Images.Create for each, as after Store.
func (f *Files) StoreAll(
	ctx context.Context, storeID store.ID, pictures []picture.Picture,
) (_ []Upload, err error) {
	defer fault.AddContext(&err, "store %d images of store %s", len(pictures), storeID)
	uploads := make([]Upload, len(pictures))
	for i, p := range pictures {
		uploads[i] = uploadOf(p)
		uploads[i].Digest = sha256.Sum256(p.Bytes)
	}

	due := f.Now().Add(uploadTTL)
	err = f.DB.Write(ctx, func(q database.Querier) error {
		for _, u := range uploads {
			if err := MarkOrphan(ctx, store.In(q, storeID), u.ID, due); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}

	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(putsAtOnce)
	for i, u := range uploads {
		group.Go(func() error { return f.putOriginal(ctx, storeID, u, pictures[i].Bytes) })
	}
	return uploads, group.Wait()
}

// uploadOf returns the upload of a picture with a new id, without the digest.
func uploadOf(p picture.Picture) Upload {
	return Upload{ID: id.New[Image](), Format: p.Format, Opaque: p.Opaque, Color: p.Color, Width: p.Width,
		Height: p.Height, Size: int64(len(p.Bytes))}
}

func (f *Files) putOriginal(ctx context.Context, storeID store.ID, u Upload, content []byte) error {
	original := Image{Format: string(u.Format)}
	return f.Blobs.Put(ctx, imageRef{storeID, u.ID}.file(original.File(Original)), content)
}

// ownerOf returns the name of a store for the decoder.
func ownerOf(storeID store.ID) string { return string(storeID[:]) }

// imageRef identifies the files of an image.
type imageRef struct {
	storeID store.ID
	imageID ID
}

// folder returns the folder of the files in the blob store.
func (im imageRef) folder() string { return path.Join(im.storeID.String(), im.imageID.String()) }

func (im imageRef) file(name string) string { return path.Join(im.folder(), name) }

// Folder returns the folder of the files of an image in the blob store.
func Folder(storeID store.ID, imageID ID) string { return imageRef{storeID, imageID}.folder() }

// BlobName returns the name of a file of an image in the blob store.
func BlobName(storeID store.ID, imageID ID, file string) string {
	return imageRef{storeID, imageID}.file(file)
}

// IsOriginal reports whether file is a possible name of the original file of an image.
func IsOriginal(file string) bool { return slices.Contains(originals, file) }

// pictureFault maps an error of the decoder to a fault for the client.
func pictureFault(ctx context.Context, err error) error {
	var refusal *picture.Refusal
	if errors.As(err, &refusal) {
		return fault.OneField("file", refusal.Code, "%s", refusal.Message)
	}
	if tooLarge, ok := errors.AsType[*picture.MemoryError](err); ok {
		return fault.New(fault.TooLarge, "image_needs_too_much_memory",
			"Decoding this image needs %d MiB; at most %d MiB are available. Send a smaller image or a baseline JPEG.",
			(tooLarge.Need+1<<20-1)>>20, tooLarge.Limit>>20).Because(err)
	}
	return imageBusyFault(ctx, err)
}

// imageBusyFault maps an exceeded deadline of ctx to fault.Unavailable, and returns other errors unchanged.
func imageBusyFault(ctx context.Context, err error) error {
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() != nil {
		return fault.New(fault.Unavailable, "busy",
			"Too many images are being read at this moment; nothing was changed. Try again shortly.",
		).After(5 * time.Second).Because(err)
	}
	return err
}

// originals and thumbnails list the possible names of an image's original file and of its thumbnails.
var (
	originals  = []string{"original.jpg", "original.png", "original.webp", "original.gif"}
	thumbnails = []string{"small.jpg", "small.png", "medium.jpg", "medium.png"}
)

// Open opens a file of an image by its name, as returned by Image.File, and returns it with its media type. It makes a
// thumbnail that does not exist yet. It returns fault.NotFound if there is no such file, or fault.Unavailable if the
// blob store is unreachable or busy. The caller closes the file.
func (f *Files) Open(
	ctx context.Context, storeID store.ID, imageID ID, name string,
) (_ blob.File, mediaType string, err error) {
	defer fault.AddContext(&err, "open a file of image %s", imageID)

	if !slices.Contains(originals, name) && !slices.Contains(thumbnails, name) {
		return nil, "", fault.Missing("image")
	}

	im := imageRef{storeID, imageID}
	file, err := f.Blobs.Open(ctx, im.file(name))
	if errors.Is(err, blob.ErrNotFound) && slices.Contains(thumbnails, name) {
		if err := f.makeThumbnails(ctx, im); err != nil {
			return nil, "", err
		}
		file, err = f.Blobs.Open(ctx, im.file(name))
	}

	if errors.Is(err, blob.ErrNotFound) {
		return nil, "", fault.Missing("image")
	}

	return file, imageMediaType(name), err
}

func imageMediaType(name string) string {
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

// openOriginal opens the original file, or returns blob.ErrNotFound.
func (f *Files) openOriginal(ctx context.Context, im imageRef) (blob.File, error) {
	for _, name := range originals {
		file, err := f.Blobs.Open(ctx, im.file(name))
		if err == nil || !errors.Is(err, blob.ErrNotFound) {
			return file, err
		}
	}
	return nil, fmt.Errorf("image %s: %w", im.imageID, blob.ErrNotFound)
}

// ID identifies an image.
type ID = id.Of[Image]

// Image has the properties of an image that determine the names of its files.
type Image struct {
	// Format is jpeg, png, webp or gif.
	Format string
	// Opaque says that no pixel is transparent.
	Opaque bool
}

// Size is one of the sizes in which an image is stored.
type Size string

// The sizes. Original is the image itself. The thumbnails Small and Medium have at most 160 and 640 pixels on the
// longer side.
const (
	Original Size = "original"
	Small    Size = "small"
	Medium   Size = "medium"
)

// File returns the name of the image's file of this size, which is also the last part of its URL. A thumbnail is a JPEG
// if the image is opaque, and a PNG otherwise.
func (im *Image) File(size Size) string {
	switch {
	case size == Original && im.Format == "jpeg", size != Original && im.Opaque:
		return string(size) + ".jpg"
	case size == Original:
		return string(size) + "." + im.Format
	}
	return string(size) + ".png"
}
