package exchangeapi

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/runapi"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/store"
)

// listRuns responds with the runs of the token, the newest first.
func (api *API) listRuns(w http.ResponseWriter, r *httpapi.Request) error {
	c := r.Query.Cursor()
	dates := r.Dates()
	return httpapi.RespondCursorList(w, r, c, false,
		func(ctx context.Context, tx store.Tx, before, limit int64) ([]exchange.Run, int64, error) {
			return api.exchange.Runs.List(ctx, tx, r.Principal.CredentialID, before, limit)
		}, httpapi.AsJSON(func(run *exchange.Run) runapi.RunSummary {
			return runapi.RunSummary{RunJSON: run.JSON(dates)}
		}))
}

// getRun responds with a run and its first errors and warnings.
func (api *API) getRun(w http.ResponseWriter, r *httpapi.Request) error {
	return api.respondWithRun(w, r, api.findRun(r))
}

// revertRun restores the products that a run archived, and responds with the run.
func (api *API) revertRun(w http.ResponseWriter, r *httpapi.Request) error {
	run := api.findRun(r)
	if err := r.Err(); err != nil {
		return err
	}
	reverted, err := api.exchange.Runs.Revert(r.Context(), r.Principal.Store.ID, run)
	if err != nil {
		return err
	}
	return api.respondWithRun(w, r, reverted)
}

// respondWithRun responds with a run and its first errors and warnings.
func (api *API) respondWithRun(w http.ResponseWriter, r *httpapi.Request, run exchange.Run) error {
	return r.Read(w, true, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		report, err := api.exchange.Runs.Report(ctx, tx, run)
		if err != nil {
			return err
		}
		out.WriteData(runapi.Run{RunJSON: report.JSON(r.Dates())})
		return nil
	})
}

// findRun reads the run that the path names. It fails with fault.NotFound for a run of another token, as for one that
// does not exist.
func (api *API) findRun(r *httpapi.Request) (run exchange.Run) {
	runID := httpapi.PathID[exchange.Run](r, "id", "run")
	r.ReadTx(func(ctx context.Context, tx store.Tx) (err error) {
		run, err = api.exchange.Runs.Find(ctx, tx, r.Principal.CredentialID, runID)
		return err
	})
	return run
}
