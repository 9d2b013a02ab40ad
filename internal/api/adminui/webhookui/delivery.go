package webhookui

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
)

// liveBeforeAttempt is how long before the next attempt of a delivery its page begins to refresh itself.
const liveBeforeAttempt = time.Minute

// deliveryRow is a delivery, formatted for people.
type deliveryRow struct {
	webhook.Delivery
	Created frame.Timestamp
	// NextAttempt is nil if no attempt is scheduled.
	NextAttempt *frame.Timestamp
}

func (ui *UI) newDeliveryRow(r *httpapi.Request, d webhook.Delivery) deliveryRow {
	return deliveryRow{Delivery: d, Created: ui.pages.NewTimestamp(r, d.CreatedAt),
		NextAttempt: ui.pages.NewOptionalTimestamp(r, d.NextAttemptAt)}
}

type deliveryBody struct {
	deliveryRow
	Receiver receiverRow
	Attempts []attemptRow
	// Event is the JSON body of the webhook request, indented.
	Event string
	// Live says that the page refreshes itself, because an attempt is due soon.
	Live bool
}

type attemptRow struct {
	webhook.Attempt
	Started frame.Timestamp
	Took    string
}

// Outcome describes the result of the attempt.
func (a attemptRow) Outcome() string {
	if a.Phase == nil {
		return "Delivered"
	}
	return phaseName(*a.Phase)
}

// phaseName describes the phase in which a request failed.
func phaseName(phase string) string {
	return cmp.Or(map[string]string{
		"dns":     "The host's name was not found",
		"connect": "No connection",
		"tls":     "No secure connection",
		"timeout": "No answer in time",
		"status":  "Refused by its answer",
		"blocked": "The address is not allowed",
	}[phase], phase)
}

func (ui *UI) deliveryPage(w http.ResponseWriter, r *httpapi.Request) error {
	deliveryID := deliveryIDFromPath(r)
	body, err := frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) (body deliveryBody, err error) {
		d, attempts, err := ui.Webhooks.Delivery(ctx, tx, deliveryID)
		if err != nil {
			return body, err
		}
		receiver, err := ui.Webhooks.Receiver(ctx, tx, d.ReceiverID)
		if err != nil {
			return body, err
		}
		happened, err := event.BySequence(ctx, tx, d.Sequence)
		if err != nil {
			return body, err
		}
		body = deliveryBody{deliveryRow: ui.newDeliveryRow(r, d), Receiver: ui.receiverRow(r, receiver, nil),
			Event: indentJSON(happened.AppendEnvelope(nil, r.Principal.Store.ID)),
			Live:  d.NextAttemptAt != nil && d.NextAttemptAt.Sub(ui.Now()) < liveBeforeAttempt}
		for _, a := range attempts {
			body.Attempts = append(body.Attempts,
				attemptRow{a, ui.pages.NewTimestamp(r, a.StartedAt), ui.pages.Language(r).Duration(a.Duration)})
		}
		return body, nil
	})
	if err != nil {
		return err
	}
	v := ui.pages.NewView(r, "Delivery", "webhooks", body)
	v.Success = frame.RedirectMessage(r, "sent", "It is being sent.")
	return ui.pages.Render(w, http.StatusOK, "delivery", v)
}

func (ui *UI) redeliver(w http.ResponseWriter, r *httpapi.Request) error {
	deliveryID := deliveryIDFromPath(r)
	_, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (webhook.Delivery, audit.Entry, error) {
		d, err := ui.Webhooks.Redeliver(ctx, tx, deliveryID)
		object := audit.Object{Kind: "delivery", ID: deliveryID.String(), Label: d.Type}
		return d, audit.Entry{Action: "delivery.redelivered", Object: object}, err
	})
	if err != nil {
		return err
	}
	return frame.Redirect(w, r.Request, "/deliveries/"+deliveryID.String()+"?sent")
}

func deliveryIDFromPath(r *httpapi.Request) webhook.DeliveryID {
	return httpapi.PathID[webhook.Delivery](r, "id", "delivery")
}

// indentJSON indents JSON. It returns text that is not JSON unchanged.
func indentJSON(text []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, text, "", "  ") != nil {
		return string(text)
	}
	return b.String()
}
