package push

import (
	"reflect"
	"testing"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/productfield"
)

// An item from which something was taken leaves the product as it is only if it has no other member.
func TestPushWrite_leavesNothingOnlyWithoutMembers(t *testing.T) {
	item := catalog.ProductPush{NotOwned: productfield.Price}
	w := &pushWrite{ProductWrite: &catalog.ProductWrite{}, push: &item}
	if !w.leavesNothing() {
		t.Error("an item without members leaves something")
	}

	fields := reflect.ValueOf(&item).Elem()
	for i := range fields.NumField() {
		field := fields.Field(i)
		if field.Kind() != reflect.Pointer || fields.Type().Field(i).Tag.Get("json") == "-" {
			continue
		}
		field.Set(reflect.New(field.Type().Elem()))
		if w.leavesNothing() {
			t.Errorf("an item that has only %s leaves nothing", fields.Type().Field(i).Name)
		}
		field.SetZero()
	}
}

// A lock keeps its member as it is, and names it if the pushed value differs.
func TestPushWrite_obeysTheLockOfEachScalar(t *testing.T) {
	for _, m := range catalog.ProductScalars {
		if !productfield.Lockable.Has(m.Field) {
			continue
		}

		var item catalog.ProductPush
		catalog.ProductScalars.Export(&item, &catalog.Product{Name: "A", Description: "B"})
		w := &pushWrite{ProductWrite: &catalog.ProductWrite{Product: catalog.Product{Locks: m.Field}}, push: &item}
		w.obeyLocks(&lockedLists{}, nil, nil)

		if m.IsSent(w.push) || w.dropped != m.Field || !m.IsSent(&item) {
			t.Errorf("the lock of %s does not take it out of the item alone: %v is dropped", m.Name, w.dropped)
		}
		if m.Name == "name" && len(w.differing) != 1 {
			t.Errorf("the names that differ are %q", w.differing)
		}
	}
}
