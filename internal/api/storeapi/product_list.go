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
	earlier, err := h.listFromMemory(w, r, request)
	if !errors.Is(err, errNotInMemory) {
		return err
	}
	admitSQL := func(ctx context.Context) (func(), error) { return r.Admit(ctx, httpapi.ClassHeavy) }
	for lookup, err := range h.search.Attempts(r.Context(), query, admitSQL) {
		if err != nil {
			return err
		}
		err = r.ReadCatalog(w, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
			return h.respondList(ctx, tx, r, out, request, earlier, lookup)
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

// respondList writes the list from the page cache. If the cache does not have the list, respondList renders the earlier
// result, or runs the lookup if there is none or the catalogue has changed since.
func (h productHandlers) respondList(
	ctx context.Context, tx store.Tx, r *httpapi.Request, out *httpapi.Response, request productListRequest,
	earlier *memoryResult, lookup search.Lookup,
) error {
	current, err := h.search.Versions(ctx, tx)
	if err != nil {
		return err
	}
	key := h.pageKey(r, request.query, current.State)
	if h.respondCached(r, out, key) {
		return nil
	}
	if earlier == nil || earlier.state != current.State {
		found, err := lookup(ctx, tx, current)
		if err != nil {
			return err
		}
		earlier = &memoryResult{found, renderFacets(found.Facets, r.Principal.Store.Language()), current.State}
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
	if err := read.writeList(ctx, tx, out, earlier.Keys); err != nil {
		return err
	}
	out.B = append(out.B, ']')
	endList(out, request.page, earlier.Total, earlier.facets)
	if !earlier.Newer {
		h.productCache.putFacets(r, request.query, current.State, earlier.facets)
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
