package exchangeui

import (
	"context"
	"math"
	"net/http"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/store"
)

// notesPerPage is how many errors or warnings a page shows.
const notesPerPage = 100

type runBody struct {
	runRow
	ErrorNotes, WarningNotes noteList
	// Revertible is the number of products that a revert would restore.
	Revertible int64
}

// noteList is one page of the errors or warnings of a run.
type noteList struct {
	runRow
	Severity exchange.Severity
	Notes    []exchange.RunNote
	// After is the cursor of this page, 0 for the first page. Next is the cursor of the next page, 0 if there is none.
	After, Next int64
}

// Total returns the number of errors or warnings of the run.
func (l noteList) Total() int64 {
	if l.Severity == exchange.Error {
		return l.Errors
	}
	return l.Warnings
}

// Name returns the heading of the list.
func (l noteList) Name() string {
	if l.Severity == exchange.Error {
		return "Errors"
	}
	return "Warnings"
}

// Path returns the last segment of the URL path of the list: errors or warnings.
func (l noteList) Path() string { return string(l.Severity) + "s" }

func (ui *UI) runPage(w http.ResponseWriter, r *httpapi.Request) error {
	body, err := readRun(ui, r, func(ctx context.Context, tx store.Tx, row runRow) (body runBody, err error) {
		body.runRow = row
		if body.ErrorNotes, err = ui.readNotes(ctx, tx, row, exchange.Error, 0); err != nil {
			return body, err
		}
		if body.WarningNotes, err = ui.readNotes(ctx, tx, row, exchange.Warning, 0); err != nil {
			return body, err
		}
		body.Revertible, err = ui.Exchange.Revertible(ctx, tx, row.Run)
		return body, err
	})
	if err != nil {
		return err
	}
	v := ui.pages.NewView(r, "Push of "+entityLower(body.Entity), "exchange", body)
	v.Success = frame.RedirectMessage(r, "reverted", "What this push archived is back in the shop.")
	return ui.pages.Render(w, http.StatusOK, "run", v)
}

// notesPage returns the handler of the pages with the errors or the warnings of a run.
func (ui *UI) notesPage(severity exchange.Severity) httpapi.Handler {
	return func(w http.ResponseWriter, r *httpapi.Request) error {
		after := frame.PositiveParam(r, "after", math.MaxInt64)
		list, err := readRun(ui, r, func(ctx context.Context, tx store.Tx, row runRow) (noteList, error) {
			return ui.readNotes(ctx, tx, row, severity, after)
		})
		if err != nil {
			return err
		}
		return ui.pages.Render(w, http.StatusOK, "run_notes", ui.pages.NewView(r, list.Name()+" of a push", "exchange", list))
	}
}

// downloadRejects sends the failed items as an NDJSON file.
func (ui *UI) downloadRejects(w http.ResponseWriter, r *httpapi.Request) error {
	runID := httpapi.PathID[exchange.Run](r, "id", "run")
	return r.Read(w, true, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		run, err := ui.Exchange.FindAnyRun(ctx, tx, runID)
		if err != nil {
			return err
		}
		err = ui.Exchange.EachReject(ctx, tx, run, func(line []byte) error {
			out.B = append(append(out.B, line...), '\n')
			return out.Spill()
		})
		if err != nil {
			return err
		}
		out.Type = "application/x-ndjson"
		frame.SetSecurityHeaders(w.Header())
		w.Header().Set("Content-Disposition", `attachment; filename="rejects-`+runID.String()+`.ndjson"`)
		return nil
	})
}

// revertRunPage shows the form that confirms a revert, which restores the archived products.
func (ui *UI) revertRunPage(w http.ResponseWriter, r *httpapi.Request) error {
	body, err := readRun(ui, r, func(ctx context.Context, tx store.Tx, row runRow) (runBody, error) {
		revertible, err := ui.Exchange.Revertible(ctx, tx, row.Run)
		return runBody{runRow: row, Revertible: revertible}, err
	})
	if err != nil {
		return err
	}
	return ui.pages.Render(w, http.StatusOK, "run_revert", ui.pages.NewView(r, "Bring back products", "exchange", body))
}

func (ui *UI) revertRun(w http.ResponseWriter, r *httpapi.Request) error {
	run, err := readRun(ui, r, func(_ context.Context, _ store.Tx, row runRow) (exchange.Run, error) {
		return row.Run, nil
	})
	if err != nil {
		return err
	}
	if _, err := ui.Exchange.Revert(r.Context(), r.Principal.Store.ID, run); err != nil {
		return err
	}
	return frame.Redirect(w, r.Request, "/exchange/"+run.ID.String()+"?reverted")
}

// readRun calls fn, in a snapshot transaction, with the run that the path identifies.
func readRun[T any](
	ui *UI, r *httpapi.Request, fn func(context.Context, store.Tx, runRow) (T, error),
) (value T, err error) {
	runID := httpapi.PathID[exchange.Run](r, "id", "run")
	return frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) (value T, err error) {
		run, err := ui.Exchange.FindAnyRun(ctx, tx, runID)
		if err != nil {
			return value, err
		}
		tokens, err := ui.Access.Keys(ctx, tx)
		if err != nil {
			return value, err
		}
		return fn(ctx, tx, ui.runRow(r, run, tokens))
	})
}

func (ui *UI) readNotes(
	ctx context.Context, tx store.Tx, row runRow, severity exchange.Severity, after int64,
) (list noteList, err error) {
	list = noteList{runRow: row, Severity: severity, After: after}
	list.Notes, list.Next, err = ui.Exchange.Notes(ctx, tx, row.Run, severity, after, notesPerPage)
	return list, err
}
