package push

import (
	"bytes"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/rule"
)

// pushMark recognizes an item that was pushed before.
type pushMark catalog.PushMark

// has reports whether the product has the content of the item already.
func (m pushMark) has(p *catalog.ProductPush) bool {
	if p.Part == catalog.WholeProduct || p.OwnedMembers() != productfield.All {
		return pushDigests(m.Whole).has(p.Part.Members(p.OwnedMembers()), p.Digest)
	}

	switch p.Part {
	case catalog.GoodsPart:
		return bytes.HasPrefix(m.Goods, p.Digest[:])
	case catalog.OffersPart:
		return bytes.HasPrefix(m.Offers, p.Digest[:]) || bytes.HasPrefix(m.Prices, p.Digest[:])
	case catalog.WithdrawnPart, catalog.ArchivedPart, catalog.SeenPart, catalog.WholeProduct:
	}
	return false
}

// hasLine reports whether the product has the content of the line already.
func (m pushMark) hasLine(line *catalog.PushedLine) bool {
	if line.Part == catalog.GoodsPart {
		return isOfLine(m.Goods, line.Digest)
	}
	return isOfLine(m.Offers, line.Digest) || isOfLine(m.Prices, line.Digest)
}

// isOfLine reports whether a member of a mark ends with the digest of a line.
func isOfLine(member []byte, line catalog.Digest) bool {
	return len(member) == 2*len(line) && bytes.Equal(member[len(line):], line[:])
}

// partDigest returns what the mark keeps of a part: its digest and that of its line, if it has one.
func partDigest(p *catalog.ProductPush) []byte {
	if p.Line == (catalog.Digest{}) {
		return p.Digest[:]
	}
	return slices.Concat(p.Digest[:], p.Line[:])
}

// with returns the mark after the item was applied, or nil if the item leaves none.
func (m pushMark) with(p *catalog.ProductPush) *pushMark {
	owned := p.OwnedMembers()
	if p.Part == catalog.WholeProduct || owned != productfield.All && !p.CreatesNothing() {
		return &pushMark{Whole: pushDigests(m.Whole).replace(p.Part.Members(owned), p.Digest)}
	}

	switch p.Part {
	case catalog.GoodsPart:
		return &pushMark{Goods: partDigest(p), Offers: m.Offers, Prices: m.Prices}
	case catalog.OffersPart:
		if slices.ContainsFunc(write.OrEmpty(p.Variants), hasPriceOrRemainders) {
			return &pushMark{Goods: m.Goods, Prices: partDigest(p)}
		}
		return &pushMark{Goods: m.Goods, Offers: partDigest(p)}
	case catalog.WithdrawnPart:
		return &pushMark{Goods: m.Goods} // the next offers restore what they name
	case catalog.ArchivedPart, catalog.SeenPart, catalog.WholeProduct:
	}
	return nil
}

// withoutOffers returns the mark after an item was applied that must be applied again, though it brings the same
// offers.
func (m pushMark) withoutOffers(p *catalog.ProductPush) *pushMark {
	if p.OwnedMembers() != productfield.All {
		return nil
	}
	return &pushMark{Goods: m.Goods}
}

func hasPriceOrRemainders(v catalog.VariantPush) bool {
	return v.Price != nil || v.Remainders != nil || v.Prices != nil
}

// leavesUnchanged reports whether the item changes nothing. A whole product and the goods part restore an archived
// product.
func (m pushMark) leavesUnchanged(p *catalog.ProductPush, archived bool) bool {
	switch p.Part {
	case catalog.SeenPart:
		return true
	case catalog.ArchivedPart:
		return archived
	case catalog.OffersPart:
		return m.has(p)
	case catalog.WithdrawnPart:
		return false
	case catalog.WholeProduct, catalog.GoodsPart:
	}
	return !archived && m.has(p)
}

// planPart adds to the edit what the part means for the product and its variants. It is called before PlanWrite.
func (w *pushWrite) planPart() {
	p := w.push
	switch p.Part {
	case catalog.OffersPart:
		w.MergesVariants = true
		w.CompletesStock = p.CompleteStock
		w.CompletesPrices = p.CompletePrices
		w.shareGoodBarcodes()

		if !w.Added {
			w.Edit.Name = nil
			return
		}

		if w.Edit.Name == nil {
			w.Edit.Name = &p.ID
		}

		w.outcome.warn("id", "unknown_product",
			"The good with the id %s has not come yet, or is marked for deletion. Its offers are kept, and are sold "+
				"once it comes without the mark.", p.ID)

	case catalog.GoodsPart:
		if w.hasOldTexts() {
			w.Edit.Description = new("")
		}
		w.Article = &p.Article
		w.GoodBarcodes = p.GoodBarcodes
		w.MergesVariants = true
		if edits := w.codeEdits(); len(edits) > 0 && p.OwnedMembers().Has(productfield.Variants) {
			w.Edit.Variants = &edits
		}
	case catalog.WithdrawnPart, catalog.ArchivedPart, catalog.SeenPart, catalog.WholeProduct:
	}
}

// hasOldTexts reports whether the stored description was made of long texts that the good does not have any more.
func (w *pushWrite) hasOldTexts() bool {
	if w.Edit.Description != nil || w.Product.Locks.Has(productfield.Description) ||
		!w.push.OwnedMembers().Has(productfield.Description) {
		return false
	}

	heading, text, found := strings.Cut(w.Product.Description, "\n\n")
	return found && slices.Contains(w.push.Headings, heading) &&
		utf8.RuneCountInString(text) > rule.MaxName // a shorter one would be a value of the property
}

// planArchived sets whether the product is archived after the push.
func (w *pushWrite) planArchived(now time.Time) {
	switch w.push.Part {
	case catalog.OffersPart:
		if w.Added {
			w.Product.ArchivedAt = &now
		}
	case catalog.WithdrawnPart:
	case catalog.ArchivedPart:
		w.Product.ArchivedAt = &now
	case catalog.WholeProduct, catalog.GoodsPart, catalog.SeenPart:
		w.Product.ArchivedAt = nil // a push restores an archived product
	}
}

// codeEdits returns the edits of the variants that take over the good's article, since they have no SKU of their own,
// or its barcodes, if these have changed.
func (w *pushWrite) codeEdits() (edits []catalog.VariantEdit) {
	only := w.onlyVariant()
	for i := range w.Stored {
		v := &w.Stored[i]
		if !v.Live() {
			continue
		}

		edit := catalog.VariantEdit{ID: v.ID}
		if article := w.push.Article; article != "" && v.SKU != article && (v.SKU == "" || v.SKU == w.StoredArticle) {
			edit.SKU = &w.push.Article
		}

		if v == only && w.takesGoodBarcodes(v) {
			edit.Barcodes = w.push.GoodBarcodes
		}

		if edit.SKU != nil || edit.Barcodes != nil {
			edits = append(edits, edit)
		}
	}
	return edits
}

// skuOf returns the SKU that a pushed variant gets: its own or, in the offers part, the good's article if it has none.
func (w *pushWrite) skuOf(v catalog.VariantPush, was *catalog.StoredVariant) *string {
	if w.push.Part != catalog.OffersPart || v.SKU != nil || w.StoredArticle == "" || was != nil && was.SKU != "" {
		return v.SKU
	}
	return &w.StoredArticle
}
