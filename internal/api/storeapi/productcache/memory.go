package productcache

import (
	"context"
	"errors"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/trace"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/search"
	"vitrine/internal/shop/store"
)

// errNotInMemory reports that a response needs the database.
var errNotInMemory = errors.New("not in memory")

// versions returns the versions of the store's catalogue after the request has arrived. If they show that the database
// has lost changes, the memory of the store is dropped.
func (c *Cache) versions(r *httpapi.Request) (v search.Versions, err error) {
	if r.Principal.Versions != nil {
		v = search.VersionsOf(*r.Principal.Versions)
	} else {
		r.ReadTx(func(ctx context.Context, tx store.Tx) error {
			v, err = c.search.Versions(ctx, tx)
			return err
		})
	}

	if r.Err() != nil {
		return v, r.Err()
	}

	storeID := r.Principal.Store.ID
	if c.products.of(storeID).noticeLoss(v.State, r.Received) {
		c.search.DropLost(r.Context(), storeID, v.State)
	}

	return v, nil
}

// listResult is the result of a search, for one state of the catalogue. facets is JSON, or empty.
type listResult struct {
	search.Result
	facets []byte
	state  search.State
}

// findFunc finds the products of a list on a snapshot. current are the versions of that snapshot.
type findFunc func(ctx context.Context, tx store.Tx, current search.Versions) (listResult, error)

// orLookup returns a findFunc that returns the result of a search in memory, which may be nil. On a snapshot with
// another state it runs the lookup.
func (inMemory *listResult) orLookup(lookup search.Lookup, language locale.Locale) findFunc {
	return func(ctx context.Context, tx store.Tx, current search.Versions) (listResult, error) {
		if inMemory != nil && inMemory.state == current.State {
			return *inMemory, nil
		}
		found, err := lookup(ctx, tx, current)
		if err != nil {
			return listResult{}, err
		}
		return listResult{found, renderFacets(found.Facets, language), current.State}, nil
	}
}

// listFromMemory sends a list without the database: from the page tier, or else from the product tier. If neither has
// the list, it returns errNotInMemory. If only products or names are missing,
// it returns the result of the search, too.
func (c *Cache) listFromMemory(
	w http.ResponseWriter, r *httpapi.Request, list List,
) (result *listResult, err error) {
	if list.Query.Archived != catalog.Live || list.Parts.PriceLists {
		return nil, errNotInMemory
	}

	current, err := c.versions(r)
	if err != nil {
		return nil, err
	}

	err = r.Compute(w, func(out *httpapi.Response) error {
		if c.pages.respond(r, out, c.pageKey(r, list.Query, current.State), &list) {
			return nil
		}

		found, ok := c.findInMemory(r, list.Query, current.State)
		if !ok {
			return errNotInMemory
		}

		result = &found
		key := c.pageKey(r, list.Query, found.state)
		if found.state != current.State && c.pages.respond(r, out, key, &list) {
			return nil
		}

		cached := c.products.of(r.Principal.Store.ID)
		products, missing := cached.find(found.state, newPriceKey(PriceReader(r, false)), found.Keys, list.Parts)
		if missing > 0 {
			return errNotInMemory
		}

		render := c.newRenderer(r, list.Parts)
		render.beginList(list.Query, &found)
		out.BeginData()
		out.B = append(out.B, '[')
		if err := cached.write(out, render, found.state, products); err != nil {
			return err
		}

		out.B = append(out.B, ']')
		endList(out, list.Page, &found)
		out.CacheTag = string(render.tags.text)
		c.pages.put(out, key, render.dateSpans, found.Total)
		list.report(found.Total)

		return nil
	})

	return result, err
}

// findInMemory calls FindInMemory of package search with the cached facets of the query, if there are any. Products
// that are only asked for by their ids are found in the product cache.
func (c *Cache) findInMemory(
	r *httpapi.Request, query search.Query, atLeast search.State,
) (found listResult, ok bool) {
	interval := trace.Current(r.Context()).StartInterval()
	defer func() { interval.End(search.InMemory) }()

	storeID := r.Principal.Store.ID
	if query.OnlyIDs() {
		found.Result, ok = c.products.of(storeID).findIDs(atLeast, newPriceKey(PriceReader(r, false)), query)
		found.state = atLeast
		return found, ok
	}

	if query.WithFacets {
		if found.facets, ok = c.products.facetsOf(r, query, atLeast); ok {
			query.WithFacets = false
			found.Result, found.state, ok = c.search.FindInMemory(storeID, query, atLeast)
			if !ok || found.state == atLeast {
				return found, ok
			}
			query.WithFacets = true // the columns are newer than the facets
		}
	}

	found.Result, found.state, ok = c.search.FindInMemory(storeID, query, atLeast)
	if ok && query.WithFacets {
		found.facets = renderFacets(found.Facets, r.Principal.Store.Language())
		c.products.putFacets(r, query, found.state, found.facets)
	}

	return found, ok
}

// showFromMemory sends one product without the database, or returns errNotInMemory.
func (c *Cache) showFromMemory(
	w http.ResponseWriter, r *httpapi.Request, one address, parts view.Parts,
) error {
	if parts.PriceLists {
		return errNotInMemory
	}
	current, err := c.versions(r)
	if err != nil {
		return err
	}

	return r.Compute(w, func(out *httpapi.Response) error {
		cached := c.products.of(r.Principal.Store.ID)
		p := one.findIn(cached, current.State, newPriceKey(PriceReader(r, false)), parts)
		if p == nil || p.archivedAt != nil {
			return errNotInMemory
		}

		out.ETag = etagOf(r, p.version, parts)
		out.BeginData()

		render := c.newRenderer(r, parts)
		one.renderAs(render, p.slug)
		if err := cached.write(out, render, current.State, []*productParts{p}); err != nil {
			return err
		}

		out.CacheTag = string(render.tags.text)
		out.EndEnvelope()
		return nil
	})
}

// write writes products with the shared names. It returns errNotInMemory if the names have another state, or if one is
// missing.
func (s *storeProducts) write(
	out *httpapi.Response, render *productRenderer, state search.State, list []*productParts,
) error {
	s.names.mu.RLock()
	defer s.names.mu.RUnlock()

	if !s.names.state.SameNames(state) {
		return errNotInMemory
	}

	render.names = s.names

	for i, p := range list {
		out.BeginItem(i)
		err := render.writeProduct(out, p)
		if errors.Is(err, errNoName) {
			return errNotInMemory
		}
		if err != nil {
			return err
		}
	}

	return nil
}
