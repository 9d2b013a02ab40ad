package catalog

import (
	"time"

	"vitrine/internal/kit/id"
)

// plannedVariant is one variant of a request as it will be written.
type plannedVariant struct {
	Variant                // after the write
	was     *storedVariant // before the write; nil for a new variant
	options []valueKeys    // after the write; valid only if the combination changes
	// combination is the digest of the options after the write.
	combination string
	// remainders are the remainders after the write; nil if they stay unchanged.
	remainders []stockQuantity
	// keepsRemainders says that remainders which are not listed stay as they are, emptiesRemainders that they become 0.
	// Otherwise they are deleted.
	keepsRemainders, emptiesRemainders bool
}

// restored reports whether the write restores an archived variant.
func (p *plannedVariant) restored() bool { return p.was != nil && !p.was.live() && p.live() }

// combinationChanged reports whether the set of options changes. Their order does not matter.
func (p *plannedVariant) combinationChanged() bool {
	return p.was != nil && p.was.combination != p.combination
}

// claimsCombination reports whether the variant's combination is new in the product, so that it must differ from all
// others. Duplicates that a deleted value has left behind are allowed as long as they stay unchanged.
func (p *plannedVariant) claimsCombination() bool {
	return p.live() && (p.was == nil || p.restored() || p.combinationChanged())
}

// rowChanged reports whether the variant's own row changes. Options and remainders are stored in other tables.
func (p *plannedVariant) rowChanged() bool {
	return p.was != nil && (p.otherRowChanged() || p.Price != p.was.Price)
}

// otherRowChanged reports whether anything but the price changes in the row of an existing variant.
func (p *plannedVariant) otherRowChanged() bool {
	return p.restored() || p.externalIDChanged() || p.Name != p.was.Name || p.SKU != p.was.SKU
}

// externalIDChanged reports whether the external id of an existing variant changes.
func (p *plannedVariant) externalIDChanged() bool {
	return p.was != nil && !equalStrings(p.ExternalID, p.was.ExternalID)
}

// variantPlan is the planned write of the variants of one product.
type variantPlan struct {
	// at returns the path of the i-th element of sent.
	at func(i int) fieldPath
	// sent are the variants of the request, in order.
	sent []*plannedVariant
	// kept are the live variants that were not sent and stay unchanged. It is empty if the request has the full list.
	kept []*storedVariant
	// archived and deleted are the keys of the variants to archive and to delete.
	archived, deleted []int64
}

// variants returns the variants sent; none if plan is nil.
func (plan *variantPlan) variants() []*plannedVariant {
	if plan == nil {
		return nil
	}
	return plan.sent
}

// planVariants plans the write of the full list of a product's variants, and adds broken rules to wrong. Elements are
// matched with the product's variants, including archived ones, which are restored. For a new product, ids are ignored,
// so that a product that was read can be sent again as a new one.
func planVariants(w *productWrite, refs *references, wrong *violations) *variantPlan {
	edits := orEmpty(w.e.Variants)
	plan := &variantPlan{at: func(i int) fieldPath { return w.at.element("variants", i) },
		sent: make([]*plannedVariant, 0, len(edits))}
	matcher := newVariantMatcher(w.stored, plan.at)
	for i, e := range edits {
		if w.added {
			e.ID = VariantID{}
		}
		if was, ok := matcher.match(i, e, wrong); ok {
			p := plan.add(i, was, e, nil, refs, wrong)
			p.keepsRemainders = w.mergesVariants && !w.completesStock
			p.emptiesRemainders = w.mergesVariants && w.completesStock
		}
	}
	for i := range w.stored {
		v := &w.stored[i]
		switch _, sent := matcher.positions[v.Key]; {
		case sent || !v.live():
		case w.mergesVariants:
			plan.kept = append(plan.kept, v)
		default:
			plan.archived = append(plan.archived, v.Key)
		}
	}
	return plan
}

// planVariant plans the write of one variant; the others stay unchanged. The parameter was is the stored variant, or
// nil for a new one. archivedAt is the archiving time after the write, or nil.
func planVariant(
	stored []storedVariant, was *storedVariant, e VariantEdit, archivedAt *time.Time, refs *references,
	wrong *violations,
) *variantPlan {
	plan := &variantPlan{at: func(int) fieldPath { return "" }, kept: otherLiveVariants(stored, was)}
	plan.add(0, was, e, archivedAt, refs, wrong)
	return plan
}

// otherLiveVariants returns the live variants except one.
func otherLiveVariants(stored []storedVariant, but *storedVariant) []*storedVariant {
	list := make([]*storedVariant, 0, len(stored))
	for i := range stored {
		if v := &stored[i]; v != but && v.live() {
			list = append(list, v)
		}
	}
	return list
}

// add adds the i-th element of the request to the plan, and returns it.
func (plan *variantPlan) add(
	i int, was *storedVariant, e VariantEdit, archivedAt *time.Time, refs *references, wrong *violations,
) *plannedVariant {
	at := plan.at(i)
	p := &plannedVariant{was: was}
	switch {
	case was != nil:
		p.Variant, p.combination = was.Variant, was.combination
	case e.Price == nil && at == "":
		wrong.add(at.member("price"), "required", "A variant needs a price; null if it is not for sale.")
	case e.Price == nil:
		wrong.add(at.member("price"), "required",
			"A new variant needs a price; null if it is not for sale. To change an existing one, send its id or its "+
				"external_id.")
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
	return p
}

// apply applies the scalar members of an edit.
func (p *plannedVariant) apply(e VariantEdit) {
	assignExternalID(&p.ExternalID, e.ExternalID)
	assign(&p.Name, e.Name)
	assign(&p.SKU, e.SKU)
	assign(&p.Price, e.Price)
}

// checkCombinations adds a violation for each variant whose combination another variant has. It must not be called
// after an element was rejected, since the indexes in sent then differ from those in the request.
func (plan *variantPlan) checkCombinations(wrong *violations) {
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

// checkExternalIDs returns fault.Conflict if a variant takes an external id that another variant keeps.
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

// skus returns the SKUs of the variants that are live after the write.
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
