package storeapi

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/storeapi/productcache"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/kit/schema"
	"vitrine/internal/shop/address"
	"vitrine/internal/shop/change"
	"vitrine/internal/shop/store"
)

// movedPermanently is the member redirect of a path that is not the canonical one.
const movedPermanently = http.StatusMovedPermanently

// resolve responds with what a path of the store's site leads to.
func (api *API) resolve(w http.ResponseWriter, r *httpapi.Request) error {
	r.Query.Extras() // there are none
	sent, given := r.Query.Param("path")
	path, broken := address.ReadPath(sent)
	isTooLong := broken != nil && broken.Code == address.CodeTooLong
	if !given {
		r.Query.BadParam("path", "is missing; write the path of a page, such as path=/p/lamp")
	} else if broken != nil && !isTooLong {
		r.Query.BadParam("path", "is no path of a page; write one such as path=/p/lamp, percent-encoded")
	}
	if err := r.Err(); err != nil {
		return err
	}
	if isTooLong {
		return address.ErrLeadsToNothing() // as any other path that visitors make up
	}

	return api.products.Path(w, r, path, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		found, err := address.Resolve(ctx, tx, r.Principal.Store, path)
		if err != nil {
			return err
		}
		out.CacheTag = tagsOf(found)
		out.WriteData(resolutionOf(found))
		return nil
	})
}

// tagsOf returns the tags of a resolution: those of what it shows and, for a path that redirects, that of all lists:
// redirects of the store's own have no tags, and another thing may get a former address.
func tagsOf(found address.Resolution) string {
	var tags []string
	if found.IsRedirect {
		tags = append(tags, change.ListTag)
	}
	if found.Kind == address.ProductPath {
		tags = append(tags, change.ProductTag+found.ID.String())
	}
	for _, c := range slices.Backward(found.Crumbs) {
		tags = append(tags, change.CategoryTag+c.ID.String())
	}

	return strings.Join(tags[:min(len(tags), change.MaxTags)], ",")
}

func resolutionOf(found address.Resolution) spec.Resolution {
	answer := spec.Resolution{Type: string(found.Kind), ID: schema.ID(found.ID), Canonical: found.Canonical,
		Breadcrumbs: make([]spec.Breadcrumb, 0, len(found.Crumbs))}
	if found.IsRedirect {
		answer.Redirect = schema.NotNull[int64](movedPermanently)
	}
	for _, c := range found.Crumbs {
		answer.Breadcrumbs = append(answer.Breadcrumbs,
			spec.Breadcrumb{ID: schema.ID(c.ID), Name: c.Name, Slug: schema.NullIfZero(string(c.Slug))})
	}
	return answer
}

// navigation responds with the tree of categories.
func (api *API) navigation(w http.ResponseWriter, r *httpapi.Request) error {
	r.Query.Extras() // there are none
	depth := readDepth(r)
	if err := r.Err(); err != nil {
		return err
	}
	return api.products.Navigation(w, r, depth)
}

// readDepth reads the query parameter depth.
func readDepth(r *httpapi.Request) int {
	text, given := r.Query.Param("depth")
	if !given {
		return productcache.WholeTree
	}
	depth, err := strconv.Atoi(text)
	if err != nil || depth < 1 {
		r.Query.BadParam("depth", "must be a number of levels from 1 on; without it, the tree comes whole")
	}
	return depth
}
