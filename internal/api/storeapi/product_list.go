package storeapi

import (
	"context"
	"errors"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/productapi"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/search"
	"vitrine/internal/shop/store"
)

func (h productHandlers) list(w http.ResponseWriter, r *httpapi.Request) error {
	page, with := r.Page(), r.Extras(append(spec.ProductExtras(), "facets")...)
	query := productapi.ReadQuery(r)
	query.Archived = productapi.ReadArchived(r)
	if err := r.Err(); err != nil {
		return err
	}
	query.WithFacets, query.Limit, query.Offset = with["facets"], page.PerPage, page.Offset()
	request := productListRequest{page, query, with}
	inMemory, err := h.listFromMemory(w, r, request)
	if !errors.Is(err, errNotInMemory) {
		return err
	}

	admitSQL := func(ctx context.Context) (func(), error) { return r.Admit(ctx, httpapi.ClassHeavy) }
	return h.search.Find(r.Context(), query, admitSQL, func(lookup search.Lookup) error {
		find := inMemory.orLookup(lookup, r.Principal.Store.Language())
		return r.ReadCatalog(w, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
			return h.respondList(ctx, tx, r, out, request, find)
		})
	})
}

// productListRequest is the parsed query string of a request that lists products.
type productListRequest struct {
	page  httpapi.Page
	query search.Query
	with  httpapi.Extras
}

// respondList writes the list from the page cache. If the cache does not have the list, respondList renders the result
// of find.
func (h productHandlers) respondList(
	ctx context.Context, tx store.Tx, r *httpapi.Request, out *httpapi.Response, request productListRequest,
	find findFunc,
) error {
	current, err := h.search.Versions(ctx, tx)
	if err != nil {
		return err
	}
	key := h.pageKey(r, request.query, current.State)
	if h.respondCached(r, out, key) {
		return nil
	}

	found, err := find(ctx, tx, current)
	if err != nil {
		return err
	}
	read := h.newReader(r, partsOf(request.with))
	if request.query.Archived == catalog.Live {
		if err := read.useCache(ctx, tx, current); err != nil {
			return err
		}
	} else {
		read.which, read.render.archived = catalog.AnyArchived, true
	}

	out.BeginData()
	out.B = append(out.B, '[')
	if err := read.writeList(ctx, tx, out, found.Keys); err != nil {
		return err
	}
	out.B = append(out.B, ']')
	endList(out, request.page, found.Total, found.facets)

	if !found.Newer {
		h.productCache.putFacets(r, request.query, current.State, found.facets)
		h.cachePage(r, out, key, read.render.dateSpans)
	}
	return out.Spill()
}

// endList writes the member meta of a list, and the end of the response. The argument facets is JSON, or empty.
func endList(out *httpapi.Response, page httpapi.Page, total int64, facets []byte) {
	out.AppendPageMeta(page, total)
	if len(facets) > 0 {
		out.B = append(out.B[:len(out.B)-1], `,"facets":`...) // inside the braces of meta
		out.B = append(out.B, facets...)
		out.B = append(out.B, '}')
	}
	out.EndEnvelope()
}
