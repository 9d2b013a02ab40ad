package catalog

import (
	"fmt"

	"vitrine/internal/id"
)

// plannedVariant is one element of a request's variants, settled.
type plannedVariant struct {
	Variant                // as it shall be
	was     *storedVariant // nil for a new one
	options []link         // what it shall carry; read only where combination differs from before
	// combination is the digest of what it shall carry, sent or kept.
	combination string
}

// revived reports whether the variant was archived and comes back.
func (p *plannedVariant) revived() bool { return p.was != nil && !p.was.live() }

// recombined reports whether the variant's set of options changes. The same options in another order are no change.
func (p *plannedVariant) recombined() bool {
	return p.was != nil && p.was.combination != p.combination
}

// arrives reports whether the variant's combination is new among those of the product, so that it must differ from all others.
// Equal combinations that a deleted value left behind are kept as long as nobody touches them.
func (p *plannedVariant) arrives() bool { return p.was == nil || p.revived() || p.recombined() }

// changed reports whether the variant's own row is to be written; its options aside.
func (p *plannedVariant) changed() bool {
	return p.was != nil && (p.revived() || p.renamed() || p.Name != p.was.Name || p.SKU != p.was.SKU || p.Price != p.was.Price)
}

// renamed reports whether the external id of a variant that exists changes.
func (p *plannedVariant) renamed() bool {
	return p.was != nil && !sameText(p.ExternalID, p.was.ExternalID)
}

func sameText(a, b *string) bool {
	return a == b || (a != nil && b != nil && *a == *b)
}

// variantPlan is what a request makes of the variants of one product.
type variantPlan struct {
	// sent are the variants of the request in its order: all that will not be archived.
	sent []*plannedVariant
	// archived are the keys of those that were not sent.
	archived []int64
}

// planVariants matches the elements of a request with the variants that a product has, archived ones too, and notes what is wrong.
func planVariants(stored []storedVariant, edits []VariantEdit, refs *references, wrong *breaches) *variantPlan {
	plan := &variantPlan{}
	match := newMatcher(stored)
	for i, e := range edits {
		was, ok := match.one(i, e, wrong)
		if !ok {
			continue
		}
		p := &plannedVariant{was: was}
		if was != nil {
			p.Variant, p.combination = was.Variant, was.combination
		} else {
			p.Variant = Variant{ID: id.New[Variant]()}
			if e.Price == nil {
				wrong.add(fmt.Sprintf("variants[%d].price", i), "required", "A new variant needs a price. To change an existing one, send its id or its external_id.")
			}
		}
		p.settle(e)
		if e.Options != nil {
			p.options = refs.options(i, *e.Options, wrong)
			p.combination = combination(p.options)
		}
		plan.sent = append(plan.sent, p)
	}
	for i := range stored {
		if v := &stored[i]; v.live() && !match.named(v) {
			plan.archived = append(plan.archived, v.Key)
		}
	}
	return plan
}

// settle applies the members of an edit. A variant that is sent is not archived.
func (p *plannedVariant) settle(e VariantEdit) {
	p.ArchivedAt = nil
	if e.ExternalID != nil {
		p.ExternalID = orNone(*e.ExternalID)
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

// checkCombinations notes the variants that would carry the combination of another one. Both are in the request, since what is
// not sent is archived; the places are theirs only while nothing else is wrong.
func (plan *variantPlan) checkCombinations(wrong *breaches) {
	held := make(map[string]int, len(plan.sent))
	for i, p := range plan.sent {
		if p.combination != "" && !p.arrives() {
			held[p.combination] = i
		}
	}
	for i, p := range plan.sent {
		if p.combination == "" || !p.arrives() {
			continue
		}
		if other, taken := held[p.combination]; taken {
			wrong.sameCombination(fmt.Sprintf("variants[%d].options", i), fmt.Sprintf("variants[%d]", other))
			continue
		}
		held[p.combination] = i
	}
}

// checkExternalIDs returns fault.Conflict where a variant would take the external id of another that keeps it.
func (plan *variantPlan) checkExternalIDs(stored []storedVariant) error {
	kept := make(map[string]int64, len(stored))
	for i := range stored {
		if e := stored[i].ExternalID; e != nil {
			kept[*e] = stored[i].Key
		}
	}
	for _, p := range plan.sent {
		if p.renamed() && p.was.ExternalID != nil {
			delete(kept, *p.was.ExternalID)
		}
	}
	for i, p := range plan.sent {
		if !p.renamed() || p.ExternalID == nil {
			continue
		}
		if _, taken := kept[*p.ExternalID]; taken {
			return externalIDTaken(fmt.Sprintf("variants[%d].external_id", i), "variant of this product")
		}
	}
	return nil
}

// skus are those of the variants that will not be archived.
func (plan *variantPlan) skus() []string {
	skus := make([]string, len(plan.sent))
	for i, p := range plan.sent {
		skus[i] = p.SKU
	}
	return skus
}
