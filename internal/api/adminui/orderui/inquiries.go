package orderui

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/inquiry"
	"vitrine/internal/shop/listview"
	"vitrine/internal/shop/store"
)

// inquiriesBody is the data of the list.
type inquiriesBody struct {
	State string // in the query; see inquiriesQuery
	Q     string
	Tabs  []tab
	inquiryTable
	Choice frame.ColumnChoice
	Views  frame.Views
	Pager  frame.Pager
	Clear  string
	Empty  frame.Empty
}

// inquiryTable is the rows of a list of inquiries.
type inquiryTable struct {
	Rows []inquiryRow
	frame.Columns
}

// inquiryColumns returns the columns of a list of inquiries.
func inquiryColumns(l *frame.Language) []frame.Column {
	return []frame.Column{
		{Text: l.T("Who")},
		{Name: "what", Text: l.T("What")},
		{Name: "date", Text: l.T("Date")},
		{Name: "state", Text: l.T("State")},
	}
}

// inquiryRow is an inquiry of a list.
type inquiryRow struct {
	ID, Who, Contact, Kind, Text, Note, Handler string
	PreferredTime                               string // to be called, in the visitor's own words
	At                                          frame.Timestamp
	State                                       frame.State
}

// inquiriesQuery is the selection in the query of the list. State is new by default, and "all" for all inquiries.
type inquiriesQuery struct {
	State, Q string
	// ColumnNames is the choice of columns, "" for all, and View the saved view of the list, if it has one.
	ColumnNames, View string
}

const allInquiries = "all"

func readInquiriesQuery(r *httpapi.Request) (q inquiriesQuery) {
	if q.State, _ = r.Query.Param("state"); q.State == "" {
		q.State = string(inquiry.StateNew)
	}
	if q.State != allInquiries && !slices.Contains(inquiry.States(), inquiry.State(q.State)) {
		r.Query.BadParam("state", "must be one of the tabs of the page")
	}
	q.Q = strings.TrimSpace(r.Query.SearchText())
	return q
}

func (q inquiriesQuery) filter() inquiry.HandlingFilter {
	if q.State == allInquiries {
		return inquiry.HandlingFilter{Search: q.Q, Tolerant: true}
	}
	return inquiry.HandlingFilter{State: inquiry.State(q.State), Search: q.Q, Tolerant: true}
}

// address returns the address of the list with the selection.
func (q inquiriesQuery) address(more ...string) string {
	state := q.State
	if state == string(inquiry.StateNew) {
		state = ""
	}
	return frame.Address("/inquiries", append([]string{"state", state, "q", q.Q, "columns", q.ColumnNames,
		"view", q.View}, more...)...)
}

// inquiryPosition reads a position as numbers: the time, 1 for feedback or 0 for a callback request, and the key.
func inquiryPosition(r *httpapi.Request) *inquiry.Position {
	numbers, newer := positionParam(r, 3)
	if numbers == nil {
		return nil
	}
	p := &inquiry.Position{CreatedAt: numbers[0], Kind: inquiry.KindCallback, Key: numbers[2], Newer: newer}
	if numbers[1] == 1 {
		p.Kind = inquiry.KindFeedback
	}
	return p
}

func (q inquiriesQuery) pager(p inquiry.Part) frame.Pager {
	return frame.NewPager(p.Newer, p.Older, func(name string, at *inquiry.Position) string {
		kind := 0
		if at.Kind == inquiry.KindFeedback {
			kind = 1
		}
		return q.address(name, fmt.Sprintf("%d.%d.%d", at.CreatedAt, kind, at.Key))
	})
}

func (ui *UI) inquiriesPage(w http.ResponseWriter, r *httpapi.Request) error {
	q := readInquiriesQuery(r)
	at := inquiryPosition(r)
	v := ui.pages.NewView(r, "Inquiries", "inquiries", nil)
	columns := frame.ReadColumns(r, inquiryColumns(v.Language), "", nil)
	q.ColumnNames = columns.Param()

	body, err := frame.ReadStore(ui.Frame, r, q.Q != "", func(
		ctx context.Context, tx store.Tx,
	) (b inquiriesBody, err error) {
		views, err := frame.ReadViews(ctx, tx, r, listview.Inquiries, q.ColumnNames)
		if err != nil || views.Redirect != "" {
			return inquiriesBody{Views: views}, err
		}
		q.View = views.Param

		part, err := ui.Inquiries.List(ctx, tx, q.filter(), at, rowsPerPage)
		if err != nil {
			return b, err
		}
		counts, err := ui.Inquiries.CountStates(ctx, tx)
		if err != nil {
			return b, err
		}

		b = inquiriesBody{State: q.State, Q: q.Q, Views: views, Tabs: inquiryTabs(v, q, counts), Pager: q.pager(part),
			inquiryTable: inquiryTable{inquiryRows(v, part.Inquiries), columns},
			Choice: frame.ColumnChoice{Columns: columns, Path: "/inquiries",
				Hidden: frame.HiddenParams(q.address(), "columns")}}
		if q.Q != "" {
			b.Clear = inquiriesQuery{State: q.State, ColumnNames: q.ColumnNames, View: q.View}.address()
		}

		b.Empty = emptyInquiries(v, q, b.Clear)
		return b, nil
	})
	if target := body.Views.Elsewhere(r, err); target != "" {
		return frame.Redirect(w, r.Request, target)
	}
	if err != nil {
		return err
	}

	v.Body = body
	return ui.pages.Render(w, http.StatusOK, "inquiries", v)
}

