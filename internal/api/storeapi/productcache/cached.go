package productcache

import (
	"context"
	"errors"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/search"
	"vitrine/internal/shop/store"
)

// Cached responds from the page tier or, if it does not have the response, with what fn writes on a snapshot of the
// catalogue, and adds that to the tier. The response depends on nothing but the catalogue, the settings of the store
// and the key, which begins with the name of the resource. It has no dates.
func (c *Cache) Cached(
	w http.ResponseWriter, r *httpapi.Request, key string,
	fn func(ctx context.Context, tx store.Tx, out *httpapi.Response) error,
) error {
	if err := c.cachedFromMemory(w, r, key); !errors.Is(err, errNotInMemory) {
		return err
	}
	return c.cachedFromSnapshot(w, r, key, func(
		ctx context.Context, tx store.Tx, out *httpapi.Response, _ search.Versions,
	) (bool, error) {
		return true, fn(ctx, tx, out)
	})
}

// cachedFromMemory sends the response of a request from the page tier, or returns errNotInMemory.
func (c *Cache) cachedFromMemory(w http.ResponseWriter, r *httpapi.Request, key string) error {
	current, err := c.versions(r)
	if err != nil {
		return err
	}
	return r.Compute(w, func(out *httpapi.Response) error {
		if !c.pages.respond(r, out, c.requestKey(r, key, current.State), &List{}) {
			return errNotInMemory
		}
		return nil
	})
}

// cachedFromSnapshot sends what fn writes on a snapshot of the catalogue with the given versions, and adds it to the
// page tier if fn returns true.
func (c *Cache) cachedFromSnapshot(
	w http.ResponseWriter, r *httpapi.Request, key string,
	fn func(context.Context, store.Tx, *httpapi.Response, search.Versions) (bool, error),
) error {
	return r.ReadCatalog(w, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		current, err := c.search.Versions(ctx, tx)
		if err != nil {
			return err
		}
		keep, err := fn(ctx, tx, out, current)
		if err == nil && keep {
			c.pages.put(out, c.requestKey(r, key, current.State), nil, 0)
		}
		return err
	})
}

// requestKey returns the cache key of a response at a state of the catalogue, or the zero key if it is not cached. No
// query string of a list is equal to the text of the key, which has a space.
func (c *Cache) requestKey(r *httpapi.Request, key string, state search.State) pageKey {
	if len(key) > maxPageQueryBytes {
		return pageKey{}
	}
	shop := r.Principal.Store
	return pageKey{storeID: shop.ID, storeVersion: shop.Version, state: (&search.Query{}).FilterState(state),
		imageBaseURL: r.BaseURL(c.publicURL), query: key}
}
