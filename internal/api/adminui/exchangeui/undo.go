package exchangeui

import (
	"context"
	"math"
	"net/http"
	"strconv"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/store"
)

// undoList is one page of the changes of a file, to choose which are reverted.
type undoList struct {
	runRow
	Rows  []undoRow
	Pager frame.Pager
}

type undoRow struct {
	changeRow
	Number int64
	// Ready is whether nothing newer stands above the change. Otherwise it is reverted only if it is ticked.
	Ready bool
	// Possible is whether it can be reverted at all.
	Possible bool
	// Note says why it is not reverted without a tick; nil if it is.
	Note *frame.State
}

// undoPage shows what a file has changed, and what of it can be reverted.
func (ui *UI) undoPage(w http.ResponseWriter, r *httpapi.Request) error {
	after := frame.PositiveParam(r, "after", math.MaxInt64)
	list, err := readRun(ui, r, func(ctx context.Context, tx store.Tx, row runRow) (list undoList, err error) {
		list.runRow = row
		items, next, err := ui.Exchange.Pushes.UndoItems(ctx, tx, row.Run, after, changesPerPage)
		for i := range items {
			list.Rows = append(list.Rows, ui.newUndoRow(ui.pages.Language(r), row, &items[i]))
		}
		base := "/exchange/" + row.ID.String() + "/undo"
		if next > 0 {
			list.Pager.Next = base + "?after=" + strconv.FormatInt(next, 10)
		}
		if after > 0 {
			list.Pager.Previous = base
		}
		return list, err
	})
	if err != nil {
		return err
	}

	v := ui.pages.NewView(r, "Revert a file", "exchange", list)
	v.Crumbs = []frame.Link{{Text: v.T("Exchange"), URL: "/exchange"},
		{Text: v.T("File %s", list.FileName), URL: "/exchange/" + list.ID.String()}}
	return ui.pages.Render(w, http.StatusOK, "run_undo", v)
}

func (ui *UI) newUndoRow(l *frame.Language, row runRow, it *exchange.UndoItem) undoRow {
	shown := undoRow{changeRow: ui.newChangeRow(l, row, it.RunChange), Number: it.ItemNumber(),
		Ready: it.State == exchange.UndoReady, Possible: it.State != exchange.UndoImpossible}
	switch it.State {
	case exchange.UndoChanged:
		shown.Note = &frame.State{Code: "warn", Text: l.T("changed since")}
	case exchange.UndoImpossible:
		shown.Note = &frame.State{Code: "off", Text: l.T("cannot be reverted")}
	case exchange.UndoReady:
	}
	return shown
}

// undoRun makes the file that reverts what was chosen, and starts its trial.
func (ui *UI) undoRun(w http.ResponseWriter, r *httpapi.Request) error {
	if err := frame.ParseLargeForm(r); err != nil {
		return err
	}
	row, err := readRun(ui, r, func(_ context.Context, _ store.Tx, row runRow) (runRow, error) { return row, nil })
	if err != nil {
		return err
	}

	l := ui.pages.Language(r)
	address := "/exchange/" + row.ID.String() + "/undo"
	choice, err := undoChoice(r)
	if err != nil {
		return err
	}
	if choice != nil && len(choice) == 0 {
		return ui.RedirectWith(w, r, address, frame.Toast{Text: l.T("Tick what to revert first.")})
	}

	dry, counts, err := ui.Exchange.Pushes.Undo(r.Context(), r.Principal.Store.ID, row.Run, choice,
		r.Principal.Operator.ID)
	if err != nil {
		return ui.Done(w, r, err, address, "")
	}
	if err := ui.record(r, dry.Entry(audit.RunUploaded)); err != nil {
		return err
	}

	text := l.T("This is what the revert would change.")
	if left := counts.Changed + counts.Impossible; left > 0 {
		text = l.Plural(left, "%d thing stays as it is: it was changed since, or cannot be reverted.",
			"%d things stay as they are: they were changed since, or cannot be reverted.")
	}
	return ui.RedirectWith(w, r, "/exchange/"+dry.ID.String(), frame.Toast{Text: text})
}

// undoChoice returns what a form has chosen: nil for everything that was not changed since.
func undoChoice(r *httpapi.Request) (exchange.UndoChoice, error) {
	if r.PostForm.Get("all") != "" {
		return nil, nil
	}

	choice := exchange.UndoChoice{}
	for _, text := range r.PostForm["item"] {
		number, err := strconv.ParseInt(text, 10, 64)
		if err != nil || len(choice) == exchange.MaxUndoNumbers {
			return nil, fault.New(fault.Malformed, "malformed_form", "The form is incomplete. Open the page again.")
		}
		choice = append(choice, number)
	}
	return choice, nil
}
