package demo

import (
	"context"
	"maps"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/pricelist"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

// listPage is the page size for reading the existing data.
const listPage = 1000

// references has the store's categories and stocks by external id, and the first attribute of each name.
type references struct {
	categories map[string]catalog.CategoryID
	stocks     map[string]catalog.StockID
	features   map[string]*storedAttribute
	options    map[string]*storedAttribute
	lists      priceLists
	wholesale  pricelist.GroupID // zero without price lists
}

type storedAttribute struct {
	catalog.Attribute
	values map[string]catalog.ValueID
}

// ensureReferences creates the missing categories, stocks, features and options, and returns all of them. Unless stores
// is nil, it creates the missing price lists and the customer group, too.
func (f *demoFiller) ensureReferences(ctx context.Context, stores *store.Service) (refs *references, err error) {
	err = f.db.WriteAlone(ctx, func(q database.Querier) error {
		tx := store.In(q, f.storeID)
		if refs, err = f.readReferences(ctx, tx); err != nil {
			return err
		}
		if err := f.addCategories(ctx, tx, refs); err != nil {
			return err
		}
		if err := f.addStocks(ctx, tx, refs); err != nil {
			return err
		}

		if err := f.addAttributes(ctx, tx, f.generator.Features(), refs.features); err != nil {
			return err
		}
		if err := f.addAttributes(ctx, tx, f.generator.Options(), refs.options); err != nil {
			return err
		}

		if refs, err = f.readReferences(ctx, tx); err != nil || stores == nil {
			return err
		}
		return f.ensurePriceLists(ctx, tx, stores, refs)
	})

	return refs, err
}

func (f *demoFiller) readReferences(ctx context.Context, tx store.Tx) (*references, error) {
	refs := &references{
		categories: map[string]catalog.CategoryID{}, stocks: map[string]catalog.StockID{},
		features: map[string]*storedAttribute{}, options: map[string]*storedAttribute{},
	}
	categories, err := allPages(func(offset int64) ([]catalog.Category, int64, error) {
		return f.catalog.Categories.List(ctx, tx, catalog.CategoryFilter{}, listPage, offset)
	})
	for _, c := range categories {
		if c.ExternalID != nil {
			refs.categories[*c.ExternalID] = c.ID
		}
	}

	if err != nil {
		return nil, err
	}

	stocks, err := allPages(func(offset int64) ([]catalog.Stock, int64, error) {
		return f.catalog.Stocks.List(ctx, tx, "", listPage, offset)
	})
	for _, s := range stocks {
		if s.ExternalID != nil {
			refs.stocks[*s.ExternalID] = s.ID
		}
	}

	if err != nil {
		return nil, err
	}
	if err := f.readAttributes(ctx, tx, catalog.Feature, f.generator.Features(), refs.features); err != nil {
		return nil, err
	}

	return refs, f.readAttributes(ctx, tx, catalog.Option, f.generator.Options(), refs.options)
}

// allPages returns the elements of consecutive pages until a page is not full.
func allPages[T any](read func(offset int64) ([]T, int64, error)) (all []T, err error) {
	for {
		page, _, err := read(int64(len(all)))
		if all = append(all, page...); err != nil || len(page) < listPage {
			return all, err
		}
	}
}

func (f *demoFiller) readAttributes(
	ctx context.Context, tx store.Tx, kind catalog.Kind, wanted []Attribute, found map[string]*storedAttribute,
) error {
	list, err := allPages(func(offset int64) ([]catalog.Attribute, int64, error) {
		return f.catalog.Attributes.List(ctx, tx, kind, "", listPage, offset)
	})
	if err != nil {
		return err
	}

	byKey := map[int64]*storedAttribute{}
	for _, a := range list {
		if found[a.Name] == nil && slices.ContainsFunc(wanted, func(w Attribute) bool { return w.Name == a.Name }) {
			found[a.Name] = &storedAttribute{a, map[string]catalog.ValueID{}}
			byKey[a.Key] = found[a.Name]
		}
	}

	keys := slices.Sorted(maps.Keys(byKey))
	return f.catalog.Attributes.EachValueOf(ctx, tx, keys, func(key int64, v catalog.Value) error {
		if values := byKey[key].values; values[v.Name].IsZero() {
			values[v.Name] = v.ID
		}
		return nil
	})
}

// missingValues returns the values that the store does not have, by attribute name.
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

func (f *demoFiller) addCategories(ctx context.Context, tx store.Tx, refs *references) error {
	ids := make([]catalog.CategoryID, len(f.generator.Categories()))
	for i, c := range f.generator.Categories() {
		if ids[i] = refs.categories[c.ExternalID]; !ids[i].IsZero() {
			continue
		}

		e := catalog.CategoryEdit{Name: &c.Name, ExternalID: &c.ExternalID}
		if c.Parent >= 0 {
			e.ParentID = &ids[c.Parent]
		}

		created, err := f.catalog.Categories.Create(ctx, tx, e)
		if err != nil {
			return err
		}

		ids[i] = created.ID
	}

	return nil
}

func (f *demoFiller) addStocks(ctx context.Context, tx store.Tx, refs *references) error {
	for _, s := range f.generator.Stocks() {
		if !refs.stocks[s.ExternalID].IsZero() {
			continue
		}
		edit := catalog.StockEdit{Name: &s.Name, ExternalID: &s.ExternalID}
		if _, err := f.catalog.Stocks.Create(ctx, tx, edit); err != nil {
			return err
		}
	}
	return nil
}

func (f *demoFiller) addAttributes(
	ctx context.Context, tx store.Tx, wanted []Attribute, stored map[string]*storedAttribute,
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
			_, err = f.catalog.Attributes.Edit(ctx, tx, a.Kind, existing.ID, e, nil)
		} else {
			e.Name = &a.Name
			e.Filterable = &a.Filterable
			e.FieldType = &a.FieldType
			if a.RangeType != "" {
				e.RangeType = &a.RangeType
			}
			_, err = f.catalog.Attributes.Create(ctx, tx, a.Kind, e)
		}

		if err != nil {
			return err
		}
	}

	return nil
}

