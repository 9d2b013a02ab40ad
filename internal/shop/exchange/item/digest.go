package item

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/go-json-experiment/json"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
)

// digestVersion is part of every digest. It must change when the content of an item is encoded in another way, to
// invalidate stored digests.
const digestVersion = "2"

// itemDigest returns the digest of an item's content, however its JSON is written. Its own Digest must be empty.
func itemDigest(item any) catalog.Digest {
	b, err := json.Marshal(item, json.Deterministic(true))
	if err != nil {
		// Items consist of strings and numbers that were read from JSON, so encoding them cannot fail.
		panic("item: marshal an item for its digest: " + err.Error())
	}
	return hashContent(b)
}

func hashContent(content []byte) catalog.Digest {
	sum := sha256.Sum256(append(content, digestVersion...))
	return catalog.Digest(sum[:16])
}

// digestWriter encodes the content of an item unambiguously: two encodings are equal only if the contents are equal.
// Strings and lists are preceded by their length, optional values by a byte that says whether they are present.
type digestWriter []byte

func (b *digestWriter) number(n int64) { *b = binary.AppendVarint(*b, n) }

// price writes a price. No price is negative, so -1 stands for none.
func (b *digestWriter) price(p money.Price) {
	if amount, ok := p.Amount(); ok {
		b.number(int64(amount))
	} else {
		b.number(-1)
	}
}

func (b *digestWriter) text(s string) {
	*b = binary.AppendUvarint(*b, uint64(len(s)))
	*b = append(*b, s...)
}

// present writes whether an optional value is present, and returns its argument.
func (b *digestWriter) present(there bool) bool {
	if there {
		*b = append(*b, 1)
	} else {
		*b = append(*b, 0)
	}
	return there
}

func (b *digestWriter) optionalText(s *string) {
	if b.present(s != nil) {
		b.text(*s)
	}
}

// writeDigestList writes an optional list. It calls the function one to write each element.
func writeDigestList[T any](b *digestWriter, all *[]T, one func(T)) {
	if !b.present(all != nil) {
		return
	}
	b.number(int64(len(*all)))
	for _, e := range *all {
		one(e)
	}
}

func (b *digestWriter) reference(r catalog.ReferencePush) {
	b.text(r.Attribute)
	b.text(r.Value)
}

func (b *digestWriter) variant(v *catalog.VariantPush) {
	b.text(v.ID)
	b.optionalText(v.Name)
	b.optionalText(v.SKU)

	if b.present(v.Price != nil) {
		b.price(*v.Price)
	}

	writeDigestList(b, v.Options, b.reference)
	writeDigestList(b, v.Remainders, func(m catalog.StockedPush) {
		b.text(m.Stock)
		b.number(int64(m.Quantity))
	})
	writeLaterScalars(b, catalog.VariantScalars[firstVariantScalars:], v)

	// Absent otherwise, so that the digests of other items do not depend on them.
	if v.Prices != nil {
		b.text("prices")
		writeDigestList(b, v.Prices, func(p catalog.PricedPush) {
			b.text(p.List)
			b.number(int64(p.FromQuantity))
			b.price(p.Price)
		})
	}

	if v.Images != nil {
		b.text("images")
		b.images(v.Images)
	}
}

func (b *digestWriter) images(p *catalog.ImagesPush) {
	b.text(string(p.Mode))
	writeDigestList(b, &p.List, func(im catalog.ImagePush) {
		b.text(im.URL)
		b.text(im.ID)
	})
}

// headings writes the headings of texts that a description may have, if there are any.
func (b *digestWriter) headings(list []string) {
	if len(list) > 0 {
		b.text("headings")
		writeDigestList(b, &list, b.text)
	}
}

// completePrices writes whether prices in lists are complete, if they are.
func (b *digestWriter) completePrices(complete bool) {
	if complete {
		b.text("complete prices")
	}
}

// currencies writes the currencies of prices. It writes nothing if there are none, so that the digests of other items
// do not depend on them.
func (b *digestWriter) currencies(list []catalog.ListCurrency) {
	if len(list) == 0 {
		return
	}
	b.text("currencies")
	b.number(int64(len(list)))
	for _, c := range list {
		b.text(c.List)
		b.text(c.Currency)
	}
}

// firstProductScalars and firstVariantScalars are the scalars that digestProduct encodes itself, whether or not they
// are present. It encodes later ones only if they are, so that the digests of other items do not depend on them.
const (
	firstProductScalars = 2 // name, description
	firstVariantScalars = 3 // name, sku, price
)

// writeLaterScalars writes the scalars that the item has: the name of each, its JSON, and a zero byte, which JSON does
// not contain.
func writeLaterScalars[Row, Edit, Push any](b *digestWriter, later catalog.Scalars[Row, Edit, Push], p *Push) {
	for i := range later {
		if m := &later[i]; m.IsSent(p) {
			b.text(m.Name)
			*b = append(m.AppendSent(*b, p), 0)
		}
	}
}

// digestProduct returns the digest of a product. It is faster than itemDigest. It encodes the product into scratch, and
// returns the buffer for reuse.
func digestProduct(p *catalog.ProductPush, scratch []byte) (catalog.Digest, []byte) {
	b := digestWriter(scratch[:0])
	b.text(p.ID)
	b.optionalText(p.Name)
	b.optionalText(p.Description)
	b.optionalText(p.Modifiers)
	writeDigestList(&b, p.Categories, b.text)
	writeDigestList(&b, p.Features, b.reference)

	if b.present(p.Images != nil) {
		b.images(p.Images)
	}

	b.present(p.Single)

	if b.present(p.Variants != nil) {
		b.number(int64(len(*p.Variants)))
		for i := range *p.Variants {
			b.variant(&(*p.Variants)[i])
		}
	}

	writeLaterScalars(&b, catalog.ProductScalars[firstProductScalars:], p)

	// Absent otherwise, so that the digests of other items do not depend on them.
	if p.CanonicalCategory != nil {
		b.text("canonical category")
		b.text(*p.CanonicalCategory)
	}

	if p.Mark != "" {
		b.text(string(p.Mark))
	}

	if p.Part != catalog.WholeProduct || p.Article != "" {
		b.text(string(p.Part))
		b.text(p.Article)
	}

	if p.GoodBarcodes != nil {
		b.text("barcodes")
		b.text(string(*p.GoodBarcodes))
	}

	if p.CompleteStock {
		b.text("complete stock")
	}

	b.headings(p.Headings)
	b.completePrices(p.CompletePrices)
	b.currencies(p.Currencies)

	if p.Free != nil {
		b.text("free")
	}

	return hashContent(b), b
}
