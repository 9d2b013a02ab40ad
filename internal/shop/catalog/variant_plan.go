package catalog

import (
	"time"

	"vitrine/internal/kit/id"
)

// plannedVariant is what a request makes of one variant, settled.
type plannedVariant struct {
	Variant                // as it shall be
	was     *storedVariant // nil for a new one
	options []valueKeys    // what it shall carry; read only where combination differs from before
	// combination is the digest of what it shall carry, sent or kept.
	combination string
	// remainders is what the stocks shall have of it; nil where that stays as it is.
	remainders []stockQuantity
}

// restored reports whether the variant was archived and comes back.
func (p *plannedVariant) restored() bool { return p.was != nil && !p.was.live() && p.live() }

// combinationChanged reports whether the variant's set of options changes. The same options in another order are no change.
func (p *plannedVariant) combinationChanged() bool {
	return p.was != nil && p.was.combination != p.combination
}

// claimsCombination reports whether the variant's combination is new among those of the product, so that it must differ from all others.
// Equal combinations that a deleted value left behind are kept as long as nobody touches them.
func (p *plannedVariant) claimsCombination() bool {
	return p.live() && (p.was == nil || p.restored() || p.combinationChanged())
}

// rowChanged reports whether the variant's own row is to be written; its options and remainders aside.
func (p *plannedVariant) rowChanged() bool {
	return p.was != nil && (p.restored() || p.externalIDChanged() || p.Name != p.was.Name || p.SKU != p.was.SKU || p.Price != p.was.Price)
}

// externalIDChanged reports whether the external id of a variant that exists changes.
func (p *plannedVariant) externalIDChanged() bool {
	return p.was != nil && !equalStrings(p.ExternalID, p.was.ExternalID)
}

// variantPlan is what a request makes of the variants of one product.
type variantPlan struct {
	// at is the place of the i-th of sent.
	at func(i int) fieldPath
	// sent are the variants of the request in its order.
	sent []*plannedVariant
	// kept are those that were not sent and stay as they are, archived ones aside; none where the request has the full list.
	kept []*storedVariant
	// archived and deleted are the keys of those that leave.
	archived, deleted []int64
}

// planVariants makes a plan of the full list of a product's variants, and notes what is wrong. Its elements are matched with the
// variants that the product has, archived ones too: one that is sent comes back. A new product has none that an id could name, so
// there ids are ignored, and a product that was read can be sent again as another one.
func planVariants(w *productWrite, refs *references, wrong *breaches) *variantPlan {
	edits := w.e.variants()
	plan := &variantPlan{at: func(i int) fieldPath { return w.at.element("variants", i) }, sent: make([]*plannedVariant, 0, len(edits))}
	matcher := newVariantMatcher(w.stored, plan.at)
	for i, e := range edits {
		if w.added {
			e.ID = VariantID{}
		}
		if was, ok := matcher.match(i, e, wrong); ok {
			plan.add(i, was, e, nil, refs, wrong)
		}
	}
	for i := range w.stored {
		if v := &w.stored[i]; v.live() && !matcher.matched(v) {
			plan.archived = append(plan.archived, v.Key)
		}
	}
	return plan
}

// planVariant makes a plan of a request that is about one variant, nil for a new one; the others stay. It is archived then or not, as
// archivedAt says.
func planVariant(stored []storedVariant, was *storedVariant, e VariantEdit, archivedAt *time.Time, refs *references, wrong *breaches) *variantPlan {
	plan := &variantPlan{at: func(int) fieldPath { return "" }, kept: otherLiveVariants(stored, was)}
	plan.add(0, was, e, archivedAt, refs, wrong)
	return plan
}

// otherLiveVariants are the variants but one, archived ones aside.
func otherLiveVariants(stored []storedVariant, but *storedVariant) []*storedVariant {
	list := make([]*storedVariant, 0, len(stored))
	for i := range stored {
		if v := &stored[i]; v != but && v.live() {
			list = append(list, v)
		}
	}
	return list
}

// add adds the i-th element of the request to the plan.
func (plan *variantPlan) add(i int, was *storedVariant, e VariantEdit, archivedAt *time.Time, refs *references, wrong *breaches) {
	at := plan.at(i)
	p := &plannedVariant{was: was}
	switch {
	case was != nil:
		p.Variant, p.combination = was.Variant, was.combination
	case e.Price == nil && at == "":
		wrong.add(at.member("price"), "required", "A variant needs a price.")
	case e.Price == nil:
		wrong.add(at.member("price"), "required", "A new variant needs a price. To change an existing one, send its id or its external_id.")
	default:
		p.ID = id.New[Variant]()
	}
	p.ArchivedAt = archivedAt
	p.apply(e)
	if e.Options != nil {
		p.options = refs.optionsOf(*e.Options, at, wrong)
		p.combination = combinationOf(p.options, e.pending)
	}
	if e.Remainders != nil {
		p.remainders = refs.remaindersOf(*e.Remainders, at, wrong)
	}
	plan.sent = append(plan.sent, p)
}

// apply takes the plain members of an edit over.
func (p *plannedVariant) apply(e VariantEdit) {
	if e.ExternalID != nil {
		p.ExternalID = externalIDOrNil(*e.ExternalID)
	}
	if e.Name != nil {
		p.Name = *e.Name
	}
	if e.SKU != nil {
		p.SKU = *e.SKU
	}
	if e.Price != nil {
		p.Price = *e.Price
	}
}

// checkCombinations notes the variants that would carry the combination of another one. The places are those of the request only
// while nothing else is wrong.
func (plan *variantPlan) checkCombinations(wrong *breaches) {
	const unnamed = -1
	held := make(map[string]int, len(plan.sent)+len(plan.kept))
	for _, v := range plan.kept {
		held[v.combination] = unnamed
	}
	for i, p := range plan.sent {
		if p.live() && !p.claimsCombination() {
			held[p.combination] = i
		}
	}
	for i, p := range plan.sent {
		if p.combination == "" || !p.claimsCombination() {
			continue
		}
		other, taken := held[p.combination]
		switch {
		case !taken:
			held[p.combination] = i
		case other == unnamed:
			wrong.duplicateCombination(plan.at(i).member("options"), "Another variant of this product")
		default:
			wrong.duplicateCombination(plan.at(i).member("options"), string(plan.at(other)))
		}
	}
}

// checkExternalIDs returns fault.Conflict where a variant would take the external id of another that keeps it.
func (plan *variantPlan) checkExternalIDs(stored []storedVariant) error {
	kept := make(map[string]bool, len(stored))
	for i := range stored {
		if e := stored[i].ExternalID; e != nil {
			kept[*e] = true
		}
	}
	for _, p := range plan.sent {
		if p.externalIDChanged() && p.was.ExternalID != nil {
			delete(kept, *p.was.ExternalID)
		}
	}
	for i, p := range plan.sent {
		if p.ExternalID != nil && (p.was == nil || p.externalIDChanged()) && kept[*p.ExternalID] {
			return externalIDTaken(plan.at(i).member("external_id"), "variant of this product")
		}
	}
	return nil
}

// skus are those of the variants that are not archived then.
func (plan *variantPlan) skus() []string {
	skus := make([]string, 0, len(plan.sent)+len(plan.kept))
	for _, v := range plan.kept {
		skus = append(skus, v.SKU)
	}
	for _, p := range plan.sent {
		if p.live() {
			skus = append(skus, p.SKU)
		}
	}
	return skus
}
