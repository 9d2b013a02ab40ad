package push

import (
	"bytes"
	"time"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/productfield"
)

// pushMark is what a product row keeps of its last pushes, to recognize an item that was pushed before. It is
//
//   - a digest, for a whole product;
//   - the pushDigests of tokens that do not write all members;
//   - the digest of the goods part and a zero byte, if that was pushed last;
//   - the same and the digest of the last offers part, which is followed by another zero byte if it had prices or
//     remainders. An edit of prices or remainders then takes the digest of the offers away: see touchPushedProductsSQL.
type pushMark []byte

// The lengths of the marks.
const (
	wholeMark        = len(catalog.Digest{})
	goodsMark        = wholeMark + 1
	offersMark       = goodsMark + wholeMark
	pricedOffersMark = offersMark + 1
)

// goods returns the digest of the goods part, which is zero if there is none.
func (m pushMark) goods() (d catalog.Digest) {
	if len(m) >= goodsMark {
		copy(d[:], m)
	}
	return d
}

// has reports whether the product has the content of the item already.
func (m pushMark) has(p *catalog.ProductPush) bool {
	if owned := p.OwnedMembers(); owned != productfield.All {
		return pushDigests(m).has(p.Part.Members(owned), p.Digest)
	}
	switch p.Part {
	case catalog.WholeProduct:
		return bytes.Equal(m, p.Digest[:])
	case catalog.GoodsPart:
		return m.goods() == p.Digest
	case catalog.OffersPart:
		return len(m) >= offersMark && bytes.Equal(m[goodsMark:offersMark], p.Digest[:])
	case catalog.WithdrawnPart, catalog.ArchivedPart, catalog.SeenPart:
	}
	return false
}

// with returns the mark after the item was applied.
func (m pushMark) with(p *catalog.ProductPush) pushMark {
	if owned := p.OwnedMembers(); owned != productfield.All && !p.CreatesNothing() {
		return pushMark(pushDigests(m).replace(p.Part.Members(owned), p.Digest))
	}

	goods := m.goods()
	next := make(pushMark, 0, pricedOffersMark)
	switch p.Part {
	case catalog.WholeProduct:
		return append(next, p.Digest[:]...)
	case catalog.GoodsPart:
		next = append(append(next, p.Digest[:]...), 0)
		if len(m) >= offersMark {
			next = append(next, m[goodsMark:]...)
		}
		return next

	case catalog.OffersPart:
		next = append(append(append(next, goods[:]...), 0), p.Digest[:]...)
		for _, v := range write.OrEmpty(p.Variants) {
			if v.Price != nil || v.Remainders != nil {
				return append(next, 0)
			}
		}
		return next
	case catalog.WithdrawnPart:
		return append(append(next, goods[:]...), 0) // the next offers restore what they name
	case catalog.ArchivedPart, catalog.SeenPart:
	}

	return nil
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

// planPart adds to the edit what the part means for the product and its variants. It is called before planWrite.
func (w *pushWrite) planPart() {
	p := w.push
	switch p.Part {
	case catalog.OffersPart:
		w.MergesVariants = true
		w.CompletesStock = p.CompleteStock

		if !w.Added {
			w.Edit.Name = nil
			return
		}

		if w.Edit.Name == nil {
			w.Edit.Name = &p.ID
		}

		w.outcome.warn("id", "unknown_product",
			"The good with the id %s has not come yet. Its offers are kept, and are sold once it comes.", p.ID)

	case catalog.GoodsPart:
		w.Article = &p.Article
		w.MergesVariants = true
		if edits := w.skuEdits(); len(edits) > 0 && p.OwnedMembers().Has(productfield.Variants) {
			w.Edit.Variants = &edits
		}
	case catalog.WithdrawnPart, catalog.ArchivedPart, catalog.SeenPart, catalog.WholeProduct:
	}
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

// skuEdits returns the edits of the variants that have no SKU of their own, if the good's article has changed.
func (w *pushWrite) skuEdits() (edits []catalog.VariantEdit) {
	for _, v := range w.Stored {
		if w.push.Article != "" && v.Live() && v.SKU != w.push.Article && (v.SKU == "" || v.SKU == w.StoredArticle) {
			edits = append(edits, catalog.VariantEdit{ID: v.ID, SKU: &w.push.Article})
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
