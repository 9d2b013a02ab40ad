package adminapi

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

func (api *API) operators(w http.ResponseWriter, r *httpapi.Request) error {
	page, dates := r.Page(), r.Dates()
	return r.Read(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		operators, err := api.access.Operators(ctx, tx)
		if err != nil {
			return err
		}
		writePage(out, page, operators, func(o access.Operator) Operator {
			return Operator{
				ID: openapi.ID(o.ID), Email: o.Email, Role: string(o.Role),
				CreatedAt: openapi.NewDate(o.CreatedAt, dates), UpdatedAt: openapi.NewDate(o.UpdatedAt, dates),
			}
		})
		return nil
	})
}
