package catalog

import (
	"time"

	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/rule"
)

// PlannedVariant is one variant of a request as it will be written.
type PlannedVariant struct {
	Variant                   // after the write
	Before     *StoredVariant // before the write; nil for a new variant
	OptionKeys []ValueKeys    // after the write; valid only if the combination changes
	// Combination is the digest of the options after the write.
	Combination string
	// Quantities are the remainders after the write; nil if they stay unchanged.
	Quantities []StockQuantity
	// ListPrices are the prices in lists that are set or, without an amount, removed. Others stay unchanged.
	ListPrices map[PriceStep]money.Price
	// images are the images after the write; nil if they stay unchanged.
	images *[]plannedImage
	// keepsRemainders says that remainders which are not listed stay as they are, emptiesRemainders that they become 0.
	// Otherwise they are deleted.
	keepsRemainders, emptiesRemainders bool
}

// restored reports whether the write restores an archived variant.
func (p *PlannedVariant) restored() bool { return p.Before != nil && !p.Before.Live() && p.Live() }

// CombinationChanged reports whether the set of options changes. Their order does not matter.
func (p *PlannedVariant) CombinationChanged() bool {
	return p.Before != nil && p.Before.Combination != p.Combination
}

// ClaimsCombination reports whether the variant's combination is new in the product, so that it must differ from all
// others. Duplicates that a deleted value has left behind are allowed as long as they stay unchanged.
func (p *PlannedVariant) ClaimsCombination() bool {
	return p.Live() && (p.Before == nil || p.restored() || p.CombinationChanged())
}

// RowChanged reports whether the variant's own row changes. Options and remainders are stored in other tables.
func (p *PlannedVariant) RowChanged() bool {
	return p.Before != nil && (p.restored() || p.externalIDChanged() || p.scalarsChanged() != 0)
}

// scalarsChanged returns the members of an existing variant that the write changes in its row.
func (p *PlannedVariant) scalarsChanged() productfield.Set {
	return VariantScalars.Changed(&p.Variant, &p.Before.Variant)
}

// externalIDChanged reports whether the external id of an existing variant changes.
func (p *PlannedVariant) externalIDChanged() bool {
	return p.Before != nil && !write.EqualStrings(p.ExternalID, p.Before.ExternalID)
}

// VariantPlan is the planned write of the variants of one product.
type VariantPlan struct {
	// Path returns the path of the i-th element of Sent.
	Path func(i int) rule.FieldPath
	// Sent are the variants of the request, in order.
	Sent []*PlannedVariant
	// Kept are the live variants that were not sent and stay unchanged. It is empty if the request has the full list.
	Kept []*StoredVariant
	// Archived and Deleted are the keys of the variants to archive and to delete.
	Archived, Deleted []int64
	product           *ProductWrite
}

// Variants returns the variants sent; none if plan is nil.
func (plan *VariantPlan) Variants() []*PlannedVariant {
	if plan == nil {
		return nil
	}
	return plan.Sent
}

// planVariants plans the write of the full list of a product's variants, and adds broken rules to wrong. Elements are
// matched with the product's variants, including archived ones, which are restored. For a new product, ids are ignored,
// so that a product that was read can be sent again as a new one.
func planVariants(w *ProductWrite, refs *References, wrong *rule.Violations) *VariantPlan {
	edits := write.OrEmpty(w.Edit.Variants)
	plan := &VariantPlan{Path: func(i int) rule.FieldPath { return w.Path.Element("variants", i) },
		Sent: make([]*PlannedVariant, 0, len(edits)), product: w}
	matcher := newVariantMatcher(w.Stored, plan.Path)
	for i, e := range edits {
		if w.Added {
			e.ID = VariantID{}
		}
		if was, ok := matcher.match(i, e, wrong); ok {
			p := plan.add(i, was, &edits[i], nil, refs, wrong)
			p.keepsRemainders = w.MergesVariants && !w.CompletesStock
			p.emptiesRemainders = w.MergesVariants && w.CompletesStock
		}
	}

	for i := range w.Stored {
		v := &w.Stored[i]
		switch _, sent := matcher.positions[v.Key]; {
		case sent || !v.Live():
		case w.MergesVariants:
			plan.Kept = append(plan.Kept, v)
		default:
			plan.Archived = append(plan.Archived, v.Key)
		}
	}

	return plan
}

