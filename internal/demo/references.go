package demo

import (
	"context"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// listPage is the page size for reading the existing data.
const listPage = 1000

// references are the store's categories and stocks by external id, and attributes by name. If several attributes have
// the same name, it is the first one.
type references struct {
	categories map[string]catalog.CategoryID
	stocks     map[string]catalog.StockID
	features   map[string]*storedAttribute
	options    map[string]*storedAttribute
}

// storedAttribute is an attribute of the store with its values by name.
type storedAttribute struct {
	catalog.Attribute
	values map[string]catalog.ValueID
}

// ensureReferences creates the missing categories, stocks, features and options, and returns all of them.
func (f *filler) ensureReferences(ctx context.Context) (*references, error) {
	refs, err := f.readReferences(ctx)
	if err != nil || f.hasReferences(refs) {
		return refs, err
	}
	err = f.db.WriteAlone(ctx, func(q database.Querier) error {
		if err := f.addCategories(ctx, q, refs); err != nil {
			return err
		}
		if err := f.addStocks(ctx, q, refs); err != nil {
			return err
		}
		if err := f.addAttributes(ctx, q, f.generator.Features(), refs.features); err != nil {
			return err
		}
		return f.addAttributes(ctx, q, f.generator.Options(), refs.options)
	})
	if err != nil {
		return nil, err
	}
	return f.readReferences(ctx)
}

// readReferences reads the existing references.
func (f *filler) readReferences(ctx context.Context) (*references, error) {
	var refs *references
	err := f.db.Snapshot(ctx, func(q database.Querier) error {
		refs = &references{
			map[string]catalog.CategoryID{}, map[string]catalog.StockID{}, map[string]*storedAttribute{},
			map[string]*storedAttribute{},
		}
		err := eachPage(func(offset int64) (int, error) {
			list, _, err := f.catalog.Categories.List(ctx, store.In(q, f.storeID), catalog.CategoryFilter{}, listPage, offset)
			for _, c := range list {
				if c.ExternalID != nil {
					refs.categories[*c.ExternalID] = c.ID
				}
			}
			return len(list), err
		})
		if err != nil {
			return err
		}
		err = eachPage(func(offset int64) (int, error) {
			list, _, err := f.catalog.Stocks.List(ctx, store.In(q, f.storeID), "", listPage, offset)
			for _, s := range list {
				if s.ExternalID != nil {
					refs.stocks[*s.ExternalID] = s.ID
				}
			}
			return len(list), err
		})
		if err != nil {
			return err
		}
		if err := f.readAttributes(ctx, q, catalog.Feature, f.generator.Features(), refs.features); err != nil {
			return err
		}
		return f.readAttributes(ctx, q, catalog.Option, f.generator.Options(), refs.options)
	})
	return refs, err
}

// eachPage calls read for consecutive pages until a page is not full.
func eachPage(read func(offset int64) (int, error)) error {
	for offset := int64(0); ; offset += listPage {
		if n, err := read(offset); err != nil || n < listPage {
			return err
		}
	}
}

func (f *filler) readAttributes(
	ctx context.Context, q database.Querier, kind catalog.Kind, wanted []Attribute, found map[string]*storedAttribute,
) error {
	byKey := map[int64]*storedAttribute{}
	err := eachPage(func(offset int64) (int, error) {
		list, _, err := f.catalog.Attributes.List(ctx, store.In(q, f.storeID), kind, "", listPage, offset)
		for _, a := range list {
			if found[a.Name] == nil && slices.ContainsFunc(wanted, func(w Attribute) bool { return w.Name == a.Name }) {
				found[a.Name] = &storedAttribute{a, map[string]catalog.ValueID{}}
				byKey[a.Key] = found[a.Name]
			}
		}
		return len(list), err
	})
	if err != nil {
		return err
	}
	keys := make([]int64, 0, len(byKey))
	for key := range byKey {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return f.catalog.Attributes.EachValueOf(ctx, store.In(q, f.storeID), keys, func(key int64, v catalog.Value) error {
		if values := byKey[key].values; values[v.Name].IsZero() {
			values[v.Name] = v.ID
		}
		return nil
	})
}

// hasReferences reports whether all references exist.
func (f *filler) hasReferences(refs *references) bool {
	for _, c := range f.generator.Categories() {
		if refs.categories[c.ExternalID].IsZero() {
			return false
		}
	}
	for _, s := range f.generator.Stocks() {
		if refs.stocks[s.ExternalID].IsZero() {
			return false
		}
	}
	return len(missingValues(f.generator.Features(), refs.features)) == 0 &&
		len(missingValues(f.generator.Options(), refs.options)) == 0
}

// missingValues returns the values that the store does not have, by attribute name. Of a missing attribute these are
// all values.
func missingValues(wanted []Attribute, stored map[string]*storedAttribute) map[string][]string {
	missing := map[string][]string{}
	for _, a := range wanted {
		for _, v := range a.Values {
			if existing := stored[a.Name]; existing == nil || existing.values[v].IsZero() {
				missing[a.Name] = append(missing[a.Name], v)
			}
		}
	}
	return missing
}

func (f *filler) addCategories(ctx context.Context, q database.Querier, refs *references) error {
	ids := make([]catalog.CategoryID, len(f.generator.Categories()))
	for i, c := range f.generator.Categories() {
		if ids[i] = refs.categories[c.ExternalID]; !ids[i].IsZero() {
			continue
		}
		e := catalog.CategoryEdit{Name: &c.Name, ExternalID: &c.ExternalID}
		if c.Parent >= 0 {
			e.ParentID = &ids[c.Parent]
		}
		created, err := f.catalog.Categories.Create(ctx, store.In(q, f.storeID), e)
		if err != nil {
			return err
		}
		ids[i] = created.ID
	}
	return nil
}

func (f *filler) addStocks(ctx context.Context, q database.Querier, refs *references) error {
	for _, s := range f.generator.Stocks() {
		if !refs.stocks[s.ExternalID].IsZero() {
			continue
		}
		if _, err := f.catalog.Stocks.Create(ctx, store.In(q, f.storeID), catalog.StockEdit{
			Name: &s.Name, ExternalID: &s.ExternalID,
		}); err != nil {
			return err
		}
	}
	return nil
}

// addAttributes creates missing attributes and adds missing values to existing ones.
func (f *filler) addAttributes(
	ctx context.Context, q database.Querier, wanted []Attribute, stored map[string]*storedAttribute,
) error {
	missing := missingValues(wanted, stored)
	for _, a := range wanted {
		names := missing[a.Name]
		if len(names) == 0 {
			continue
		}
		e := catalog.AttributeEdit{Values: catalog.NewValues(names...)}
		var err error
		if existing := stored[a.Name]; existing != nil {
			_, err = f.catalog.Attributes.Edit(ctx, store.In(q, f.storeID), a.Kind, existing.ID, e, nil)
		} else {
			e.Name, e.Filterable, e.FieldType = &a.Name, &a.Filterable, &a.FieldType
			if a.RangeType != "" {
				e.RangeType = &a.RangeType
			}
			_, err = f.catalog.Attributes.Create(ctx, store.In(q, f.storeID), a.Kind, e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
