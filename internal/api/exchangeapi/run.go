package exchangeapi

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/runapi"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/store"
)

// listRuns responds with the runs of the token, the newest first.
func (api *API) listRuns(w http.ResponseWriter, r *httpapi.Request) error {
	c, err := r.Cursor()
	if err != nil {
		return err
	}
	return r.Read(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		runs, next, err := api.exchange.Runs(ctx, tx, r.Principal.CredentialID, c.At, c.PerPage)
		if err != nil {
			return err
		}
		dates := r.Dates()
		out.BeginData()
		out.B = append(out.B, '[')
		for i := range runs {
			out.BeginItem(i)
			out.B = wire.AppendJSON(out.B, runapi.RunSummary{RunJSON: runs[i].JSON(dates)})
		}
		out.B = append(out.B, ']')
		out.AppendCursorMeta(c, next)
		out.EndEnvelope()
		return nil
	})
}

// getRun responds with a run and its first errors and warnings.
func (api *API) getRun(w http.ResponseWriter, r *httpapi.Request) error {
	run, err := api.findRun(r)
	if err != nil {
		return err
	}
	return api.respond(w, r, run)
}

// revertRun restores the products that a run archived, and responds with the run.
func (api *API) revertRun(w http.ResponseWriter, r *httpapi.Request) error {
	run, err := api.findRun(r)
	if err != nil {
		return err
	}
	if run, err = api.exchange.Revert(r.Context(), r.Principal.Store.ID, run); err != nil {
		return err
	}
	return api.respond(w, r, run)
}

// respond responds with a run and its first errors and warnings.
func (api *API) respond(w http.ResponseWriter, r *httpapi.Request, run exchange.Run) error {
	return r.Read(w, true, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		report, err := api.exchange.Report(ctx, tx, run)
		if err != nil {
			return err
		}
		out.BeginData()
		out.B = wire.AppendJSON(out.B, runapi.Run{RunJSON: report.JSON(r.Dates())})
		out.EndEnvelope()
		return nil
	})
}

// findRun reads the run that the path names. It returns fault.NotFound for a run of another token, as for one that does
// not exist.
func (api *API) findRun(r *httpapi.Request) (run exchange.Run, err error) {
	runID, err := httpapi.PathID[exchange.Run](r, "id", "run")
	if err != nil {
		return run, err
	}
	err = r.ReadTx(func(ctx context.Context, tx store.Tx) (err error) {
		run, err = api.exchange.FindRun(ctx, tx, r.Principal.CredentialID, runID)
		return err
	})
	return run, err
}
