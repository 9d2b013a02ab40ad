package storeapi

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/productapi"
	"vitrine/internal/api/storeapi/productcache"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/searchlog"
	"vitrine/internal/shop/slug"
	"vitrine/internal/shop/store"
)

// productsPath is the path of the collection of products.
const productsPath = "/v2/products"

type productHandlers struct {
	products *catalog.Products
	images   *imagefile.Files // may be nil
	cache    *productcache.Cache
	searches *searchlog.Log
}

func (h productHandlers) show(w http.ResponseWriter, r *httpapi.Request) error {
	productID := productPathID(r)
	with := readExtras(r, spec.SingleProductExtras()...)
	if err := r.Err(); err != nil {
		return err
	}
	return h.cache.Show(w, r, productID, archivedByScope(r), with)
}

func (h productHandlers) showBySlug(w http.ResponseWriter, r *httpapi.Request) error {
	address := slugInPath(r, "product")
	with := readExtras(r, spec.SingleProductExtras()...)
	if err := r.Err(); err != nil {
		return err
	}
	return h.cache.ShowBySlug(w, r, address, archivedByScope(r), with)
}

// slugInPath returns the slug in the path. What cannot be a slug fails the request with fault.NotFound.
func slugInPath(r *httpapi.Request, noun string) slug.Slug {
	text, broken := slug.Check(r.PathValue("slug"))
	if broken != nil || text != r.PathValue("slug") {
		r.Fail(fault.Missing(noun))
	}
	return slug.Slug(text)
}

func (h productHandlers) create(w http.ResponseWriter, r *httpapi.Request) error {
	e := readBody(r, productapi.ReadProduct, spec.ProductExtras()...)
	return r.Write(w, e.Len() > maxGroupedEdit, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		p, err := h.products.Create(ctx, tx, e)
		out.Created(productsPath + "/" + p.ID.String())
		return h.respond(ctx, tx, r, out, p, err)
	})
}

func (h productHandlers) edit(w http.ResponseWriter, r *httpapi.Request) error {
	productID := productPathID(r)
	e := readBody(r, productapi.ReadProduct, spec.ProductExtras()...)
	return r.Write(w, e.Len() > maxGroupedEdit, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		p, err := h.products.Edit(ctx, tx, productID, e, r.IfMatch())
		return h.respond(ctx, tx, r, out, p, err)
	})
}

// archive removes a product from the storefront; restore puts it back.
func (h productHandlers) archive(w http.ResponseWriter, r *httpapi.Request) error {
	return h.setArchived(w, r, h.products.Archive)
}

func (h productHandlers) restore(w http.ResponseWriter, r *httpapi.Request) error {
	return h.setArchived(w, r, h.products.Restore)
}

func (h productHandlers) setArchived(
	w http.ResponseWriter, r *httpapi.Request,
	apply func(context.Context, store.Tx, catalog.ProductID, fault.Precondition) (catalog.Product, error),
) error {
	productID := productPathID(r)
	readOptionalBody(r, spec.ProductExtras()...)
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		p, err := apply(ctx, tx, productID, r.IfMatch())
		return h.respond(ctx, tx, r, out, p, err)
	})
}

func (h productHandlers) delete(w http.ResponseWriter, r *httpapi.Request) error {
	productID := productPathID(r)
	r.Query.Extras()
	err := r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		out.Status = http.StatusNoContent
		return h.products.Delete(ctx, tx, productID, r.IfMatch())
	})
	if err == nil && h.images != nil {
		h.images.Wake()
	}
	return err
}

// archivedByScope returns whether the principal can read archived products and variants by id, which needs the scope
// access.CatalogWrite.
func archivedByScope(r *httpapi.Request) catalog.Archived {
	if r.Principal.May(access.CatalogWrite) {
		return catalog.AnyArchived
	}
	return catalog.Live
}

func productPathID(r *httpapi.Request) catalog.ProductID {
	return httpapi.PathID[catalog.Product](r, "id", "product")
}

// respond writes one product with all extras and its ETag, as the transaction has it. The argument failure is the error
// of the use case: if it is not nil, respond returns it and writes nothing.
func (h productHandlers) respond(
	ctx context.Context, tx store.Tx, r *httpapi.Request, out *httpapi.Response, p catalog.Product, failure error,
) error {
	if failure != nil {
		return failure
	}
	return h.cache.Write(ctx, tx, r, out, p, r.Query.Extras(spec.ProductExtras()...))
}
