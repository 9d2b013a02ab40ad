package adminui

import (
	"fmt"
	"net/http"
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

// runList is the body of the list of runs.
type runList struct {
	Rows []runRow
	// Before is the cursor of this page, Next that of the following page. 0 is the first page, and no following page.
	Before, Next int64
	// RetentionDays is how long runs are stored.
	RetentionDays int
}

// Live reports whether a run of the page may still change.
func (l runList) Live() bool {
	for _, row := range l.Rows {
		if row.Live() {
			return true
		}
	}
	return false
}

// runRow is a run, formatted for people.
type runRow struct {
	exchange.Run
	PushedBy string // the name of the exchange token
	// Started and Finished are nil until then.
	Started, Finished *timestamp
	Took              string // the duration so far, if the run is not finished; empty if it has not started
}

// Live reports whether the run may still change.
func (row runRow) Live() bool { return row.FinishedAt == nil }

// Counts returns the numbers of the run in the order of the columns.
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
	Alarm string // how a number above 0 is highlighted: "bad", "warn" or not at all
}

func (ui *UI) runsPage(w http.ResponseWriter, r *httpapi.Request) error {
	list := runList{RetentionDays: int(ui.Exchange.Retention.Hours() / 24)}
	var err error
	if list.Before, err = positiveParam(r, "before"); err != nil {
		return err
	}
	err = ui.DB.Snapshot(r.Context(), inStore(r, func(tx store.Tx) error {
		runs, next, err := ui.Exchange.AllRuns(r.Context(), tx, list.Before, runsPerPage)
		if err != nil {
			return err
		}
		tokens, err := ui.Access.Keys(r.Context(), tx)
		if err != nil {
			return err
		}
		list.Rows, list.Next = nil, next
		for _, run := range runs {
			list.Rows = append(list.Rows, ui.runRow(r, run, tokens))
		}
		return nil
	}))
	if err != nil {
		return err
	}
	return ui.render(w, http.StatusOK, "runs", ui.newView(r, "Exchange", "exchange", list))
}

func (ui *UI) runRow(r *httpapi.Request, run exchange.Run, tokens []access.Key) runRow {
	row := runRow{Run: run, Started: newOptionalTimestamp(r.Principal.Store, run.StartedAt),
		Finished: newOptionalTimestamp(r.Principal.Store, run.FinishedAt)}
	for _, token := range tokens {
		if token.ID == run.Credential {
			row.PushedBy = token.Name
		}
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

// positiveParam reads a page number or a cursor from the query. It returns 0 if the parameter is missing.
func positiveParam(r *httpapi.Request, name string) (int64, error) {
	text, err := r.Param(name)
	if err != nil || text == "" {
		return 0, err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return 0, httpapi.BadParam(name, "must be a whole number above 0, as in the links of the page")
	}
	return n, nil
}

// entityLower returns the name of an entity for the middle of a sentence, entityTitle for the start of a line.
func entityLower(entity string) string { return strings.ReplaceAll(entity, "-", " ") }

func entityTitle(entity string) string {
	words := entityLower(entity)
	return strings.ToUpper(words[:1]) + words[1:]
}

func statusName(status exchange.Status) string {
	switch status {
	case exchange.Queued:
		return "Queued"
	case exchange.Running:
		return "Running"
	case exchange.Completed:
		return "Completed"
	case exchange.Failed:
		return "Failed"
	}
	return string(status)
}

// formatNumber separates thousands by commas.
func formatNumber(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// formatDuration shows the two largest units of a duration.
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
