package exchange

import (
	"context"
	"fmt"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/export"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/store"
)

// matchOf finds the variants of a supplier's file, which knows their SKUs alone.
type matchOf[T any] struct {
	// sku returns the SKU of an item; "" if it has none.
	sku func(it *item.Decoded[T]) string
	// set makes the item one of the variant.
	set func(it *item.Decoded[T], v export.SKUVariant)
}

// match makes items whose SKU exists items of its variant; the others stay as they are. It returns the row keys of the
// products that got external ids by it. An SKU that several variants have fails its item.
func (b batchOf[T]) match(ctx context.Context, tx store.Tx, exports *export.Exports) (changed []int64, err error) {
	skus := map[string]bool{}
	for _, it := range b.list {
		if sku := b.of.matching.sku(it); sku != "" && len(it.Errors) == 0 {
			skus[sku] = true
		}
	}
	if len(skus) == 0 {
		return nil, nil
	}

	found, changed, err := exports.VariantsBySKU(ctx, tx, skus)
	if err != nil {
		return nil, err
	}

	for _, it := range b.list {
		sku := b.of.matching.sku(it)
		if len(it.Errors) > 0 || !skus[sku] {
			continue
		}
		switch variants := found[sku]; len(variants) {
		case 0:
		case 1:
			b.of.matching.set(it, variants[0])
		default:
			it.Errors = []fault.Field{{Field: b.of.itemType.SKUMember(), Code: "ambiguous_sku",
				Message: fmt.Sprintf("Several variants have the SKU %s, so nobody can tell which is meant.", sku)}}
		}
	}
	return changed, nil
}

// productMatch matches products with a single variant.
func productMatch() matchOf[catalog.ProductPush] {
	return matchOf[catalog.ProductPush]{
		sku: func(it *item.Decoded[catalog.ProductPush]) string {
			p := &it.Content
			if p.Variants == nil || len(*p.Variants) != 1 || (*p.Variants)[0].SKU == nil {
				return ""
			}
			return *(*p.Variants)[0].SKU
		},

		set: func(it *item.Decoded[catalog.ProductPush], v export.SKUVariant) {
			it.ID, it.Subject, it.Variant = v.Product, v.Product, v.Variant
			it.Content.ID = v.Product
			it.Content.Single = v.Only && v.Variant == ""
			it.Content.KeepVariants = true
			(*it.Content.Variants)[0].ID = v.Variant
		},
	}
}

// variantID returns the ids by which prices and remainders name a variant.
func variantID(v export.SKUVariant) (variant string, product *string) {
	if v.Variant == "" {
		return v.Product, &v.Product
	}
	return v.Variant, &v.Product
}

// priceMatch matches prices, whose variant_id is an SKU.
func priceMatch() matchOf[catalog.PricePush] {
	return matchOf[catalog.PricePush]{
		sku: func(it *item.Decoded[catalog.PricePush]) string { return it.ID },
		set: func(it *item.Decoded[catalog.PricePush], v export.SKUVariant) {
			it.Content.Variant, it.Content.Product = variantID(v)
			it.Subject = item.PriceSubject(&it.Content)
		},
	}
}

// remainderMatch matches remainders, whose variant_id is an SKU.
func remainderMatch() matchOf[catalog.RemainderPush] {
	return matchOf[catalog.RemainderPush]{
		sku: func(it *item.Decoded[catalog.RemainderPush]) string { return it.ID },
		set: func(it *item.Decoded[catalog.RemainderPush], v export.SKUVariant) {
			it.Content.Variant, it.Content.Product = variantID(v)
			it.Subject = item.RemainderSubject(&it.Content)
		},
	}
}