func (f *demoFiller) productEdit(refs *references, p Product) catalog.ProductEdit {
	categories := make([]catalog.CategoryID, len(p.Categories))
	for i, c := range p.Categories {
		categories[i] = refs.categories[f.generator.Categories()[c].ExternalID]
	}

	features := valueRefs(f.generator.Features(), refs.features, p.Features)
	variants := make([]catalog.VariantEdit, len(p.Variants))
	for i, v := range p.Variants {
		options := valueRefs(f.generator.Options(), refs.options, v.Options)
		remainders := make([]catalog.RemainderEdit, len(v.Remainders))
		for j, r := range v.Remainders {
			remainders[j] = catalog.RemainderEdit{
				Stock: refs.stocks[f.generator.Stocks()[r.Stock].ExternalID], Quantity: r.Quantity,
			}
		}

		variants[i] = catalog.VariantEdit{
			ExternalID: &v.ExternalID, Name: &v.Name, SKU: &v.SKU, Price: new(money.NewPrice(v.Price)),
			Options:    &options,
			Remainders: &remainders,
		}
		if v.Barcode != "" {
			variants[i].Barcodes = new(catalog.NewBarcodes(v.Barcode))
		}
	}

	e := catalog.ProductEdit{
		Name: &p.Name, Description: &p.Description, ExternalID: &p.ExternalID, Categories: &categories,
		Features: &features, Variants: &variants,
	}
	if p.Modifiers != "" {
		e.Modifiers = &p.Modifiers
	}

	return e
}

func valueRefs(list []Attribute, stored map[string]*storedAttribute, choices []Choice) []catalog.ValueRef {
	ids := make([]catalog.ValueRef, len(choices))
	for i, c := range choices {
		a := stored[list[c.Attribute].Name]
		ids[i] = catalog.ValueRef{Attribute: a.ID, Value: a.values[list[c.Attribute].Values[c.Value]]}
	}
	return ids
}
