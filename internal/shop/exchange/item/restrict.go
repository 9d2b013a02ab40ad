package item

import (
	"slices"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/member"
)

// RestrictProduct takes the members out of a product that are not owned, returns them, and computes the digest of the
// rest. The lists of p may be shared, so they are copied before a change.
func RestrictProduct(p *catalog.ProductPush, owned member.Set) member.Set {
	p.Owned, p.NotOwned = owned, 0
	dropMember(p, member.Name, &p.Name)
	dropMember(p, member.Description, &p.Description)
	dropMember(p, member.Images, &p.Images)
	dropMember(p, member.Categories, &p.Categories)
	dropMember(p, member.Features, &p.Features)
	dropMember(p, member.Modifiers, &p.Modifiers)
	if p.Variants != nil {
		list := slices.Clone(*p.Variants)
		for i := range list {
			restrictVariant(p, &list[i])
		}
		p.Variants = &list
		if owned&(member.Variants|member.Price|member.Remainders) == 0 {
			p.Variants, p.Single = nil, false
			p.NotOwned |= member.Variants
		}
	}
	p.Digest, _ = digestProduct(p, nil)
	return p.NotOwned
}

func restrictVariant(p *catalog.ProductPush, v *catalog.VariantPush) {
	dropMember(p, member.Price, &v.Price)
	dropMember(p, member.Remainders, &v.Remainders)
	dropMember(p, member.Variants, &v.Name)
	dropMember(p, member.Variants, &v.SKU)
	dropMember(p, member.Variants, &v.Options)
}

// dropMember sets a member to nil if it is present and not owned.
func dropMember[T any](p *catalog.ProductPush, m member.Set, sent **T) {
	if *sent != nil && !p.Owned.Has(m) {
		*sent = nil
		p.NotOwned |= m
	}
}
