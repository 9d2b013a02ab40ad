package catalog

import (
	"context"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// AddCategoryToAll puts products, by row key, into a category and returns the keys of those that were not in it. It
// returns fault.NotFound if there is no such category. Keys that the store does not have are ignored.
func (s *Products) AddCategoryToAll(
	ctx context.Context, tx store.Tx, keys []int64, categoryID CategoryID,
) (changed []int64, err error) {
	defer fault.AddContext(&err, "add %d products to category %s", len(keys), categoryID)
	return s.changeCategoryOfAll(ctx, tx, keys, categoryID, addCategory)
}

// RemoveCategoryFromAll is like AddCategoryToAll, but takes products out of the category and returns the keys of those
// that were in it.
func (s *Products) RemoveCategoryFromAll(
	ctx context.Context, tx store.Tx, keys []int64, categoryID CategoryID,
) (changed []int64, err error) {
	defer fault.AddContext(&err, "remove %d products from category %s", len(keys), categoryID)
	return s.changeCategoryOfAll(ctx, tx, keys, categoryID, removeCategory)
}

// changeCategoryOfAll changes the links between products and a category. Lock order: references before products.
func (s *Products) changeCategoryOfAll(
	ctx context.Context, tx store.Tx, keys []int64, categoryID CategoryID, change linkChange,
) ([]int64, error) {
	category := map[CategoryID]int64{categoryID: 0}
	if err := lockCategories(ctx, tx, category); err != nil {
		return nil, err
	}
	if category[categoryID] == 0 {
		return nil, fault.Missing("category")
	}
	return s.changeLinks(ctx, tx, keys, change, category[categoryID])
}

// AddFeatureToAll gives products, by row key, a value of a feature and returns the keys of those that did not have it.
// Other values of the feature stay. It returns fault.NotFound if there is no such value. Keys that the store does not
// have are ignored.
func (s *Products) AddFeatureToAll(
	ctx context.Context, tx store.Tx, keys []int64, ref ValueRef,
) (changed []int64, err error) {
	defer fault.AddContext(&err, "give %d products value %s", len(keys), ref.Value)
	return s.changeFeatureOfAll(ctx, tx, keys, ref, addFeature)
}

// RemoveFeatureFromAll is like AddFeatureToAll, but takes the value away and returns the keys of the products that had
// it.
func (s *Products) RemoveFeatureFromAll(
	ctx context.Context, tx store.Tx, keys []int64, ref ValueRef,
) (changed []int64, err error) {
	defer fault.AddContext(&err, "take value %s from %d products", ref.Value, len(keys))
	return s.changeFeatureOfAll(ctx, tx, keys, ref, removeFeature)
}

func (s *Products) changeFeatureOfAll(
	ctx context.Context, tx store.Tx, keys []int64, ref ValueRef, change linkChange,
) ([]int64, error) {
	attributes := map[AttributeID]KnownAttribute{ref.Attribute: {}}
	values := map[ValueID]KnownValue{ref.Value: {}}
	if err := lockAttributes(ctx, tx, attributes); err != nil {
		return nil, err
	}
	if err := findValues(ctx, tx, values); err != nil {
		return nil, err
	}
	a, v := attributes[ref.Attribute], values[ref.Value]
	if a.Key == 0 || a.Kind != Feature || v.Key == 0 || v.AttributeKey != a.Key {
		return nil, fault.Missing("value")
	}
	return s.changeLinks(ctx, tx, keys, change, a.Key, v.Key)
}

// changeLinks locks the products, changes their links to what the arguments identify, and raises the versions of those
// that had another link before. It returns their keys.
func (s *Products) changeLinks(
	ctx context.Context, tx store.Tx, keys []int64, change linkChange, args ...any,
) (changed []int64, err error) {
	var existing []int64
	err = lockProductRows(ctx, tx, keys, func(key int64, _ *int64) { existing = append(existing, key) })
	if err != nil {
		return nil, err
	}
	if changed, err = change.apply(ctx, tx, existing, s.Now(), args); err != nil {
		return nil, err
	}
	return changed, s.RecordChanges(ctx, tx, changed...)
}
