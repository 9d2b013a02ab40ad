package catalog

import (
	"slices"

	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/productfield"
)

// ProductPush is a pushed product, with ids of the accounting system. Nil keeps the stored value or list.
type ProductPush struct {
	ID     string
	Digest Digest
	// Mark, if it is not empty, archives or deletes the product; the other members are not used then.
	Mark Mark
	// Version is the version of the item in its source, or nil. It is not part of the pushed content.
	Version     *int64 `json:"-"`
	Name        *string
	Description *string
	Categories  *[]string
	Features    *[]ReferencePush
	Modifiers   *string // as returned by ReadModifiers
	// Part is the part of the product that the item is about.
	Part PushPart
	// Article is the good's own article, which its variants without an SKU take over. It is empty if it is not known.
	Article string
	// CompleteStock says, in the offers part, that the lists of remainders are complete: a variant that has such a list
	// has 0 in all other stocks.
	CompleteStock bool
	// EmptyStock, if not empty, is the external id of the stock in which new variants without remainders have 0, so
	// that they are not sold without limit. It is not part of the pushed content.
	EmptyStock string `json:"-"`
	Images     *ImagesPush
	// Single says that the product has exactly one variant. It is the only element of Variants and has no ID.
	Single   bool
	Variants *[]VariantPush
	// Misplaced are the names of members that belong to a variant, but stood on the product itself. They are not part
	// of the pushed content.
	Misplaced []string `json:"-"`
	// Owned are the members that the token of the push writes; 0 means all. The item has no other members: NotOwned are
	// those that were taken out of it. Both are not part of the pushed content.
	Owned    productfield.Set `json:"-"`
	NotOwned productfield.Set `json:"-"`
	// Free, if not nil, says what the quantities of Remainders are. All items of a batch that have quantities share it.
	// Whether there is one is part of the pushed content.
	Free *FreeStock `json:"-"`
	// Origin is the item of a run to which a failed download is reported. It is not part of the pushed content.
	Origin Origin `json:"-"`
}

// VariantPush is a pushed variant of a product.
type VariantPush struct {
	ID         string
	Name       *string
	SKU        *string
	Price      *money.Price
	Options    *[]ReferencePush
	Remainders *[]StockedPush
}

// StockedPush is the pushed quantity of a variant in one stock.
type StockedPush struct {
	Stock    string
	Quantity money.Quantity
}

// Origin identifies an item of a run.
type Origin struct {
	RunKey int64
	Item   int64
}

// ownedMembers returns the members that the token of the push writes.
func (p *ProductPush) ownedMembers() productfield.Set {
	if p.Owned == 0 {
		return productfield.All
	}
	return p.Owned
}

// variantMember returns the path of a member of the i-th variant. The members of a single variant are members of the
// product itself, with the prefix variant_.
func (p ProductPush) variantMember(i int, name string) string {
	if p.Single {
		return "variant_" + name
	}
	return write.FieldPath("").Element("variants", i).Member(name)
}

// matchPushedVariants returns for each pushed variant the stored variant that it updates, or nil for a new one.
// Variants are matched by external id, archived ones included. A live variant without an external id is matched by its
// SKU or, if it is the only live one, with any pushed variant: so a product can change from a single variant to
// several, and back, without losing its variant.
func matchPushedVariants(stored []StoredVariant, single bool, sent []VariantPush) []*StoredVariant {
	matched := make([]*StoredVariant, len(sent))
	if single {
		matched[0] = matchSingleVariant(stored, sent[0].SKU)
		return matched
	}
	byID := make(map[string]*StoredVariant, len(stored))
	var withoutID []*StoredVariant
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
func removeBySKU(list *[]*StoredVariant, sku string) *StoredVariant {
	for i, v := range *list {
		if sku != "" && v.SKU == sku {
			*list = append((*list)[:i:i], (*list)[i+1:]...)
			return v
		}
	}
	return nil
}

// matchSingleVariant returns the stored variant that a single pushed variant updates: the one with its SKU, else the
// only one, else nil. Archived variants are considered only if all variants are archived.
func matchSingleVariant(stored []StoredVariant, sku *string) *StoredVariant {
	from := write.PointersTo(stored)
	if slices.ContainsFunc(from, (*StoredVariant).Live) {
		from = slices.DeleteFunc(from, func(v *StoredVariant) bool { return !v.Live() })
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
