package adminapi

import (
	"context"
	"net/http"
	"slices"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/access"
)

// me answers with who is asking, for which store, and what they may do there.
func (api *API) me(w http.ResponseWriter, r *httpapi.Request) error {
	return r.Read(w, false, func(_ context.Context, _ database.Querier, out *httpapi.Answer) error {
		p := r.Principal
		out.Data()
		b := append(out.B, `{"kind":`...)
		b = wire.AppendString(b, string(p.Kind))
		b = append(b, `,"store":{"id":"`...)
		b = p.Store.ID.Append(b)
		b = append(b, `","name":`...)
		b = wire.AppendString(b, p.Store.Name)
		b = append(b, `},"scopes":`...)
		b = appendStrings(b, slices.DeleteFunc(access.APIScopes(), func(s access.Scope) bool { return !p.May(s) }))
		b = append(b, `,"key_id":`...)
		if p.CredentialID.IsZero() {
			b = append(b, "null"...)
		} else {
			b = wire.AppendString(b, p.CredentialID.String())
		}
		b = append(b, `,"operator":`...)
		if p.Operator == nil {
			b = append(b, "null"...)
		} else {
			b = append(appendOperator(b, *p.Operator), '}')
		}
		out.B = append(b, '}')
		out.End()
		return nil
	})
}
