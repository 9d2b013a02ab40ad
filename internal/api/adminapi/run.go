package adminapi

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/store"
)

const runsPath = "/api/store/exchange-runs"

// runs lists the runs of the store, of all exchange tokens, newest first.
func (api *API) runs(w http.ResponseWriter, r *httpapi.Request) error {
	c, err := r.Cursor()
	if err != nil {
		return err
	}
	return r.Read(w, true, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		runs, next, err := api.exchange.AllRuns(ctx, tx, c.At, c.PerPage)
		if err != nil {
			return err
		}
		tokens, err := api.access.Keys(ctx, tx)
		if err != nil {
			return err
		}
		dates := r.Dates()
		out.BeginData()
		out.B = append(out.B, '[')
		for i := range runs {
			out.BeginItem(i)
			out.B = wire.AppendJSON(out.B, newRunSummary(runs[i].JSON(dates), findTokenRef(tokens, runs[i].Credential)))
		}
		out.B = append(out.B, ']')
		out.AppendCursorMeta(c, next)
		out.EndEnvelope()
		return nil
	})
}

func (api *API) run(w http.ResponseWriter, r *httpapi.Request) error {
	run, err := api.findRun(r)
	if err != nil {
		return err
	}
	return r.Read(w, true, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		return api.writeRun(ctx, tx, r, out, run)
	})
}

// revertRun restores the products that a run archived. The work has transactions of its own, so the idempotency record
// commits only with the response. A repeated revert changes nothing.
func (api *API) revertRun(w http.ResponseWriter, r *httpapi.Request) error {
	if done, err := r.Replay(w, r.NoBody()); done || err != nil {
		return err
	}
	run, err := api.findRun(r)
	if err != nil {
		return err
	}
	if run, err = api.exchange.Revert(r.Context(), r.Principal.Store.ID, run); err != nil {
		return err
	}
	return r.Write(w, r.NoBody(), false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		return api.writeRun(ctx, tx, r, out, run)
	})
}

// findRun returns the run whose id is in the path.
func (api *API) findRun(r *httpapi.Request) (run exchange.Run, err error) {
	runID, err := httpapi.PathID[exchange.Run](r, "id", "run")
	if err != nil {
		return run, err
	}
	err = r.ReadTx(func(ctx context.Context, tx store.Tx) (err error) {
		run, err = api.exchange.FindAnyRun(ctx, tx, runID)
		return err
	})
	return run, err
}

// writeRun writes a run with its first errors and warnings.
func (api *API) writeRun(ctx context.Context, tx store.Tx, r *httpapi.Request, out *httpapi.Response,
	run exchange.Run) error {
	report, err := api.exchange.Report(ctx, tx, run)
	if err != nil {
		return err
	}
	tokens, err := api.access.Keys(ctx, tx)
	if err != nil {
		return err
	}
	out.BeginData()
	out.B = wire.AppendJSON(out.B, Run{RunJSON: report.JSON(r.Dates()), PushedBy: findTokenRef(tokens, run.Credential)})
	out.EndEnvelope()
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