// planVariant plans the write of one variant; the others stay unchanged. The parameter was is the stored variant, or
// nil for a new one. archivedAt is the archiving time after the write, or nil.
func planVariant(
	w *ProductWrite, was *StoredVariant, e VariantEdit, archivedAt *time.Time, refs *References, wrong *rule.Violations,
) *VariantPlan {
	plan := &VariantPlan{Path: func(int) rule.FieldPath { return "" }, Kept: OtherLiveVariants(w.Stored, was),
		product: w}
	plan.add(0, was, &e, archivedAt, refs, wrong)
	return plan
}

// OtherLiveVariants returns the live variants except one.
func OtherLiveVariants(stored []StoredVariant, but *StoredVariant) []*StoredVariant {
	list := make([]*StoredVariant, 0, len(stored))
	for i := range stored {
		if v := &stored[i]; v != but && v.Live() {
			list = append(list, v)
		}
	}
	return list
}

// add adds the i-th element of the request to the plan, and returns it.
func (plan *VariantPlan) add(
	i int, was *StoredVariant, e *VariantEdit, archivedAt *time.Time, refs *References, wrong *rule.Violations,
) *PlannedVariant {
	at := plan.Path(i)
	p := &PlannedVariant{Before: was}
	switch {
	case was != nil:
		p.Variant, p.Combination = was.Variant, was.Combination
	case e.Price == nil && at == "":
		wrong.Add(at.Member("price"), "required", "A variant needs a price; null if it is not for sale.")
	case e.Price == nil:
		wrong.Add(at.Member("price"), "required",
			"A new variant needs a price; null if it is not for sale. To change an existing one, send its id or its "+
				"external_id.")
	default:
		p.ID = id.New[Variant]()
	}

	p.ArchivedAt = archivedAt
	p.apply(e, at, wrong)

	if e.Options != nil {
		p.OptionKeys = refs.optionsOf(*e.Options, at, wrong)
		p.Combination = combinationOf(p.OptionKeys, e.Pending)
	}

	if e.Remainders != nil {
		p.Quantities = refs.remaindersOf(*e.Remainders, at, wrong)
	}

	if e.Prices != nil {
		p.ListPrices = refs.listPricesOf(*e.Prices, at, wrong)
	}

	if e.Images != nil {
		p.images = new(refs.variantImagesOf(*e.Images, plan.product, p.Key, at, wrong))
	}

	plan.Sent = append(plan.Sent, p)
	return p
}

// CheckCombinations adds a violation for each variant whose combination another variant has. It must not be called
// after an element was rejected, since the indexes in sent then differ from those in the request.
func (plan *VariantPlan) CheckCombinations(wrong *rule.Violations) {
	const unnamed = -1
	held := make(map[string]int, len(plan.Sent)+len(plan.Kept))
	for _, v := range plan.Kept {
		held[v.Combination] = unnamed
	}

	for i, p := range plan.Sent {
		if p.Live() && !p.ClaimsCombination() {
			held[p.Combination] = i
		}
	}

	for i, p := range plan.Sent {
		if p.Combination == "" || !p.ClaimsCombination() {
			continue
		}

		other, taken := held[p.Combination]
		switch {
		case !taken:
			held[p.Combination] = i
		case other == unnamed:
			wrong.DuplicateCombination(plan.Path(i).Member("options"), "Another variant of this product")
		default:
			wrong.DuplicateCombination(plan.Path(i).Member("options"), string(plan.Path(other)))
		}
	}
}

// checkExternalIDs returns fault.Conflict if a variant takes an external id that another variant keeps.
func (plan *VariantPlan) checkExternalIDs(stored []StoredVariant) error {
	kept := make(map[string]bool, len(stored))
	for i := range stored {
		if e := stored[i].ExternalID; e != nil {
			kept[*e] = true
		}
	}

	for _, p := range plan.Sent {
		if p.externalIDChanged() && p.Before.ExternalID != nil {
			delete(kept, *p.Before.ExternalID)
		}
	}

	for i, p := range plan.Sent {
		if p.ExternalID != nil && (p.Before == nil || p.externalIDChanged()) && kept[*p.ExternalID] {
			return rule.ExternalIDTaken(plan.Path(i).Member("external_id"), "variant of this product")
		}
	}

	return nil
}

// codes returns the codes of the variants that are live after the write.
func (plan *VariantPlan) codes() []string {
	codes := make([]string, 0, len(plan.Sent)+len(plan.Kept))
	for _, v := range plan.Kept {
		codes = v.appendCodes(codes)
	}
	for _, p := range plan.Sent {
		if p.Live() {
			codes = p.appendCodes(codes)
		}
	}
	return codes
}
