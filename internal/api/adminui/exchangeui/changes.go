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
	"vitrine/internal/shop/exchange/item/table"
	"vitrine/internal/shop/store"
)

const (
	// changesPerPage is how many items a page of changes shows, and firstChanges how many the page of the run.
	changesPerPage, firstChanges = 50, 5
	// shownMembers is how many members of an item a page shows.
	shownMembers = 30
)

// changeList is one page of what a run has changed, or would change in a dry run.
type changeList struct {
	runRow
	Changes []changeRow
	Pager   frame.Pager
	// Title is that of the list, Heading that of what happens to an item, and Before that of the values before it.
	Title, Heading, Before string
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

func (ui *UI) newChangeRow(l *frame.Language, run runRow, c exchange.RunChange) changeRow {
	row := changeRow{RunChange: c, State: changeDone(l, c.Action), More: max(0, len(c.Changes)-shownMembers)}
	if run.DryRun {
		row.State = changeState(l, c.Action)
	}

	for _, m := range c.Changes[:len(c.Changes)-row.More] {
		field := m.Field
		if run.HasTable() {
			field = table.ColumnOf(run.Entity, field)
		}
		row.Members = append(row.Members, memberRow{field, plainText(m.From), plainText(m.To)})
	}

	return row
}

// changeDone says in a word what was done.
func changeDone(l *frame.Language, a exchange.Action) frame.State {
	switch a {
	case exchange.ActionCreated:
		return frame.State{Code: "good", Text: l.T("created")}
	case exchange.ActionArchived:
		return frame.State{Code: "warn", Text: l.T("archived")}
	case exchange.ActionRestored:
		return frame.State{Code: "good", Text: l.T("brought back")}
	case exchange.ActionDeleted:
		return frame.State{Code: "bad", Text: l.T("deleted")}
	case exchange.ActionUpdated:
	}
	return frame.State{Code: "off", Text: l.T("changed")}
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
	list.Title, list.Heading, list.Before = l.T("What would change"), l.T("What would happen"), l.T("Now")
	if !row.DryRun {
		list.Title, list.Heading, list.Before = l.T("What it has changed"), l.T("What happened"), l.T("Before")
	}

	changes, next, err := ui.Exchange.Runs.Changes(ctx, tx, row.Run, after, limit)
	for _, c := range changes {
		list.Changes = append(list.Changes, ui.newChangeRow(l, row, c))
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

// changesPage shows what the items of a run have changed, or would change.
func (ui *UI) changesPage(w http.ResponseWriter, r *httpapi.Request) error {
	after := frame.PositiveParam(r, "after", math.MaxInt64)
	list, err := readRun(ui, r, func(ctx context.Context, tx store.Tx, row runRow) (changeList, error) {
		return ui.readChanges(ctx, tx, ui.pages.Language(r), row, after, changesPerPage)
	})
	if err != nil {
		return err
	}
	v := ui.pages.NewView(r, "Changes", "exchange", list)
	v.Title = list.Title
	v.Crumbs = []frame.Link{{Text: v.T("Exchange"), URL: "/exchange"},
		{Text: list.Name, URL: "/exchange/" + list.ID.String()}}
	return ui.pages.Render(w, http.StatusOK, "run_changes", v)
}
