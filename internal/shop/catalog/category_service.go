package catalog

import (
	"context"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/seo"
	"vitrine/internal/shop/slug"
	"vitrine/internal/shop/store"
)

// Find returns one category, or fault.NotFound.
func (s *Categories) Find(ctx context.Context, tx store.Tx, categoryID CategoryID) (_ Category, err error) {
	defer fault.AddContext(&err, "find category %s", categoryID)
	c, err := selectCategory(ctx, tx, categoryID, "")
	if err != nil {
		return Category{}, err
	}
	return withImage(ctx, tx, c)
}

// Create creates a category and links the pending references to its external id. It returns fault.Invalid naming each
// broken rule, or fault.Conflict if the external id is taken; the caller then rolls back.
func (s *Categories) Create(ctx context.Context, tx store.Tx, e CategoryEdit) (_ Category, err error) {
	defer fault.AddContext(&err, "create category")

	now := s.Now().UTC().Truncate(time.Microsecond)
	c := Category{ID: id.New[Category](), Version: 1, CreatedAt: now, UpdatedAt: now, position: noPosition}
	images, err := lockCategoryImages(ctx, tx, e.Image)
	if err != nil {
		return Category{}, err
	}
	keys, err := lockCategoryEdit(ctx, tx, e)
	if err != nil {
		return Category{}, err
	}
	if err := c.apply(ctx, tx, e, keys, images); err != nil {
		return Category{}, err
	}

	claim, err := c.chooseSlug(ctx, tx, "")
	if err != nil {
		return Category{}, err
	}
	if err := insertCategory(ctx, tx, &c); err != nil {
		return Category{}, err
	}
	if err := c.saveSlug(ctx, tx, claim); err != nil {
		return Category{}, err
	}
	if err := c.setImage(ctx, tx, e.Image, images); err != nil {
		return Category{}, err
	}
	if err := s.linkPending(ctx, tx, &c, e); err != nil {
		return Category{}, err
	}

	return c, audit.Record(ctx, tx, c.entry(audit.CategoryCreated))
}

// Edit applies an edit. A new parent moves the category with its whole subtree, and deletes a pending reference to
// another parent. Pending references to a new external id are linked. Edit returns fault.NotFound, fault.Stale,
// fault.Invalid naming each broken rule, or fault.Conflict if the external id is taken; the caller then rolls back.
func (s *Categories) Edit(
	ctx context.Context, tx store.Tx, categoryID CategoryID, e CategoryEdit, pre fault.Precondition,
) (_ Category, err error) {
	defer fault.AddContext(&err, "edit category %s", categoryID)

	images, err := lockCategoryImages(ctx, tx, e.Image, categoryID)
	if err != nil {
		return Category{}, err
	}
	keys, err := lockCategoryEdit(ctx, tx, e, categoryID)
	if err != nil {
		return Category{}, err
	}
	c, err := s.Find(ctx, tx, categoryID)
	if err != nil {
		return Category{}, err
	}
	if err := pre.Check(c.Version); err != nil {
		return Category{}, err
	}

	was := c
	if err := c.apply(ctx, tx, e, keys, images); err != nil {
		return Category{}, err
	}

	if e.Root || e.ParentID != nil {
		if err := DropPending(ctx, tx, PendingParent, []int64{c.Key}); err != nil {
			return Category{}, err
		}
	}

	c.Version++
	c.UpdatedAt = s.UpdateTimeAfter(c.UpdatedAt)

	claim, err := c.chooseSlug(ctx, tx, was.Slug)
	if err != nil {
		return Category{}, err
	}
	if err := updateCategory(ctx, tx, &c); err != nil {
		return Category{}, err
	}
	if err := c.saveSlug(ctx, tx, claim); err != nil {
		return Category{}, err
	}
	if err := c.setImage(ctx, tx, e.Image, images); err != nil {
		return Category{}, err
	}
	if err := s.recordID(ctx, tx, was, c); err != nil {
		return Category{}, err
	}
	if err := s.linkPending(ctx, tx, &c, e); err != nil {
		return Category{}, err
	}

	return c, c.recordEdit(ctx, tx, &was)
}

// recordID records what an edit of a category may change in exports of products: its external id, and whether it lies
// below a category without one.
func (s *Categories) recordID(ctx context.Context, tx store.Tx, was, c Category) error {
	if !write.EqualKeys(was.parentKey, c.parentKey) {
		if err := s.MarkReferences(ctx, tx); err != nil {
			return err
		}
	}
	return s.IDChanged(ctx, tx, CategoryEntity, was.ExternalID, c.ExternalID)
}

