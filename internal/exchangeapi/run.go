package exchangeapi

import (
	"bytes"
	"context"
	"net/http"

	"vitrine/internal/database"
	"vitrine/internal/exchange"
	"vitrine/internal/fault"
	"vitrine/internal/httpapi"
)

// list answers with the runs of the token, the newest first.
func (api *API) list(w http.ResponseWriter, r *httpapi.Request) error {
	c, err := r.Cursor()
	if err != nil {
		return err
	}
	return r.Read(w, false, func(ctx context.Context, q database.Querier, out *httpapi.Answer) error {
		runs, err := api.exchange.Runs(ctx, q, r.Principal.Store.ID, r.Principal.CredentialID, c.At, c.PerPage+1)
		if err != nil {
			return err
		}
		next := int64(0)
		if int64(len(runs)) > c.PerPage {
			runs = runs[:c.PerPage]
			next = runs[c.PerPage-1].Key
		}
		dates := r.Dates()
		out.Data()
		out.B = append(out.B, '[')
		for i := range runs {
			out.Item(i)
			out.B = appendRun(out.B, &runs[i], nil, dates)
		}
		out.B = append(out.B, ']')
		out.MetaCursor(c, next)
		out.End()
		return nil
	})
}

func (api *API) one(w http.ResponseWriter, r *httpapi.Request) error {
	run, err := api.find(r)
	if err != nil {
		return err
	}
	return api.answer(w, r, run)
}

// notes answers with the errors or the warnings of a run, all of them.
func (api *API) notes(severity exchange.Severity) httpapi.Handler {
	return func(w http.ResponseWriter, r *httpapi.Request) error {
		c, err := r.Cursor()
		if err != nil {
			return err
		}
		run, err := api.find(r)
		if err != nil {
			return err
		}
		return r.Read(w, false, func(ctx context.Context, q database.Querier, out *httpapi.Answer) error {
			notes, err := api.exchange.Notes(ctx, q, r.Principal.Store.ID, run, severity, c.At, c.PerPage+1)
			if err != nil {
				return err
			}
			next := int64(0)
			if int64(len(notes)) > c.PerPage {
				notes = notes[:c.PerPage]
				next = notes[c.PerPage-1].Number
			}
			out.Data()
			out.B = appendNotes(out.B, notes)
			out.MetaCursor(c, next)
			out.End()
			return nil
		})
	}
}

// rejects answers with the items of a run that failed, one a line. Outside of strings, the only place where JSON has line ends, they mean
// no more than a space does.
func (api *API) rejects(w http.ResponseWriter, r *httpapi.Request) error {
	run, err := api.find(r)
	if err != nil {
		return err
	}
	return r.Read(w, false, func(ctx context.Context, q database.Querier, out *httpapi.Answer) error {
		out.Type = ndjson
		return api.exchange.EachReject(ctx, q, r.Principal.Store.ID, run, func(sent []byte) error {
			at := len(out.B)
			out.B = append(append(out.B, bytes.TrimSpace(sent)...), '\n')
			line := out.B[at : len(out.B)-1]
			for i, c := range line {
				if c == '\n' || c == '\r' {
					line[i] = ' '
				}
			}
			return out.Spill()
		})
	})
}

// revert brings back what a run archived.
func (api *API) revert(w http.ResponseWriter, r *httpapi.Request) error {
	run, err := api.find(r)
	if err != nil {
		return err
	}
	if run.FinishedAt == nil {
		return fault.New(fault.Conflict, "run_not_finished", "This push is still being applied; revert it once its run is completed or failed.")
	}
	if run, err = api.exchange.Revert(r.Context(), r.Principal.Store.ID, run); err != nil {
		return err
	}
	return api.answer(w, r, run)
}

// find reads the run of the path; that of another token is the same 404 as one that never was.
func (api *API) find(r *httpapi.Request) (run exchange.Run, err error) {
	runID, err := httpapi.PathID[exchange.Run](r, "id", "run")
	if err != nil {
		return run, err
	}
	err = r.Look(func(ctx context.Context, q database.Querier) (err error) {
		run, err = api.exchange.Find(ctx, q, r.Principal.Store.ID, r.Principal.CredentialID, runID)
		return err
	})
	return run, err
}
