package item

import (
	"slices"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/productfield"
)

// RestrictProduct takes the members out of a product that are not owned, returns them, and computes the digest of the
// rest. The lists of p may be shared, so they are copied before a change.
func RestrictProduct(p *catalog.ProductPush, owned productfield.Set) productfield.Set {
	p.Owned = owned
	p.NotOwned = 0
	dropScalars(p, catalog.ProductScalars, p)
	dropMember(p, productfield.Images, &p.Images)
	dropMember(p, productfield.Categories, &p.Categories)
	dropMember(p, productfield.Categories, &p.CanonicalCategory)
	dropMember(p, productfield.Features, &p.Features)
	dropMember(p, productfield.Modifiers, &p.Modifiers)
	dropMember(p, productfield.Barcodes, &p.GoodBarcodes)

	if p.Variants != nil {
		list := slices.Clone(*p.Variants)
		for i := range list {
			restrictVariant(p, &list[i])
		}

		p.Variants = &list
		if owned&productfield.OfVariants == 0 &&
			!slices.ContainsFunc(list, func(v catalog.VariantPush) bool { return v.Images != nil }) {
			p.Variants, p.Single = nil, false
			p.NotOwned |= productfield.Variants
		}
	}

	p.Digest, _ = digestProduct(p, nil)
	p.Line = catalog.Digest{}
	return p.NotOwned
}

func restrictVariant(p *catalog.ProductPush, v *catalog.VariantPush) {
	dropScalars(p, catalog.VariantScalars, v)
	dropMember(p, productfield.Remainders, &v.Remainders)
	dropMember(p, productfield.Variants, &v.Options)
	dropMember(p, productfield.Price, &v.Prices)
	dropMember(p, productfield.Images, &v.Images)
}

// dropScalars sets those scalars of the product, or of one of its variants, to nil that are present and not owned.
func dropScalars[Row, Edit, Push any](
	p *catalog.ProductPush, scalars catalog.Scalars[Row, Edit, Push], of *Push,
) {
	for i := range scalars {
		if m := &scalars[i]; m.IsSent(of) && !p.Owned.Has(m.Field) {
			m.Drop(of)
			p.NotOwned |= m.Field
		}
	}
}

// dropMember sets a member to nil if it is present and not owned.
func dropMember[T any](p *catalog.ProductPush, m productfield.Set, sent **T) {
	if *sent != nil && !p.Owned.Has(m) {
		*sent = nil
		p.NotOwned |= m
	}
}
