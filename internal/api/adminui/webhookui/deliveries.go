package webhookui

import (
	"context"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
)

// deliveriesPerPage is how many deliveries a page shows.
const deliveriesPerPage = 50

// deliveryList is the data of the page that lists deliveries.
type deliveryList struct {
	Rows []deliveryRow
	// The values of the filter, as in the form.
	Receiver, Type string
	frame.Days
	Status    webhook.Status
	Receivers []webhook.Receiver
	Types     []eventType
	Statuses  []namedCount
	Before    int64
	Pager     frame.Pager
}

// Filtered reports whether a filter is set.
func (l deliveryList) Filtered() bool {
	return l.Receiver != "" || l.Type != "" || l.Status != "" || l.From != "" || l.To != ""
}

// deliveryRow is a delivery, formatted for people.
type deliveryRow struct {
	webhook.Delivery
	Name    string // of the event
	State   frame.State
	Created frame.Timestamp
	// URL is the URL of the receiver, if the page shows deliveries of several receivers.
	URL string
	// NextAttempt is nil if no attempt is scheduled.
	NextAttempt *frame.Timestamp
}

func (ui *UI) newDeliveryRow(r *httpapi.Request, d webhook.Delivery, receivers []webhook.Receiver) deliveryRow {
	l := ui.pages.Language(r)
	next := ui.pages.NewOptionalTimestamp(r, d.NextAttemptAt)
	row := deliveryRow{Delivery: d, Name: eventName(l, d.Type), State: stateOf(l, d, next),
		Created: ui.pages.NewTimestamp(r, d.CreatedAt), NextAttempt: next}
	for i := range receivers {
		if receivers[i].ID == d.ReceiverID {
			row.URL = receivers[i].URL
		}
	}
	return row
}

func (ui *UI) deliveriesPage(w http.ResponseWriter, r *httpapi.Request) error {
	list, filter := ui.readDeliveryFilter(r)
	scans := filter.Type != "" || filter.Status != ""

	list, err := frame.ReadStore(ui.Frame, r, scans, func(ctx context.Context, tx store.Tx) (deliveryList, error) {
		list := list
		receivers, _, err := ui.Webhooks.Receivers(ctx, tx, webhook.MaxReceivers, 0)
		if err != nil {
			return list, err
		}

		list.Receivers = receivers
		deliveries, next, err := ui.Webhooks.Deliveries(ctx, tx, filter, list.Before, deliveriesPerPage)
		for _, d := range deliveries {
			list.Rows = append(list.Rows, ui.newDeliveryRow(r, d, receivers))
		}

		list.Pager = deliveryPager(r.URL, list.Before, next)
		return list, err
	})
	if err != nil {
		return err
	}

	v := ui.pages.NewView(r, "Deliveries", "webhooks", list)
	v.Crumbs = []frame.Link{{Text: v.T("Webhooks"), URL: "/webhooks"}}
	return ui.pages.RenderDays(w, "deliveries", v, list.Days)
}

// readDeliveryFilter reads the filter of the query. It reports what the form cannot send through r.Query.BadParam.
func (ui *UI) readDeliveryFilter(r *httpapi.Request) (list deliveryList, filter webhook.DeliveryFilter) {
	l := ui.pages.Language(r)
	query := r.URL.Query()
	list = deliveryList{Receiver: query.Get("receiver"), Type: query.Get("type"),
		Days: frame.ReadDays(r, l, "from", "to"), Status: webhook.Status(query.Get("status")), Types: eventTypes(l),
		Before: frame.PositiveParam(r, "before", math.MaxInt64)}
	for _, s := range webhook.Statuses() {
		list.Statuses = append(list.Statuses, namedCount{State: deliveryState(l, s), Status: s})
	}

	if list.Receiver != "" {
		receiverID, err := id.Parse[webhook.Receiver](list.Receiver)
		if err != nil {
			r.Query.BadParam("receiver", "must be one of those that the page offers")
		}
		filter.ReceiverID = &receiverID
	}

	if list.Type != "" && !slices.Contains(event.TypeIDs(), list.Type) {
		r.Query.BadParam("type", "must be one of those that the page offers")
	}

	if list.Status != "" && !list.Status.Valid() {
		r.Query.BadParam("status", "must be one of those that the page offers")
	}

	filter.Type, filter.Status = list.Type, list.Status
	filter.From, filter.Before = list.First, list.After
	return list, filter
}

func deliveryPager(u *url.URL, before, next int64) (p frame.Pager) {
	query := u.Query()
	query.Del("before")
	if before > 0 {
		p.Previous = "/deliveries?" + query.Encode()
	}
	if next > 0 {
		query.Set("before", strconv.FormatInt(next, 10))
		p.Next = "/deliveries?" + query.Encode()
	}
	return p
}
