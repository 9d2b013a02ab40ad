package catalog

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/rule"
)

// writeVariants writes the variants of all products as planned.
func (ws *ProductWrites) writeVariants(ctx context.Context) error {
	return variantFault(write.InOrder(ctx, ws.changeVariants, ws.insertVariants, ws.writeBarcodes, ws.writeOptions,
		ws.writeRemainders, ws.writeListPrices, ws.writeVariantImages))
}

// writeVariantImages replaces the images of variants by the lists of the edits.
func (ws *ProductWrites) writeVariantImages(ctx context.Context) error {
	var galleries []variantGallery
	ws.eachPlanned(func(w *ProductWrite, p *PlannedVariant) {
		if p.images != nil {
			galleries = append(galleries, variantGallery{p.Key, w.Product.Key, *p.images})
		}
	})
	return setVariantGalleries(ctx, ws.Tx, galleries, ws.Time.UnixMicro())
}

// writeListPrices writes the prices in lists that the write changes. Most writes have none, and send no statement.
func (ws *ProductWrites) writeListPrices(ctx context.Context) error {
	prices := ListPrices{}
	complete := map[VariantInList]bool{}
	ws.eachPlanned(func(w *ProductWrite, p *PlannedVariant) {
		for step, price := range p.ListPrices {
			of := VariantStep{p.Key, step}
			prices[of] = price
			if w.CompletesPrices && p.Before != nil {
				complete[of.InList()] = true
			}
		}
	})

	if err := prices.completeWith(ctx, ws.Tx, complete); err != nil {
		return err
	}
	changed, err := prices.Changed(ctx, ws.Tx)
	if err != nil {
		return err
	}
	return SaveListPrices(ctx, ws.Tx, changed, ws.Time)
}

// eachPlanned calls fn for the variants sent, product by product.
func (ws *ProductWrites) eachPlanned(fn func(w *ProductWrite, p *PlannedVariant)) {
	for _, w := range ws.List {
		for _, p := range w.Plan.Variants() {
			fn(w, p)
		}
	}
}

// variantChanges are the writes to existing variants. A variant may be in several of the lists.
type variantChanges struct {
	archived, deleted []int64
	// released are the variants whose external id is removed or replaced.
	released []int64
	// combined are the variants whose combination is written. The list claiming has the keys of those among them that
	// may have no duplicate.
	combined []*PlannedVariant
	claiming []int64
	// indexed are the variants for which an indexed column changes, unindexed the others whose row changes.
	indexed, unindexed []*PlannedVariant
	// resolved are the products in which a duplicate may have become the only variant with its combination.
	resolved []int64
}

// variantChanges returns the rows of variants to write.
func (ws *ProductWrites) variantChanges() (c variantChanges) {
	for _, w := range ws.List {
		if w.Plan == nil {
			continue
		}
		c.archived, c.deleted = append(c.archived, w.Plan.Archived...), append(c.deleted, w.Plan.Deleted...)
		if w.Plan.mayResolveDuplicates() {
			c.resolved = append(c.resolved, w.Product.Key)
		}
	}

	ws.eachPlanned(func(_ *ProductWrite, p *PlannedVariant) {
		if p.Before == nil {
			return
		}

		if p.externalIDChanged() && p.Before.ExternalID != nil {
			c.released = append(c.released, p.Key)
		}

		if p.CombinationChanged() || p.ClaimsCombination() {
			c.combined = append(c.combined, p)
		}

		if p.ClaimsCombination() {
			c.claiming = append(c.claiming, p.Key)
		}

		switch {
		case p.externalIDChanged() || p.restored():
			c.indexed = append(c.indexed, p)
		case p.RowChanged():
			c.unindexed = append(c.unindexed, p)
		}
	})

	return c
}

// mayResolveDuplicates reports whether a duplicate stays while other variants leave their combinations. The duplicate
// may then be the only variant left with its combination and must get duplicateMark 0.
func (plan *VariantPlan) mayResolveDuplicates() bool {
	left := len(plan.Archived)+len(plan.Deleted) > 0
	duplicates := false
	for _, p := range plan.Sent {
		left = left || p.CombinationChanged()
		duplicates = duplicates || (p.Before != nil && p.Before.duplicateMark != 0 && !p.ClaimsCombination())
	}
	for _, v := range plan.Kept {
		duplicates = duplicates || v.duplicateMark != 0
	}
	return left && duplicates
}

// variantFault turns a violation of a unique index into a fault. The rules are checked before, while the product is
// locked, so a violation means that the check has a bug. The client gets a fault that names the rule, not an internal
// error.
func variantFault(err error) error {
	switch {
	case database.ViolatesIndex(err, "variants_combination",
		"variants.store_id, variants.product_key, variants.combination, variants.twin"):
		var wrong rule.Violations
		wrong.DuplicateCombination("variants", "Another variant of this product")
		return wrong.Fault()
	case database.ViolatesIndex(err, "variants_external",
		"variants.store_id, variants.product_key, variants.external_id"):
		return rule.ExternalIDTaken("variants", "variant of this product")
	}
	return err
}
