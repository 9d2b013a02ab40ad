package catalog

import (
	"context"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

// Description returns the description of a category, which may be empty, or the rule that it breaks. It is the rule of
// the descriptions of products.
func Description(sent string) (string, *fault.Field) { return sent, rule.Plain(sent, MaxDescription) }

// ReadDescription reads the description of a category; null stands for an empty one.
func ReadDescription(r *wire.Reader) (text string, ok bool) {
	if r.Null() {
		return "", true
	}
	return wire.As(r, r.String, Description)
}

// lockedImages are images whose rows are locked, by their ids.
type lockedImages = map[ImageID]LockedImage

// imageID returns the id of the picture; the zero id without one.
func (c *Category) imageID() ImageID {
	if c.Image == nil {
		return ImageID{}
	}
	return c.Image.ID
}

// lockCategoryImages locks the image that an edit names, and those that the edited categories have. It locks nothing if
// the edit leaves the picture as it is. Lock order: images before categories, as they come before products.
func lockCategoryImages(
	ctx context.Context, tx store.Tx, wanted **ImageID, edited ...CategoryID,
) (lockedImages, error) {
	if wanted == nil {
		return nil, nil
	}
	ids, err := imagesOfCategoryIDs(ctx, tx, edited)
	if err != nil {
		return nil, err
	}
	if *wanted != nil {
		ids = append(ids, **wanted)
	}
	return LockImages(ctx, tx, DistinctIDs(ids))
}

// checkImage reports an image that the category cannot have as its picture.
func (c *Category) checkImage(wanted **ImageID, images lockedImages, wrong *rule.Violations) {
	if wanted == nil || *wanted == nil {
		return
	}
	im, known := images[**wanted]
	switch {
	case !known:
		wrong.Add("image", "unknown_image", "There is no image with this id in this store.")
	case im.ProductKey != 0 && (c.Key == 0 || im.ProductKey != -c.Key):
		wrong.Add("image", "image_taken",
			"This image belongs to a product or another category; upload it once more to have it here too.")
	}
}

// setImage makes an image the picture of the category, which is stored, and takes away the one before, which belongs to
// nothing then.
func (c *Category) setImage(ctx context.Context, tx store.Tx, wanted **ImageID, images lockedImages) error {
	if wanted == nil {
		return nil
	}

	var imageKey int64
	if *wanted != nil {
		imageKey = images[**wanted].Key
	}
	if err := placeCategoryImage(ctx, tx, c.Key, imageKey, c.UpdatedAt.UnixMicro()); err != nil {
		return err
	}

	with, err := withImage(ctx, tx, *c)
	c.Image = with.Image
	return err
}

// withImage returns the category with its picture.
func withImage(ctx context.Context, tx store.Tx, c Category) (Category, error) {
	one := []Category{c}
	err := fillCategoryImages(ctx, tx, one)
	return one[0], err
}

// deleteImageOfCategory deletes the picture of a category that is about to be deleted. The caller has locked the image.
// Its bytes are removed after the commit.
func deleteImageOfCategory(ctx context.Context, tx store.Tx, categoryKey int64, now time.Time) error {
	keys, err := imageKeysOfCategory(ctx, tx, categoryKey)
	if err != nil || len(keys) == 0 {
		return err
	}
	return DeleteImages(ctx, tx, keys, now)
}

// touchCategoriesOfImages raises the versions of the categories whose pictures the images are, which the caller has
// locked. Their update times stay, and nothing changes that pushes compare.
func touchCategoriesOfImages(ctx context.Context, tx store.Tx, imageKeys []int64) error {
	ids, err := categoriesOfImages(ctx, tx, imageKeys)
	if err != nil || len(ids) == 0 {
		return err
	}

	keys := make(map[CategoryID]int64, len(ids))
	for _, categoryID := range ids {
		keys[categoryID] = 0
	}
	if err := lockCategories(ctx, tx, keys); err != nil { // before the tree: see lockCategoryEdit
		return err
	}
	if err := RaiseCategoriesVersion(ctx, tx); err != nil {
		return err
	}
	return raiseVersionsOfCategories(ctx, tx, keys)
}
