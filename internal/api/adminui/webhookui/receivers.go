package webhookui

import (
	"cmp"
	"context"
	"math"
	"net/http"
	"time"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
)

// deliveriesPerPage is how many deliveries the page of a receiver shows at a time.
const deliveriesPerPage = 50

// receiverList is the data of the page that lists the receivers.
type receiverList struct {
	Rows []receiverRow
	// AtLimit says that the store has the maximum number of receivers.
	AtLimit bool
}

// receiverRow is a receiver, formatted for people.
type receiverRow struct {
	webhook.Receiver
	// State is Active, Failing or Disabled. Reason says why the receiver is disabled. Since is the time at which a
	// failing receiver began to fail, and nil for other receivers.
	State, Reason string
	Since         *frame.Timestamp
	// LastDay counts the deliveries of the last 24 hours by status.
	LastDay webhook.StatusCounts
}

// Counts returns the counts of LastDay in the order of the table's columns.
func (row receiverRow) Counts() []namedCount { return deliveryCounts(row.LastDay) }

// AllTypes reports whether the receiver gets events of all types.
func (row receiverRow) AllTypes() bool { return len(row.Types) == 1 && row.Types[0] == "*" }

// namedCount is a number of deliveries with its name.
type namedCount struct {
	Name  string
	N     int64
	Alarm string // how a number above 0 is highlighted: "bad", "warn" or "" (not at all)
}

func deliveryCounts(t webhook.StatusCounts) []namedCount {
	return []namedCount{
		{"Delivered", t[webhook.Delivered], ""}, {"Pending", t[webhook.Pending], ""}, {"Held", t[webhook.Held], "warn"},
		{"Dead", t[webhook.Dead], "bad"},
	}
}

func (ui *UI) receiverRow(r *httpapi.Request, receiver webhook.Receiver, day webhook.StatusCounts) receiverRow {
	row := receiverRow{Receiver: receiver, State: "Active", LastDay: day}
	switch reason := receiver.DisabledReason; {
	case !receiver.Enabled && reason == nil:
		row.State, row.Reason = "Disabled", "Its events are held."
	case !receiver.Enabled && *reason == webhook.DisabledGone:
		row.State, row.Reason = "Disabled", "It answered that it is gone (410). Its events are held."
	case !receiver.Enabled:
		row.State, row.Reason = "Disabled", "Nothing was delivered for 5 days. Its events are held."
	case receiver.FailingSince != nil:
		row.State, row.Since = "Failing", ui.pages.NewOptionalTimestamp(r, receiver.FailingSince)
	}
	return row
}

func (ui *UI) receiversPage(w http.ResponseWriter, r *httpapi.Request) error {
	list, err := frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) (list receiverList, err error) {
		receivers, total, err := ui.Webhooks.Receivers(ctx, tx, webhook.MaxReceivers, 0)
		if err != nil {
			return list, err
		}
		days, err := ui.Webhooks.CountDeliveries(ctx, tx, ui.Now().Add(-24*time.Hour))
		list.AtLimit = total >= webhook.MaxReceivers
		for _, receiver := range receivers {
			list.Rows = append(list.Rows, ui.receiverRow(r, receiver, days[receiver.Key]))
		}
		return list, err
	})
	if err != nil {
		return err
	}
	v := ui.pages.NewView(r, "Webhooks", "webhooks", list)
	v.Success = frame.RedirectMessage(r, "deleted", "The receiver is deleted, with its deliveries.")
	return ui.pages.Render(w, http.StatusOK, "receivers", v)
}

// receiverBody is the data of the page of a receiver.
type receiverBody struct {
	receiverRow
	// Undelivered counts the deliveries that are pending, held or dead, of any age.
	Undelivered webhook.StatusCounts
	// Status filters the list of deliveries; empty shows all.
	Status webhook.Status
	Rows   []deliveryRow
	// Before is the cursor of this page, 0 for the first page. Next is the cursor of the next page, 0 if there is none.
	Before, Next int64
	// RecoverSince is the start time in the form that recovers deliveries.
	RecoverSince string
	Errors       frame.FieldErrors
}

