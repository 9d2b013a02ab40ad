package exchangeapi_test

import (
	"reflect"
	"strings"
	"testing"

	"vitrine/internal/api/exchangeapi"
	"vitrine/internal/shop/catalog"
)

// The OpenAPI document of the gate describes every scalar member of products and variants.
func TestPushedProduct_describesEveryMember(t *testing.T) {
	t.Parallel()
	check := func(of reflect.Type, names []string) {
		described := map[string]bool{}
		for i := range of.NumField() {
			name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
			described[name] = true
		}

		for _, name := range names {
			if !described[name] {
				t.Errorf("%s does not describe %s", of, name)
			}
		}
	}

	check(reflect.TypeFor[exchangeapi.PushedProduct](), catalog.ProductScalars.Names(""))
	check(reflect.TypeFor[exchangeapi.PushedProduct](), catalog.VariantScalars.Names("variant_"))
	check(reflect.TypeFor[exchangeapi.PushedVariant](), catalog.VariantScalars.Names(""))
}
