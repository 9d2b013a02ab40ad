package spec

import (
	"reflect"
	"strings"
	"testing"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/productfield"
)

// The OpenAPI document describes every scalar member of products and variants, in requests and in responses, and every
// lock.
func TestProduct_describesEveryMember(t *testing.T) {
	for _, of := range []reflect.Type{
		reflect.TypeFor[Product](), reflect.TypeFor[NewProduct](), reflect.TypeFor[ProductEdit](),
	} {
		checkMembers(t, of, catalog.ProductScalars.Names(""))
		locks, _ := of.FieldByName("Locks")
		if got, want := locks.Tag.Get("enum"), strings.Join(productfield.Lockable.Words(), ","); got != want {
			t.Errorf("the locks of %s are %s, but %s can be locked", of, got, want)
		}
	}

	for _, of := range []reflect.Type{
		reflect.TypeFor[Variant](), reflect.TypeFor[NewVariant](), reflect.TypeFor[VariantInput](),
		reflect.TypeFor[VariantEdit](),
	} {
		checkMembers(t, of, catalog.VariantScalars.Names(""))
	}
}

func checkMembers(t *testing.T, of reflect.Type, names []string) {
	t.Helper()
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
