package productcache

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/search"
	"vitrine/internal/shop/store"
)

// Path responds with what a path of the site leads to: from the page tier or, if it does not have the response, with
// what fn writes on a snapshot of the catalogue, which is added to the tier. The response depends on nothing but the
// path, the catalogue, and the settings and redirects of the store. It has no dates.
func (c *Cache) Path(
	w http.ResponseWriter, r *httpapi.Request, path string,
	fn func(ctx context.Context, tx store.Tx, out *httpapi.Response) error,
) error {
	key := func(current search.Versions) string {
		return "path " + strconv.FormatInt(current.RedirectsStamp, 36) + " " + path
	}
	if err := c.cachedFromMemory(w, r, key); !errors.Is(err, errNotInMemory) {
		return err
	}
	return c.cachedFromSnapshot(w, r, func(
		ctx context.Context, tx store.Tx, out *httpapi.Response, current search.Versions,
	) (string, error) {
		return key(current), fn(ctx, tx, out)
	})
}

// cachedFromMemory sends the response of a request from the page tier, or returns errNotInMemory. The function key
// returns its key at the present state of the catalogue, which begins with the name of the resource, or "".
func (c *Cache) cachedFromMemory(
	w http.ResponseWriter, r *httpapi.Request, key func(current search.Versions) string,
) error {
	current, err := c.versions(r)
	if err != nil {
		return err
	}
	return r.Compute(w, func(out *httpapi.Response) error {
		if !c.pages.respond(r, out, c.requestKey(r, key(current), current.State), &List{}) {
			return errNotInMemory
		}
		return nil
	})
}

// cachedFromSnapshot sends what fn writes on a snapshot of the catalogue with the given versions, and adds it to the
// page tier with the key that fn returns, unless that is empty.
func (c *Cache) cachedFromSnapshot(
	w http.ResponseWriter, r *httpapi.Request,
	fn func(context.Context, store.Tx, *httpapi.Response, search.Versions) (key string, err error),
) error {
	return r.ReadCatalog(w, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		current, err := c.search.Versions(ctx, tx)
		if err != nil {
			return err
		}
		key, err := fn(ctx, tx, out, current)
		if err == nil {
			c.pages.put(out, c.requestKey(r, key, current.State), nil, 0)
		}
		return err
	})
}

// requestKey returns the cache key of a response at a state of the catalogue, or the zero key if it is not cached. No
// query string of a list is equal to the text of the key, which has a space.
func (c *Cache) requestKey(r *httpapi.Request, key string, state search.State) pageKey {
	if key == "" || len(key) > maxPageQueryBytes {
		return pageKey{}
	}
	shop := r.Principal.Store
	return pageKey{storeID: shop.ID, storeVersion: shop.Version, state: (&search.Query{}).FilterState(state),
		imageBaseURL: r.BaseURL(c.publicURL), query: key}
}
