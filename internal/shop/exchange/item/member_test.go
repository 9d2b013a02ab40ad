package item

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/productfield"
)

// wholePush returns a product that has every member which can be pushed.
func wholePush() catalog.ProductPush {
	var p catalog.ProductPush
	fillPush(reflect.ValueOf(&p).Elem())
	p.Modifiers = new(catalog.NoModifiers)
	(*p.Variants)[0].Barcodes = new(catalog.NewBarcodes("x"))
	p.Unit = &catalog.Unit{Code: "796", Name: "x"}
	p.Images.Mode = catalog.ReplaceImages
	p.Images.List[0] = catalog.ImagePush{ID: "x"}
	(*p.Variants)[0].Images.Mode = catalog.ReplaceImages
	p.Mark = ""
	p.Single = false
	return p
}

// eachSent calls fn with the path of each optional member that the product and its variants have.
func eachSent(p *catalog.ProductPush, fn func(path string)) {
	of := func(prefix string, v reflect.Value) {
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if field.Type.Kind() == reflect.Pointer && field.Tag.Get("json") != "-" && !v.Field(i).IsNil() {
				fn(prefix + field.Name)
			}
		}
	}
	of("", reflect.ValueOf(*p))
	if p.Variants != nil {
		for _, v := range *p.Variants {
			of("Variants[].", reflect.ValueOf(v))
		}
	}
}

// A token can write a member only if it owns the member: with any other limit, the member is taken out of the item.
func TestRestrictProduct_takesOutEveryMember(t *testing.T) {
	taken := map[string]int{}
	eachSent(new(wholePush()), func(path string) { taken[path] = 0 })

	for _, f := range productfield.Fields {
		p := wholePush()
		RestrictProduct(&p, f.Set)
		left := map[string]bool{}
		eachSent(&p, func(path string) { left[path] = true })
		for path := range taken {
			if !left[path] {
				taken[path]++
			}
		}
	}

	for path, n := range taken {
		// The list of variants is left to the five tokens that write something of it.
		if want := len(productfield.Fields) - 1; n != want && (path != "Variants" || n != want-4) {
			t.Errorf("%s is taken out of the items of %d of %d tokens that own another member: see RestrictProduct",
				path, n, want)
		}
	}
}

// Every member that can be pushed is part of an export, is read again, and is known to suggestions.
func TestAppendProduct_hasEveryMember(t *testing.T) {
	for _, single := range []bool{false, true} {
		p := wholePush()
		if p.Single = single; single {
			(*p.Variants)[0].ID = ""
		}

		text := AppendProduct(nil, &p)
		ignored := &Ignored{known: productMembers()}
		f := &itemReader{Reader: wire.NewItem(text), ignored: ignored}
		read := readProductPush(f)
		if err := f.End(); err != nil || len(ignored.List) > 0 {
			t.Fatalf("%s cannot be read: %v, %+v", text, err, ignored.List)
		}

		written := map[string]bool{}
		eachSent(&read, func(path string) { written[path] = true })
		eachSent(&p, func(path string) {
			if !written[path] {
				t.Errorf("%s is not written by AppendProduct, or not read by readProductPush: %s", path, text)
			}
		})

		known := productMembers()
		members := wire.NewItem(text)
		members.Object(func(name string) {
			if members.Skip(); !slices.Contains(known, name) {
				t.Errorf("productMembers lacks %s", name)
			}
		})
	}
}

// docs/push.md describes every member that can be pushed, and names those that can be locked.
func TestDocs_describeEveryMember(t *testing.T) {
	content, err := os.ReadFile("../../../../docs/push.md")
	if err != nil {
		t.Fatal(err)
	}

	_, products, _ := strings.Cut(string(content), "\n### products\n")
	products, _, _ = strings.Cut(products, "\n### ")
	for _, member := range productMembers() {
		if strings.HasPrefix(member, "unit.") {
			continue // the row of unit describes its members
		}

		// The members of elements of variant_remainders and variant_options are those of variants[].remainders and
		// variants[].options.
		if !strings.Contains(member, "[].") || !strings.HasPrefix(member, "variant_") {
			if !strings.Contains(products, "`"+member+"`") {
				t.Errorf("docs/push.md does not describe the member %s of products", member)
			}
		}
	}

	_, locks, _ := strings.Cut(string(content), "\n## Locks\n")
	locks, _, _ = strings.Cut(locks, "\n## ")
	for _, word := range productfield.Lockable.Words() {
		if !strings.Contains(locks, "`"+word+"`") {
			t.Errorf("docs/push.md does not say that %s can be locked", word)
		}
	}
}
