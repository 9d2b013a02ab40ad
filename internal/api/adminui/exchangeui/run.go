package exchangeui

import (
	"context"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/runapi"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/exchange/item/table"
	"vitrine/internal/shop/store"
)

// notesPerPage is how many errors or warnings a page shows.
const notesPerPage = 100

type runBody struct {
	runRow
	ErrorGroups, WarningGroups groupList
	// Changes are the first things that a dry run would change, or a file has changed; it is empty for other runs.
	Changes changeList
	// Revertible is the number of products that a revert would restore.
	Revertible int64
	// Undone is the run that this one reverts, and UndoneBy the run that reverts this one; nil if there are none.
	Undone, UndoneBy *exchange.Run
	// DryRunOf and AppliedBy are the other runs of an uploaded file; nil if there are none.
	DryRunOf, AppliedBy *exchange.Run
	// Applicable is whether the file of the run can be applied, until KeptUntil.
	Applicable bool
	// Mappable is whether one can choose what the columns of the file are, and Asks whether nothing is read before.
	Mappable, Asks bool
	Kept           *frame.Timestamp
	// Total is the number of items if it is known, for the progress; 0 if it is not.
	Total int64
	// PerSecond is how many items were applied in a second so far.
	PerSecond int64
	// Poll is how often the page asks whether the run is finished, in the words of htmx.
	Poll string
}

// pollInterval returns how often a page asks for a run of an age.
func pollInterval(age time.Duration) string {
	if age < 5*time.Second {
		return "500ms"
	}
	return "2s"
}

// groupList has the errors or warnings of a run in groups.
type groupList struct {
	Run      runRow
	Severity exchange.Severity
	Title    string
	Total    int64
	Groups   []exchange.NoteGroup
	// Complete is false if only the first ones are grouped.
	Complete bool
}

// Path returns the URL path of all errors or warnings.
func (l groupList) Path() string {
	return "/exchange/" + l.Run.ID.String() + "/" + string(l.Severity) + "s"
}

// PathOf returns the address of the errors or warnings of a group.
func (l groupList) PathOf(g exchange.NoteGroup) string {
	return l.Path() + "?" + url.Values{"code": {g.Code}, "field": {g.Field}}.Encode()
}

// ignoredField is a member or a column that was not read. Count is the number of items that have it, 0 for a column.
type ignoredField struct {
	Name       string
	Count      int64
	DidYouMean *string
}

// IgnoredList returns what was not read of the run.
func (b runBody) IgnoredList() (list []ignoredField) {
	for _, f := range b.Ignored {
		name, isColumn := strings.CutPrefix(f.Field, "column ")
		shown := ignoredField{Name: name, Count: f.Count, DidYouMean: f.DidYouMean}
		if isColumn {
			shown.Count = 0
		}
		list = append(list, shown)
	}

	if len(list) == 0 { // a run of an older version
		for _, name := range b.IgnoredFields {
			list = append(list, ignoredField{Name: name})
		}
	}

	return list
}

func (ui *UI) runPage(w http.ResponseWriter, r *httpapi.Request) error {
	body, err := readRun(ui, r, func(ctx context.Context, tx store.Tx, row runRow) (runBody, error) {
		return ui.readRunBody(ctx, tx, r, row)
	})
	if err != nil {
		return err
	}

	v := ui.pages.NewView(r, "Push", "exchange", body)
	switch {
	case body.Undoes != 0:
		v.Title = v.T("Revert of %s", body.FileName)
	case body.FileName != "":
		v.Title = v.T("File %s", body.FileName)
	default:
		v.Title = v.T("Push of %s", lowerFirst(body.Name))
	}

	v.Crumbs = []frame.Link{{Text: v.T("Exchange"), URL: "/exchange"}}
	return ui.pages.Render(w, http.StatusOK, "run", v)
}

