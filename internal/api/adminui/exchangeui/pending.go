package exchangeui

import (
	"context"
	"math"
	"net/http"
	"strconv"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/store"
)

// pendingPerPage is how many pending references a page shows.
const pendingPerPage = 100

// pendingList is one page of what pushed products wait for.
type pendingList struct {
	Rows  []pendingRow
	After int64
	Pager frame.Pager
}

type pendingRow struct {
	exchange.PendingReference
	Kind  string // of the entity
	Since frame.Timestamp
}

func (ui *UI) pendingPage(w http.ResponseWriter, r *httpapi.Request) error {
	after := frame.PositiveParam(r, "after", math.MaxInt64)

	list, err := frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) (pendingList, error) {
		references, next, err := ui.Exchange.Pushes.Pending(ctx, tx, after, pendingPerPage)
		list := pendingList{After: after}
		if next > 0 {
			list.Pager.Next = "/exchange/pending?after=" + strconv.FormatInt(next, 10)
		}

		if after > 0 {
			list.Pager.Previous = "/exchange/pending"
		}

		for _, p := range references {
			list.Rows = append(list.Rows, pendingRow{p, ui.pendingKind(r, p.Entity),
				ui.pages.NewTimestamp(r, p.FirstSeenAt)})
		}

		return list, err
	})
	if err != nil {
		return err
	}

	v := ui.pages.NewView(r, "Awaited by products", "exchange", list)
	v.Crumbs = []frame.Link{{Text: v.T("Exchange"), URL: "/exchange"}}
	return ui.pages.Render(w, http.StatusOK, "pending", v)
}

// pendingKind returns what is awaited: a category, a price list, or a value of an option or a feature.
func (ui *UI) pendingKind(r *httpapi.Request, entity string) string {
	l := ui.pages.Language(r)
	switch entity {
	case exchange.Categories:
		return l.T("Category")
	case exchange.Features:
		return l.T("Feature")
	case exchange.PriceLists:
		return l.T("Price list")
	}
	return l.T("Option")
}
