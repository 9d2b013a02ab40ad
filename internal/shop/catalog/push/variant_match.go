package push

import (
	"slices"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
)

// matchPushedVariants returns for each pushed variant the stored variant that it updates, or nil for a new one.
// Variants are matched by external id, archived ones included. A live variant without an external id is matched by its
// SKU or, if it is the only live one, with any pushed variant: so a product can change from a single variant to
// several, and back, without losing its variant.
func matchPushedVariants(stored []catalog.StoredVariant, single bool,
	sent []catalog.VariantPush) []*catalog.StoredVariant {
	matched := make([]*catalog.StoredVariant, len(sent))
	if single {
		matched[0] = matchSingleVariant(stored, sent[0].SKU)
		return matched
	}

	byID := make(map[string]*catalog.StoredVariant, len(stored))
	var withoutID []*catalog.StoredVariant
	live := 0
	for i := range stored {
		v := &stored[i]
		if v.Live() {
			live++
		}

		switch {
		case v.ExternalID != nil:
			byID[*v.ExternalID] = v
		case v.Live():
			withoutID = append(withoutID, v)
		}
	}

	for i, v := range sent {
		matched[i] = byID[v.ID]
	}

	for i, v := range sent {
		if matched[i] == nil && v.SKU != nil {
			matched[i] = removeBySKU(&withoutID, *v.SKU)
		}
	}

	if i := slices.Index(matched, nil); i >= 0 && live == 1 && len(withoutID) == 1 {
		matched[i] = withoutID[0]
	}

	return matched
}

// removeBySKU removes the variant with the SKU from the list and returns it, or nil if there is none.
func removeBySKU(list *[]*catalog.StoredVariant, sku string) *catalog.StoredVariant {
	for i, v := range *list {
		if sku != "" && v.SKU == sku {
			*list = append((*list)[:i:i], (*list)[i+1:]...)
			return v
		}
	}
	return nil
}

// matchSingleVariant returns the stored variant that a single pushed variant updates: the variant with the same SKU; if
// there is none, the only stored variant; otherwise nil. Archived variants count only if all variants are archived.
func matchSingleVariant(stored []catalog.StoredVariant, sku *string) *catalog.StoredVariant {
	from := write.PointersTo(stored)
	if slices.ContainsFunc(from, (*catalog.StoredVariant).Live) {
		from = slices.DeleteFunc(from, func(v *catalog.StoredVariant) bool { return !v.Live() })
	}
	if sku != nil {
		if v := removeBySKU(&from, *sku); v != nil {
			return v
		}
	}
	if len(from) == 1 {
		return from[0]
	}
	return nil
}
