package adminapi

import (
	"context"
	"net/http"
	"slices"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/schema"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

// me responds with a description of the caller: the key or the operator, the store, and the scopes.
func (api *API) me(w http.ResponseWriter, r *httpapi.Request) error {
	return r.Read(w, false, func(_ context.Context, _ store.Tx, out *httpapi.Response) error {
		p := r.Principal
		answer := Me{
			Kind: string(p.Kind), Store: StoreRef{ID: schema.ID(p.Store.ID), Name: p.Store.Name},
			Scopes: slices.DeleteFunc(access.APIScopes(), func(s access.Scope) bool { return !p.May(s) }),
		}
		if !p.CredentialID.IsZero() {
			answer.KeyID = schema.NotNull(schema.ID(p.CredentialID))
		}
		if o := p.Operator; o != nil {
			answer.Operator = schema.NotNull(OperatorRef{ID: schema.ID(o.ID), Email: o.Email, Role: string(o.Role)})
		}
		out.WriteData(answer)
		return nil
	})
}
