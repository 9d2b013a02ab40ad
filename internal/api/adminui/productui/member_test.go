package productui

import (
	"cmp"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/seo"
)

// storedWith returns a product with a variant, whose scalars all have this text or amount.
func storedWith(
	productID catalog.ProductID, variantID catalog.VariantID, text string, amount money.Money,
) *storedProduct {
	s := &storedProduct{}
	s.Variants = make([]catalog.Variant, 1)
	s.OptionKeys = make([][]catalog.ValueKeys, 1)
	for _, v := range []reflect.Value{reflect.ValueOf(&s.Product).Elem(), reflect.ValueOf(&s.Variants[0]).Elem()} {
		for i := range v.NumField() {
			switch field := v.Field(i); {
			case field.Kind() == reflect.String && v.Type().Field(i).Name != "Modifiers":
				field.SetString(text)
			case field.Type() == reflect.TypeFor[money.Price]():
				field.Set(reflect.ValueOf(money.NewPrice(amount)))
			case field.Type() == reflect.TypeFor[money.VATRate]():
				field.Set(reflect.ValueOf(money.NewOptional(money.Percent(amount))))
			case field.Type() == reflect.TypeFor[money.Weight]():
				field.Set(reflect.ValueOf(money.NewOptional(money.Grams(amount))))
			case field.Type() == reflect.TypeFor[catalog.Unit]():
				field.Set(reflect.ValueOf(catalog.Unit{Name: text}))
			case field.Type() == reflect.TypeFor[seo.Meta]():
				field.Set(reflect.ValueOf(seo.Meta{Title: text}))
			}
		}
	}

	s.ID, s.Variants[0].ID = productID, variantID
	return s
}

// The form of a product shows every scalar member of the product and its variants, and merges it with what somebody
// else has saved.
func TestForm_hasEveryMember(t *testing.T) {
	productID, variantID := id.New[catalog.Product](), id.New[catalog.Variant]()
	form := storedWith(productID, variantID, "before", 10000).form(1)
	keys := map[string]string{}
	for _, l := range form.lines(english()) {
		keys[l.Key] = l.Text
	}

	variant := "variants." + variantID.String() + "."
	for _, key := range slices.Concat(catalog.ProductScalars.Names(""), catalog.VariantScalars.Names(variant)) {
		if keys[key] == "" {
			t.Errorf("the lines of the form lack %s: see form_stored.go and form_lines.go", key)
		}
	}

	saved := storedWith(productID, variantID, "after", 20000)
	form.merge(saved.formOfAll(), saved.formOfAll())
	if left := form.differences(saved.formOfAll(), english()); len(left) > 0 {
		t.Errorf("members that nobody has touched are not merged: see form_merge.go: %+v", left)
	}
}

// The page of a product has a field for every scalar member of the product and its variants.
func TestTemplate_hasEveryMember(t *testing.T) {
	content, err := os.ReadFile("templates/product.html")
	if err != nil {
		t.Fatal(err)
	}

	var fields []string
	for _, name := range catalog.ProductScalars.Names("") {
		if name == "seo" {
			name = "seo_noindex" // it has three fields
		}
		fields = append(fields, `name="`+name+`"`)
	}
	for _, name := range catalog.VariantScalars.Names("") {
		fields = append(fields, `{{.Cell $i "`+name+`"`)
	}

	for _, field := range fields {
		if !strings.Contains(string(content), field) {
			t.Errorf("templates/product.html has no field for %s", field)
		}
	}
}

// The page of a product for those who may not change it shows every scalar member of the product and its variants.
func TestValuesTemplate_hasEveryMember(t *testing.T) {
	content, err := os.ReadFile("templates/product_values.html")
	if err != nil {
		t.Fatal(err)
	}
	product, variants, found := strings.Cut(string(content), `id="variants"`)
	if !found {
		t.Fatal("templates/product_values.html has no variants")
	}

	others := map[string]string{"name": "{{$.Title}}", "seo": "{{if .SEO.NoIndex}}"}
	check := func(part, name, value string) {
		if !strings.Contains(part, value) {
			t.Errorf("templates/product_values.html does not show %s of the %s", value, name)
		}
	}
	for _, name := range catalog.ProductScalars.Names("") {
		check(product, "product", cmp.Or(others[name], `.Text "`+name+`"`))
	}
	for _, name := range catalog.VariantScalars.Names("") {
		check(variants, "variants", `.Text "`+name+`"`)
	}
}