// Statuses returns the statuses that the list can be filtered by.
func (b receiverBody) Statuses() []webhook.Status { return webhook.Statuses() }

// TestTypes returns the event types of which an example can be sent.
func (b receiverBody) TestTypes() []event.Type { return event.Types() }

// UndeliveredCounts returns the counts of Undelivered in the order in which the page shows them.
func (b receiverBody) UndeliveredCounts() []namedCount { return deliveryCounts(b.Undelivered)[1:] }

// Recoverable returns the number of deliveries that can be recovered.
func (b receiverBody) Recoverable() (n int64) {
	for _, count := range b.UndeliveredCounts() {
		n += count.N
	}
	return n
}

// datetimeLocalLayout is the format of the value of an HTML input of type datetime-local.
const datetimeLocalLayout = "2006-01-02T15:04"

// recoverDays is how many days ago the default of receiverBody.RecoverSince is.
const recoverDays = 7

func (ui *UI) receiverPage(w http.ResponseWriter, r *httpapi.Request) error {
	body, err := ui.readReceiverBody(r)
	if err != nil {
		return err
	}
	v := ui.pages.NewView(r, "Receiver", "webhooks", body)
	v.Success = cmp.Or(frame.RedirectMessage(r, "saved", "The receiver is saved."),
		frame.RedirectMessage(r, "enabled", "The receiver is enabled. Held events stay held until you send them."),
		frame.RedirectMessage(r, "disabled", "The receiver is disabled. Its pending events are held."),
		frame.RedirectMessage(r, "recovered", "The undelivered events are being sent."))
	return ui.pages.Render(w, http.StatusOK, "receiver", v)
}

// readReceiverBody reads the data of the page of the receiver whose id is in the path.
func (ui *UI) readReceiverBody(r *httpapi.Request) (receiverBody, error) {
	receiverID, before := receiverIDFromPath(r), frame.PositiveParam(r, "before", math.MaxInt64)
	status := webhook.Status(r.URL.Query().Get("status"))
	if status != "" && !status.Valid() {
		r.BadParam("status", "must be one of those that the page offers")
	}
	filter := webhook.DeliveryFilter{ReceiverID: &receiverID, Status: status}
	since := ui.Now().In(r.Principal.Store.Zone()).AddDate(0, 0, -recoverDays).Format(datetimeLocalLayout)
	return frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) (body receiverBody, err error) {
		receiver, err := ui.Webhooks.Receiver(ctx, tx, receiverID)
		if err != nil {
			return body, err
		}
		body = receiverBody{receiverRow: ui.receiverRow(r, receiver, nil), Status: status, Before: before,
			RecoverSince: since}
		if body.Undelivered, err = ui.Webhooks.CountUndelivered(ctx, tx, receiver); err != nil {
			return body, err
		}
		list, next, err := ui.Webhooks.Deliveries(ctx, tx, filter, before, deliveriesPerPage)
		body.Next = next
		for _, d := range list {
			body.Rows = append(body.Rows, ui.newDeliveryRow(r, d))
		}
		return body, err
	})
}

func receiverIDFromPath(r *httpapi.Request) webhook.ReceiverID {
	return httpapi.PathID[webhook.Receiver](r, "id", "receiver")
}

// receiverFromPath returns the receiver whose id is in the path, or fault.NotFound if the store has no such receiver.
func (ui *UI) receiverFromPath(r *httpapi.Request) (webhook.Receiver, error) {
	receiverID := receiverIDFromPath(r)
	return frame.InStore(r, ui.Read(r), func(ctx context.Context, tx store.Tx) (webhook.Receiver, error) {
		return ui.Webhooks.Receiver(ctx, tx, receiverID)
	})
}