// Delete deletes a category, removes it from its products, and moves its children to its parent. The versions of these
// products and children increase, but their update times stay. If the category has very many products, Delete hides it,
// and Deletions.Run deletes it later. Delete returns fault.NotFound or fault.Stale.
func (s *Categories) Delete(
	ctx context.Context, tx store.Tx, categoryID CategoryID, pre fault.Precondition,
) (err error) {
	defer fault.AddContext(&err, "delete category %s", categoryID)

	if err := lockCategoryDeletions(ctx, tx); err != nil {
		return err
	}
	if _, err := lockCategoryImages(ctx, tx, new(*ImageID), categoryID); err != nil {
		return err
	}

	c, err := selectCategory(ctx, tx, categoryID, tx.Dialect().ForUpdate)
	if err != nil {
		return err
	}
	if err := pre.Check(c.Version); err != nil {
		return err
	}
	if err := audit.Record(ctx, tx, c.entry(audit.CategoryDeleted)); err != nil {
		return err
	}

	removed, err := removeCategoryFromProducts(ctx, tx, c.Key, s.MaxDirectLinks)
	if err != nil {
		return err
	}
	if err := deleteImageOfCategory(ctx, tx, c.Key, s.Now()); err != nil {
		return err
	}
	if err := RaiseCategoriesVersion(ctx, tx); err != nil { // locks the tree before the deletion changes it
		return err
	}
	if err := s.IDGone(ctx, tx, CategoryEntity, c.ExternalID); err != nil {
		return err
	}

	if err := s.MarkReferences(ctx, tx); err != nil {
		return err
	}
	if removed {
		return deleteCategory(ctx, tx, c.Key)
	}
	if err := DropPending(ctx, tx, PendingParent, []int64{c.Key}); err != nil {
		return err
	}

	if err := hideCategory(ctx, tx, c.Key, s.Now().UnixMicro()); err != nil {
		return err
	}

	return s.addDeletions(ctx, tx, deletion{kind: deletedCategory, target: c.Key})
}

// lockCategoryEdit locks what an edit refers to: the rows that linkPending writes, then the edited category and its new
// parent against deletion, then the tree against changes. The locks are held until the transaction ends. It returns the
// keys of the two categories, with 0 for those that the store does not have.
//
// Lock order: category rows before the store's row of catalog_versions, which is the lock on the tree. A transaction
// that deletes a category locks the category's row for a long time, and a transaction that writes products locks their
// categories FOR KEY SHARE and then the store's row. So no transaction may wait for a category while it holds the
// store's row. The edited category, too, is locked only FOR KEY SHARE: an edit changes no key column, so PostgreSQL's
// UPDATE does not conflict with the FOR KEY SHARE locks of other transactions.
func lockCategoryEdit(
	ctx context.Context, tx store.Tx, e CategoryEdit, edited ...CategoryID,
) (map[CategoryID]int64, error) {
	if e.ParentID != nil {
		edited = append(edited, *e.ParentID)
	}
	if err := lockPendingOwners(ctx, tx, e, edited...); err != nil {
		return nil, err
	}
	keys := make(map[CategoryID]int64, len(edited))
	for _, i := range edited {
		keys[i] = 0
	}
	if err := lockCategories(ctx, tx, keys); err != nil {
		return nil, err
	}
	return keys, RaiseCategoriesVersion(ctx, tx)
}

// apply applies the edit, or returns fault.Invalid naming each broken rule. The caller has locked the tree. keys has
// the keys of the categories that the edit refers to, and images the images.
func (c *Category) apply(
	ctx context.Context, tx store.Tx, e CategoryEdit, keys map[CategoryID]int64, images lockedImages,
) error {
	var wrong rule.Violations
	if c.Name == "" && e.Name == nil {
		wrong.NameRequired("", "category")
	}

	wrong.Assign(&c.Name, e.Name, rule.Name, "", "name")
	wrong.AssignExternalID(&c.ExternalID, e.ExternalID, "")
	rule.AssignChecked(&wrong, &c.Slug, e.Slug, slug.Slug.Normalized, "", "slug")
	rule.AssignChecked(&wrong, &c.SEO, e.SEO, seo.Meta.Normalized, "", "seo")
	wrong.Assign(&c.Description, e.Description, Description, "", "description")
	c.checkImage(e.Image, images, &wrong)
	was := c.parentKey

	if e.Root {
		c.ParentID, c.parentKey = nil, nil
	}

	if e.ParentID != nil {
		parentKey := keys[*e.ParentID]
		cycle, err := isSelfOrDescendant(ctx, tx, parentKey, c.Key)
		if err != nil {
			return err
		}

		switch {
		case parentKey == 0:
			wrong.Add("parent_id", "unknown_category",
				"There is no category with this id in this store. Send null for a category at the root.")
		case cycle:
			wrong.Add("parent_id", "category_cycle",
				"This is the category itself or one that lies below it; a category may not become its own ancestor.")
		}

		c.ParentID = e.ParentID
		c.parentKey = &parentKey
	}

	if !write.EqualKeys(was, c.parentKey) {
		c.position = noPosition // people gave it a place among its former siblings only
	}

	return wrong.Fault()
}

// chooseSlug decides which slug the category gets, if the edit asks for one or it has none. It returns nil if the slug
// stays, or fault.Invalid if another category has it.
func (c *Category) chooseSlug(ctx context.Context, tx store.Tx, present slug.Slug) (*slug.Claim, error) {
	if c.Slug != "" && c.Slug == present {
		return nil, nil //nolint:nilnil // documented
	}
	claim := &slug.Claim{Key: c.Key, ID: c.ID, Name: c.Name, Given: c.Slug, Present: present}
	if err := slug.Choose(ctx, tx, slug.Category, []*slug.Claim{claim}); err != nil {
		return nil, err
	}
	c.Slug = claim.Slug
	return claim, claim.Fault("")
}

// saveSlug records the slug that the category has got. It returns fault.Invalid if another transaction took it.
func (c *Category) saveSlug(ctx context.Context, tx store.Tx, claim *slug.Claim) error {
	if claim == nil {
		return nil
	}
	claim.Key = c.Key
	if err := slug.Save(ctx, tx, slug.Category, []*slug.Claim{claim}); err != nil {
		return err
	}
	c.Slug = claim.Slug
	return claim.Fault("")
}

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
