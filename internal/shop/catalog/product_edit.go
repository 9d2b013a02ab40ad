package catalog

import (
	"context"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

// Edit applies an edit. A list in the edit replaces the whole stored list; a variant that is not in the list of
// variants is archived. An archived product stays archived. Edit returns fault.NotFound, fault.Stale, fault.Invalid
// naming each broken rule, or fault.Conflict if an external id is taken; the caller then rolls back.
//
// Lock order: references before the product. An edit of an option locks the option before the products whose variants
// lose a value, and the deletion of an image locks the image before its product.
func (s *Products) Edit(
	ctx context.Context, tx store.Tx, productID ProductID, e ProductEdit, pre fault.Precondition,
) (_ Product, err error) {
	defer fault.AddContext(&err, "edit product %s", productID)

	var present []ImageID
	if e.writesImages() || e.Locks != nil && e.Locks.Has(productfield.Images) {
		if present, err = productImageIDs(ctx, tx, productID); err != nil {
			return Product{}, err
		}
	}

	refs, err := lockReferences(ctx, tx, present, e)
	if err != nil {
		return Product{}, err
	}
	w, err := lockProduct(ctx, tx, productID, pre)
	if err != nil {
		return Product{}, err
	}

	before, err := s.readText(ctx, tx, w.Product.Key)
	if err != nil {
		return Product{}, err
	}

	if e.CanonicalCategory != nil && e.Categories == nil {
		marks, err := ReadCategories(ctx, tx, []int64{w.Product.Key})
		if err != nil {
			return Product{}, err
		}
		w.StoredCategories = marks[w.Product.Key]
	}

	w.Edit = e
	var wrong rule.Violations
	w.PlanWrite(refs, &wrong)

	p, err := s.saveVersion(ctx, tx, w, &wrong)
	if err != nil {
		return Product{}, err
	}
	if err := s.recordEdit(ctx, tx, audit.ProductEdited, &p, before); err != nil {
		return Product{}, err
	}

	return p, nil
}

// Archive archives a product, if it is not archived. Its variants stay. It returns fault.NotFound or fault.Stale.
func (s *Products) Archive(
	ctx context.Context, tx store.Tx, productID ProductID, pre fault.Precondition,
) (_ Product, err error) {
	defer fault.AddContext(&err, "archive product %s", productID)
	return s.setArchived(ctx, tx, productID, true, pre)
}

// Restore restores a product, if it is archived. Its variants stay. It returns fault.NotFound or fault.Stale.
func (s *Products) Restore(
	ctx context.Context, tx store.Tx, productID ProductID, pre fault.Precondition,
) (_ Product, err error) {
	defer fault.AddContext(&err, "restore product %s", productID)
	return s.setArchived(ctx, tx, productID, false, pre)
}

// MakeDraft archives a new product as a draft, which the administration shows as such until it is published.
func (s *Products) MakeDraft(ctx context.Context, tx store.Tx, productID ProductID) (_ Product, err error) {
	defer fault.AddContext(&err, "make product %s a draft", productID)
	p, err := s.setArchived(ctx, tx, productID, true, nil)
	if err != nil {
		return Product{}, err
	}
	p.Draft = true
	return p, markDraft(ctx, tx, p.Key)
}

func (s *Products) setArchived(
	ctx context.Context, tx store.Tx, productID ProductID, archived bool, pre fault.Precondition,
) (Product, error) {
	w, err := lockProduct(ctx, tx, productID, pre)
	if err != nil {
		return Product{}, err
	}

	if archived == (w.Product.ArchivedAt != nil) {
		one := []Product{w.Product}
		err := fillTotals(ctx, tx, one)
		return one[0], err
	}

	w.Product.ArchivedAt = nil
	action := audit.ProductRestored
	if w.Product.Draft {
		action = audit.ProductPublished
	}
	w.Product.Draft = false
	if archived {
		w.Product.ArchivedAt = new(s.UpdateTimeAfter(w.Product.UpdatedAt))
		action = audit.ProductArchived
	}

	p, err := s.saveVersion(ctx, tx, w, &rule.Violations{})
	if err != nil {
		return Product{}, err
	}

	return p, audit.Record(ctx, tx, p.entry(action))
}

// Delete deletes a product with its variants and images. It returns fault.NotFound or fault.Stale.
func (s *Products) Delete(ctx context.Context, tx store.Tx, productID ProductID, pre fault.Precondition) (err error) {
	defer fault.AddContext(&err, "delete product %s", productID)

	present, err := productImageIDs(ctx, tx, productID)
	if err != nil {
		return err
	}
	if _, err := LockImages(ctx, tx, present); err != nil {
		return err
	}

	p, err := lockProductByID(ctx, tx, productID)
	if err != nil {
		return err
	}
	if err := pre.Check(p.Version); err != nil {
		return err
	}
	if err := deleteImagesOfProduct(ctx, tx, p.Key, s.Now()); err != nil {
		return err
	}

	pinned, err := arePinned(ctx, tx, []int64{p.Key})
	if err != nil {
		return err
	}
	if err := write.RecordDeleted(ctx, tx, []int64{p.Key}, s.Now()); err != nil {
		return err
	}
	if err := deleteProduct(ctx, tx, p.Key); err != nil {
		return err
	}
	if err := s.IDGone(ctx, tx, ProductEntity, p.ExternalID); err != nil {
		return err
	}
	if err := audit.Record(ctx, tx, p.entry(audit.ProductDeleted)); err != nil {
		return err
	}

	if err := raisePinsVersion(ctx, tx, pinned); err != nil {
		return err
	}
	return s.RecordChanges(ctx, tx, p.Key)
}

// lockProduct reads a product with its variants and locks it for update. It returns fault.NotFound or fault.Stale.
func lockProduct(ctx context.Context, tx store.Tx, productID ProductID, pre fault.Precondition) (*ProductWrite, error) {
	p, err := lockProductByID(ctx, tx, productID)
	if err != nil {
		return nil, err
	}
	if err := pre.Check(p.Version); err != nil {
		return nil, err
	}
	w := &ProductWrite{Product: p, Before: p}
	return w, StoredVariants(ctx, tx, []int64{p.Key}, func(v StoredVariant) { w.Stored = append(w.Stored, v) })
}

// saveVersion saves a changed product as its next version, or returns fault.Invalid if wrong has broken rules.
func (s *Products) saveVersion(
	ctx context.Context, tx store.Tx, w *ProductWrite, wrong *rule.Violations,
) (Product, error) {
	ws := &ProductWrites{Tx: tx, Time: s.UpdateTimeAfter(w.Product.UpdatedAt), List: []*ProductWrite{w}}
	products, err := s.saveVersions(ctx, ws, wrong)
	if err != nil {
		return Product{}, err
	}
	return products[0], nil
}

// saveVersions saves changed products as their next versions, or returns fault.Invalid if wrong has broken rules.
func (s *Products) saveVersions(ctx context.Context, ws *ProductWrites, wrong *rule.Violations) ([]Product, error) {
	if err := ws.check(wrong); err != nil {
		return nil, err
	}
	for _, w := range ws.List {
		w.Product.Version++
		w.Product.UpdatedAt = ws.Time
	}
	if err := ws.Save(ctx); err != nil {
		return nil, err
	}
	return s.finishWrite(ctx, ws)
}
