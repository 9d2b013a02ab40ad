package storeapi

import (
	"context"
	"errors"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/schema"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/search"
	"vitrine/internal/shop/store"
)

func (h productHandlers) list(w http.ResponseWriter, r *httpapi.Request) error {
	page, with := r.Page(), r.Extras(append(spec.ProductExtras(), "facets")...)
	query := readProductQuery(r)
	query.Archived = archivedParam(r)
	if err := r.Err(); err != nil {
		return err
	}
	query.WithFacets, query.Limit, query.Offset = with["facets"], page.PerPage, page.Offset()
	admitSQL := func(ctx context.Context) (func(), error) { return r.Admit(ctx, httpapi.ClassHeavy) }
	for lookup, err := range h.search.Attempts(r.Context(), query, admitSQL) {
		if err != nil {
			return err
		}
		err = r.Read(w, true, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
			return h.respondList(ctx, tx, r, out, productListRequest{page, query, with}, lookup)
		})
		if !search.ShouldRetry(err) {
			return err
		}
	}
	return errors.New("list products: no search attempt succeeded")
}

// productListRequest is the parsed query string of a request that lists products.
type productListRequest struct {
	page  httpapi.Page
	query search.Query
	with  httpapi.Extras
}

// respondList writes the list from the page cache. If the cache does not have the list, respondList runs the lookup and
// renders the result. It caches the response if no part of it was spilled to a file, it has at most maxPageBytes bytes,
// and it shows the catalogue in the state that the cache key names.
func (h productHandlers) respondList(
	ctx context.Context, tx store.Tx, r *httpapi.Request, out *httpapi.Response, request productListRequest,
	lookup search.Lookup,
) error {
	current, err := h.search.Versions(ctx, tx)
	if err != nil {
		return err
	}
	key := h.cacheKey(r, request.query, current.State)
	if cached, ok := h.pageCache.Get(key); ok {
		cached.write(out, r.Dates())
		return nil
	}
	found, err := lookup(ctx, tx, current)
	if err != nil {
		return err
	}
	marks, err := h.renderList(ctx, tx, r, out, request, found)
	if err == nil && int64(len(out.B)) == out.Len() && len(out.B) <= maxPageBytes && key != (pageKey{}) &&
		!found.Newer {
		h.pageCache.Put(key, newCachedPage(out.B, marks))
	}
	return err
}

// cacheKey returns the cache key of a list at a state of the catalogue, or the zero key if the list is not cached.
func (h productHandlers) cacheKey(r *httpapi.Request, query search.Query, state search.State) pageKey {
	if query.Archived != catalog.Live || len(r.URL.RawQuery) > maxPageQueryBytes {
		return pageKey{}
	}
	shop := r.Principal.Store
	return pageKey{shop.ID, shop.Version, showsRemainders(r), state, h.imageBaseURL(r), r.URL.RawQuery}
}

// renderList renders a page of products and returns the spans of its dates.
func (h productHandlers) renderList(
	ctx context.Context, tx store.Tx, r *httpapi.Request, out *httpapi.Response, request productListRequest,
	found search.Result,
) ([]dateSpan, error) {
	list, err := h.catalog.Products.ByKeys(ctx, tx, found.Keys)
	if err != nil {
		return nil, err
	}
	render := h.newRenderer(ctx, tx, r, request.with)
	render.archived = request.query.Archived != catalog.Live
	out.BeginData()
	if err := render.writeList(out, list); err != nil {
		return nil, err
	}
	at := request.page.Meta(found.Total)
	meta := spec.ProductMeta{CurrentPage: at.CurrentPage, PerPage: at.PerPage, LastPage: at.LastPage, Total: at.Total}
	if found.Facets != nil {
		meta.Facets = facetsOf(found.Facets, r.Principal.Store.Language())
	}
	out.AppendMeta(meta)
	out.EndEnvelope()
	return render.dateSpans, out.Spill()
}

func facetsOf(f *search.Facets, language locale.Locale) *spec.Facets {
	shape := &spec.Facets{}
	for i := range f.Features {
		one := &f.Features[i]
		feature := spec.FeatureFacet{
			ID: schema.ID(one.ID), Name: one.Name, Values: facetValuesOf(one),
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
			spec.OptionFacet{ID: schema.ID(one.ID), Name: one.Name, Values: facetValuesOf(one)})
	}
	for _, c := range f.Categories {
		shape.Categories = append(shape.Categories,
			spec.CategoryFacet{ID: schema.ID(c.ID), Name: c.Name, Count: c.Count})
	}
	if f.Price != nil {
		shape.Price = schema.NotNull(spec.PriceRange{Min: schema.Money(f.Price.Min), Max: schema.Money(f.Price.Max)})
	}
	return shape
}

func facetValuesOf(f *search.Facet) []spec.FacetValue {
	values := make([]spec.FacetValue, len(f.Values))
	for i, v := range f.Values {
		values[i] = spec.FacetValue{ID: schema.ID(v.ID), Name: v.Name, Count: v.Count}
	}
	return values
}
