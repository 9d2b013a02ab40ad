package catalogtest

import (
	"cmp"
	"context"
	"slices"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/store"
)

// Product is a product with the names of its categories, features and options.
type Product struct {
	catalog.Product
	Categories []view.CategoryName
	Features   []catalog.AttributeValue
}

// ReadProducts reads products with all their lists, in the order of keys. The parameter which selects the variants.
func ReadProducts(
	ctx context.Context, tx store.Tx, products *catalog.Products, keys []int64, which catalog.Archived,
) (list []Product, err error) {
	all := view.Parts{Categories: true, Features: true, Images: true, Modifiers: true, Variants: true}
	for len(keys) > 0 {
		rows, n, err := view.ReadRows(ctx, tx, keys, all, which)
		if err != nil {
			return nil, err
		}

		keys = keys[n:]

		for i := range rows {
			p, err := withNames(ctx, tx, products, &rows[i])
			if err != nil {
				return nil, err
			}
			list = append(list, p)
		}
	}

	return list, nil
}

// withNames reads the names of what a product refers to.
func withNames(
	ctx context.Context, tx store.Tx, products *catalog.Products, rows *view.ProductRows,
) (p Product, err error) {
	wanted := view.NameKeys{Categories: rows.CategoryKeys}
	for _, v := range slices.Concat(append(rows.OptionKeys, rows.FeatureKeys)...) {
		wanted.Attributes, wanted.Values = append(wanted.Attributes, v.Attribute), append(wanted.Values, v.Value)
	}

	names, err := view.ReadNames(ctx, tx, wanted)
	values := map[catalog.ValueKeys]catalog.AttributeValue{}
	for _, v := range names.Values {
		for _, a := range names.Attributes {
			if a.Key == v.AttributeKey {
				values[catalog.ValueKeys{Attribute: a.Key, Value: v.Key}] = catalog.AttributeValue{AttributeID: a.ID,
					Name: a.Name, FieldType: a.FieldType, Value: catalog.Value{ID: v.ID, Name: v.Name}}
			}
		}
	}

	named := func(keys []catalog.ValueKeys) (list []catalog.AttributeValue) {
		for _, k := range keys {
			if v, exists := values[k]; exists {
				list = append(list, v)
			}
		}
		return list
	}
	slices.SortFunc(names.Categories, func(a, b view.CategoryName) int { return cmp.Compare(a.Key, b.Key) })
	p = Product{rows.Product, names.Categories, named(rows.FeatureKeys)}
	for i := range p.Variants {
		p.Variants[i].Options = named(rows.OptionKeys[i])
	}

	return p, err
}
