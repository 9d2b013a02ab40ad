package adminapi

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/access"
)

func (api *API) operators(w http.ResponseWriter, r *httpapi.Request) error {
	page, err := r.Page()
	if err != nil {
		return err
	}
	return r.Read(w, false, func(ctx context.Context, q database.Querier, out *httpapi.Answer) error {
		operators, err := api.access.Operators(ctx, q, r.Principal.Store.ID)
		if err != nil {
			return err
		}
		dates := r.Dates()
		answerPage(out, page, operators, func(b []byte, o access.Operator) []byte {
			b = appendOperator(b, o)
			b = append(b, `,"created_at":`...)
			b = dates.AppendJSON(b, o.CreatedAt)
			b = append(b, `,"updated_at":`...)
			b = dates.AppendJSON(b, o.UpdatedAt)
			return append(b, '}')
		})
		return nil
	})
}

// appendOperator writes an operator up to where the dates would stand.
func appendOperator(b []byte, o access.Operator) []byte {
	b = append(b, `{"id":"`...)
	b = o.ID.Append(b)
	b = append(b, `","email":`...)
	b = wire.AppendString(b, o.Email)
	b = append(b, `,"role":`...)
	return wire.AppendString(b, string(o.Role))
}
