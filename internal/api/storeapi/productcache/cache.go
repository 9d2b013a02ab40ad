package productcache

import (
	"context"
	"errors"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/cache"
	"vitrine/internal/kit/memory"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/search"
	"vitrine/internal/shop/slug"
	"vitrine/internal/shop/store"
)

// Cache responds with products, from the first of its tiers that has them.
type Cache struct {
	search    *search.Service
	catalog   *catalog.Products
	publicURL string
	pages     pageTier
	products  *productTier
	heights   *cache.Cache[heightKey, int]
}

// Deps are the dependencies of the cache.
type Deps struct {
	Search   *search.Service
	Products *catalog.Products
	// PublicURL is the URL with which URLs of image files begin. If it is empty, they begin with the scheme and host of
	// the request.
	PublicURL string
	// PageMemory and ProductMemory are the memory for rendered lists and for rendered products. A tier with a nil share
	// is always empty.
	PageMemory, ProductMemory *memory.Share
}

// New returns a cache whose tiers are empty.
func New(deps Deps) *Cache {
	return &Cache{
		search: deps.Search, catalog: deps.Products, publicURL: deps.PublicURL,
		pages: newPageTier(deps.PageMemory), products: newProductTier(deps.ProductMemory),
		heights: newHeights(),
	}
}

// List is a request for a list of products.
type List struct {
	Page  httpapi.Page
	Query search.Query // for that page
	Parts view.Parts
	// Report is called with the total of the list, unless it is nil, when it is known. If a response is begun again, it
	// is called again.
	Report func(total int64)
}

func (l *List) report(total int64) {
	if l.Report != nil {
		l.Report(total)
	}
}

// List responds with a list of products.
func (c *Cache) List(w http.ResponseWriter, r *httpapi.Request, list List) error {
	inMemory, err := c.listFromMemory(w, r, list) // the tiers page and product
	if !errors.Is(err, errNotInMemory) {
		return err
	}

	admitSQL := func(ctx context.Context) (func(), error) { return r.Work.Admit(ctx, httpapi.ClassHeavy) }
	return c.search.Find(r.Context(), list.Query, admitSQL, func(lookup search.Lookup) error { // the other two tiers
		find := inMemory.orLookup(lookup, r.Principal.Store.Language())
		return r.ReadCatalog(w, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
			return c.listFromSnapshot(ctx, tx, r, out, list, find)
		})
	})
}

// Show responds with one product, or with fault.NotFound. The argument archived says whether the product may be
// archived, and with which prices its variants have: prices, price_lists.
func (c *Cache) Show(
	w http.ResponseWriter, r *httpapi.Request, productID catalog.ProductID, archived catalog.Archived,
	with httpapi.Extras,
) error {
	return c.show(w, r, address{id: productID}, archived, with)
}

// ShowBySlug is like Show, for the product that has or had the slug. The response has the member canonical_slug.
func (c *Cache) ShowBySlug(
	w http.ResponseWriter, r *httpapi.Request, text slug.Slug, archived catalog.Archived, with httpapi.Extras,
) error {
	return c.show(w, r, address{slug: text}, archived, with)
}

// address names a product: by its id or, if slug is not empty, by one of its slugs.
type address struct {
	id   catalog.ProductID
	slug slug.Slug
}

// findIn returns the product if it is cached.
func (a address) findIn(
	cached *storeProducts, state search.State, prices priceKey, parts view.Parts,
) *productParts {
	if a.slug != "" {
		return cached.findBySlug(state, prices, a.slug, parts)
	}
	return cached.findByID(state, prices, a.id, parts)
}

// renderAs makes a renderer show a product with a present slug as the one at this address. A response at a former slug
// has the tag of lists, too, since another product may get the slug.
func (a address) renderAs(render *productRenderer, present slug.Slug) {
	render.canonical = a.slug != ""
	if a.slug != "" && a.slug != present {
		render.tags = listTags()
	}
}

// findID returns the id of the product, or fault.NotFound.
func (a address) findID(ctx context.Context, tx store.Tx) (catalog.ProductID, error) {
	if a.slug == "" {
		return a.id, nil
	}
	owner, err := slug.Find(ctx, tx, slug.Product, a.slug)
	return catalog.ProductID(owner.ID), err
}

func (c *Cache) show(
	w http.ResponseWriter, r *httpapi.Request, one address, archived catalog.Archived, with httpapi.Extras,
) error {
	parts := partsOfOne(with)
	if !with["jsonld"] {
		if err := c.showFromMemory(w, r, one, parts); !errors.Is(err, errNotInMemory) {
			return err
		}
	}
	return r.ReadCatalog(w, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		current, err := c.search.Versions(ctx, tx)
		if err != nil {
			return err
		}
		productID, err := one.findID(ctx, tx)
		if err != nil {
			return err
		}
		p, err := c.catalog.Find(ctx, tx, productID, archived)
		if err != nil {
			return err
		}

		read := c.newReader(r, parts)
		one.renderAs(read.render, p.Slug)
		if !parts.PriceLists {
			if err := read.useCache(ctx, tx, c, current); err != nil {
				return err
			}
		}

		if with["jsonld"] {
			if read.render.jsonLD, err = c.jsonLD(ctx, tx, r, p); err != nil {
				return err
			}
		}
		return read.respond(ctx, tx, out, p)
	})
}

// Write writes one product with its ETag, as the transaction has it. It does not use the tiers. The argument with
// is that of Show.
func (c *Cache) Write(
	ctx context.Context, tx store.Tx, r *httpapi.Request, out *httpapi.Response, p catalog.Product, with httpapi.Extras,
) error {
	return c.newReader(r, partsOfOne(with)).respond(ctx, tx, out, p)
}
