package push

import (
	"slices"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/rule"
)

// planWithdrawal plans that the variants which a WithdrawnPart names are archived.
func (w *pushWrite) planWithdrawal() {
	w.Plan = &catalog.VariantPlan{Path: func(int) rule.FieldPath { return "" }}
	if !w.push.OwnedMembers().Has(productfield.Variants) {
		return
	}

	named := map[string]bool{}
	for _, v := range write.OrEmpty(w.push.Variants) {
		named[v.ID] = true
	}

	for i := range w.Stored {
		v := &w.Stored[i]
		switch {
		case !v.Live():
		case v.ExternalID != nil && named[*v.ExternalID]:
			w.Plan.Archived = append(w.Plan.Archived, v.Key)
		default:
			w.Plan.Kept = append(w.Plan.Kept, v)
		}
	}
}

// A good of 1C either has characteristics, and its offers have the ids good#characteristic; or it has none, and its
// only offer has the id of the good. Such a plain offer is not sold beside offers with characteristics.

// dropPlainOffer takes the offer without a characteristic out of an item of the offers part, if the item or the product
// has offers with one.
func (w *pushWrite) dropPlainOffer() {
	if w.push.Part != catalog.OffersPart || !w.push.OwnedMembers().Has(productfield.Variants) {
		return
	}

	isPlain := func(v catalog.VariantPush) bool { return v.ID == w.push.ID }
	sent := write.OrEmpty(w.push.Variants)
	if !slices.ContainsFunc(sent, isPlain) ||
		!slices.ContainsFunc(sent, func(v catalog.VariantPush) bool { return w.push.HasCharacteristic(v.ID) }) &&
			!slices.ContainsFunc(w.Stored, w.isCharacteristic) {
		return
	}

	rest := slices.DeleteFunc(slices.Clone(sent), isPlain)
	copied := *w.push
	copied.Variants = &rest
	w.push = &copied
	w.outcome.warn("variants", "no_characteristic",
		"The offer %s has no characteristic, while others of the good have "+
			"one. It is not sold beside them.", w.push.ID)
}

// isCharacteristic reports whether a stored variant is live and an offer with a characteristic.
func (w *pushWrite) isCharacteristic(v catalog.StoredVariant) bool {
	return v.Live() && v.ExternalID != nil && w.push.HasCharacteristic(*v.ExternalID)
}

// archivePlainOffer archives the offer without a characteristic, if the product has offers with one after the write.
func (w *pushWrite) archivePlainOffer() {
	plan := w.Plan
	plain := slices.IndexFunc(plan.Kept, func(v *catalog.StoredVariant) bool {
		return v.ExternalID != nil && *v.ExternalID == w.push.ID
	})
	if plain < 0 {
		return
	}
	if !slices.ContainsFunc(plan.Kept, func(v *catalog.StoredVariant) bool { return w.isCharacteristic(*v) }) &&
		!slices.ContainsFunc(plan.Sent, func(p *catalog.PlannedVariant) bool {
			return p.ExternalID != nil && w.push.HasCharacteristic(*p.ExternalID)
		}) {
		return
	}
	plan.Archived = append(plan.Archived, plan.Kept[plain].Key)
	plan.Kept = slices.Delete(plan.Kept, plain, plain+1)
}

// separateEqualOffers takes the options off an offer whose combination another offer of the good has, so that both can
// be sold: their names, which come from the offers, tell them apart.
func (w *pushWrite) separateEqualOffers() {
	held := map[string]*catalog.Variant{}
	for _, v := range w.Plan.Kept {
		held[v.Combination] = &v.Variant
	}

	for _, p := range w.Plan.Sent {
		if !p.ClaimsCombination() {
			held[p.Combination] = &p.Variant
		}
	}

	for i, p := range w.Plan.Sent {
		if p.Combination == "" || !p.ClaimsCombination() {
			continue
		}

		other, taken := held[p.Combination]
		if !taken {
			held[p.Combination] = &p.Variant
			continue
		}

		p.OptionKeys = nil
		p.Combination = ""
		w.pendingOptions[i] = nil
		w.outcome.warn(w.push.VariantMember(i, "options"), "same_characteristics", "The offer %s has the same "+
			"characteristics as the offer %s. It became a variant without options, named as the offer.",
			variantLabel(&p.Variant), variantLabel(other))
	}
}

// variantLabel returns the name and the external id of a variant, for messages.
func variantLabel(v *catalog.Variant) string {
	name := v.Name
	if v.ExternalID == nil {
		return name
	}
	if name == "" {
		return *v.ExternalID
	}
	return name + " (" + *v.ExternalID + ")"
}

// offersNothing reports whether an item about variants changes none of them.
func (w *pushWrite) offersNothing() bool {
	if w.push.Part != catalog.OffersPart && w.push.Part != catalog.WithdrawnPart || w.Added || w.Plan == nil {
		return false
	}
	return len(w.Plan.Sent)+len(w.Plan.Archived)+len(w.Plan.Deleted) == 0
}
