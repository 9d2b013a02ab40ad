package view

import (
	"reflect"
	"testing"

	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
)

// The log shows every scalar member of products and variants.
func TestProductText_hasEveryMember(t *testing.T) {
	v := catalog.Variant{ID: id.New[catalog.Variant]()}
	fill(reflect.ValueOf(&v).Elem())
	p := &ProductRows{OptionKeys: make([][]catalog.ValueKeys, 1)}
	p.Variants = []catalog.Variant{v}
	shown := map[string]bool{}
	for _, m := range p.text(loggedNames{}).Members {
		shown[m.Key] = true
	}

	names := append(catalog.ProductScalars.Names(""), catalog.VariantScalars.Names("variants."+v.ID.String()+".")...)
	for _, name := range names {
		if !shown[name] {
			t.Errorf("the log does not show %s: see variantTexts", name)
		}
	}
}

// fill gives the texts and the prices of a struct a value.
func fill(of reflect.Value) {
	for i := range of.NumField() {
		switch field := of.Field(i); {
		case field.Kind() == reflect.String:
			field.SetString("a")
		case field.Type() == reflect.TypeFor[money.Price]():
			field.Set(reflect.ValueOf(money.NewPrice(1)))
		}
	}
}
