package catalog

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// variantName is how the quick gates name a variant: by accounting's id, in the product of that id or, where that is empty, in any.
type variantName struct{ variant, product string }

func newVariantName(variant string, product *string) variantName {
	n := variantName{variant: variant}
	if product != nil {
		n.product = *product
	}
	return n
}

// mayBeSingle reports whether the name may be that of a product: a variant that was built by single_variant has no id of its own, so it
// goes by that of its product.
func (n variantName) mayBeSingle() bool { return n.product == "" || n.product == n.variant }

// unknown says that no variant goes by this name.
func (n variantName) unknown() fault.Field {
	what := "There is no variant with the id " + n.variant
	if n.product != "" {
		what += " in a product with the id " + n.product
	}
	return fault.Field{Field: "variant_id", Code: "unknown_variant",
		Message: what + ". Push the product first. The variant of a product that was pushed with single_variant goes by the product's id."}
}

// ambiguous says that several products have a variant with this id.
func (n variantName) ambiguous() fault.Field {
	return fault.Field{Field: "variant_id", Code: "ambiguous_variant", Message: fmt.Sprintf(
		"Several products have a variant with the id %s. Send product_id, the id of its product, as well.", n.variant)}
}

// candidates are the variants that a name may mean.
type candidates struct {
	live   keySpan // those with that id that are in the shop; in the product that was named, archived or not
	single keySpan // those that are not archived of the product with that id
	any    keySpan // those with that id, archived ones too
}

// keySpan is the first and the last of some keys, 0 of none.
type keySpan struct{ first, last int64 }

func (s keySpan) isSingle() bool { return s.first != 0 && s.first == s.last }
func (s keySpan) several() bool  { return s.first != s.last }

// pushedVariant is a variant as the quick gates see it.
type pushedVariant struct {
	key, productKey int64
	externalID      *string
	price           Money
}

// variantPushes is one batch of quick updates on its way into the database. Several of its items may be about one variant, by different
// names: then the later one wins.
type variantPushes struct {
	s        *Pushes
	tx       store.Tx
	outcomes []Pushed
	items    []*pushedVariant // what each is about; nil where it failed
	variants map[int64]*pushedVariant
	last     time.Time // when one of the held products was last written
}

// findVariants finds what items are about, one name each; those that name none, or several, have failed.
func (s *Pushes) findVariants(ctx context.Context, tx store.Tx, names []variantName) (*variantPushes, error) {
	if err := lockPushes(ctx, tx); err != nil {
		return nil, err
	}
	b := &variantPushes{s: s, tx: tx, outcomes: make([]Pushed, len(names)), items: make([]*pushedVariant, len(names))}
	found, err := b.candidatesOf(ctx, names)
	if err != nil {
		return nil, err
	}
	keys := map[int64]bool{}
	for _, c := range found {
		for _, span := range []keySpan{c.live, c.single, c.any} {
			if span.isSingle() {
				keys[span.first] = true
			}
		}
	}
	if b.variants, err = readPushedVariants(ctx, tx, slices.Sorted(maps.Keys(keys))); err != nil {
		return nil, err
	}
	for i, name := range names {
		c, o := found[name], &b.outcomes[i]
		switch v := b.choose(c); {
		case v != nil:
			b.items[i], o.Key = v, v.key
		case c.live.several() || c.any.several():
			o.fail(name.ambiguous())
		default:
			o.fail(name.unknown())
		}
	}
	return b, nil
}

// choose returns the variant that a name means: one that is in the shop before one that is archived; nil for none and for several.
func (b *variantPushes) choose(c *candidates) *pushedVariant {
	switch {
	case c.live.first != 0:
		return b.only(c.live)
	case c.single.isSingle() && b.only(c.single) != nil && b.only(c.single).externalID == nil:
		return b.only(c.single)
	}
	return b.only(c.any)
}

// only is the variant that a span of one is about, else nil.
func (b *variantPushes) only(s keySpan) *pushedVariant {
	if !s.isSingle() {
		return nil
	}
	return b.variants[s.first]
}

// lockVariants keeps others from writing the products of variants, and reads those variants again. It returns ErrOvertaken if one of them is no
// longer what it was found by.
func (b *variantPushes) lockVariants(ctx context.Context, variantKeys map[int64]bool) error {
	keys := slices.Sorted(maps.Keys(variantKeys))
	products := map[int64]bool{}
	for _, key := range keys {
		products[b.variants[key].productKey] = true
	}
	if err := b.lockProducts(ctx, slices.Sorted(maps.Keys(products))); err != nil {
		return err
	}
	held, err := readPushedVariants(ctx, b.tx, keys)
	if err != nil {
		return err
	}
	for _, key := range keys {
		v := held[key]
		if v == nil || !equalStrings(v.externalID, b.variants[key].externalID) {
			return ErrOvertaken
		}
		*b.variants[key] = *v
	}
	return nil
}

// markChanged says of the products of variants, which are held, that they changed.
func (b *variantPushes) markChanged(ctx context.Context, variantKeys []int64, at time.Time) error {
	products := map[int64]bool{}
	for _, key := range variantKeys {
		products[b.variants[key].productKey] = true
	}
	keys := slices.Sorted(maps.Keys(products))
	if err := touchPushedProducts(ctx, b.tx, keys, at); err != nil {
		return err
	}
	for i, v := range b.items {
		if v != nil && b.outcomes[i].Outcome == Updated {
			b.outcomes[i].changedProduct = v.productKey
		}
	}
	return nil
}
