package storeapi

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// variantHandlers has the handlers of single variants of a product.
type variantHandlers struct{ productHandlers }

func (h variantHandlers) list(w http.ResponseWriter, r *httpapi.Request) error {
	productID, err := h.pathID(r)
	if err != nil {
		return err
	}
	which, err := archivedParam(r)
	if err != nil {
		return err
	}
	d := h.render(r)
	return httpapi.RespondList(w, r,
		func(ctx context.Context, tx store.Tx, limit, offset int64) ([]catalog.Variant, int64, error) {
			p, err := h.catalog.Products.Find(ctx, tx, productID, visibility(r))
			if err != nil {
				return nil, 0, err
			}
			return h.catalog.Products.ListVariants(ctx, tx, p, which, limit, offset)
		}, d.appendVariant)
}

func (h variantHandlers) show(w http.ResponseWriter, r *httpapi.Request) error {
	productID, variantID, err := h.pathIDs(r)
	if err != nil {
		return err
	}
	if _, err := r.Extras(); err != nil {
		return err
	}
	return r.Read(w, true, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		return h.respond(ctx, tx, r, out, productID, variantID)
	})
}

func (h variantHandlers) create(w http.ResponseWriter, r *httpapi.Request) error {
	productID, err := h.pathID(r)
	if err != nil {
		return err
	}
	body, e, err := readBody(r, readVariant)
	if err != nil {
		return err
	}
	defer body.Close()
	return r.Write(w, body, e.Len() > maxGroupedEdit,
		func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
			variantID, err := h.catalog.Products.CreateVariant(ctx, tx, productID, e, r.IfMatch())
			if err != nil {
				return err
			}
			out.Status = http.StatusCreated
			out.Location = productsPath + "/" + productID.String() + "/variants/" + variantID.String()
			return h.respond(ctx, tx, r, out, productID, variantID)
		})
}

func (h variantHandlers) edit(w http.ResponseWriter, r *httpapi.Request) error {
	productID, variantID, err := h.pathIDs(r)
	if err != nil {
		return err
	}
	body, e, err := readBody(r, readVariant)
	if err != nil {
		return err
	}
	defer body.Close()
	return r.Write(w, body, e.Len() > maxGroupedEdit,
		func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
			if err := h.catalog.Products.EditVariant(ctx, tx, productID, variantID, e, r.IfMatch()); err != nil {
				return err
			}
			return h.respond(ctx, tx, r, out, productID, variantID)
		})
}

func (h variantHandlers) delete(w http.ResponseWriter, r *httpapi.Request) error {
	productID, variantID, err := h.pathIDs(r)
	if err != nil {
		return err
	}
	if _, err := r.Extras(); err != nil {
		return err
	}
	return r.Write(w, r.NoBody(), false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		out.Status = http.StatusNoContent
		return h.catalog.Products.DeleteVariant(ctx, tx, productID, variantID, r.IfMatch())
	})
}

// archive and restore remove a variant from the storefront and put it back.
func (h variantHandlers) archive(w http.ResponseWriter, r *httpapi.Request) error {
	return h.setArchived(w, r, h.catalog.Products.ArchiveVariant)
}

func (h variantHandlers) restore(w http.ResponseWriter, r *httpapi.Request) error {
	return h.setArchived(w, r, h.catalog.Products.RestoreVariant)
}

func (h variantHandlers) setArchived(
	w http.ResponseWriter, r *httpapi.Request,
	apply func(context.Context, store.Tx, catalog.ProductID, catalog.VariantID, fault.Precondition) error,
) error {
	productID, variantID, err := h.pathIDs(r)
	if err != nil {
		return err
	}
	if _, err := r.Extras(); err != nil {
		return err
	}
	body, err := readOptionalBody(r)
	if err != nil {
		return err
	}
	defer body.Close()
	return r.Write(w, body, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		if err := apply(ctx, tx, productID, variantID, r.IfMatch()); err != nil {
			return err
		}
		return h.respond(ctx, tx, r, out, productID, variantID)
	})
}

// pathIDs reads both ids of the path. The product id comes first, so that an invalid one is reported as an unknown
// product.
func (h variantHandlers) pathIDs(r *httpapi.Request) (catalog.ProductID, catalog.VariantID, error) {
	productID, err := h.pathID(r)
	if err != nil {
		return productID, catalog.VariantID{}, err
	}
	variantID, err := httpapi.PathID[catalog.Variant](r, "variant_id", "variant")
	return productID, variantID, err
}

// render returns a renderer for the routes of variants, which show the member archived_at.
func (h variantHandlers) render(r *httpapi.Request) *productRenderer {
	return &productRenderer{dates: r.Dates(), archived: true}
}

// respond writes one variant with the ETag of its product to the response.
func (h variantHandlers) respond(
	ctx context.Context, tx store.Tx, r *httpapi.Request, out *httpapi.Response, productID catalog.ProductID,
	variantID catalog.VariantID,
) error {
	v, version, err := h.catalog.Products.FindVariant(ctx, tx, productID, variantID, visibility(r))
	if err != nil {
		return err
	}
	out.ETag = httpapi.ETag(version)
	out.BeginData()
	out.B = h.render(r).appendVariant(out.B, &v)
	out.EndEnvelope()
	return nil
}