// CheckInquiriesView reads the query of the request as that of a saved view of the inquiries. It reports errors through
// r.Fail.
func CheckInquiriesView(r *httpapi.Request) { readInquiriesQuery(r) }

func inquiryTabs(v frame.View, q inquiriesQuery, counts map[inquiry.State]int64) []tab {
	tabs := []tab{{Text: v.Of("inquiries", "New")}, {Text: v.Of("inquiries", "Taken")},
		{Text: v.Of("inquiries", "Done")}, {Text: v.T("All")}}
	all := int64(0)
	for i, state := range inquiry.States() {
		all += counts[state]
		target := q
		target.State = string(state)
		tabs[i].URL = target.address()
		tabs[i].Current = q.State == string(state)
		tabs[i].Count = bounded(v.Language, counts[state], inquiry.MaxCounted)
	}

	last := &tabs[len(tabs)-1]
	everything := q
	everything.State = allInquiries
	last.URL = everything.address()
	last.Current = q.State == allInquiries
	last.Count = bounded(v.Language, all, inquiry.MaxCounted)

	if q.Q != "" { // the tabs of a search have no numbers
		for i := range tabs {
			tabs[i].Count = ""
		}
	}

	return tabs
}

// excerptLength is the number of characters of a text that a list shows.
const excerptLength = 160

func inquiryRows(v frame.View, list []inquiry.Inquiry) []inquiryRow {
	rows := make([]inquiryRow, len(list))
	for n := range list {
		i := &list[n]
		rows[n] = inquiryRow{
			ID: i.ID.String(), Who: inquirer(v.Language, i), Kind: kindText(v.Language, i.Kind), Text: excerpt(i.Text),
			Note: excerpt(i.Note), PreferredTime: excerpt(i.PreferredTime), Handler: i.Handler,
			At: v.Timestamp(i.CreatedAt), State: inquiryState(v.Language, i.State),
		}
		if contact := i.Phone; i.Name != "" {
			if contact == "" {
				contact = i.Email
			}
			rows[n].Contact = contact
		}
	}

	return rows
}

// excerpt returns the beginning of a text.
func excerpt(text string) string {
	runes := []rune(text)
	if len(runes) <= excerptLength {
		return text
	}
	return string(runes[:excerptLength]) + "…"
}

// inquirer returns the name of the person who sent an inquiry, or their address.
func inquirer(l *frame.Language, i *inquiry.Inquiry) string {
	for _, text := range []string{i.Name, i.Phone, i.Email} {
		if text != "" {
			return text
		}
	}
	return l.T("Somebody")
}

func kindText(l *frame.Language, k inquiry.Kind) string {
	if k == inquiry.KindCallback {
		return l.T("Call back")
	}
	return l.T("Message")
}

func inquiryState(l *frame.Language, s inquiry.State) frame.State {
	switch s {
	case inquiry.StateNew:
		return frame.State{Code: "warn", Text: l.T("New")}
	case inquiry.StateTaken:
		return frame.State{Code: "info", Text: l.T("Taken")}
	case inquiry.StateDone:
	}
	return frame.State{Code: "good", Text: l.T("Done")}
}

func emptyInquiries(v frame.View, q inquiriesQuery, clearURL string) frame.Empty {
	switch {
	case clearURL != "":
		return frame.Empty{Text: v.T("Nothing matches this search."), URL: clearURL, Action: v.T("Show all")}
	case q.State == string(inquiry.StateNew):
		return frame.Empty{Text: v.T("There are no new inquiries."),
			Hint: v.T("Messages and requests to be called back appear here as visitors of your site send them.")}
	case q.State == allInquiries:
		return frame.Empty{Text: v.T("There are no inquiries yet."),
			Hint: v.T("Messages and requests to be called back appear here as visitors of your site send them.")}
	}
	return frame.Empty{Text: v.T("There are no inquiries in this state.")}
}
