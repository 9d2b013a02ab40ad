package catalog

import (
	"context"
	"log/slog"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/periodic"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

// ImageID identifies an image.
type ImageID = imagefile.ID

// Image is an image file with its database row. Its bytes are in the blob store under its id. The bytes never change.
type Image struct {
	Key        int64
	ID         ImageID
	ExternalID *string
	// ProductID is the product that has the image; nil if no product does. VariantID is the variant of this product
	// that owns the image; nil if the product owns it.
	ProductID *ProductID
	VariantID *VariantID
	// CategoryID is the category whose picture the image is; nil if it is none.
	CategoryID *CategoryID
	imagefile.Image
	Width, Height int64 // in pixels
	// Alt is the text of the image; nil stands for the name of the product.
	Alt *string
	// Color is the dominant color as #rrggbb. It is empty until FillColors has computed it.
	Color     string
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time
}

// AppendPath appends the path of one file of the image in the public API.
func (im *Image) AppendPath(b []byte, storeID store.ID, size imagefile.Size) []byte {
	b = append(b, "/images/"...)
	b = storeID.Append(b)
	b = append(b, '/')
	b = im.ID.Append(b)
	b = append(b, '/')
	return append(b, im.File(size)...)
}

// ImageEdit is an edit of an image. A nil member keeps the stored value.
type ImageEdit struct {
	ExternalID *string  // "" removes it
	Alt        **string // to nil removes it
}

// MaxAlt is the maximum number of characters in the text of an image.
const MaxAlt = 1000

// Alt returns the text of an image, which may be empty, or the rule that it breaks.
func Alt(sent string) (string, *fault.Field) { return sent, rule.Plain(sent, MaxAlt) }

// apply applies the edit, or returns fault.Invalid.
func (im *Image) apply(e ImageEdit) error {
	var wrong rule.Violations
	wrong.AssignExternalID(&im.ExternalID, e.ExternalID, "")
	if e.Alt != nil {
		im.Alt = nil
		if sent := *e.Alt; sent != nil {
			im.Alt = new(string)
			wrong.Assign(im.Alt, sent, Alt, "", "alt")
		}
	}
	return wrong.Fault()
}

// Find returns an image, or fault.NotFound. archived says whether images of archived products are included.
func (s *Images) Find(ctx context.Context, tx store.Tx, imageID ImageID, archived bool) (_ Image, err error) {
	defer fault.AddContext(&err, "find image %s", imageID)
	return selectImage(ctx, tx, imageID, archived, "")
}

// Create creates an image from an upload whose bytes are stored. It returns fault.Invalid, fault.Conflict if the
// external id is taken, or fault.Unavailable if the upload has expired and its bytes may have been removed. The caller
// then rolls back.
func (s *Images) Create(ctx context.Context, tx store.Tx, u imagefile.Upload, e ImageEdit) (_ Image, err error) {
	defer fault.AddContext(&err, "create image %s", u.ID)

	kept, err := imagefile.UnmarkOrphan(ctx, tx, u.ID)
	if err != nil {
		return Image{}, err
	}

	if !kept {
		return Image{}, fault.New(fault.Unavailable, "upload_expired",
			"The image took too long to be stored; nothing was changed. Send it again.").After(time.Second)
	}

	now := s.Now().UTC().Truncate(time.Microsecond)
	im := Image{
		ID: u.ID, Image: imagefile.Image{Format: string(u.Format), Opaque: u.Opaque},
		Width: int64(u.Width), Height: int64(u.Height), Color: u.Color, Version: 1, CreatedAt: now, UpdatedAt: now,
	}
	if err := im.apply(e); err != nil {
		return Image{}, err
	}
	if err := insertImage(ctx, tx, &im, u); err != nil {
		return Image{}, err
	}

	return im, audit.Record(ctx, tx, im.entry(audit.ImageAdded))
}

// Edit applies an edit. A change of the text raises the version of the product that shows the image. It returns
// fault.NotFound, fault.Stale, fault.Invalid, or fault.Conflict if the external id is taken; the caller then rolls
// back.
func (s *Images) Edit(
	ctx context.Context, tx store.Tx, imageID ImageID, e ImageEdit, pre fault.Precondition,
) (_ Image, err error) {
	defer fault.AddContext(&err, "edit image %s", imageID)
	im, err := lockImage(ctx, tx, imageID, pre)
	if err != nil {
		return Image{}, err
	}
	if err := im.apply(e); err != nil {
		return Image{}, err
	}

	im.Version++
	im.UpdatedAt = s.UpdateTimeAfter(im.UpdatedAt)
	if err := updateImage(ctx, tx, &im); err != nil {
		return Image{}, err
	}
	if e.Alt != nil {
		if err := s.showAgain(ctx, tx, []int64{im.Key}); err != nil {
			return Image{}, err
		}
	}
	return im, audit.Record(ctx, tx, im.entry(audit.ImageEdited))
}

// showAgain raises the versions of the products and categories that show images, which changes nothing that pushes
// compare.
func (s *Images) showAgain(ctx context.Context, tx store.Tx, imageKeys []int64) error {
	products, err := productsOfImages(ctx, tx, imageKeys)
	if err != nil {
		return err
	}
	if err := raiseProductVersions(ctx, tx, products); err != nil {
		return err
	}
	if err := touchCategoriesOfImages(ctx, tx, imageKeys); err != nil {
		return err
	}
	return s.RecordChanges(ctx, tx, products...)
}

// colorInterval is how often RunColors looks for images without a color, which older nodes may store beside this one.
const colorInterval = time.Hour

// RunColors calls FillColors until ctx ends: at the start and every hour.
func (s *Images) RunColors(ctx context.Context, db *database.DB, files *imagefile.Files, log *slog.Logger) error {
	return periodic.Run(ctx, log, periodic.Task{Name: "compute the colors of images", Every: colorInterval,
		Do: func(ctx context.Context) error { return s.FillColors(ctx, db, files) }})
}

// colorBatch is the number of images whose colors are stored together.
const colorBatch = 50

// FillColors computes the colors of images that were stored without, which versions before did.
func (s *Images) FillColors(ctx context.Context, db *database.DB, files *imagefile.Files) (err error) {
	defer fault.AddContext(&err, "compute the colors of images")
	for {
		list, err := database.Read(ctx, db, func(q database.Querier) ([]uncolored, error) {
			return uncoloredImages(ctx, q, colorBatch)
		})
		if err != nil || len(list) == 0 {
			return err
		}

		storeID := list[0].storeID
		colors := database.NewBatch(database.BigInt, database.Text)
		var keys []int64
		for _, im := range list {
			if im.storeID != storeID {
				break
			}
			color, err := files.Color(ctx, im.storeID, im.imageID)
			if err != nil {
				return err
			}
			keys = append(keys, im.key)
			colors.Add(im.key, color)
		}

		err = db.Write(ctx, func(q database.Querier) error {
			tx := store.In(q, storeID)
			if err := setColors(ctx, tx, colors); err != nil {
				return err
			}
			return s.showAgain(ctx, tx, keys)
		})
		if err != nil {
			return err
		}
	}
}

// Delete deletes an image and detaches it from its product and the variants that have it, or from its category. The
// version of the product or category grows, but its update time stays. After the commit,
// imagefile.Files.Run removes the bytes. Delete returns fault.NotFound or fault.Stale.
func (s *Images) Delete(ctx context.Context, tx store.Tx, imageID ImageID, pre fault.Precondition) (err error) {
	defer fault.AddContext(&err, "delete image %s", imageID)

	im, err := lockImage(ctx, tx, imageID, pre)
	if err != nil {
		return err
	}
	owner, err := touchProductOfImage(ctx, tx, im.Key)
	if err != nil {
		return err
	}
	if err := setTouched(ctx, tx, owner, s.Now()); err != nil {
		return err
	}

	if err := touchCategoriesOfImages(ctx, tx, []int64{im.Key}); err != nil {
		return err
	}
	if err := DeleteImages(ctx, tx, []int64{im.Key}, s.Now()); err != nil {
		return err
	}
	if err := audit.Record(ctx, tx, im.entry(audit.ImageRemoved)); err != nil {
		return err
	}

	return s.RecordChanges(ctx, tx, owner...)
}

// lockImage reads an image, locks its row for update and checks pre. Lock order: images before products.
func lockImage(ctx context.Context, tx store.Tx, imageID ImageID, pre fault.Precondition) (Image, error) {
	im, err := selectImage(ctx, tx, imageID, true, tx.Dialect().ForUpdate)
	if err != nil {
		return Image{}, err
	}
	return im, pre.Check(im.Version)
}
