package exchangeui

import (
	"context"
	"math"
	"net/http"
	"slices"
	"strings"

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
	// Before is the cursor of this page, 0 for the first page. Next is the cursor of the next page, 0 if there is none.
	Before, Next int64
	// RetentionDays is the number of days for which runs are stored.
	RetentionDays int
}

// Live reports whether any run on the page may still change.
func (l runList) Live() bool {
	return slices.ContainsFunc(l.Rows, runRow.Live)
}

// runRow is a run, formatted for people.
type runRow struct {
	exchange.Run
	PushedBy string // the name of the exchange token
	// Started is nil until the run starts, Finished until it finishes.
	Started, Finished *frame.Timestamp
	Took              string // the duration of the run, until now if it is not finished; empty if it has not started
}

// Live reports whether the run may still change.
func (row runRow) Live() bool { return row.FinishedAt == nil }

// State returns the text of the run's badge: its status while it is running, then its outcome.
func (row runRow) State() string {
	switch row.Outcome() {
	case exchange.Clean:
		return "Completed"
	case exchange.WithWarnings:
		return "With warnings"
	case exchange.WithErrors:
		return "With errors"
	case exchange.NothingApplied:
		return "Nothing applied"
	}
	return frame.Capitalize(row.Status)
}

// Counts returns the counts of the run in the order of the table's columns.
func (row runRow) Counts() []namedCount {
	return []namedCount{
		{"Received", row.Received, ""}, {"Created", row.Created, ""}, {"Updated", row.Updated, ""},
		{"Unchanged", row.Unchanged, ""},
		{"Failed", row.Failed, "bad"}, {"Warnings", row.Warnings, "warn"}, {"Archived", row.Archived, "warn"},
	}
}

type namedCount struct {
	Name  string
	N     int64
	Alarm string // how a number above 0 is highlighted: "bad", "warn" or "" (not at all)
}

func (ui *UI) runsPage(w http.ResponseWriter, r *httpapi.Request) error {
	before := frame.PositiveParam(r, "before", math.MaxInt64)
	list, err := frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) (list runList, err error) {
		runs, next, err := ui.Exchange.AllRuns(ctx, tx, before, runsPerPage)
		if err != nil {
			return list, err
		}
		tokens, err := ui.Access.Keys(ctx, tx)
		list = runList{Before: before, Next: next, RetentionDays: int(ui.Exchange.Retention.Hours() / 24)}
		for _, run := range runs {
			list.Rows = append(list.Rows, ui.runRow(r, run, tokens))
		}
		return list, err
	})
	if err != nil {
		return err
	}
	return ui.pages.Render(w, http.StatusOK, "runs", ui.pages.NewView(r, "Exchange", "exchange", list))
}

func (ui *UI) runRow(r *httpapi.Request, run exchange.Run, tokens []access.Key) runRow {
	row := runRow{Run: run, Started: ui.pages.NewOptionalTimestamp(r, run.StartedAt),
		Finished: ui.pages.NewOptionalTimestamp(r, run.FinishedAt)}
	if i := slices.IndexFunc(tokens, func(token access.Key) bool { return token.ID == run.Credential }); i >= 0 {
		row.PushedBy = tokens[i].Name
	}
	switch {
	case run.StartedAt == nil:
	case run.FinishedAt == nil:
		row.Took = ui.pages.Language(r).Duration(ui.Now().Sub(*run.StartedAt))
	default:
		row.Took = ui.pages.Language(r).Duration(run.FinishedAt.Sub(*run.StartedAt))
	}
	return row
}

// entityLower returns the name of an entity in lower case, such as "variant options"; entityTitle capitalizes it.
func entityLower(entity string) string { return strings.ReplaceAll(entity, "-", " ") }

func entityTitle(entity string) string { return frame.Capitalize(entityLower(entity)) }
