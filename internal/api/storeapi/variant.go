package storeapi

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/productapi"
	"vitrine/internal/api/storeapi/productcache"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/change"
	"vitrine/internal/shop/store"
)

// variantHandlers has the handlers of the variants of a product.
type variantHandlers struct {
	products  *catalog.Products
	publicURL string // with which URLs of image files begin
}

func (h variantHandlers) list(w http.ResponseWriter, r *httpapi.Request) error {
	productID := productPathID(r)
	which := productapi.ReadArchived(r)
	w.Header().Set("Cache-Tag", change.ProductTag+productID.String())
	render := productcache.NewVariantRenderer(r, readExtras(r, spec.VariantExtras()...), h.publicURL)

	return httpapi.RespondList(w, r,
		func(ctx context.Context, tx store.Tx, limit, offset int64) ([]catalog.Variant, int64, error) {
			p, err := h.products.Find(ctx, tx, productID, archivedByScope(r))
			if err != nil {
				return nil, 0, err
			}
			list, total, err := h.products.ListVariants(ctx, tx, p, which, limit, offset)
			if err != nil {
				return nil, 0, err
			}
			return list, total, render.ReadPrices(ctx, tx, list...)
		}, render.Append, spec.VariantExtras()...)
}

func (h variantHandlers) show(w http.ResponseWriter, r *httpapi.Request) error {
	productID := productPathID(r)
	variantID := variantPathID(r)
	readExtras(r, spec.VariantExtras()...)
	return r.ReadCatalog(w, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		out.CacheTag = change.ProductTag + productID.String()
		return h.respond(ctx, tx, r, out, productID, variantID, nil)
	})
}

func (h variantHandlers) create(w http.ResponseWriter, r *httpapi.Request) error {
	productID := productPathID(r)
	e := readBody(r, productapi.ReadVariant)
	return r.Write(w, e.Len() > maxGroupedEdit, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		variantID, err := h.products.CreateVariant(ctx, tx, productID, e, r.IfMatch())
		out.Created(productsPath + "/" + productID.String() + "/variants/" + variantID.String())
		return h.respond(ctx, tx, r, out, productID, variantID, err)
	})
}

func (h variantHandlers) edit(w http.ResponseWriter, r *httpapi.Request) error {
	productID := productPathID(r)
	variantID := variantPathID(r)
	e := readBody(r, productapi.ReadVariant)
	return r.Write(w, e.Len() > maxGroupedEdit, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		err := h.products.EditVariant(ctx, tx, productID, variantID, e, r.IfMatch())
		return h.respond(ctx, tx, r, out, productID, variantID, err)
	})
}

func (h variantHandlers) delete(w http.ResponseWriter, r *httpapi.Request) error {
	productID := productPathID(r)
	variantID := variantPathID(r)
	r.Query.Extras()
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		out.Status = http.StatusNoContent
		return h.products.DeleteVariant(ctx, tx, productID, variantID, r.IfMatch())
	})
}

// archive removes a variant from the storefront; restore puts it back.
func (h variantHandlers) archive(w http.ResponseWriter, r *httpapi.Request) error {
	return h.setArchived(w, r, h.products.ArchiveVariant)
}

func (h variantHandlers) restore(w http.ResponseWriter, r *httpapi.Request) error {
	return h.setArchived(w, r, h.products.RestoreVariant)
}

func (h variantHandlers) setArchived(
	w http.ResponseWriter, r *httpapi.Request,
	apply func(context.Context, store.Tx, catalog.ProductID, catalog.VariantID, fault.Precondition) error,
) error {
	productID := productPathID(r)
	variantID := variantPathID(r)
	readOptionalBody(r)
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		err := apply(ctx, tx, productID, variantID, r.IfMatch())
		return h.respond(ctx, tx, r, out, productID, variantID, err)
	})
}

func variantPathID(r *httpapi.Request) catalog.VariantID {
	return httpapi.PathID[catalog.Variant](r, "variant_id", "variant")
}

// respond reads one variant and writes it with the ETag of its product. If failure, the error of the use case, is not
// nil, it only returns failure.
func (h variantHandlers) respond(
	ctx context.Context, tx store.Tx, r *httpapi.Request, out *httpapi.Response, productID catalog.ProductID,
	variantID catalog.VariantID, failure error,
) error {
	if failure != nil {
		return failure
	}
	v, version, err := h.products.FindVariant(ctx, tx, productID, variantID, archivedByScope(r))
	if err != nil {
		return err
	}

	render := productcache.NewVariantRenderer(r, r.Query.Extras(spec.VariantExtras()...), h.publicURL)
	if err := render.ReadPrices(ctx, tx, v); err != nil {
		return err
	}

	out.ETag = render.ETag(r, version)
	out.BeginData()
	out.B = render.Append(out.B, &v)
	out.EndEnvelope()
	return nil
}