func (ui *UI) readRunBody(
	ctx context.Context, tx store.Tx, r *httpapi.Request, row runRow,
) (body runBody, err error) {
	l := ui.pages.Language(r)
	body = runBody{runRow: row, Applicable: row.Applicable(ui.Now()), Mappable: row.Mappable(ui.Now()),
		Asks: row.AwaitsColumns()}
	if body.ErrorGroups, err = ui.readGroups(ctx, tx, row, exchange.Error, l.T("Errors"), row.Errors); err != nil {
		return body, err
	}

	body.WarningGroups, err = ui.readGroups(ctx, tx, row, exchange.Warning, l.T("Warnings"), row.Warnings)
	if err != nil {
		return body, err
	}
	if body.Changes, err = ui.readChanges(ctx, tx, l, row, 0, firstChanges); err != nil {
		return body, err
	}

	if body.DryRunOf, body.AppliedBy, err = ui.Exchange.Runs.UploadRuns(ctx, tx, row.Run); err != nil {
		return body, err
	}
	if body.Undone, err = ui.Exchange.Runs.Undone(ctx, tx, row.Run); err != nil {
		return body, err
	}
	if body.UndoneBy, err = ui.Exchange.Runs.UndoneBy(ctx, tx, row.Run); err != nil {
		return body, err
	}
	if body.DryRunOf != nil {
		body.Total = body.DryRunOf.Received
	}

	if body.Applicable || body.Mappable {
		body.Kept = ui.pages.NewOptionalTimestamp(r, row.KeptUntil)
	}

	body.Poll = pollInterval(ui.Now().Sub(row.CreatedAt))
	if row.StartedAt != nil && row.Live() {
		seconds := max(ui.Now().Sub(*row.StartedAt), time.Second).Seconds()
		body.PerSecond = int64(float64(row.Received) / seconds)
	}

	body.Revertible, err = ui.Exchange.Runs.Revertible(ctx, tx, row.Run)
	return body, err
}

func (ui *UI) readGroups(
	ctx context.Context, tx store.Tx, row runRow, severity exchange.Severity, title string, total int64,
) (list groupList, err error) {
	list = groupList{Run: row, Severity: severity, Title: title, Total: total, Complete: true}
	if total > 0 {
		list.Groups, list.Complete, err = ui.Exchange.Runs.NoteGroups(ctx, tx, row.Run, severity)
	}
	return list, err
}

// noteList is one page of the errors or warnings of a run.
type noteList struct {
	runRow
	Severity exchange.Severity
	Title    string
	// Filter selects a group; it is zero for all notes.
	Filter exchange.NoteFilter
	Notes  []exchange.RunNote
	Pager  frame.Pager
	After  int64
}

// notesPage returns the handler of the pages with the errors or the warnings of a run.
func (ui *UI) notesPage(severity exchange.Severity) httpapi.Handler {
	return func(w http.ResponseWriter, r *httpapi.Request) error {
		after := frame.PositiveParam(r, "after", math.MaxInt64)
		query := r.URL.Query()
		filter := exchange.NoteFilter{Code: query.Get("code"), Field: query.Get("field")}
		list, err := readRun(ui, r, func(ctx context.Context, tx store.Tx, row runRow) (noteList, error) {
			return ui.readNotes(ctx, tx, row, severity, filter, after)
		})
		if err != nil {
			return err
		}

		title := "Errors of a push"
		if severity == exchange.Warning {
			title = "Warnings of a push"
		}

		//messages: "Errors of a push" "Warnings of a push"
		v := ui.pages.NewView(r, title, "exchange", list)
		v.Crumbs = []frame.Link{{Text: v.T("Exchange"), URL: "/exchange"},
			{Text: list.Name, URL: "/exchange/" + list.ID.String()}}
		return ui.pages.Render(w, http.StatusOK, "run_notes", v)
	}
}

func (ui *UI) readNotes(
	ctx context.Context, tx store.Tx, row runRow, severity exchange.Severity, filter exchange.NoteFilter, after int64,
) (list noteList, err error) {
	list = noteList{runRow: row, Severity: severity, Filter: filter, After: after}
	var next int64
	base := "/exchange/" + row.ID.String() + "/" + string(severity) + "s?"
	if filter.Code == "" {
		list.Notes, next, err = ui.Exchange.Runs.Notes(ctx, tx, row.Run, severity, after, notesPerPage)
	} else {
		list.Notes, next, err = ui.Exchange.Runs.NotesOf(ctx, tx, row.Run, severity, filter, after, notesPerPage)
		base += url.Values{"code": {filter.Code}, "field": {filter.Field}}.Encode() + "&"
	}

	if next > 0 {
		list.Pager.Next = base + "after=" + strconv.FormatInt(next, 10)
	}

	if after > 0 {
		list.Pager.Previous = base[:len(base)-1]
	}

	return list, err
}

