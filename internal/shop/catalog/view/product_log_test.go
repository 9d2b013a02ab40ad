package view

import (
	"testing"

	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
)

// The log shows every scalar member of products and variants.
func TestProductText_hasEveryMember(t *testing.T) {
	v := catalog.Variant{ID: id.New[catalog.Variant](), Name: "a", SKU: "b", Price: money.NewPrice(1)}
	p := &ProductRows{Product: catalog.Product{Name: "c", Description: "d", Variants: []catalog.Variant{v}},
		OptionKeys: make([][]catalog.ValueKeys, 1)}
	shown := map[string]bool{}
	for _, m := range p.text(loggedNames{}).Members {
		shown[m.Key] = true
	}

	names := append(catalog.ProductScalars.Names(""), catalog.VariantScalars.Names("variants."+v.ID.String()+".")...)
	for _, name := range names {
		if !shown[name] {
			t.Errorf("the log does not show %s: see variantTexts, and give it a value in this test", name)
		}
	}
}
