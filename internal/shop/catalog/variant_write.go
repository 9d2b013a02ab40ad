package catalog

import (
	"context"

	"vitrine/internal/kit/database"
)

// writeVariants brings the variants of all products to what their plans say.
func (ws *productWrites) writeVariants(ctx context.Context) error {
	for _, write := range []func(context.Context) error{ws.changeVariants, ws.insertVariants, ws.writeOptions, ws.writeRemainders} {
		if err := write(ctx); err != nil {
			return variantFault(err)
		}
	}
	return nil
}

// eachPlanned calls fn for the variants that were sent, product by product.
func (ws *productWrites) eachPlanned(fn func(w *productWrite, p *plannedVariant)) {
	for _, w := range ws.list {
		if w.plan == nil {
			continue
		}
		for _, p := range w.plan.sent {
			fn(w, p)
		}
	}
}

// variantChanges is what becomes of the variants that exist already. A variant may be in several of the lists.
type variantChanges struct {
	archived, deleted []int64
	// released are the variants whose external id is taken away or given to another.
	released []int64
	// combined are the variants whose combination is written, claiming those of them that must differ from all others.
	combined []*plannedVariant
	claiming []int64
	// indexed are the variants of which a column changes that an index has, unindexed the others whose row changes.
	indexed, unindexed []*plannedVariant
	// resolved are the products in which a duplicate may be the only one of its combination now.
	resolved []int64
}

// variantChanges decides which rows of variants are written.
func (ws *productWrites) variantChanges() (c variantChanges) {
	for _, w := range ws.list {
		if w.plan == nil {
			continue
		}
		c.archived, c.deleted = append(c.archived, w.plan.archived...), append(c.deleted, w.plan.deleted...)
		if w.plan.mayResolveDuplicates() {
			c.resolved = append(c.resolved, w.p.Key)
		}
	}
	ws.eachPlanned(func(_ *productWrite, p *plannedVariant) {
		if p.was == nil {
			return
		}
		if p.externalIDChanged() && p.was.ExternalID != nil {
			c.released = append(c.released, p.Key)
		}
		if p.combinationChanged() || p.claimsCombination() {
			c.combined = append(c.combined, p)
		}
		if p.claimsCombination() {
			c.claiming = append(c.claiming, p.Key)
		}
		switch {
		case p.externalIDChanged() || p.restored():
			c.indexed = append(c.indexed, p)
		case p.rowChanged():
			c.unindexed = append(c.unindexed, p)
		}
	})
	return c
}

// mayResolveDuplicates reports whether a duplicate stays whose equals may have left: then it must stand for itself.
func (plan *variantPlan) mayResolveDuplicates() bool {
	left, duplicates := len(plan.archived)+len(plan.deleted) > 0, false
	for _, p := range plan.sent {
		left = left || p.combinationChanged()
		duplicates = duplicates || (p.was != nil && p.was.duplicateKey != 0 && !p.claimsCombination())
	}
	for _, v := range plan.kept {
		duplicates = duplicates || v.duplicateKey != 0
	}
	return left && duplicates
}

// variantFault tells a client what a unique index means. The rules are checked before, under the product's lock, so this is what
// stays between a mistake of ours and an answer of 500.
func variantFault(err error) error {
	switch {
	case database.ViolatesIndex(err, "variants_combination", "variants.store_id, variants.product_key, variants.combination, variants.twin"):
		var wrong breaches
		wrong.duplicateCombination("variants", "Another variant of this product")
		return wrong.fault()
	case database.ViolatesIndex(err, "variants_external", "variants.store_id, variants.product_key, variants.external_id"):
		return externalIDTaken("variants", "variant of this product")
	}
	return err
}
