package storeapi

import (
	"context"
	"net/http"

	"vitrine/internal/catalog"
	"vitrine/internal/database"
	"vitrine/internal/httpapi"
)

// productsPath is the path of the list.
const productsPath = "/v2/products"

// products are the handlers of products with their variants.
type products struct{ *API }

func (h products) list(w http.ResponseWriter, r *httpapi.Request) error {
	page, err := r.Page()
	if err != nil {
		return err
	}
	search, err := r.Search()
	if err != nil {
		return err
	}
	with, err := productExtras(r)
	if err != nil {
		return err
	}
	if err := r.Refuse("category", "price", "in_stock", "features", "options", "sort", "archived"); err != nil {
		return err
	}
	return r.Read(w, true, func(ctx context.Context, q database.Querier, out *httpapi.Answer) error {
		found, total, err := h.catalog.Products(ctx, q, r.Principal.Store.ID, search, page.PerPage, page.Offset())
		if err != nil {
			return err
		}
		out.Data()
		if err := h.render(ctx, q, r, with).list(out, found); err != nil {
			return err
		}
		out.Meta(page, total)
		out.End()
		return nil
	})
}

func (h products) one(w http.ResponseWriter, r *httpapi.Request) error {
	productID, err := h.pathID(r)
	if err != nil {
		return err
	}
	if _, err := productExtras(r); err != nil {
		return err
	}
	return r.Read(w, true, func(ctx context.Context, q database.Querier, out *httpapi.Answer) error {
		p, err := h.catalog.Product(ctx, q, r.Principal.Store.ID, productID)
		if err != nil {
			return err
		}
		return h.answer(ctx, q, r, out, p)
	})
}

func (h products) create(w http.ResponseWriter, r *httpapi.Request) error {
	body, e, err := h.readBody(r)
	if err != nil {
		return err
	}
	defer body.Close()
	return r.Write(w, body, e.Len() > longEdit, func(ctx context.Context, q database.Querier, out *httpapi.Answer) error {
		p, err := h.catalog.CreateProduct(ctx, q, r.Principal.Store.ID, e)
		if err != nil {
			return err
		}
		out.Status = http.StatusCreated
		out.Location = productsPath + "/" + p.ID.String()
		return h.answer(ctx, q, r, out, p)
	})
}

func (h products) edit(w http.ResponseWriter, r *httpapi.Request) error {
	productID, err := h.pathID(r)
	if err != nil {
		return err
	}
	body, e, err := h.readBody(r)
	if err != nil {
		return err
	}
	defer body.Close()
	return r.Write(w, body, e.Len() > longEdit, func(ctx context.Context, q database.Querier, out *httpapi.Answer) error {
		p, err := h.catalog.EditProduct(ctx, q, r.Principal.Store.ID, productID, e, r.IfMatch())
		if err != nil {
			return err
		}
		return h.answer(ctx, q, r, out, p)
	})
}

func (h products) delete(w http.ResponseWriter, r *httpapi.Request) error {
	productID, err := h.pathID(r)
	if err != nil {
		return err
	}
	if _, err := r.With(); err != nil {
		return err
	}
	return r.Write(w, r.NoBody(), false, func(ctx context.Context, q database.Querier, out *httpapi.Answer) error {
		out.Status = http.StatusNoContent
		return h.catalog.DeleteProduct(ctx, q, r.Principal.Store.ID, productID, r.IfMatch())
	})
}

// readBody reads the body of a write, and its extras, which must be known though a single product always comes with all of them.
func (h products) readBody(r *httpapi.Request) (*httpapi.Body, catalog.ProductEdit, error) {
	if _, err := productExtras(r); err != nil {
		return nil, catalog.ProductEdit{}, err
	}
	body, err := r.JSONBody(httpapi.BodyLimit)
	if err != nil {
		return nil, catalog.ProductEdit{}, err
	}
	e, err := readProduct(body.Reader())
	if err != nil {
		body.Close()
		return nil, catalog.ProductEdit{}, err
	}
	return body, e, nil
}

func productExtras(r *httpapi.Request) (httpapi.Extras, error) { return r.With("variants", "features") }

func (h products) pathID(r *httpapi.Request) (catalog.ProductID, error) {
	return httpapi.PathID[catalog.Product](r, "id", "product")
}

// answer renders one product, whole, with its ETag.
func (h products) answer(ctx context.Context, q database.Querier, r *httpapi.Request, out *httpapi.Answer, p catalog.Product) error {
	out.ETag = httpapi.ETag(p.Version)
	out.Data()
	if err := h.render(ctx, q, r, httpapi.Extras{"variants": true, "features": true}).one(out, p); err != nil {
		return err
	}
	out.End()
	return nil
}
