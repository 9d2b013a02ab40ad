package item

import (
	"reflect"
	"slices"
	"testing"

	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
)

// Items with the same content have the same digest, no matter how their JSON is written. Items whose contents differ
// have different digests.
func TestDigestProduct_dependsOnContentOnly(t *testing.T) {
	digestFor := func(text string) catalog.Digest {
		f := &itemReader{Reader: wire.NewItem([]byte(text)), ignored: &Ignored{}}
		p := readProductPush(f)
		if err := f.End(); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return p.Digest
	}

	same := [][2]string{
		{`{"id": 7, "name": "A"}`, ` { "name":"A", "id":"7", "unknown": 1} `},
		{`{"id": 7, "variants": [{"id": 1, "price": 1.50}]}`, `{"id": 7, "variants": [{"price": 15e-1, "id": "1"}]}`},
		{`{"id": 7, "images": ["http://a.example/x"]}`,
			`{"id": 7, "images_mode": "add", "images": [{"url": "http://a.example/x"}]}`},
	}
	for _, pair := range same {
		if digestFor(pair[0]) != digestFor(pair[1]) {
			t.Errorf("%s and %s have different digests", pair[0], pair[1])
		}
	}

	different := []string{
		`{"id": 7}`, `{"id": 8}`, `{"id": 7, "name": "A"}`, `{"id": 7, "description": "A"}`,
		`{"id": 7, "description": ""}`, `{"id": 7, "modifiers": [{"name": "A"}]}`,
		`{"id": 7, "categories": []}`, `{"id": 7, "categories": ["a", "b"]}`, `{"id": 7, "categories": ["ab"]}`,
		`{"id": 7, "features": []}`, `{"id": 7, "features": [{"id": "a", "value_id": "b"}]}`,
		`{"id": 7, "features": [{"id": "b", "value_id": "a"}]}`,
		`{"id": 7, "images": []}`, `{"id": 7, "images": ["a"]}`, `{"id": 7, "images": [{"id": "a"}]}`,
		`{"id": 7, "images_mode": "replace", "images": ["a"]}`, `{"id": 7, "images_mode": "remove"}`,
		`{"id": 7, "single_variant": true}`, `{"id": 7, "variants": []}`, `{"id": 7, "variants": [{"id": 1}]}`,
		`{"id": 7, "variants": [{"id": 1, "name": "A"}]}`,
		`{"id": 7, "variants": [{"id": 1, "sku": "A"}]}`, `{"id": 7, "variants": [{"id": 1, "price": 1}]}`,
		`{"id": 7, "variants": [{"id": 1, "price": 1.0001}]}`,
		`{"id": 7, "variants": [{"id": 1, "price": null}]}`, `{"id": 7, "variants": [{"id": 1, "price": 0}]}`,
		`{"id": 7, "variants": [{"id": 1, "options": []}]}`,
		`{"id": 7, "variants": [{"id": 1, "options": [{"id": "a", "value_id": "b"}]}]}`,
		`{"id": 7, "variants": [{"id": 1, "remainders": []}]}`,
		`{"id": 7, "variants": [{"id": 1, "remainders": [{"stock_id": 1, "quantity": 1}]}]}`,
		`{"id": 7, "variants": [{"id": 1, "remainders": [{"stock_id": 1, "quantity": 0.001}]}]}`,
		`{"id": 7, "variants": [{"id": 1}, {"id": 2}]}`,
	}

	seen := map[catalog.Digest]string{}
	for _, text := range different {
		d := digestFor(text)
		if other, taken := seen[d]; taken {
			t.Errorf("%s and %s have the same digest", text, other)
		}
		seen[d] = text
	}
}

// Every member of a pushed product is part of its digest. If the digest left a member out, a push that changes only
// this member would be taken for unchanged.
func TestDigestProduct_includesEveryMember(t *testing.T) {
	var p catalog.ProductPush
	fillPush(reflect.ValueOf(&p).Elem())
	whole, _ := digestProduct(&p, nil)
	eachPushMember(reflect.ValueOf(&p).Elem(), "product", func(member string, v reflect.Value) {
		before := reflect.New(v.Type()).Elem()
		before.Set(v)
		v.SetZero()
		if d, _ := digestProduct(&p, nil); d == whole {
			t.Errorf("%s is not part of the digest: it needs a row in catalog.ProductScalars or VariantScalars", member)
		}
		v.Set(before)
	})
}

// optional is a money.Optional.
type optional interface {
	Scan(v any) error
	IsSet() bool
}

// fillPush gives every member of v a value that is not zero, and every list one element.
func fillPush(v reflect.Value) {
	if number, ok := v.Addr().Interface().(optional); ok {
		if err := number.Scan(int64(7)); err != nil {
			panic(err)
		}
		return
	}

	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillPush(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fillPush(v.Index(0))
	case reflect.Struct:
		for i := range v.NumField() {
			fillPush(v.Field(i))
		}
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int64, reflect.Int:
		v.SetInt(7)
	}
}

// eachPushMember calls fn for every settable member below v, except those that are not content: Digest, Version,
// Misplaced, EmptyStock, Owned, NotOwned, Origin, Line, TakenUpTo, KeepVariants and Compare.
func eachPushMember(v reflect.Value, path string, fn func(path string, v reflect.Value)) {
	if _, ok := v.Addr().Interface().(optional); ok {
		fn(path, v)
		return
	}

	switch v.Kind() {
	case reflect.Pointer, reflect.Slice:
		fn(path, v)
		if v.Kind() == reflect.Pointer {
			eachPushMember(v.Elem(), path, fn)
		} else {
			eachPushMember(v.Index(0), path+"[0]", fn)
		}

	case reflect.Struct:
		for i := range v.NumField() {
			if !slices.Contains([]string{"Digest", "Version", "Origin", "Misplaced", "EmptyStock", "Owned", "NotOwned",
				"Line", "TakenUpTo", "KeepVariants", "Compare"}, v.Type().Field(i).Name) {
				name := v.Type().Field(i).Name
				eachPushMember(v.Field(i), path+"."+name, fn)
			}
		}
	default:
		fn(path, v)
	}
}
