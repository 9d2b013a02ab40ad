package productui

import (
	"slices"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/shop/catalog"
)

// saleProblem is a reason why shoppers cannot buy a product, with the place of the page where it is
// mended.
type saleProblem struct{ Text, Target, Mend string }

// saleProblems returns why a stored product cannot be bought, the strongest reason first. Variants without a price or
// stock are a reason only if the product has no other, since a shop may sell some of them.
func (s *storedProduct) saleProblems(l *frame.Language) (list []saleProblem) {
	add := func(text, target, mend string) { list = append(list, saleProblem{text, target, mend}) }
	switch {
	case s.Draft:
		add(l.T("It is a draft, which nobody sees."), "#danger", l.T("Publish it"))
	case s.ArchivedAt != nil:
		add(l.T("It is archived, so nobody sees it."), "#danger", l.T("Put it on sale again"))
	}

	switch {
	case len(s.Variants) == 0:
		add(l.T("It has no variants, and a variant is what is bought."), "#variants", l.T("Add a row"))
	case !slices.ContainsFunc(s.Variants, func(v catalog.Variant) bool { return v.Price.IsSet() }):
		add(l.T("No variant has a price. Price lists of customer groups may have some."), "#variants",
			l.T("Enter a price"))
	case !slices.ContainsFunc(s.Variants, func(v catalog.Variant) bool { return v.Price.IsSet() && isInStock(&v) }):
		add(l.T("It is sold out in every warehouse."), "#variants", l.T("Enter what is there"))
	}
	return list
}

// isInStock reports whether a variant can be bought: where no warehouse counts it, there is always some.
func isInStock(v *catalog.Variant) bool { return v.Available == nil || *v.Available > 0 }
