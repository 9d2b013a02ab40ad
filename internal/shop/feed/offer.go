package feed

import (
	"cmp"
	"slices"
	"strings"

	"vitrine/internal/shop/address"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/money"
)

// maxPictures is the number of pictures of an offer, which is what the formats take.
const maxPictures = 10

// offer is a variant of a product as feeds have it.
type offer struct {
	product *catalog.Product
	variant *catalog.Variant
	// isGroup says that the product has several live variants.
	isGroup     bool
	name        string
	url         string
	pictures    []string
	category    *catalog.CategoryNode // nil for none
	cents       int64                 // the price in units of 0.01
	oldCents    int64                 // the old price, or 0
	isAvailable bool
	mapped      map[string]string // by target
	gtins       []string
	params      []param
}

// param is a feature of the product or an option of the variant. Several values are joined.
type param struct {
	key     int64
	name    string
	value   string
	isRange bool
}

// product calls add for the offers of a product that the filter selects, and reports those that lack something.
func (w *walk) product(p *view.ProductRows) error {
	if !w.selectsProduct(p) {
		return nil
	}

	url := ""
	if p.Slug != "" {
		url = address.URL(w.Shop, address.ProductPathOf(w.Shop, p.Slug))
	}
	in := w.canonicalCategory(p)
	features := w.params(nil, p.FeatureKeys)

	for i := range p.Variants {
		v := &p.Variants[i]
		price, priced := v.Price.Amount()
		isAvailable := v.Available == nil || *v.Available > 0 // as in lists of products
		if !w.selectsOffer(isAvailable, price, priced) {
			continue
		}

		o := &offer{product: &p.Product, variant: v, isGroup: len(p.Variants) > 1, url: w.urlOf(url, p, v),
			category: in, cents: centsOf(price), isAvailable: isAvailable, pictures: w.pictures(p, v)}
		if w.lacks(o, &p.Product) {
			continue
		}
		if i < len(p.Prices) {
			if old, ok := p.Prices[i].Old.Amount(); ok && centsOf(old) > o.cents {
				o.oldCents = centsOf(old)
			}
		}

		options := w.params(nil, p.OptionKeys[i])
		o.name = nameOf(o, options)
		o.params = slices.Concat(features, options)
		w.setMapped(o)
		w.reporter.offers++
		if err := w.add(o); err != nil {
			return err
		}
	}
	return nil
}

// urlOf returns the address of an offer: that of its product, with the variant if the site can show it chosen.
func (w *walk) urlOf(product string, p *view.ProductRows, v *catalog.Variant) string {
	if product == "" || w.VariantParameter == "" || len(p.Variants) < 2 {
		return product
	}
	return product + "?" + w.VariantParameter + "=" + v.ID.String()
}

// selectsProduct reports whether the features of the filter select a product.
func (w *walk) selectsProduct(p *view.ProductRows) bool {
	for _, f := range w.plan.features {
		if !slices.ContainsFunc(p.FeatureKeys, func(k catalog.ValueKeys) bool {
			return k.Attribute == f.attribute && f.values[k.Value]
		}) {
			return false
		}
	}
	return true
}

// selectsOffer reports whether the filter selects an offer with this price.
func (w *walk) selectsOffer(isAvailable bool, price money.Money, priced bool) bool {
	f := &w.Filter
	switch {
	case f.InStock && !isAvailable:
		return false
	case f.PriceFrom != nil && (!priced || price < *f.PriceFrom), f.PriceTo != nil && (!priced || price > *f.PriceTo):
		return false
	}
	return true
}

// lacks reports whether an offer has to be left out, and counts it for each reason.
func (w *walk) lacks(o *offer, p *catalog.Product) bool {
	lacks := false
	leaveOut := func(when bool, reason Reason) {
		if when {
			lacks = true
			w.reporter.add(reason, p)
		}
	}
	leaveOut(o.url == "", NoAddress)
	leaveOut(len(o.pictures) == 0, NoPicture)
	leaveOut(o.cents == 0, NoPrice)
	leaveOut(w.Format == YML && o.category == nil, NoCategory)
	leaveOut(p.SEO.NoIndex, NoIndex)
	return lacks
}

