package searchrule

import (
	"context"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// PinList are the pins of a store at a version.
type PinList struct {
	Pins []Pin
	// Version grows by one with every change, and when a pinned product is deleted.
	Version int64
}

// FindPins returns the pins of the store. A deleted product is in none, and a pin without products is no pin.
func FindPins(ctx context.Context, tx store.Tx) (_ PinList, err error) {
	defer fault.AddContext(&err, "read the pins of store %s", tx.StoreID())

	row, err := selectRules(ctx, tx, "")
	if err != nil {
		return PinList{}, err
	}
	pins, err := selectPins(ctx, tx)
	return PinList{pins, row.pinsVersion}, err
}

// ReplacePins replaces all pins of the store. It returns fault.Stale, or fault.Invalid naming each broken rule.
func ReplacePins(ctx context.Context, tx store.Tx, sent []PinEdit, pre fault.Precondition) (_ PinList, err error) {
	defer fault.AddContext(&err, "replace the pins of store %s", tx.StoreID())

	row, err := lockRules(ctx, tx)
	if err != nil {
		return PinList{}, err
	}
	if err := pre.Check(row.pinsVersion); err != nil {
		return PinList{}, err
	}

	pins, err := readPins(ctx, tx, sent)
	if err != nil {
		return PinList{}, err
	}
	before, err := selectPins(ctx, tx)
	if err != nil {
		return PinList{}, err
	}
	if err := replacePins(ctx, tx, pins); err != nil {
		return PinList{}, err
	}
	if err := audit.Record(ctx, tx, pinEntry(before, pins)); err != nil {
		return PinList{}, err
	}

	_, err = store.RaiseSearchVersion(ctx, tx)
	return PinList{pins, row.pinsVersion + 1}, err
}

// ProductsOf returns the products with these ids in the given order. Ids that the store does not have are left out.
func ProductsOf(ctx context.Context, tx store.Tx, ids []catalog.ProductID) (list []PinnedProduct, err error) {
	defer fault.AddContext(&err, "read the products of a pin")
	known, err := selectPinned(ctx, tx, []PinEdit{{Products: ids}}, "")
	for _, productID := range ids {
		if p, ok := known[productID]; ok {
			list = append(list, p)
		}
	}
	return list, err
}

// readPins returns the pins that were sent with their products, or fault.Invalid naming each broken rule.
func readPins(ctx context.Context, tx store.Tx, sent []PinEdit) ([]Pin, error) {
	checked, err := checkPins(sent)
	if err != nil {
		return nil, err
	}
	known, err := selectPinned(ctx, tx, checked, tx.Dialect().ForKeyShare)
	if err != nil {
		return nil, err
	}
	if err := unknownProducts(checked, known); err != nil {
		return nil, err
	}

	pins := make([]Pin, 0, len(checked))
	for _, p := range checked {
		pin := Pin{Query: p.Query}
		for _, productID := range p.Products {
			pin.Products = append(pin.Products, known[productID])
		}
		pins = append(pins, pin)
	}

	return pins, nil
}