// downloadRejects sends the failed items as a file: the lines of a table as a table, others as NDJSON.
func (ui *UI) downloadRejects(w http.ResponseWriter, r *httpapi.Request) error {
	runID := httpapi.PathID[exchange.Run](r, "id", "run")
	return r.Read(w, true, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		run, err := ui.Exchange.Runs.FindAny(ctx, tx, runID)
		if err != nil {
			return err
		}

		ending := ".ndjson"
		switch {
		case run.Layout.Format == table.Workbook:
			ending = ".xlsx"
		case run.HasTable():
			ending = ".csv"
		}

		if err := runapi.WriteRejects(ctx, tx, ui.Exchange, run, ui.pages.Language(r).Fault, out); err != nil {
			return err
		}

		frame.SetSecurityHeaders(w.Header())
		w.Header().Set("Content-Disposition", `attachment; filename="rejects-`+runID.String()+ending+`"`)

		return nil
	})
}

// revertRunPage shows the form that confirms a revert, which restores the archived products.
func (ui *UI) revertRunPage(w http.ResponseWriter, r *httpapi.Request) error {
	body, err := readRun(ui, r, func(ctx context.Context, tx store.Tx, row runRow) (runBody, error) {
		revertible, err := ui.Exchange.Runs.Revertible(ctx, tx, row.Run)
		return runBody{runRow: row, Revertible: revertible}, err
	})
	if err != nil {
		return err
	}
	v := ui.pages.NewView(r, "Bring back products", "exchange", body)
	v.Crumbs = []frame.Link{{Text: v.T("Exchange"), URL: "/exchange"},
		{Text: v.T("Push of %s", lowerFirst(body.Name)), URL: "/exchange/" + body.ID.String()}}
	return ui.pages.Render(w, http.StatusOK, "run_revert", v)
}

func (ui *UI) revertRun(w http.ResponseWriter, r *httpapi.Request) error {
	row, err := readRun(ui, r, func(_ context.Context, _ store.Tx, row runRow) (runRow, error) { return row, nil })
	if err != nil {
		return err
	}
	// The products are restored in several transactions. The entry is written after the last one.
	reverted, err := ui.Exchange.Runs.Revert(r.Context(), r.Principal.Store.ID, row.Run)
	if err != nil {
		return err
	}
	if err := ui.record(r, reverted.Entry(audit.RunReverted)); err != nil {
		return err
	}
	return ui.RedirectWith(w, r, "/exchange/"+row.ID.String(),
		frame.Toast{Text: ui.pages.Language(r).T("What this push archived is back in the shop.")})
}

// record writes an entry of the log about a change that had transactions of its own.
func (ui *UI) record(r *httpapi.Request, e audit.Entry) error {
	_, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (none struct{}, err error) {
		return none, audit.Record(ctx, tx, e)
	})
	return err
}

// retryRun tries a run again that was set aside.
func (ui *UI) retryRun(w http.ResponseWriter, r *httpapi.Request) error {
	runID := httpapi.PathID[exchange.Run](r, "id", "run")
	_, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (none struct{}, err error) {
		return none, ui.Exchange.Runs.Retry(ctx, tx, runID)
	})
	return ui.Done(w, r, err, "/exchange/"+runID.String(), ui.pages.Language(r).T("The push is tried again now."))
}

// readRun calls fn, in a snapshot transaction, with the run that the path identifies.
func readRun[T any](
	ui *UI, r *httpapi.Request, fn func(context.Context, store.Tx, runRow) (T, error),
) (value T, err error) {
	runID := httpapi.PathID[exchange.Run](r, "id", "run")
	return frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) (value T, err error) {
		run, err := ui.Exchange.Runs.FindAny(ctx, tx, runID)
		if err != nil {
			return value, err
		}
		by, err := ui.readAuthors(ctx, tx)
		if err != nil {
			return value, err
		}
		return fn(ctx, tx, ui.runRow(r, run, by))
	})
}
