package storeapi

import (
	"context"
	"errors"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/productapi"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/store"
)

// productsPath is the path of the collection of products.
const productsPath = "/v2/products"

type productHandlers struct{ *API }

func (h productHandlers) show(w http.ResponseWriter, r *httpapi.Request) error {
	productID := h.pathID(r)
	r.Extras(spec.ProductExtras()...)
	if err := r.Err(); err != nil {
		return err
	}
	if err := h.showFromMemory(w, r, productID); !errors.Is(err, errNotInMemory) {
		return err
	}
	return r.ReadCatalog(w, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		current, err := h.search.Versions(ctx, tx)
		if err != nil {
			return err
		}
		p, err := h.catalog.Products.Find(ctx, tx, productID, archivedByScope(r))
		if err != nil {
			return err
		}
		read := h.newReader(r, allParts)
		if err := read.useCache(ctx, tx, current); err != nil {
			return err
		}
		return read.respond(ctx, tx, out, p)
	})
}

func (h productHandlers) create(w http.ResponseWriter, r *httpapi.Request) error {
	e := readBody(r, productapi.ReadProduct, spec.ProductExtras()...)
	return r.Write(w, e.Len() > maxGroupedEdit, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		p, err := h.catalog.Products.Create(ctx, tx, e)
		out.Created(productsPath + "/" + p.ID.String())
		return h.respond(ctx, tx, r, out, p, err)
	})
}

func (h productHandlers) edit(w http.ResponseWriter, r *httpapi.Request) error {
	productID := h.pathID(r)
	e := readBody(r, productapi.ReadProduct, spec.ProductExtras()...)
	return r.Write(w, e.Len() > maxGroupedEdit, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		p, err := h.catalog.Products.Edit(ctx, tx, productID, e, r.IfMatch())
		return h.respond(ctx, tx, r, out, p, err, editedMembers(e)...)
	})
}

// archive removes a product from the storefront; restore puts it back.
func (h productHandlers) archive(w http.ResponseWriter, r *httpapi.Request) error {
	return h.setArchived(w, r, h.catalog.Products.Archive)
}

func (h productHandlers) restore(w http.ResponseWriter, r *httpapi.Request) error {
	return h.setArchived(w, r, h.catalog.Products.Restore)
}

func (h productHandlers) setArchived(
	w http.ResponseWriter, r *httpapi.Request,
	apply func(context.Context, store.Tx, catalog.ProductID, fault.Precondition) (catalog.Product, error),
) error {
	productID := h.pathID(r)
	readOptionalBody(r, spec.ProductExtras()...)
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		p, err := apply(ctx, tx, productID, r.IfMatch())
		return h.respond(ctx, tx, r, out, p, err)
	})
}

func (h productHandlers) delete(w http.ResponseWriter, r *httpapi.Request) error {
	productID := h.pathID(r)
	r.Extras()
	err := r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		p, err := h.catalog.Products.Find(ctx, tx, productID, catalog.AnyArchived)
		if err != nil {
			return err
		}
		r.Describe(p.Name)
		out.Status = http.StatusNoContent
		return h.catalog.Products.Delete(ctx, tx, productID, r.IfMatch())
	})
	if err == nil && h.images != nil {
		h.images.Wake()
	}
	return err
}

// editedMembers returns what an edit sets, for the log. Of long members it has no values.
func editedMembers(e catalog.ProductEdit) (list []audit.Change) {
	if e.Name != nil {
		list = append(list, audit.Change{Field: "name", To: *e.Name})
	}
	for _, member := range []struct {
		name string
		set  bool
	}{
		{"description", e.Description != nil}, {"external_id", e.ExternalID != nil}, {"categories", e.Categories != nil},
		{"features", e.Features != nil}, {"images", e.Images != nil}, {"modifiers", e.Modifiers != nil},
		{"variants", e.Variants != nil}, {"locks", e.Locks != nil},
	} {
		if member.set {
			list = append(list, audit.Change{Field: member.name})
		}
	}
	return list
}

// archivedByScope returns whether the principal can read archived products and variants by id, which needs the scope
// access.CatalogWrite.
func archivedByScope(r *httpapi.Request) catalog.Archived {
	if r.Principal.May(access.CatalogWrite) {
		return catalog.AnyArchived
	}
	return catalog.Live
}

func (h productHandlers) pathID(r *httpapi.Request) catalog.ProductID {
	return httpapi.PathID[catalog.Product](r, "id", "product")
}

// allParts are the parts that the response of a single product has.
var allParts = view.Parts{Categories: true, Features: true, Images: true, Modifiers: true, Variants: true}

// respond writes one product with all extras and its ETag, as the transaction has it. The argument failure is the error
// of the use case: if it is not nil, respond returns it and writes nothing.
func (h productHandlers) respond(
	ctx context.Context, tx store.Tx, r *httpapi.Request, out *httpapi.Response, p catalog.Product, failure error,
	changes ...audit.Change,
) error {
	if failure != nil {
		return failure
	}
	r.Describe(p.Name, changes...)
	return h.newReader(r, allParts).respond(ctx, tx, out, p)
}

// respond writes one product with its ETag.
func (d *productReader) respond(ctx context.Context, tx store.Tx, out *httpapi.Response, p catalog.Product) error {
	out.ETag = httpapi.ETag(p.Version)
	out.BeginData()
	if err := d.writeList(ctx, tx, out, []int64{p.Key}); err != nil {
		return err
	}
	out.EndEnvelope()
	return nil
}
