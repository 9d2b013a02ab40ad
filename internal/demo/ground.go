package demo

import (
	"context"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
)

// listPage is how many things are read at once while looking for those of an earlier run.
const listPage = 1000

// ground is what the store has of what products refer to: categories and stocks by their external ids, attributes by their names, the
// first one where several have the same.
type ground struct {
	categories map[string]catalog.CategoryID
	stocks     map[string]catalog.StockID
	features   map[string]*stored
	options    map[string]*stored
}

// stored is an attribute that the store has, with its values by their names.
type stored struct {
	catalog.Attribute
	values map[string]catalog.ValueID
}

// prepare brings what products refer to into the store, as far as it is not there yet.
func (f *filler) prepare(ctx context.Context) (*ground, error) {
	have, err := f.survey(ctx)
	if err != nil || f.complete(have) {
		return have, err
	}
	err = f.db.WriteAlone(ctx, func(q database.Querier) error {
		if err := f.addCategories(ctx, q, have); err != nil {
			return err
		}
		if err := f.addStocks(ctx, q, have); err != nil {
			return err
		}
		if err := f.addAttributes(ctx, q, f.generator.Features(), have.features); err != nil {
			return err
		}
		return f.addAttributes(ctx, q, f.generator.Options(), have.options)
	})
	if err != nil {
		return nil, err
	}
	return f.survey(ctx)
}

// survey reads what the store has.
func (f *filler) survey(ctx context.Context) (*ground, error) {
	var have *ground
	err := f.db.Snapshot(ctx, func(q database.Querier) error {
		have = &ground{map[string]catalog.CategoryID{}, map[string]catalog.StockID{}, map[string]*stored{}, map[string]*stored{}}
		err := pages(func(offset int64) (int, error) {
			list, _, err := f.catalog.Categories(ctx, q, f.storeID, catalog.CategoryFilter{}, listPage, offset)
			for _, c := range list {
				if c.ExternalID != nil {
					have.categories[*c.ExternalID] = c.ID
				}
			}
			return len(list), err
		})
		if err != nil {
			return err
		}
		err = pages(func(offset int64) (int, error) {
			list, _, err := f.catalog.Stocks(ctx, q, f.storeID, "", listPage, offset)
			for _, s := range list {
				if s.ExternalID != nil {
					have.stocks[*s.ExternalID] = s.ID
				}
			}
			return len(list), err
		})
		if err != nil {
			return err
		}
		if err := f.surveyAttributes(ctx, q, catalog.Feature, f.generator.Features(), have.features); err != nil {
			return err
		}
		return f.surveyAttributes(ctx, q, catalog.Option, f.generator.Options(), have.options)
	})
	return have, err
}

// pages calls read for one page after the other until one is not full.
func pages(read func(offset int64) (int, error)) error {
	for offset := int64(0); ; offset += listPage {
		if n, err := read(offset); err != nil || n < listPage {
			return err
		}
	}
}

func (f *filler) surveyAttributes(ctx context.Context, q database.Querier, kind catalog.Kind, wanted []Attribute, have map[string]*stored) error {
	byKey := map[int64]*stored{}
	err := pages(func(offset int64) (int, error) {
		list, _, err := f.catalog.Attributes(ctx, q, f.storeID, kind, "", listPage, offset)
		for _, a := range list {
			if have[a.Name] == nil && slices.ContainsFunc(wanted, func(w Attribute) bool { return w.Name == a.Name }) {
				have[a.Name] = &stored{a, map[string]catalog.ValueID{}}
				byKey[a.Key] = have[a.Name]
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
	return f.catalog.EachValueOf(ctx, q, f.storeID, keys, func(key int64, v catalog.Value) error {
		if values := byKey[key].values; values[v.Name].IsZero() {
			values[v.Name] = v.ID
		}
		return nil
	})
}

// complete reports whether everything that products refer to is there.
func (f *filler) complete(have *ground) bool {
	for _, c := range f.generator.Categories() {
		if have.categories[c.ExternalID].IsZero() {
			return false
		}
	}
	for _, s := range f.generator.Stocks() {
		if have.stocks[s.ExternalID].IsZero() {
			return false
		}
	}
	return len(lacking(f.generator.Features(), have.features)) == 0 && len(lacking(f.generator.Options(), have.options)) == 0
}

// lacking names the values that a store does not have, by attribute; an attribute that it does not have at all lacks all of them.
func lacking(wanted []Attribute, have map[string]*stored) map[string][]string {
	lacks := map[string][]string{}
	for _, a := range wanted {
		for _, v := range a.Values {
			if k := have[a.Name]; k == nil || k.values[v].IsZero() {
				lacks[a.Name] = append(lacks[a.Name], v)
			}
		}
	}
	return lacks
}

func (f *filler) addCategories(ctx context.Context, q database.Querier, have *ground) error {
	ids := make([]catalog.CategoryID, len(f.generator.Categories()))
	for i, c := range f.generator.Categories() {
		if ids[i] = have.categories[c.ExternalID]; !ids[i].IsZero() {
			continue
		}
		e := catalog.CategoryEdit{Name: &c.Name, ExternalID: &c.ExternalID}
		if c.Parent >= 0 {
			e.ParentID = &ids[c.Parent]
		}
		made, err := f.catalog.CreateCategory(ctx, q, f.storeID, e)
		if err != nil {
			return err
		}
		ids[i] = made.ID
	}
	return nil
}

func (f *filler) addStocks(ctx context.Context, q database.Querier, have *ground) error {
	for _, s := range f.generator.Stocks() {
		if !have.stocks[s.ExternalID].IsZero() {
			continue
		}
		if _, err := f.catalog.CreateStock(ctx, q, f.storeID, catalog.StockEdit{Name: &s.Name, ExternalID: &s.ExternalID}); err != nil {
			return err
		}
	}
	return nil
}

// addAttributes makes the attributes that are not there, and adds to the others the values that they lack.
func (f *filler) addAttributes(ctx context.Context, q database.Querier, wanted []Attribute, have map[string]*stored) error {
	lacks := lacking(wanted, have)
	for _, a := range wanted {
		names := lacks[a.Name]
		if len(names) == 0 {
			continue
		}
		e := catalog.Edit{ValuesLen: len(names), Values: func(fn func(int, catalog.ValueEdit) error) error {
			for i, name := range names {
				if err := fn(i, catalog.ValueEdit{Name: name}); err != nil {
					return err
				}
			}
			return nil
		}}
		var err error
		if k := have[a.Name]; k != nil {
			_, err = f.catalog.EditAttribute(ctx, q, f.storeID, a.Kind, k.ID, e, nil)
		} else {
			e.Name, e.Filterable, e.FieldType = &a.Name, &a.Filterable, &a.FieldType
			if a.RangeType != "" {
				e.RangeType = &a.RangeType
			}
			_, err = f.catalog.CreateAttribute(ctx, q, f.storeID, a.Kind, e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
