package push

import (
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/productfield"
)

// A good of 1C has barcodes of its own. They are the barcodes of its variant if it has only one: nothing says to which
// of several characteristics they belong.

// onlyVariant returns the live variant of the product before the write, or nil if there are none or several.
func (w *pushWrite) onlyVariant() (only *catalog.StoredVariant) {
	for i := range w.Stored {
		if !w.Stored[i].Live() {
			continue
		}
		if only != nil {
			return nil
		}
		only = &w.Stored[i]
	}
	return only
}

// writesBarcodes reports whether the push may change the barcodes of variants.
func (w *pushWrite) writesBarcodes() bool {
	return w.push.OwnedMembers().Has(productfield.Variants|productfield.Barcodes) &&
		!w.Product.Locks.Has(productfield.Barcodes)
}

// takesGoodBarcodes reports whether the only variant takes over the barcodes of a pushed good: it has none of its own.
func (w *pushWrite) takesGoodBarcodes(v *catalog.StoredVariant) bool {
	good := w.push.GoodBarcodes
	return good != nil && *good != v.Barcodes && (v.Barcodes == "" || v.Barcodes == w.StoredGoodBarcodes) &&
		w.writesBarcodes()
}

// shareGoodBarcodes adds the stored barcodes of the good to the edit of its only offer, unless the offer has barcodes
// of its own. Once there are several offers, the edit takes these barcodes away from the offers that took them over.
func (w *pushWrite) shareGoodBarcodes() {
	good := w.StoredGoodBarcodes
	if good == "" || w.Edit.Variants == nil || !w.writesBarcodes() {
		return
	}

	edits := *w.Edit.Variants
	stored := map[catalog.VariantID]*catalog.StoredVariant{}
	for i := range w.Stored {
		stored[w.Stored[i].ID] = &w.Stored[i]
	}

	addsVariant := false
	edited := map[catalog.VariantID]bool{}
	for _, e := range edits {
		was := stored[e.ID]
		addsVariant = addsVariant || was == nil || !was.Live()
		edited[e.ID] = true
	}

	others := w.otherOffers(edited)
	none := catalog.Barcodes("")
	for i := range edits {
		e := &edits[i]
		was := stored[e.ID]

		switch isOnly := len(edits) == 1 && len(others) == 0; {
		case e.Barcodes != nil && *e.Barcodes != "":
		case isOnly && (e.Barcodes != nil || was == nil || was.Barcodes == ""):
			e.Barcodes = &good
		case !isOnly && e.Barcodes == nil && was != nil && was.Barcodes == good:
			e.Barcodes = &none
		}
	}

	for _, v := range others {
		if addsVariant && v.Barcodes == good {
			edits = append(edits, catalog.VariantEdit{ID: v.ID, Barcodes: &none})
		}
	}

	w.Edit.Variants = &edits
}

// otherOffers returns the live variants that are not edited and stay live: an offer without a characteristic does not
// stay beside others.
func (w *pushWrite) otherOffers(edited map[catalog.VariantID]bool) (others []*catalog.StoredVariant) {
	hasCharacteristic := false
	if w.push.Variants != nil {
		for _, v := range *w.push.Variants {
			hasCharacteristic = hasCharacteristic || w.push.HasCharacteristic(v.ID)
		}
	}

	for i := range w.Stored {
		v := &w.Stored[i]
		isPlain := v.ExternalID != nil && *v.ExternalID == w.push.ID
		if v.Live() && !edited[v.ID] && !(isPlain && hasCharacteristic) {
			others = append(others, v)
		}
	}

	return others
}
