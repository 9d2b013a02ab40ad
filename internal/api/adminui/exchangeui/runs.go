package exchangeui

import (
	"context"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/store"
)

// runsPerPage is how many runs a page of the list shows.
const runsPerPage = 50

// runList is the data of the page that lists the runs.
type runList struct {
	Rows []runRow
	// Failed restricts the list to runs that failed as a whole or in part.
	Failed bool
	// From and To are the days of the period to which failed runs are restricted, if they are.
	From, To string
	// Pending is whether products wait for something that was not pushed yet.
	Pending bool
	// Address is the address of this page. Before is its cursor, 0 for the first page.
	Address string
	Before  int64
	Pager   frame.Pager
	// RetentionDays is the number of days for which runs are stored; 0 means for ever.
	RetentionDays int
	// Parked is whether pushes or files of 1C were set aside.
	Parked bool
	// New is whether nothing was ever pushed.
	New bool
}

// Live reports whether any run on the page may still change.
func (l runList) Live() bool {
	return slices.ContainsFunc(l.Rows, runRow.Live)
}

// runRow is a run, formatted for people.
type runRow struct {
	exchange.Run
	Name    string // of the entity
	By      string // the name of the exchange token or of the operator
	State   frame.State
	Summary string
	// Started is nil until the run starts, Finished until it finishes.
	Started, Finished *frame.Timestamp
	Took              string // the duration of the run, until now if it is not finished; empty if it has not started
	counts            []namedCount
}

// Live reports whether the run may still change.
func (row runRow) Live() bool { return row.FinishedAt == nil }

// Parked reports whether the run was set aside.
func (row runRow) Parked() bool { return row.IsParked() }

// HasTable reports whether the run is of a table.
func (row runRow) HasTable() bool { return row.Run.HasTable() }

// CanUndo reports whether what the run has changed can be reverted.
func (row runRow) CanUndo() bool { return row.Run.CanUndo() }

// WouldChange reports whether applying the file of a dry run would change something.
func (row runRow) WouldChange() bool { return row.Run.WouldChange() }

// Counts returns the counts of the run in the order of the table's columns.
func (row runRow) Counts() []namedCount { return row.counts }

type namedCount struct {
	Name  string
	N     int64
	Alarm string // how a number above 0 is highlighted: "bad", "warn" or "" (not at all)
}

func (ui *UI) runsPage(w http.ResponseWriter, r *httpapi.Request) error {
	before := frame.PositiveParam(r, "before", math.MaxInt64)
	failed := r.URL.Query().Get("show") == "failed"
	period := readPeriod(r)
	list, err := frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) (runList, error) {
		return ui.readRuns(ctx, tx, r, failed, period, before)
	})
	if err != nil {
		return err
	}
	return ui.pages.Render(w, http.StatusOK, "runs", ui.pages.NewView(r, "Exchange", "exchange", list))
}

// readPeriod reads the days from and to of the query, in the timezone of the store. Both are optional.
func readPeriod(r *httpapi.Request) (p exchange.Period) {
	day := func(name string, plus int) (at time.Time) {
		text, _ := r.Query.Param(name)
		if text == "" {
			return at
		}
		at, err := time.ParseInLocation(time.DateOnly, text, r.Principal.Store.Zone())
		if err != nil {
			r.Query.BadParam(name, "must be a date such as 2026-03-14")
		}
		return at.AddDate(0, 0, plus)
	}
	return exchange.Period{From: day("from", 0), Before: day("to", 1)}
}

func (ui *UI) readRuns(
	ctx context.Context, tx store.Tx, r *httpapi.Request, failed bool, period exchange.Period, before int64,
) (list runList, err error) {
	list = runList{Failed: failed, Before: before, RetentionDays: int(ui.Exchange.Retention.Hours() / 24),
		Address: r.URL.RequestURI()}
	read := ui.Exchange.Runs.ListAll
	base := "/exchange?"
	if failed {
		query := r.URL.Query()
		list.From, list.To = query.Get("from"), query.Get("to")
		query.Del("before")
		base = "/exchange?" + query.Encode() + "&"
		read = func(ctx context.Context, tx store.Tx, before, limit int64) ([]exchange.Run, int64, error) {
			return ui.Exchange.Runs.ListFailed(ctx, tx, period, before, limit)
		}
	}

	runs, next, err := read(ctx, tx, before, runsPerPage)
	if err != nil {
		return list, err
	}
	if list.Parked, err = ui.Exchange.Runs.HasParked(ctx, tx); err != nil {
		return list, err
	}

	if next > 0 {
		list.Pager.Next = base + "before=" + strconv.FormatInt(next, 10)
	}

	if before > 0 {
		list.Pager.Previous = base[:len(base)-1]
	}

	list.New = len(runs) == 0 && before == 0 && !failed
	pending, _, err := ui.Exchange.Pushes.Pending(ctx, tx, 0, 1)
	if err != nil {
		return list, err
	}

	list.Pending = len(pending) > 0
	by, err := ui.readAuthors(ctx, tx)
	for _, run := range runs {
		list.Rows = append(list.Rows, ui.runRow(r, run, by))
	}

	return list, err
}

// authors are the names of those who push.
type authors struct {
	tokens    []access.Key
	operators []access.Operator
}

func (ui *UI) readAuthors(ctx context.Context, tx store.Tx) (a authors, err error) {
	if a.tokens, err = ui.Access.Keys(ctx, tx); err != nil {
		return a, err
	}
	a.operators, err = ui.Accounts.Operators.List(ctx, tx)
	return a, err
}

// name returns the name of the author of a run, or "" if it is not known any more.
func (a authors) name(run exchange.Run) string {
	for _, token := range a.tokens {
		if token.ID == run.Credential {
			return token.Name
		}
	}
	for _, operator := range a.operators {
		if operator.ID == run.Operator {
			return operator.Email
		}
	}
	return ""
}

func (ui *UI) runRow(r *httpapi.Request, run exchange.Run, by authors) runRow {
	l := ui.pages.Language(r)
	row := runRow{Run: run, Name: entityName(l, run.Entity), By: by.name(run), State: runState(l, &run),
		Summary: runSummary(l, &run), Started: ui.pages.NewOptionalTimestamp(r, run.StartedAt),
		Finished: ui.pages.NewOptionalTimestamp(r, run.FinishedAt)}
	row.counts = []namedCount{
		{l.T("Received"), run.Received, ""}, {l.T("Created"), run.Created, ""}, {l.T("Updated"), run.Updated, ""},
		{l.T("Unchanged"), run.Unchanged, ""}, {l.T("Failed"), run.Failed, "bad"},
		{l.T("Warnings"), run.Warnings, "warn"}, {l.T("Archived"), run.Archived, "warn"},
	}
	switch {
	case run.StartedAt == nil:
	case run.FinishedAt == nil:
		row.Took = l.Duration(ui.Now().Sub(*run.StartedAt))
	default:
		row.Took = l.Duration(run.FinishedAt.Sub(*run.StartedAt))
	}

	return row
}
