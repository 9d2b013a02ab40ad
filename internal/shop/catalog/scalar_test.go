package catalog

import (
	"reflect"
	"slices"
	"testing"
)

// Every scalar member of products and variants has a row in the table, so that nothing that comes from the table lacks
// it. The lists name the fields that are no scalars, or are treated apart.
func TestScalars_listEveryMember(t *testing.T) {
	checkScalars(t, ProductScalars, &Product{}, "Key", "ID", "ExternalID", "Version", "ArchivedAt", "Draft",
		"CreatedAt", "UpdatedAt", "Locks", "PriceFrom", "PriceTo", "Available", "VariantCount", "Images", "Modifiers",
		"Variants")
	checkScalars(t, VariantScalars, &Variant{}, "Key", "ProductKey", "ID", "ExternalID", "Available", "ArchivedAt",
		"Options", "Remainders", "Images")
}

func checkScalars[Row, Edit, Push any](
	t *testing.T, list Scalars[Row, Edit, Push], r *Row, others ...string,
) {
	t.Helper()
	var p Push
	var e Edit
	list.Export(&p, r)
	list.CopyPush(&e, &p)

	row := reflect.TypeOf(r).Elem()
	listed := 0
	for i := range row.NumField() {
		name := row.Field(i).Name
		if slices.Contains(others, name) {
			continue
		}

		listed++
		for _, of := range []reflect.Value{reflect.ValueOf(p), reflect.ValueOf(e)} {
			if field := of.FieldByName(name); !field.IsValid() || field.IsNil() {
				t.Errorf("%s.%s has no row in the table of scalars, or %s lacks it", row, name, of.Type())
			}
		}
	}

	if listed != len(list) {
		t.Errorf("%s has %d scalars, but the table has %d rows", row, listed, len(list))
	}
}

// A pushed item is compared with what is stored only if it has every member that an export has.
func TestProductPush_isWholeOnlyWithEveryMember(t *testing.T) {
	whole := func() (*ProductPush, *VariantPush) {
		p := &ProductPush{Categories: &[]string{}, CanonicalCategory: new(""), Features: &[]ReferencePush{},
			Modifiers: new(NoModifiers),
			Images:    &ImagesPush{Mode: ReplaceImages}, Variants: &[]VariantPush{{}}}
		v := &(*p.Variants)[0]
		v.Options = &[]ReferencePush{}
		v.Remainders = &[]StockedPush{}
		ProductScalars.Export(p, &Product{})
		VariantScalars.Export(v, &Variant{})
		return p, v
	}
	if p, _ := whole(); !p.IsWhole() {
		t.Fatal("an item with every member is not whole")
	}

	for _, of := range []string{"product", "variant"} {
		p, v := whole()
		fields := reflect.ValueOf(p).Elem()
		if of == "variant" {
			fields = reflect.ValueOf(v).Elem()
		}

		for i := range fields.NumField() {
			field := fields.Field(i)
			if name := fields.Type().Field(i).Name; name == "Prices" || of == "variant" && name == "Images" {
				continue // an export leaves it out if there are none, and a push leaves what is not in it
			}
			if field.Kind() != reflect.Pointer || fields.Type().Field(i).Tag.Get("json") == "-" {
				continue
			}

			sent := reflect.ValueOf(field.Interface())
			field.SetZero()
			if p.IsWhole() {
				t.Errorf("a %s without %s is whole", of, fields.Type().Field(i).Name)
			}
			field.Set(sent)
		}
	}
}
