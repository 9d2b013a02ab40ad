package demo

import "vitrine/internal/shop/catalog"

func (f *filler) productEdit(refs *references, p Product) catalog.ProductEdit {
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
			ExternalID: &v.ExternalID, Name: &v.Name, SKU: &v.SKU, Price: &v.Price, Options: &options,
			Remainders: &remainders,
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
