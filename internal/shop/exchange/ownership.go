package exchange

import (
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/push"
	"vitrine/internal/shop/productfield"
)

// warnOfNotOwned adds the warning that members of an item were ignored, since the token does not write them. If the
// item failed because of that, its error says so.
func warnOfNotOwned(o *push.Pushed, dropped productfield.Set) {
	dropped |= o.NotOwned
	switch {
	case dropped == 0 || o.Stale:
	case o.Outcome == push.Failed:
		for i := range o.Errors {
			if o.Errors[i].Field == "name" && o.Errors[i].Code == "required" && dropped.Has(productfield.Name) {
				o.Errors[i].Message += " This token does not write names, so it cannot create products."
			}
		}
	default:
		o.Warnings = append(o.Warnings, fault.NewField(dropped.Words()[0], "not_owned",
			"This token does not write this, so it was ignored: %s.", dropped))
	}
}

// restrictPrice marks a price that the token may not write. It returns no dropped members: the warning is reported once
// per product, and package push adds it when it has found the product.
func restrictPrice(p *catalog.PricePush, owned productfield.Set) productfield.Set {
	p.NotOwned = !owned.Has(productfield.Price)
	return 0
}

// restrictRemainder does the same as restrictPrice.
func restrictRemainder(p *catalog.RemainderPush, owned productfield.Set) productfield.Set {
	p.NotOwned = !owned.Has(productfield.Remainders)
	return 0
}
