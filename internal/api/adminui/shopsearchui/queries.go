package shopsearchui

import (
	"context"
	"math"
	"net/http"
	"slices"
	"time"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/searchlog"
	"vitrine/internal/shop/store"
)

// defaultDays is how many days the page sums up if no period is chosen.
const defaultDays = 30

// queriesPage is the data of the page with what people search for.
type queriesPage struct {
	Tabs []tab
	// Found selects what found nothing ("none"), or everything.
	Found   string
	Filters []countedTab
	frame.Days
	Rows  []queryRow
	Pager frame.Pager
	// More says that there are so many queries that only the newest were summed up.
	More bool
	// Asked says that something was searched in the period.
	Asked bool
}

// countedTab is a selection of queries with their number.
type countedTab struct {
	tab
	Count string
}

// queryRow is a query with its sums in the period.
type queryRow struct {
	searchlog.Query
	LastDay string
	// Synonym and Pin are the addresses of the forms for this query, and Why that of the page with what it finds.
	Synonym, Pin, Why string
}

func (ui *UI) queriesPage(w http.ResponseWriter, r *httpapi.Request) error {
	v := ui.pages.NewView(r, "What people search", navItem, nil)
	b := &queriesPage{Tabs: tabs(&v, queriesPath), Found: "none",
		Days: frame.ReadDays(r, ui.pages.Language(r), "from", "to")}
	if found, given := r.Query.Param("found"); given && found == "any" {
		b.Found = found
	} else if given && found != "none" {
		r.Query.BadParam("found", "must be none or any")
	}
	page := frame.PositiveParam(r, "page", math.MaxInt32)

	sums, err := ui.sum(r, b)
	if err != nil {
		return err
	}

	b.Asked = len(sums) > 0
	none := slices.DeleteFunc(slices.Clone(sums), func(q searchlog.Query) bool { return q.Found > 0 })
	shown := sums
	if b.Found == "none" {
		shown = none
	}
	b.Filters = []countedTab{
		{tab{v.T("Found nothing"), b.address("none", ""), b.Found == "none"}, v.Number(len(none))},
		{tab{v.T("Everything"), b.address("any", ""), b.Found == "any"}, v.Number(len(sums))},
	}

	shown, b.Pager = pageOf(shown, page, func(page string) string { return b.address(b.Found, page) })
	for _, q := range shown {
		b.Rows = append(b.Rows, queryRow{Query: q, LastDay: v.Date(midday(q.Day, v.Store)),
			Synonym: frame.Address(entryPath, "word", q.Query), Pin: frame.Address(pinPath, "query", q.Query),
			Why: frame.Address(whyPath, "q", q.Query)})
	}

	v.Body = b
	return ui.pages.RenderDays(w, "queries", v, b.Days)
}

// midday returns the middle of a day in the timezone of the store.
func midday(day int64, s store.Store) time.Time {
	t := store.DayTime(day)
	return time.Date(t.Year(), t.Month(), t.Day(), 12, 0, 0, 0, s.Zone())
}

// sum returns the sums of the queries of the period.
func (ui *UI) sum(r *httpapi.Request, b *queriesPage) ([]searchlog.Query, error) {
	zone := r.Principal.Store.Zone()
	today := store.DayNumber(ui.Now().In(zone))
	from := today - defaultDays + 1
	to := today

	if !b.First.IsZero() {
		from = max(store.DayNumber(b.First.In(zone)), today-searchlog.RetentionDays+1)
	}
	if !b.After.IsZero() {
		to = store.DayNumber(b.After.In(zone)) - 1
		if b.First.IsZero() {
			from = min(from, to-defaultDays+1)
		}
	}

	return frame.InStore(r, ui.Snapshot(r), func(
		ctx context.Context, tx store.Tx,
	) (sums []searchlog.Query, err error) {
		sums, b.More, err = searchlog.Sum(ctx, tx, from, to)
		return sums, err
	})
}

// address returns the address of a page with the period.
func (b *queriesPage) address(found, page string) string {
	return frame.Address(queriesPath, "found", found, "from", b.From, "to", b.To, "page", page)
}
