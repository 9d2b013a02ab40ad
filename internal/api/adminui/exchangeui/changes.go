package exchangeui

import (
	"context"
	"math"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/store"
)

const (
	// changesPerPage is how many items a page of changes shows, and firstChanges how many the page of the run.
	changesPerPage, firstChanges = 50, 5
	// shownMembers is how many members of an item a page shows.
	shownMembers = 30
)

// changeList is one page of what a dry run would change.
type changeList struct {
	runRow
	Changes []changeRow
	Pager   frame.Pager
}

// changeRow is what an item would change.
type changeRow struct {
	exchange.RunChange
	State   frame.State
	Members []memberRow
	// More is the number of members that are not shown.
	More int
}

// memberRow is a member that would change. From and To are empty if there is nothing.
type memberRow struct{ Field, From, To string }

func (ui *UI) newChangeRow(l *frame.Language, c exchange.RunChange) changeRow {
	row := changeRow{RunChange: c, State: changeState(l, c.Action), More: max(0, len(c.Changes)-shownMembers)}
	for _, m := range c.Changes[:len(c.Changes)-row.More] {
		row.Members = append(row.Members, memberRow{m.Field, plainText(m.From), plainText(m.To)})
	}
	return row
}

// changeState says in a word what would be done.
func changeState(l *frame.Language, a exchange.Action) frame.State {
	switch a {
	case exchange.ActionCreated:
		return frame.State{Code: "good", Text: l.T("would be created")}
	case exchange.ActionArchived:
		return frame.State{Code: "warn", Text: l.T("would be archived")}
	case exchange.ActionRestored:
		return frame.State{Code: "good", Text: l.T("would be brought back")}
	case exchange.ActionDeleted:
		return frame.State{Code: "bad", Text: l.T("would be deleted")}
	case exchange.ActionUpdated:
	}
	return frame.State{Code: "off", Text: l.T("would be changed")}
}

// plainText returns a text without its quotes, and other JSON as it is.
func plainText(v jsontext.Value) (text string) {
	if v.Kind() == 'n' {
		return ""
	}
	if json.Unmarshal(v, &text) == nil {
		return text
	}
	return string(v)
}

func (ui *UI) readChanges(
	ctx context.Context, tx store.Tx, l *frame.Language, row runRow, after, limit int64,
) (list changeList, err error) {
	list.runRow = row
	changes, next, err := ui.Exchange.Runs.Changes(ctx, tx, row.Run, after, limit)
	for _, c := range changes {
		list.Changes = append(list.Changes, ui.newChangeRow(l, c))
	}
	base := "/exchange/" + row.ID.String() + "/changes"
	if next > 0 {
		list.Pager.Next = base + "?after=" + strconv.FormatInt(next, 10)
	}
	if after > 0 {
		list.Pager.Previous = base
	}
	return list, err
}

// changesPage shows what the items of a dry run would change.
func (ui *UI) changesPage(w http.ResponseWriter, r *httpapi.Request) error {
	after := frame.PositiveParam(r, "after", math.MaxInt64)
	list, err := readRun(ui, r, func(ctx context.Context, tx store.Tx, row runRow) (changeList, error) {
		return ui.readChanges(ctx, tx, ui.pages.Language(r), row, after, changesPerPage)
	})
	if err != nil {
		return err
	}
	v := ui.pages.NewView(r, "What would change", "exchange", list)
	v.Crumbs = []frame.Link{{Text: v.T("Exchange"), URL: "/exchange"},
		{Text: list.Name, URL: "/exchange/" + list.ID.String()}}
	return ui.pages.Render(w, http.StatusOK, "run_changes", v)
}
