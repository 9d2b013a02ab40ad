package productcache

import (
	"testing"

	"pgregory.net/rapid"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/memory"
	"vitrine/internal/kit/schema"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/search"
	"vitrine/internal/testkit/catalogtest"
)

func TestRenderFacets_matchesMarshalledSpec(t *testing.T) {
	language, err := locale.Parse("ru")
	if err != nil {
		t.Fatal(err)
	}

	rapid.Check(t, func(t *rapid.T) {
		values := func(t *rapid.T) search.ValueCount {
			return search.ValueCount{ID: catalogtest.DrawID[catalog.Value](t), Name: catalogtest.DrawText(t),
				Count: rapid.Int64().Draw(t, "count")}
		}
		facet := func(t *rapid.T) search.Facet {
			return search.Facet{ID: catalogtest.DrawID[catalog.Attribute](t), Name: catalogtest.DrawText(t),
				Values:    catalogtest.DrawList(t, values),
				FieldType: rapid.SampledFrom([]catalog.FieldType{catalog.Select, catalog.Range}).Draw(t, "type"),
				Range: catalogtest.DrawOptional(t, func(t *rapid.T) search.Span[float64] {
					return search.Span[float64]{Min: rapid.Float64Range(-1e6, 1e6).Draw(t, "min"), Max: 1e21}
				})}
		}

		f := search.Facets{Features: catalogtest.DrawList(t, facet), Options: catalogtest.DrawList(t, facet),
			Categories: catalogtest.DrawList(t, func(t *rapid.T) search.CategoryCount {
				return search.CategoryCount{ID: catalogtest.DrawID[catalog.Category](t),
					Name: catalogtest.DrawText(t), Count: 7}
			}),
			Price: catalogtest.DrawOptional(t, func(t *rapid.T) search.Span[money.Money] {
				return search.Span[money.Money]{Min: catalogtest.DrawMoney(t), Max: catalogtest.DrawMoney(t)}
			}),
		}

		catalogtest.CheckJSON(t, string(renderFacets(&f, language)), *facetsShape(&f, language))
	})
}

func TestPutFacets_countsTheMemoryThatItKeeps(t *testing.T) {
	c := newProductTier(memory.NewShare("products", "products", 1<<20))
	r := &httpapi.Request{}
	query := search.Query{Text: "word"}
	c.putFacets(r, query, search.State{}, renderFacets(&search.Facets{}, locale.Locale{}))
	kept, ok := c.facetsOf(r, query, search.State{})
	if !ok || cap(kept) > 2*len(kept) || c.facets.Size() < cap(kept)+len(query.FilterText()) {
		t.Errorf("facets of %d bytes keep %d bytes, %v, and %d are counted", len(kept), cap(kept), ok, c.facets.Size())
	}
}

func facetsShape(f *search.Facets, language locale.Locale) *spec.Facets {
	shape := &spec.Facets{}
	for i := range f.Features {
		one := &f.Features[i]
		feature := spec.FeatureFacet{
			ID: schema.ID(one.ID), Name: one.Name, Values: facetValuesShape(one),
			FieldType: spec.FieldType{ID: string(one.FieldType),
				Name: language.Label("field_type." + string(one.FieldType))},
		}
		if one.Range != nil {
			feature.Range = schema.NotNull(spec.FeatureRange{Min: schema.NewDecimal(one.Range.Min),
				Max: schema.NewDecimal(one.Range.Max)})
		}

		shape.Features = append(shape.Features, feature)
	}

	for i := range f.Options {
		one := &f.Options[i]
		shape.Options = append(shape.Options,
			spec.OptionFacet{ID: schema.ID(one.ID), Name: one.Name, Values: facetValuesShape(one)})
	}

	for _, c := range f.Categories {
		shape.Categories = append(shape.Categories,
			spec.CategoryFacet{ID: schema.ID(c.ID), Name: c.Name, Slug: schema.Nullable[string]{},
				Count: c.Count})
	}

	if f.Price != nil {
		shape.Price = schema.NotNull(spec.PriceRange{Min: schema.Money(f.Price.Min), Max: schema.Money(f.Price.Max)})
	}

	return shape
}

func facetValuesShape(f *search.Facet) []spec.FacetValue {
	values := make([]spec.FacetValue, len(f.Values))
	for i, v := range f.Values {
		values[i] = spec.FacetValue{ID: schema.ID(v.ID), Name: v.Name, Count: v.Count}
	}
	return values
}
