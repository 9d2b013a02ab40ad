package exchangeapi

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/exchange"
)

// report reads what there is to say of a run.
func (api *API) report(ctx context.Context, r *httpapi.Request, run exchange.Run) (told exchange.Report, err error) {
	err = api.db.Snapshot(ctx, func(q database.Querier) (err error) {
		told, err = api.exchange.Report(ctx, q, r.Principal.Store.ID, run)
		return err
	})
	return told, err
}

// answer sends a run with what there is to say of it.
func (api *API) answer(w http.ResponseWriter, r *httpapi.Request, run exchange.Run) error {
	return r.Read(w, true, func(ctx context.Context, q database.Querier, out *httpapi.Answer) error {
		told, err := api.exchange.Report(ctx, q, r.Principal.Store.ID, run)
		if err != nil {
			return err
		}
		out.Data()
		out.B = appendReport(out.B, told, r.Dates())
		out.End()
		return nil
	})
}

func appendReport(b []byte, told exchange.Report, dates *locale.Dates) []byte {
	return append(told.AppendMembers(append(b, '{'), dates), '}')
}