// canonicalCategory returns the category of a product in the feed, or nil if it lies in none.
func (w *walk) canonicalCategory(p *view.ProductRows) *catalog.CategoryNode {
	var best address.Canonical
	for _, key := range p.CategoryKeys {
		if c := w.categories[key]; c != nil {
			best.Add(key, c.depth, key == p.CanonicalKey)
		}
	}
	if c := w.categories[best.Key]; c != nil {
		return c.CategoryNode
	}
	return nil
}

// pictures returns the addresses of the pictures of a variant: its own, then those of the product.
func (w *walk) pictures(p *view.ProductRows, v *catalog.Variant) []string {
	list := make([]string, 0, min(len(v.Images)+len(p.Images), maxPictures+1))
	seen := make(map[catalog.ImageID]bool, cap(list))
	for _, images := range [][]catalog.Image{v.Images, p.Images} {
		for i := range images {
			if len(list) > maxPictures || seen[images[i].ID] {
				continue
			}
			seen[images[i].ID] = true
			path := images[i].AppendPath([]byte(w.BaseURL), w.Shop.ID, imagefile.Original)
			list = append(list, string(path))
		}
	}
	return list
}

// params appends the features or options with these keys. What was deleted is left out.
func (w *walk) params(list []param, keys []catalog.ValueKeys) []param {
	for _, k := range keys {
		a, value := w.attributes[k.Attribute], w.values[k.Value]
		if a.Name == "" || value == "" {
			continue
		}
		if n := len(list); n > 0 && list[n-1].key == k.Attribute {
			list[n-1].value += ", " + value
			continue
		}
		list = append(list, param{k.Attribute, a.Name, value, a.FieldType == catalog.Range})
	}
	return list
}

// nameOf returns the name of an offer: of several variants each with its options or, without any, with its name or
// SKU.
func nameOf(o *offer, options []param) string {
	if !o.isGroup {
		return o.product.Name
	}

	parts := []string{o.product.Name}
	for _, option := range options {
		parts = append(parts, option.value)
	}
	if own := cmp.Or(o.variant.Name, o.variant.SKU); len(options) == 0 && own != "" && own != o.product.Name {
		parts = append(parts, own)
	}
	return strings.Join(parts, ", ")
}

// setMapped sets what the mapping gives an offer, and its GTINs.
func (w *walk) setMapped(o *offer) {
	o.mapped = make(map[string]string, len(w.mapping))
	for target, from := range w.mapping {
		value := o.valueOf(from)
		if known, limited := enumerations[target]; limited {
			if value = strings.ToLower(value); !slices.Contains(known, value) {
				value = ""
			}
		}
		if value != "" {
			o.mapped[target] = value
		}
	}

	codes := o.variant.Barcodes.List()
	if _, isMapped := w.mapping["gtin"]; isMapped {
		codes = strings.Split(o.mapped["gtin"], ", ")
		if w.mapping["gtin"].member == "barcode" {
			codes = o.variant.Barcodes.List()
		}
	}
	for _, code := range codes {
		if catalog.IsWorldwideGTIN(code) {
			o.gtins = append(o.gtins, code)
		}
	}
}

// valueOf returns what an offer has of a source.
func (o *offer) valueOf(from mappedSource) string {
	if from.key != 0 {
		for _, p := range slices.Backward(o.params) { // an option comes before a feature
			if p.key == from.key {
				return p.value
			}
		}
		return ""
	}

	switch from.member {
	case "barcode":
		return o.variant.Barcodes.First()
	case "sku":
		return o.variant.SKU
	case "name":
		return o.variant.Name
	case "external_id":
		for _, own := range []*string{o.variant.ExternalID, o.product.ExternalID} {
			if own != nil {
				return *own
			}
		}
	}
	return from.text
}
