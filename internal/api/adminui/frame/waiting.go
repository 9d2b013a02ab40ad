package frame

import (
	"context"
	"net/http"
	"strconv"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/inquiry"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

// maxWaiting is the largest number that an item of the navigation shows. More are "99+".
const maxWaiting = 99

// waitingCounts are the numbers of what waits for somebody of the shop, by the item of the navigation. Each is at most
// maxWaiting + 1.
type waitingCounts map[string]int64

// waiting returns a function that reads what waits for the operator of the request. Pages call it when they are
// rendered, after what the request has changed. After a change it returns no numbers instead of an error: the page may
// show a token that no other page shows.
func (f *Frame) waiting(r *httpapi.Request) func() (waitingCounts, error) {
	return func() (waitingCounts, error) {
		read := func(ctx context.Context, tx store.Tx) (waitingCounts, error) {
			return readWaiting(ctx, tx, r.Principal.May)
		}
		// The page of a wrong request says what is wrong, so the error of the request does not count here.
		counts, err := admitted(r, r.Work.Class(), f.Read(r), read)
		if r.Method != http.MethodGet {
			return counts, nil
		}
		return counts, err
	}
}

// readWaiting counts what waits and is for people who may do what the function may says.
func readWaiting(ctx context.Context, tx store.Tx, may func(access.Scope) bool) (waitingCounts, error) {
	counts := waitingCounts{}

	for _, item := range []struct {
		id    string
		needs access.Scope
		count func(ctx context.Context, tx store.Tx, limit int64) (int64, error)
	}{
		{"orders", access.OrdersRead, order.CountNew},
		{"inquiries", access.InquiriesRead, inquiry.CountNew},
	} {
		if !may(item.needs) {
			continue
		}
		n, err := item.count(ctx, tx, maxWaiting+1)
		if err != nil {
			return nil, err
		}
		counts[item.id] = n
	}

	return counts, nil
}

// showWaiting sets the number of what waits beside an item, and its text for screen readers.
func (v View) showWaiting(item *NavItem, n int64) {
	if n == 0 {
		return
	}

	item.Waiting = strconv.FormatInt(n, 10)
	switch more := n > maxWaiting; {
	case more && item.ID == "orders":
		item.WaitingText = v.T("more than 99 new orders")
	case more:
		item.WaitingText = v.T("more than 99 new inquiries")
	case item.ID == "orders":
		item.WaitingText = v.Plural(n, "%d new order", "%d new orders")
	default:
		item.WaitingText = v.Plural(n, "%d new inquiry", "%d new inquiries")
	}
	if n > maxWaiting {
		item.Waiting = "99+"
	}
}
