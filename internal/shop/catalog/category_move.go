package catalog

import (
	"context"
	"slices"
	"strconv"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/store"
)

// Move moves a category with its subtree below a parent, or to the root if parentID is nil, and to a place among its
// new siblings, counted from 1. The place 0, and one after the last, mean the last. It returns the same faults as Edit.
func (s *Categories) Move(
	ctx context.Context, tx store.Tx, categoryID CategoryID, parentID *CategoryID, place int, pre fault.Precondition,
) (_ Category, err error) {
	defer fault.AddContext(&err, "move category %s", categoryID)

	c, err := selectCategory(ctx, tx, categoryID, "")
	if err != nil {
		return Category{}, err
	}

	e := CategoryEdit{ParentID: parentID, Root: parentID == nil}
	within := (parentID == nil && c.ParentID == nil) ||
		(parentID != nil && c.ParentID != nil && *parentID == *c.ParentID)
	if within {
		e = CategoryEdit{} // a pending reference to the parent stays
	}

	if err := lockSiblings(ctx, tx, categoryID, parentID); err != nil {
		return Category{}, err
	}
	if c, err = s.Edit(ctx, tx, categoryID, e, pre); err != nil {
		return Category{}, err
	}

	siblings, err := siblingsOf(ctx, tx, c.parentKey)
	if err != nil {
		return Category{}, err
	}
	at := slices.IndexFunc(siblings, func(o siblingCategory) bool { return o.key == c.Key })
	if at < 0 {
		return Category{}, fault.Missing("category")
	}

	if place < 1 {
		place = len(siblings)
	}

	if err := writeCategoryPositions(ctx, tx, moveTo(siblings, at, place-1)); err != nil {
		return Category{}, err
	}

	if within && place != at+1 {
		return c, audit.Record(ctx, tx, c.entry(audit.CategoryMoved,
			audit.Change{Field: "place", From: strconv.Itoa(at + 1), To: strconv.Itoa(place)}))
	}

	return c, nil
}

// lockSiblings locks the category, its new parent and its new siblings against deletion. Lock order: categories before
// the tree, which Edit locks; see lockCategoryEdit.
func lockSiblings(ctx context.Context, tx store.Tx, categoryID CategoryID, parentID *CategoryID) error {
	keys := map[CategoryID]int64{categoryID: 0}
	var parentKey *int64
	if parentID != nil {
		parent, err := selectCategory(ctx, tx, *parentID, "")
		if fault.KindOf(err) == fault.NotFound {
			return nil // Edit says so
		}
		if err != nil {
			return err
		}

		parentKey = &parent.Key
		keys[*parentID] = 0
	}

	siblings, err := siblingsOf(ctx, tx, parentKey)
	if err != nil {
		return err
	}

	for _, sibling := range siblings {
		keys[sibling.id] = 0
	}

	return lockCategories(ctx, tx, keys)
}

// CategoryImpact says what the deletion of a category would change.
type CategoryImpact struct {
	// Products is the number of products that would leave the category, archived ones included.
	Products int64
	// Children is the number of categories that would move to the parent.
	Children int64
}

// Impact returns what the deletion of a category would change, or fault.NotFound.
func (s *Categories) Impact(ctx context.Context, tx store.Tx, categoryID CategoryID) (i CategoryImpact, err error) {
	defer fault.AddContext(&err, "read impact of the deletion of category %s", categoryID)
	c, err := selectCategory(ctx, tx, categoryID, "")
	if err != nil {
		return i, err
	}
	return readCategoryImpact(ctx, tx, c.Key)
}
