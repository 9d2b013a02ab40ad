package webhookui

import (
	"context"
	"net/http"
	"time"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
)

// receiverList is the data of the page that lists the receivers.
type receiverList struct {
	Rows []receiverRow
	// AtLimit says that the store has the maximum number of receivers.
	AtLimit bool
	Period  period
	Chart   frame.Chart
	// Failing is the number of enabled receivers that fail, Disabled the number of disabled receivers.
	Failing, Disabled int64
	// Total has the requests of the period.
	Total webhook.AttemptCounts
}

// receiverRow is a receiver, formatted for people.
type receiverRow struct {
	webhook.Receiver
	// State is the badge. Reason says why the receiver is disabled. Since is the time at which a failing receiver began
	// to fail, and nil for other receivers.
	State  frame.State
	Reason string
	Since  *frame.Timestamp
	// Attempts are the requests of the chart's period.
	Attempts webhook.AttemptCounts
	// Names are the names of the event types that the receiver gets; empty if it gets all.
	Names []string
}

// Share returns the percentage of the attempts that succeeded, for a meter.
func (row receiverRow) Share() int64 {
	all := row.Attempts.Delivered + row.Attempts.Failed
	if all == 0 {
		return 0
	}
	return row.Attempts.Delivered * 100 / all
}

// Sent returns the number of attempts.
func (row receiverRow) Sent() int64 { return row.Attempts.Delivered + row.Attempts.Failed }

// AllTypes reports whether the receiver gets events of all types.
func (row receiverRow) AllTypes() bool { return len(row.Types) == 1 && row.Types[0] == "*" }

func (ui *UI) receiverRow(r *httpapi.Request, receiver webhook.Receiver, attempts webhook.AttemptCounts) receiverRow {
	l := ui.pages.Language(r)
	row := receiverRow{Receiver: receiver, State: frame.State{Code: "good", Text: l.T("Works")}, Attempts: attempts}
	switch reason := receiver.DisabledReason; {
	case !receiver.Enabled && reason == nil:
		row.State, row.Reason = frame.State{Code: "off", Text: l.T("Off")}, l.T("Its events are held back.")
	case !receiver.Enabled && *reason == webhook.DisabledGone:
		row.State = frame.State{Code: "bad", Text: l.T("Off")}
		row.Reason = l.T("It answered that it is gone (410). Its events are held back.")
	case !receiver.Enabled:
		row.State = frame.State{Code: "bad", Text: l.T("Off")}
		row.Reason = l.T("Nothing was delivered for 5 days. Its events are held back.")
	case receiver.FailingSince != nil:
		row.State = frame.State{Code: "warn", Text: l.T("Fails")}
		row.Since = ui.pages.NewOptionalTimestamp(r, receiver.FailingSince)
	case attempts == webhook.AttemptCounts{} && receiver.CreatedAt.After(readPeriod(r).start(ui.Now())):
		row.State = frame.State{Code: "off", Text: l.T("Not tried yet")}
	}

	if !row.AllTypes() {
		for _, id := range receiver.Types {
			row.Names = append(row.Names, eventName(l, id))
		}
	}

	return row
}

func (ui *UI) receiversPage(w http.ResponseWriter, r *httpapi.Request) error {
	list, err := frame.InStore(r, ui.Snapshot(r), func(
		ctx context.Context, tx store.Tx,
	) (list receiverList, err error) {
		list.Period = readPeriod(r)
		receivers, total, err := ui.Webhooks.Receivers(ctx, tx, webhook.MaxReceivers, 0)
		if err != nil {
			return list, err
		}

		hours, err := ui.Webhooks.AttemptsPerHour(ctx, tx, 0, list.Period.start(ui.Now()))
		counts := map[int64]webhook.AttemptCounts{}
		for _, h := range hours {
			n := counts[h.ReceiverKey]
			n.Add(h.AttemptCounts)
			counts[h.ReceiverKey] = n
			list.Total.Add(h.AttemptCounts)
		}

		list.Chart = ui.attemptChart(r, list.Period, hours)
		list.AtLimit = total >= webhook.MaxReceivers

		for _, receiver := range receivers {
			list.Rows = append(list.Rows, ui.receiverRow(r, receiver, counts[receiver.Key]))
			switch {
			case !receiver.Enabled:
				list.Disabled++
			case receiver.FailingSince != nil:
				list.Failing++
			}
		}

		return list, err
	})
	if err != nil {
		return err
	}

	return ui.pages.Render(w, http.StatusOK, "receivers", ui.pages.NewView(r, "Webhooks", "webhooks", list))
}

