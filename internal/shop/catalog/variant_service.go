package catalog

import (
	"cmp"
	"context"
	"slices"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

// ListVariants returns one page of a product's variants, oldest first, with their options, remainders and images, and
// the total number of variants. The parameter which selects live variants, archived ones, or both.
func (s *Products) ListVariants(
	ctx context.Context, tx store.Tx, p Product, which Archived, limit, offset int64,
) (_ []Variant, _ int64, err error) {
	defer fault.AddContext(&err, "list variants of product %s", p.ID)
	list, total, err := listVariants(ctx, tx, p.Key, which, limit, offset)
	if err != nil {
		return nil, 0, err
	}
	return list, total, fillVariantDetails(ctx, tx, write.PointersTo(list))
}

// FindVariant returns a variant of a product with its options, remainders and images, and the product's
// version, or fault.NotFound. The parameter which says whether archived variants and archived products match.
func (s *Products) FindVariant(
	ctx context.Context, tx store.Tx, productID ProductID, variantID VariantID, which Archived,
) (v Variant, version int64, err error) {
	defer fault.AddContext(&err, "read variant %s of product %s", variantID, productID)
	p, err := findProduct(ctx, tx, productID, which)
	if err != nil {
		return Variant{}, 0, err
	}
	if v, err = selectVariant(ctx, tx, variantID); err != nil {
		return Variant{}, 0, err
	}
	if v.ProductKey != p.Key || !which.matches(v.ArchivedAt) {
		return Variant{}, 0, fault.Missing("variant")
	}
	err = fillVariantDetails(ctx, tx, []*Variant{&v})
	return v, p.Version, err
}

// CreateVariant adds a variant to a product and ignores an id in the edit. It returns fault.NotFound, fault.Stale,
// fault.Invalid naming each broken rule, or fault.Conflict if the external id is taken; the caller then rolls back.
func (s *Products) CreateVariant(
	ctx context.Context, tx store.Tx, productID ProductID, e VariantEdit, pre fault.Precondition,
) (_ VariantID, err error) {
	defer fault.AddContext(&err, "create variant of product %s", productID)

	refs, err := lockReferences(ctx, tx, nil, ProductEdit{Variants: &[]VariantEdit{e}})
	if err != nil {
		return VariantID{}, err
	}

	w, err := lockProduct(ctx, tx, productID, pre)
	if err != nil {
		return VariantID{}, err
	}

	var wrong rule.Violations
	w.Plan = planVariant(w, nil, e, nil, refs, &wrong)
	p, err := s.saveVersion(ctx, tx, w, &wrong)
	if err != nil {
		return VariantID{}, err
	}

	added := &w.Plan.Sent[0].Variant
	return added.ID, audit.Record(ctx, tx, p.entry(audit.ProductVariantAdded, added.change()))
}

// EditVariant applies an edit to one variant; the others stay unchanged. An id in the edit is ignored. An archived
// variant stays archived. It returns the same faults as CreateVariant.
func (s *Products) EditVariant(
	ctx context.Context, tx store.Tx, productID ProductID, variantID VariantID, e VariantEdit, pre fault.Precondition,
) (err error) {
	defer fault.AddContext(&err, "edit variant %s of product %s", variantID, productID)
	return s.editVariant(ctx, tx, productID, variantID, e, pre, audit.ProductVariantEdited)
}

// editVariant implements EditVariant. The action of the log is "" if the caller records the edit.
func (s *Products) editVariant(
	ctx context.Context, tx store.Tx, productID ProductID, variantID VariantID, e VariantEdit, pre fault.Precondition,
	action audit.Action,
) error {
	var present []ImageID
	if e.Images != nil {
		var err error
		if present, err = productImageIDs(ctx, tx, productID); err != nil {
			return err
		}
	}
	refs, err := lockReferences(ctx, tx, present, ProductEdit{Variants: &[]VariantEdit{e}})
	if err != nil {
		return err
	}

	return s.changeVariant(ctx, tx, productID, variantID, pre, action,
		func(w *ProductWrite, was *StoredVariant, wrong *rule.Violations) {
			w.Plan = planVariant(w, was, e, was.ArchivedAt, refs, wrong)
		})
}

// ArchiveVariant archives a variant, unless it is archived already. It returns fault.NotFound or fault.Stale.
func (s *Products) ArchiveVariant(
	ctx context.Context, tx store.Tx, productID ProductID, variantID VariantID, pre fault.Precondition,
) (err error) {
	defer fault.AddContext(&err, "archive variant %s of product %s", variantID, productID)
	return s.changeVariant(ctx, tx, productID, variantID, pre, audit.ProductVariantArchived,
		func(w *ProductWrite, was *StoredVariant, _ *rule.Violations) {
			if was.Live() {
				w.Plan = &VariantPlan{Kept: OtherLiveVariants(w.Stored, was), Archived: []int64{was.Key}}
			}
		})
}

// RestoreVariant restores a variant, if it is archived. It returns fault.NotFound, fault.Stale, or fault.Invalid if
// another variant has the same combination now.
func (s *Products) RestoreVariant(
	ctx context.Context, tx store.Tx, productID ProductID, variantID VariantID, pre fault.Precondition,
) (err error) {
	defer fault.AddContext(&err, "restore variant %s of product %s", variantID, productID)
	return s.changeVariant(ctx, tx, productID, variantID, pre, audit.ProductVariantRestored,
		func(w *ProductWrite, was *StoredVariant, wrong *rule.Violations) {
			if !was.Live() {
				w.Plan = planVariant(w, was, VariantEdit{}, nil, nil, wrong)
			}
		})
}

// DeleteVariant deletes a variant with the images that it owns, but not its product. It returns fault.NotFound or
// fault.Stale.
func (s *Products) DeleteVariant(
	ctx context.Context, tx store.Tx, productID ProductID, variantID VariantID, pre fault.Precondition,
) (err error) {
	defer fault.AddContext(&err, "delete variant %s of product %s", variantID, productID)

	present, err := productImageIDs(ctx, tx, productID)
	if err != nil {
		return err
	}
	if _, err := LockImages(ctx, tx, present); err != nil {
		return err
	}

	return s.changeVariant(ctx, tx, productID, variantID, pre, audit.ProductVariantDeleted,
		func(w *ProductWrite, was *StoredVariant, _ *rule.Violations) {
			w.Plan = &VariantPlan{Kept: OtherLiveVariants(w.Stored, was), Deleted: []int64{was.Key}}
		})
}

// changeVariant locks the product and calls plan. If plan sets w.plan, it saves the product's next version, and records
// the action unless it is "".
func (s *Products) changeVariant(
	ctx context.Context, tx store.Tx, productID ProductID, variantID VariantID, pre fault.Precondition,
	action audit.Action, plan func(w *ProductWrite, was *StoredVariant, wrong *rule.Violations),
) error {
	w, err := lockProduct(ctx, tx, productID, pre)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(w.Stored, func(v StoredVariant) bool { return v.ID == variantID })
	if i < 0 {
		return fault.Missing("variant")
	}

	var before *ProductText
	if action == audit.ProductVariantEdited {
		if before, err = s.readText(ctx, tx, w.Product.Key); err != nil {
			return err
		}
	}

	var wrong rule.Violations
	changed := w.Stored[i].Variant
	plan(w, &w.Stored[i], &wrong)

	if w.Plan == nil {
		return nil
	}

	p, err := s.saveVersion(ctx, tx, w, &wrong)
	if err != nil {
		return err
	}
	if action == audit.ProductVariantEdited {
		return s.recordEdit(ctx, tx, action, &p, before)
	}

	return audit.Record(ctx, tx, p.entry(action, changed.change()))
}

// change names the variant in an entry of the log about its product, which people read: never by its id.
func (v *Variant) change() audit.Change {
	return audit.Change{Field: "variants", To: cmp.Or(v.SKU, v.Name, "—")}
}

// SetQuantity sets the quantity of a variant in a stock and leaves those in other stocks. It is an edit of the variant
// and returns the same faults, and fault.Stale with the present quantity if that is not was, which may be nil for a
// stock without a remainder of the variant.
func (s *Products) SetQuantity(
	ctx context.Context, tx store.Tx, productID ProductID, variantID VariantID, stockID StockID, was *money.Quantity,
	quantity money.Quantity,
) (present *money.Quantity, err error) {
	defer fault.AddContext(&err, "set the quantity of variant %s in stock %s", variantID, stockID)

	v, version, err := s.FindVariant(ctx, tx, productID, variantID, AnyArchived)
	if err != nil {
		return nil, err
	}

	edits := make([]RemainderEdit, 0, len(v.Remainders)+1)
	for i := range v.Remainders {
		m := &v.Remainders[i]
		if m.StockID == stockID {
			present = &m.Quantity
			continue
		}
		edits = append(edits, RemainderEdit{m.StockID, m.Quantity})
	}

	if (was == nil) != (present == nil) || (was != nil && *was != *present) {
		return present, fault.VersionChanged()
	}

	edits = append(edits, RemainderEdit{stockID, quantity})
	err = s.editVariant(ctx, tx, productID, variantID, VariantEdit{Remainders: &edits},
		func(v int64) bool { return v == version }, "")
	if err != nil {
		return present, err
	}

	t, err := SelectStock(ctx, tx, stockID, "")
	if err != nil {
		return present, err
	}

	changed := audit.Change{Field: t.Name, To: quantity.Text()}
	if present != nil {
		changed.From = present.Text()
	}

	return present, audit.Record(ctx, tx, audit.Entry{Action: audit.RemainderChanged, Changes: []audit.Change{changed},
		Object: audit.Object{Kind: "product", ID: productID.String(), Label: cmp.Or(v.SKU, v.Name)}})
}

// ListPriceChange is a change of a price in a price list: from what the caller saw to what it is to be. A price without
// an amount is none.
type ListPriceChange struct {
	List         *PriceList
	FromQuantity money.Quantity
	Was, Price   money.Price
}

// SetListPrices changes prices of a variant in price lists. It returns fault.NotFound, fault.Invalid, or fault.Stale if
// a price is no longer what the caller saw; the caller then rolls back.
func (s *Products) SetListPrices(
	ctx context.Context, tx store.Tx, productID ProductID, variantID VariantID, changes []ListPriceChange,
) (err error) {
	defer fault.AddContext(&err, "set prices of variant %s in price lists", variantID)

	v, version, err := s.FindVariant(ctx, tx, productID, variantID, AnyArchived)
	if err != nil {
		return err
	}

	steps := map[VariantStep]bool{}
	for _, c := range changes {
		steps[VariantStep{v.Key, PriceStep{c.List.Key, c.FromQuantity}}] = true
	}
	stored, err := ReadListPrices(ctx, tx, steps)
	if err != nil {
		return err
	}

	entry := audit.Entry{Action: audit.ListPricesChanged,
		Object: audit.Object{Kind: "product", ID: productID.String(), Label: cmp.Or(v.SKU, v.Name)}}
	edits := make([]ListPriceEdit, 0, len(changes))
	for _, c := range changes {
		if stored[VariantStep{v.Key, PriceStep{c.List.Key, c.FromQuantity}}] != c.Was {
			return fault.VersionChanged()
		}
		edits = append(edits, ListPriceEdit{List: c.List.ID, FromQuantity: c.FromQuantity, Price: c.Price})
		entry.Changes = append(entry.Changes, c.change())
	}

	err = s.editVariant(ctx, tx, productID, variantID, VariantEdit{Prices: &edits},
		func(v int64) bool { return v == version }, "")
	if err != nil || len(entry.Changes) == 0 {
		return err
	}
	return audit.Record(ctx, tx, entry)
}

// change returns the change for the log: the field is the name of the list, with the quantity unless it is 1.
func (c ListPriceChange) change() audit.Change {
	field := c.List.Name
	if c.FromQuantity != DefaultFromQuantity {
		field += " (" + c.FromQuantity.Text() + "+)"
	}
	return audit.Change{Field: field, From: c.Was.Text(), To: c.Price.Text()}
}
