package push

import (
	"bytes"
	"testing"

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

// pushesOf returns items of all parts and of the tokens, each with three contents.
func pushesOf(tokens ...productfield.Set) (list []*catalog.ProductPush) {
	parts := []catalog.PushPart{catalog.WholeProduct, catalog.GoodsPart, catalog.OffersPart, catalog.WithdrawnPart,
		catalog.ArchivedPart, catalog.SeenPart}
	for _, part := range parts {
		for _, owned := range tokens {
			for content := range 3 {
				p := newPush(part, owned, content)
				// An item without members of its token changes nothing and leaves no mark.
				if p.Part.Members(p.OwnedMembers()) != 0 {
					list = append(list, p)
				}
			}
		}
	}
	return list
}

// newPush returns an item. Content 0 has a price, 1 has remainders, and 2 has neither.
func newPush(part catalog.PushPart, owned productfield.Set, content int) *catalog.ProductPush {
	variant := catalog.VariantPush{ID: "v"}
	switch content {
	case 0:
		variant.Price = new(money.NewPrice(1))
	case 1:
		variant.Remainders = &[]catalog.StockedPush{}
	}

	p := &catalog.ProductPush{Part: part, Owned: owned, Variants: &[]catalog.VariantPush{variant}}
	copy(p.Digest[:], string(p.Part)+" content")
	p.Digest[len(p.Digest)-1] = byte(content)
	return p
}

// markStep is a mark and its reference after a step.
type markStep struct {
	mark      pushMark
	reference byteMark
}

// next returns what each of the pushes leaves, and what edits leave.
func (m markStep) next(t *testing.T, pushes []*catalog.ProductPush) []markStep {
	t.Helper()
	steps := []markStep{
		{}, // an edit of a product: touchProducts
		{pushMark{Goods: m.mark.Goods, Offers: m.mark.Offers}, m.reference.withoutPrices()}, // TouchPushedProducts
	}
	for _, p := range pushes {
		mark := m.mark.with(p)
		reference := m.reference.with(p)
		if (mark == nil) != (reference == nil) {
			t.Fatalf("after the push of %+v the mark is %v, in bytes %x", p, mark, reference)
		}

		if mark == nil {
			mark = &pushMark{}
		}
		steps = append(steps, markStep{*mark, reference})
	}
	return steps
}

// A mark of columns recognizes the same items as byteMark: after three pushes or edits of any kind with a token that
// writes all members, and after two with any token.
func TestPushMark_recognizesWhatWasPushedLast(t *testing.T) {
	check := func(steps int, pushes []*catalog.ProductPush) {
		marks := []markStep{{}}
		for range steps {
			var next []markStep
			for _, m := range marks {
				next = append(next, m.next(t, pushes)...)
			}
			marks = next
		}

		for _, m := range marks {
			for _, p := range pushes {
				if got, want := m.mark.has(p), m.reference.has(p); got != want {
					t.Fatalf("mark %+v has %+v: %t, in bytes %x: %t", m.mark, p, got, m.reference, want)
				}
			}
		}
	}

	check(3, pushesOf(productfield.All))
	check(2, pushesOf(0, productfield.All, productfield.Name, productfield.Price, productfield.Name|productfield.Images,
		productfield.Variants, productfield.All&^productfield.Price))
}
