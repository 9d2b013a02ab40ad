package push

import (
	"reflect"
	"testing"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
)

// A write that changes a scalar of the product or of a variant does not keep the rows: otherwise the change of an
// exported item that is pushed again would be lost.
func TestPushWrite_keepsRowsOnlyIfNoScalarChanges(t *testing.T) {
	p := &catalog.PlannedVariant{Before: &catalog.StoredVariant{}}
	w := &pushWrite{ProductWrite: &catalog.ProductWrite{Plan: &catalog.VariantPlan{
		Sent: []*catalog.PlannedVariant{p}}}}
	if !w.keepsRows() {
		t.Fatal("a write that changes nothing does not keep the rows")
	}

	for _, row := range []reflect.Value{reflect.ValueOf(&w.Product).Elem(), reflect.ValueOf(&p.Variant).Elem()} {
		for i := range row.NumField() {
			field := row.Field(i)
			name := row.Type().Field(i).Name
			switch {
			case field.Type() == reflect.TypeFor[money.Price]():
				field.Set(reflect.ValueOf(money.NewPrice(7)))
			case field.Kind() == reflect.String && name != "Modifiers": // a list, see equalsStored
				field.SetString("x")
			default:
				continue
			}

			if w.keepsRows() {
				t.Errorf("a write that changes %s.%s keeps the rows", row.Type(), name)
			}
			field.SetZero()
		}
	}
}
