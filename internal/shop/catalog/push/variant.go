package push

import (
	"context"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/store"
)

// variantName is how an item of a price or remainder push names a variant: by the external ids of the variant and of
// its product. An empty product means any product.
type variantName struct{ variant, product string }

func newVariantName(variant string, product *string) variantName {
	if product == nil {
		return variantName{variant: variant}
	}
	return variantName{variant, *product}
}

// mayBeSingle reports whether the variant's id may be the id of a product. A variant that was pushed with
// single_variant has no external id, so items name it by the external id of its product.
func (n variantName) mayBeSingle() bool { return n.product == "" || n.product == n.variant }

// unknown returns the error for a name that matches no variant.
func (n variantName) unknown() fault.Field {
	what := "There is no variant with the id " + n.variant
	if n.product != "" {
		what += " in a product with the id " + n.product
	}
	return newField("variant_id", "unknown_variant", "%s. Push the product first. "+
		"The variant of a product that was pushed with single_variant goes by the product's id.", what)
}

// ambiguous returns the error for an id that variants of several products have.
func (n variantName) ambiguous() fault.Field {
	return newField("variant_id", "ambiguous_variant",
		"Several products have a variant with the id %s. Send product_id, the id of its product, as well.", n.variant)
}

// variantCandidates are the variants that a name may match.
type variantCandidates struct {
	live   variantKeySpan // with this id and not archived; if the name has a product, archived ones too
	single variantKeySpan // of the product with this id, and not archived
	any    variantKeySpan // with this id, archived ones included
}

// variantKeySpan holds the first and the last of some keys. Both are 0 if there are none.
type variantKeySpan struct{ first, last int64 }

func (s variantKeySpan) isSingle() bool { return s.first != 0 && s.first == s.last }
func (s variantKeySpan) several() bool  { return s.first != s.last }

// pushedVariant is a stored variant that a price or remainder push names.
type pushedVariant struct {
	key, productKey int64
	externalID      *string
	price           money.Price
}

// variantPushes is one batch of pushed prices or remainders and the state of applying it. Several items may name the
// same variant, perhaps in different ways: the last item wins.
type variantPushes struct {
	s        *Pushes
	tx       store.Tx
	outcomes []Pushed
	items    []*pushedVariant // the variant of each item; nil if the item failed
	variants map[int64]*pushedVariant
	last     time.Time // latest update time of the locked products
	// locks are the locks of the locked products that have some, by product key.
	locks map[int64]productfield.Set
	// listed are the keys of the stocks of RemainderPush.Listed, by item.
	listed  map[int]map[int64]bool
	created map[variantName][]fault.Field
	names   []variantName
	// free is the FreeStock of the pushed items, or nil. taken is what orders that accounting has taken have reserved.
	// Both are set only for remainders: see lockQuantities.
	free  *catalog.FreeStock
	taken catalog.Quantities
	// locked are the variants whose products lockVariants has locked.
	locked map[int64]bool
	// lists are the price lists of pushed prices, by external id, and steps the prices in lists, by item.
	lists map[string]listRow
	steps map[int]catalog.VariantStep
	// inLists are the known prices in lists, by variant and list. It is nil if no item has all prices of a list.
	inLists map[catalog.VariantInList][]catalog.VariantStep
}

// check fails the i-th item, unless broken is nil or no variant was found.
func (b *variantPushes) check(i int, member string, broken *fault.Field) {
	if broken != nil && b.items[i] != nil {
		b.outcomes[i].fail(broken.At(member))
		b.items[i] = nil
	}
}

// findVariants finds the variant of each item by its name. An item whose name matches no variant, or several, fails.
func (s *Pushes) findVariants(ctx context.Context, tx store.Tx, names []variantName) (*variantPushes, error) {
	if err := catalog.LockPushes(ctx, tx); err != nil {
		return nil, err
	}
	return s.lookUpVariants(ctx, tx, names)
}

// lookUpVariants is findVariants without locks, for transactions that do not write.
func (s *Pushes) lookUpVariants(ctx context.Context, tx store.Tx, names []variantName) (*variantPushes, error) {
	b := &variantPushes{s: s, tx: tx, outcomes: make([]Pushed, len(names)), items: make([]*pushedVariant, len(names)),
		locks: map[int64]productfield.Set{}}
	found, err := b.candidatesOf(ctx, names)
	if err != nil {
		return nil, err
	}

	keys := map[int64]bool{}
	for _, c := range found {
		for _, span := range []variantKeySpan{c.live, c.single, c.any} {
			if span.isSingle() {
				keys[span.first] = true
			}
		}
	}

	if b.variants, err = readPushedVariants(ctx, tx, write.SortedKeys(keys)); err != nil {
		return nil, err
	}

	for i, name := range names {
		c := found[name]
		o := &b.outcomes[i]
		switch v := b.choose(c); {
		case v != nil:
			b.items[i] = v
			o.Key = v.key
		case c.live.several() || c.any.several():
			o.fail(name.ambiguous())
		default:
			o.fail(name.unknown())
		}
	}

	return b, nil
}

// choose returns the variant that a name matches, or nil if it matches none or several. A variant that is not archived
// takes precedence over an archived one.
func (b *variantPushes) choose(c *variantCandidates) *pushedVariant {
	if c.live.first != 0 {
		return b.onlyVariantOf(c.live)
	}
	if v := b.onlyVariantOf(c.single); v != nil && v.externalID == nil {
		return v
	}
	return b.onlyVariantOf(c.any)
}

// onlyVariantOf returns the variant of a span that has one key, else nil.
func (b *variantPushes) onlyVariantOf(s variantKeySpan) *pushedVariant {
	if !s.isSingle() {
		return nil
	}
	return b.variants[s.first]
}

// lockVariants locks the products of variants for update and reads the variants again. It returns ErrOvertaken if one
// of the variants was deleted or has another external id now.
func (b *variantPushes) lockVariants(ctx context.Context, variantKeys map[int64]bool) error {
	b.locked = variantKeys
	keys := write.SortedKeys(variantKeys)
	if err := b.lockProducts(ctx, b.productKeysOf(keys)); err != nil {
		return err
	}

	held, err := readPushedVariants(ctx, b.tx, keys)
	if err != nil {
		return err
	}

	for _, key := range keys {
		v := held[key]
		if v == nil || !write.EqualStrings(v.externalID, b.variants[key].externalID) {
			return ErrOvertaken
		}
		*b.variants[key] = *v
	}

	return nil
}

// productKeysOf returns the keys of the variants' products, sorted and without duplicates.
func (b *variantPushes) productKeysOf(variantKeys []int64) []int64 {
	products := map[int64]bool{}
	for _, key := range variantKeys {
		products[b.variants[key].productKey] = true
	}
	return write.SortedKeys(products)
}

// markChanged raises the versions of the variants' products, which are locked, and sets changedProduct in the outcomes.
// touch is touchPricedProducts or touchCountedProducts.
func (b *variantPushes) markChanged(
	ctx context.Context, touch func(context.Context, store.Tx, []int64, time.Time) error, variantKeys []int64,
	at time.Time,
) error {
	if err := touch(ctx, b.tx, b.productKeysOf(variantKeys), at); err != nil {
		return err
	}
	for i, v := range b.items {
		if v != nil && b.outcomes[i].Outcome == Updated {
			b.outcomes[i].changedProduct = v.productKey
			b.outcomes[i].pricesOnly = true
		}
	}
	return nil
}
