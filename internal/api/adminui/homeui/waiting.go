package homeui

import (
	"context"
	"strconv"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/inquiry"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
)

const (
	// maxWaiting is the largest number of things of a kind that the list shows. More are "99+".
	maxWaiting = 99
	// runsRead is the number of the newest pushes among which the last one that ended is looked for.
	runsRead = 20
)

// waitingRow is something that waits for somebody of the shop.
type waitingRow struct {
	Icon, Text, URL string
	// Count is how many there are, such as 5 or 99+; empty for a single thing.
	Count string
}

// readWaiting returns what waits and is for the operator of the view, the most urgent first.
func (ui *UI) readWaiting(ctx context.Context, tx store.Tx, v frame.View) (rows []waitingRow, err error) {
	for _, kind := range []struct {
		needs           access.Scope
		icon, text, url string
		count           func(ctx context.Context, tx store.Tx, limit int64) (int64, error)
	}{
		{access.OrdersRead, "shopping-bag", v.T("New orders"), "/orders", order.CountNew},
		{access.InquiriesRead, "message-circle", v.T("New inquiries"), "/inquiries", inquiry.CountNew},
		{access.CatalogRead, "package", v.T("Sold out, but ordered in the last 90 days"), "/stock?state=wanted",
			view.CountWanted},
		{access.WebhooksRead, "webhook", v.T("Connected programs that do not answer"), "/webhooks", ui.countFailing},
	} {
		if !v.May(string(kind.needs)) {
			continue
		}

		n, err := kind.count(ctx, tx, maxWaiting+1)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			rows = append(rows, waitingRow{Icon: kind.icon, Text: kind.text, URL: kind.url, Count: capped(n)})
		}
	}

	if !v.May(string(access.CatalogRead)) {
		return rows, nil
	}
	failed, err := ui.lastPush(ctx, tx)
	if failed != nil {
		rows = append(rows, waitingRow{Icon: "refresh-cw", Text: v.T("The last exchange with accounting failed"),
			URL: "/exchange/" + failed.ID.String()})
	}
	return rows, err
}

func capped(n int64) string {
	if n > maxWaiting {
		return strconv.Itoa(maxWaiting) + "+"
	}
	return strconv.FormatInt(n, 10)
}

// lastPush returns the newest push that ended, if it failed as a whole; else nil.
func (ui *UI) lastPush(ctx context.Context, tx store.Tx) (*exchange.Run, error) {
	runs, _, err := ui.Exchange.Runs.ListAll(ctx, tx, 0, runsRead)
	for i := range runs {
		r := &runs[i]
		switch {
		case r.DryRun || r.FinishedAt == nil:
		case r.Outcome() == exchange.NothingApplied:
			return r, nil
		default:
			return nil, err
		}
	}
	return nil, err
}

// countFailing counts the receivers that fail now, and those that were turned off because of that.
func (ui *UI) countFailing(ctx context.Context, tx store.Tx, _ int64) (n int64, err error) {
	receivers, _, err := ui.Webhooks.Receivers(ctx, tx, webhook.MaxReceivers, 0)
	for _, receiver := range receivers {
		if receiver.Enabled && receiver.FailingSince != nil || !receiver.Enabled && receiver.DisabledReason != nil {
			n++
		}
	}
	return n, err
}
