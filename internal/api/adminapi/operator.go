package adminapi

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/schema"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

func (api *API) operators(w http.ResponseWriter, r *httpapi.Request) error {
	dates := r.Dates()
	return respondShortList(w, r, api.access.Operators, func(o *access.Operator) Operator {
		return Operator{
			ID: schema.ID(o.ID), Email: o.Email, Role: string(o.Role),
			CreatedAt: schema.NewDate(o.CreatedAt, dates), UpdatedAt: schema.NewDate(o.UpdatedAt, dates),
		}
	})
}

// respondShortList responds with the requested page of a short list. The function read returns the whole list, and the
// function shape converts an element to the type from which its JSON is marshalled.
func respondShortList[T, Shape any](
	w http.ResponseWriter, r *httpapi.Request, read func(context.Context, store.Tx) ([]T, error), shape func(*T) Shape,
) error {
	page := r.Page()
	return r.Read(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		all, err := read(ctx, tx)
		if err != nil {
			return err
		}
		return httpapi.WritePage(out, page, all, httpapi.AsJSON(shape))
	})
}
