package adminapi

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/store"
)

const runsPath = "/api/store/exchange-runs"

// runs lists all runs of the store, whichever exchange token started them, newest first.
func (api *API) runs(w http.ResponseWriter, r *httpapi.Request) error {
	c := r.Query.Cursor()
	dates := r.Dates()
	var tokens []access.Key
	return httpapi.RespondCursorList(w, r, c, true,
		func(ctx context.Context, tx store.Tx, before, limit int64) ([]exchange.Run, int64, error) {
			runs, next, err := api.exchange.Runs.ListAll(ctx, tx, before, limit)
			if err == nil {
				tokens, err = api.access.Keys(ctx, tx)
			}
			return runs, next, err
		}, httpapi.AsJSON(func(run *exchange.Run) RunSummary {
			return newRunSummary(run.JSON(dates), findTokenRef(tokens, run.Credential))
		}))
}

func (api *API) run(w http.ResponseWriter, r *httpapi.Request) error {
	run := api.findRun(r)
	return r.Read(w, true, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		return api.writeRun(ctx, tx, r, out, run)
	})
}

// revertRun restores the products that a run archived. Revert commits transactions of its own, before the response is
// stored under the Idempotency-Key. If the server stops in between, a repeated request reverts again, which changes
// nothing.
func (api *API) revertRun(w http.ResponseWriter, r *httpapi.Request) error {
	if done, err := r.Replay(w); done || err != nil {
		return err
	}

	run := api.findRun(r)
	if err := r.Err(); err != nil {
		return err
	}

	reverted, err := api.exchange.Runs.Revert(r.Context(), r.Principal.Store.ID, run)
	if err != nil {
		return err
	}

	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		if err := audit.Record(ctx, tx, reverted.Entry(audit.RunReverted)); err != nil {
			return err
		}
		return api.writeRun(ctx, tx, r, out, reverted)
	})
}

// findRun returns the run whose id is in the path. It reports an error through r.Fail.
func (api *API) findRun(r *httpapi.Request) (run exchange.Run) {
	runID := httpapi.PathID[exchange.Run](r, "id", "run")
	r.ReadTx(func(ctx context.Context, tx store.Tx) (err error) {
		run, err = api.exchange.Runs.FindAny(ctx, tx, runID)
		return err
	})
	return run
}

// writeRun writes a run with its first errors and warnings.
func (api *API) writeRun(ctx context.Context, tx store.Tx, r *httpapi.Request, out *httpapi.Response,
	run exchange.Run) error {
	report, err := api.exchange.Runs.Report(ctx, tx, run)
	if err != nil {
		return err
	}
	tokens, err := api.access.Keys(ctx, tx)
	if err != nil {
		return err
	}
	out.WriteData(Run{RunJSON: report.JSON(r.Dates()), PushedBy: findTokenRef(tokens, run.Credential)})
	return nil
}

// findTokenRef returns the exchange token of a run, or nil if the token was deleted.
func findTokenRef(tokens []access.Key, credential access.KeyID) *TokenRef {
	for _, token := range tokens {
		if token.ID == credential {
			return &TokenRef{token.ID, token.Name}
		}
	}
	return nil
}
