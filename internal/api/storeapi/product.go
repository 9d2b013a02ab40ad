package storeapi

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// productsPath is the path of the collection.
const productsPath = "/v2/products"

// productHandlers has the handlers of products.
type productHandlers struct{ *API }

func (h productHandlers) show(w http.ResponseWriter, r *httpapi.Request) error {
	productID, err := h.pathID(r)
	if err != nil {
		return err
	}
	if _, err := productExtras(r); err != nil {
		return err
	}
	return r.Read(w, true, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		p, err := h.catalog.Products.Find(ctx, tx, productID, visibility(r))
		if err != nil {
			return err
		}
		return h.respond(ctx, tx, r, out, p)
	})
}

func (h productHandlers) create(w http.ResponseWriter, r *httpapi.Request) error {
	body, e, err := readBody(r, readProduct, spec.ProductExtras()...)
	if err != nil {
		return err
	}
	defer body.Close()
	return r.Write(w, body, e.Len() > maxGroupedEdit,
		func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
			p, err := h.catalog.Products.Create(ctx, tx, e)
			if err != nil {
				return err
			}
			out.Status = http.StatusCreated
			out.Location = productsPath + "/" + p.ID.String()
			return h.respond(ctx, tx, r, out, p)
		})
}

func (h productHandlers) edit(w http.ResponseWriter, r *httpapi.Request) error {
	productID, err := h.pathID(r)
	if err != nil {
		return err
	}
	body, e, err := readBody(r, readProduct, spec.ProductExtras()...)
	if err != nil {
		return err
	}
	defer body.Close()
	return r.Write(w, body, e.Len() > maxGroupedEdit,
		func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
			p, err := h.catalog.Products.Edit(ctx, tx, productID, e, r.IfMatch())
			if err != nil {
				return err
			}
			return h.respond(ctx, tx, r, out, p)
		})
}

// archive and restore remove a product from the storefront and put it back.
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
	productID, err := h.pathID(r)
	if err != nil {
		return err
	}
	if _, err := productExtras(r); err != nil {
		return err
	}
	body, err := readOptionalBody(r)
	if err != nil {
		return err
	}
	defer body.Close()
	return r.Write(w, body, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		p, err := apply(ctx, tx, productID, r.IfMatch())
		if err != nil {
			return err
		}
		return h.respond(ctx, tx, r, out, p)
	})
}

func (h productHandlers) delete(w http.ResponseWriter, r *httpapi.Request) error {
	productID, err := h.pathID(r)
	if err != nil {
		return err
	}
	if _, err := r.Extras(); err != nil {
		return err
	}
	err = r.Write(w, r.NoBody(), false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		out.Status = http.StatusNoContent
		return h.catalog.Products.Delete(ctx, tx, productID, r.IfMatch())
	})
	if err == nil && h.images != nil {
		h.images.Wake()
	}
	return err
}

// productExtras validates the query parameter with. A single product always has all extras, so the result does not
// matter for one.
func productExtras(r *httpapi.Request) (httpapi.Extras, error) {
	return r.Extras(spec.ProductExtras()...)
}

// readOptionalBody reads the body of a request whose body carries no data: it may be empty or any JSON object.
func readOptionalBody(r *httpapi.Request) (*httpapi.Body, error) {
	if r.ContentLength == 0 {
		return r.NoBody(), nil
	}
	body, err := r.JSONBody(httpapi.BodyLimit)
	if err != nil {
		return nil, err
	}
	if body.Len() == 0 {
		return body, nil
	}
	if err := wire.NewReader(body.Reader()).Document(func(string) {}); err != nil {
		body.Close()
		return nil, err
	}
	return body, nil
}

// visibility returns which products and variants the principal can read by id. Archived ones need the scope
// access.CatalogWrite.
func visibility(r *httpapi.Request) catalog.Archived {
	if r.Principal.May(access.CatalogWrite) {
		return catalog.AnyArchived
	}
	return catalog.Live
}

// archivedParam reads the query parameter archived of a list.
func archivedParam(r *httpapi.Request) (catalog.Archived, error) {
	v, err := r.Param("archived")
	if err != nil || v == "" && !r.URL.Query().Has("archived") {
		return catalog.Live, err
	}
	which, known := map[string]catalog.Archived{"true": catalog.OnlyArchived, "any": catalog.AnyArchived}[v]
	switch {
	case !known:
		return which, httpapi.BadParam("archived",
			"may be true, for what is archived alone, or any, for both; leave it out for neither")
	case !r.Principal.May(access.CatalogWrite):
		return which, fault.New(fault.Denied, "forbidden",
			"Only a key with the scope %s sees what is archived; leave the query parameter archived out.",
			access.CatalogWrite)
	}
	return which, nil
}

func (h productHandlers) pathID(r *httpapi.Request) (catalog.ProductID, error) {
	return httpapi.PathID[catalog.Product](r, "id", "product")
}

// respond writes one product with all extras and its ETag to the response.
func (h productHandlers) respond(
	ctx context.Context, tx store.Tx, r *httpapi.Request, out *httpapi.Response, p catalog.Product,
) error {
	out.ETag = httpapi.ETag(p.Version)
	out.BeginData()
	all := httpapi.Extras{}
	for _, extra := range spec.ProductExtras() {
		all[extra] = true
	}
	if err := h.render(ctx, tx, r, all).writeOne(out, p); err != nil {
		return err
	}
	out.EndEnvelope()
	return nil
}