// receiverBody is the data of the page of a receiver.
type receiverBody struct {
	receiverRow
	Period period
	Chart  frame.Chart
	// Undelivered counts the deliveries that are pending, held or dead, of any age.
	Undelivered webhook.StatusCounts
	// Rows are the last deliveries; More is whether there are older ones.
	Rows []deliveryRow
	More bool
	// RecoverSince is the start time in the form that recovers deliveries.
	RecoverSince string
	TestTypes    []eventType
	Errors       frame.FieldErrors

	language *frame.Language
}

// namedCount is a number of deliveries in a status.
type namedCount struct {
	State  frame.State
	Status webhook.Status
	N      int64
}

// UndeliveredCounts returns the counts of Undelivered in the order in which the page shows them.
func (b receiverBody) UndeliveredCounts() (list []namedCount) {
	for _, s := range []webhook.Status{webhook.Pending, webhook.Held, webhook.Dead} {
		list = append(list, namedCount{deliveryState(b.language, s), s, b.Undelivered[s]})
	}
	return list
}

// Recoverable returns the number of deliveries that can be recovered.
func (b receiverBody) Recoverable() (n int64) {
	for _, count := range b.UndeliveredCounts() {
		n += count.N
	}
	return n
}

// datetimeLocalLayout is the format of the value of an HTML input of type datetime-local.
const datetimeLocalLayout = "2006-01-02T15:04"

const (
	// recoverDays is how many days ago the default of receiverBody.RecoverSince is.
	recoverDays = 7
	// lastDeliveries is how many deliveries the page of a receiver shows.
	lastDeliveries = 10
)

func (ui *UI) receiverPage(r *httpapi.Request) (frame.View, error) {
	body, err := ui.readReceiverBody(r)
	return ui.receiverView(r, body), err
}

func (ui *UI) receiverView(r *httpapi.Request, body receiverBody) frame.View {
	v := ui.pages.NewView(r, "Receiver", "webhooks", body)
	v.Crumbs = []frame.Link{{Text: v.T("Webhooks"), URL: "/webhooks"}}
	return v
}

// readReceiverBody reads the data of the page of the receiver whose id is in the path.
func (ui *UI) readReceiverBody(r *httpapi.Request) (receiverBody, error) {
	receiverID := receiverIDFromPath(r)
	l := ui.pages.Language(r)
	p := readPeriod(r)
	since := ui.Now().In(r.Principal.Store.Zone()).AddDate(0, 0, -recoverDays).Format(datetimeLocalLayout)
	return frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) (body receiverBody, err error) {
		receiver, err := ui.Webhooks.Receiver(ctx, tx, receiverID)
		if err != nil {
			return body, err
		}
		hours, err := ui.Webhooks.AttemptsPerHour(ctx, tx, receiver.Key, p.start(ui.Now()))
		if err != nil {
			return body, err
		}

		var sum webhook.AttemptCounts
		for _, h := range hours {
			sum.Add(h.AttemptCounts)
		}

		body = receiverBody{receiverRow: ui.receiverRow(r, receiver, sum), Period: p, RecoverSince: since, language: l,
			Chart: ui.attemptChart(r, p, hours), TestTypes: eventTypes(l)}
		if body.Undelivered, err = ui.Webhooks.CountUndelivered(ctx, tx, receiver); err != nil {
			return body, err
		}

		list, next, err := ui.Webhooks.Deliveries(ctx, tx, webhook.DeliveryFilter{ReceiverID: &receiverID}, 0,
			lastDeliveries)
		body.More = next > 0
		for _, d := range list {
			body.Rows = append(body.Rows, ui.newDeliveryRow(r, d, nil))
		}

		return body, err
	})
}

// eventType is an event type for people.
type eventType struct {
	event.Type
	Name, Text string
	// Body is an example of the request's body.
	Body string
}

func eventTypes(l *frame.Language) (list []eventType) {
	for _, t := range event.Types() {
		list = append(list, eventType{Type: t, Name: eventName(l, t.ID), Text: eventDescription(l, t.ID)})
	}
	return list
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

// exampleTime is the time of the events in the catalogue.
func exampleTime() time.Time { return time.Date(2026, time.March, 14, 9, 26, 53, 0, time.UTC) }
