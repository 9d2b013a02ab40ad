package storeapi

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/schema"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/address"
	"vitrine/internal/shop/store"
)

// redirectsPath is the path of the collection of redirects.
const redirectsPath = "/v2/redirects"

type redirectHandlers struct{ addresses *address.Service }

func (h redirectHandlers) list(w http.ResponseWriter, r *httpapi.Request) error {
	dates := r.Dates()
	return httpapi.RespondList(w, r, h.addresses.ListRedirects,
		httpapi.AsJSON(func(t *address.Redirect) spec.Redirect { return redirectOf(t, dates) }))
}

func (h redirectHandlers) create(w http.ResponseWriter, r *httpapi.Request) error {
	e := readBody(r, readRedirect)
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		created, err := h.addresses.CreateRedirect(ctx, tx, r.Principal.Store, e)
		if err != nil {
			return err
		}
		out.Created(redirectsPath + "/" + created.ID.String())
		out.WriteData(redirectOf(&created, r.Dates()))
		return nil
	})
}

func (h redirectHandlers) delete(w http.ResponseWriter, r *httpapi.Request) error {
	redirectID := httpapi.PathID[address.Redirect](r, "id", "redirect")
	r.Query.Extras()
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		out.Status = http.StatusNoContent
		return h.addresses.DeleteRedirect(ctx, tx, redirectID)
	})
}

func readRedirect(r *wire.Reader) (e address.RedirectEdit) {
	r.Object(func(name string) {
		switch name {
		case "from":
			e.From, _ = r.String()
		case "to":
			e.To, _ = r.String()
		}
	})
	return e
}

func redirectOf(r *address.Redirect, dates *locale.Dates) spec.Redirect {
	return spec.Redirect{ID: schema.ID(r.ID), From: r.From, To: r.To, CreatedAt: schema.NewDate(r.CreatedAt, dates)}
}
