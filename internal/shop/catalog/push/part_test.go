package push

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/productfield"
)

// byteMark is another coding of a pushMark, as a reference: all of it in one string of bytes whose length says what it
// is. 16 bytes are the digest of a whole product, 17 the goods part, 33 the goods and the offers part, 34 the same with
// prices or remainders, and multiples of 18 the pushDigests of tokens that do not write all members.
type byteMark []byte

func (m byteMark) goods() (d catalog.Digest) {
	if len(m)%digestEntryBytes != 0 && len(m) >= 17 {
		copy(d[:], m)
	}
	return d
}

func (m byteMark) offers() []byte {
	if len(m) == 33 || len(m) == 34 {
		return m[17:]
	}
	return nil
}

func (m byteMark) tokens() pushDigests {
	if len(m)%digestEntryBytes == 0 {
		return pushDigests(m)
	}
	return nil
}

func (m byteMark) has(p *catalog.ProductPush) bool {
	if owned := p.OwnedMembers(); owned != productfield.All {
		return m.tokens().has(p.Part.Members(owned), p.Digest)
	}
	switch p.Part {
	case catalog.WholeProduct:
		return bytes.Equal(m, p.Digest[:])
	case catalog.GoodsPart:
		return m.goods() == p.Digest
	case catalog.OffersPart:
		return bytes.HasPrefix(m.offers(), p.Digest[:])
	default:
		return false
	}
}

func (m byteMark) with(p *catalog.ProductPush) byteMark {
	if owned := p.OwnedMembers(); owned != productfield.All && !p.CreatesNothing() {
		return byteMark(m.tokens().replace(p.Part.Members(owned), p.Digest))
	}

	goods := m.goods()
	switch p.Part {
	case catalog.WholeProduct:
		return p.Digest[:]
	case catalog.GoodsPart:
		return append(append(bytes.Clone(p.Digest[:]), 0), m.offers()...)
	case catalog.OffersPart:
		next := append(append(bytes.Clone(goods[:]), 0), p.Digest[:]...)
		for _, v := range write.OrEmpty(p.Variants) {
			if v.Price != nil || v.Remainders != nil {
				return append(next, 0)
			}
		}
		return next
	case catalog.WithdrawnPart:
		return append(bytes.Clone(goods[:]), 0)
	default:
		return nil
	}
}

// withoutPrices returns the mark after an edit of prices or remainders.
func (m byteMark) withoutPrices() byteMark {
	switch len(m) {
	case 17, 33:
		return m
	case 34:
		return m[:17]
	default:
		return nil
	}
}

// drawPush draws an item of one of few contents, so that items come again.
func drawPush(t *rapid.T) *catalog.ProductPush {
	p := &catalog.ProductPush{
		Part: rapid.SampledFrom([]catalog.PushPart{catalog.WholeProduct, catalog.WholeProduct, catalog.GoodsPart,
			catalog.OffersPart, catalog.OffersPart, catalog.WithdrawnPart, catalog.ArchivedPart,
			catalog.SeenPart}).Draw(t, "part"),
		Owned: rapid.SampledFrom([]productfield.Set{0, 0, productfield.All, productfield.Name, productfield.Price,
			productfield.Name | productfield.Images, productfield.Variants, productfield.All &^ productfield.Price,
		}).Draw(t, "owned"),
	}

	if p.Part.Members(p.OwnedMembers()) == 0 {
		p.Part = catalog.WholeProduct // an item without members of its token is Unchanged, and leaves no mark
	}

	content := rapid.IntRange(1, 4).Draw(t, "content")
	variant := catalog.VariantPush{ID: "v"}
	switch content {
	case 1:
		variant.Price = new(money.NewPrice(1))
	case 2:
		variant.Remainders = &[]catalog.StockedPush{}
	}

	p.Variants = &[]catalog.VariantPush{variant}
	copy(p.Digest[:], string(p.Part)+" content")
	p.Digest[len(p.Digest)-1] = byte(content)
	return p
}

// A mark of columns recognizes the same items as byteMark, after any pushes and edits.
func TestPushMark_recognizesWhatWasPushedLast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var mark pushMark
		var reference byteMark
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			p := drawPush(t)
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0: // touchProducts
				mark = pushMark{}
				reference = nil
			case 1: // TouchPushedProducts
				mark = pushMark{Goods: mark.Goods, Offers: mark.Offers}
				reference = reference.withoutPrices()
			default:
				next := mark.with(p)
				reference = reference.with(p)
				if (next == nil) != (reference == nil) {
					t.Fatalf("after the push of %+v the mark is %v, in bytes %x", p, next, reference)
				}

				mark = pushMark{}
				if next != nil {
					mark = *next
				}
			}

			for range 8 {
				p := drawPush(t)
				if got, want := mark.has(p), reference.has(p); got != want {
					t.Fatalf("mark %+v has %+v: %t, in bytes %x: %t", mark, p, got, reference, want)
				}
			}
		}
	})
}
