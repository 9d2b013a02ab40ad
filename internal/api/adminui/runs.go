package adminui

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

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
	Started, Finished *timestamp
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
	return capitalize(row.Status)
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
	before := positiveParam(r, "before", math.MaxInt64)
	list, err := inStore(r, ui.snapshot(r), func(ctx context.Context, tx store.Tx) (list runList, err error) {
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
	return ui.render(w, http.StatusOK, "runs", ui.newView(r, "Exchange", "exchange", list))
}

func (ui *UI) runRow(r *httpapi.Request, run exchange.Run, tokens []access.Key) runRow {
	row := runRow{Run: run, Started: newOptionalTimestamp(r.Principal.Store, run.StartedAt),
		Finished: newOptionalTimestamp(r.Principal.Store, run.FinishedAt)}
	if i := slices.IndexFunc(tokens, func(token access.Key) bool { return token.ID == run.Credential }); i >= 0 {
		row.PushedBy = tokens[i].Name
	}
	switch {
	case run.StartedAt == nil:
	case run.FinishedAt == nil:
		row.Took = formatDuration(ui.Now().Sub(*run.StartedAt))
	default:
		row.Took = formatDuration(run.FinishedAt.Sub(*run.StartedAt))
	}
	return row
}

// positiveParam reads a query parameter that is a page number or a cursor, and returns 0 if the parameter is missing.
// The number must be positive and must not exceed the argument most; otherwise it is reported through r.BadParam.
func positiveParam(r *httpapi.Request, name string, most int64) int64 {
	text, _ := r.Param(name)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 || n > most {
		r.BadParam(name, "must be a whole number above 0, as in the links of the page")
	}
	return n
}

// entityLower returns the name of an entity in lower case, such as "variant options"; entityTitle capitalizes it.
func entityLower(entity string) string { return strings.ReplaceAll(entity, "-", " ") }

func entityTitle(entity string) string { return capitalize(entityLower(entity)) }

// capitalize returns an enum value of the API, such as a status, with an upper-case first letter.
func capitalize[T ~string](word T) string {
	return strings.ToUpper(string(word[:1])) + string(word[1:])
}

// formatNumber separates thousands by commas.
func formatNumber(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// formatDuration formats a duration with one or two units, rounded down.
func formatDuration(d time.Duration) string {
	d = max(d, 0)
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Truncate(100*time.Millisecond).Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %02d min", int(d.Hours()), int(d.Minutes())%60)
}
