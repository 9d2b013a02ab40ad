package adminui

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
)

// liveBeforeAttempt is how long before its next attempt the page of a delivery begins to refresh itself.
const liveBeforeAttempt = time.Minute

// deliveryRow is a delivery, formatted for people.
type deliveryRow struct {
	webhook.Delivery
	Created timestamp
	// NextAttempt is nil if no attempt is scheduled.
	NextAttempt *timestamp
}

func newDeliveryRow(r *httpapi.Request, d webhook.Delivery) deliveryRow {
	return deliveryRow{Delivery: d, Created: newTimestamp(r.Principal.Store, d.CreatedAt),
		NextAttempt: newOptionalTimestamp(r.Principal.Store, d.NextAttemptAt)}
}

// deliveryBody is the body of the page of a delivery.
type deliveryBody struct {
	deliveryRow
	Receiver receiverRow
	Attempts []attemptRow
	// Event is the body of the request, indented.
	Event string
	// Live says that the page refreshes itself, because an attempt is due soon.
	Live bool
}

type attemptRow struct {
	webhook.Attempt
	Started timestamp
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
	switch phase {
	case "dns":
		return "The host's name was not found"
	case "connect":
		return "No connection"
	case "tls":
		return "No secure connection"
	case "timeout":
		return "No answer in time"
	case "status":
		return "Refused by its answer"
	case "blocked":
		return "The address is not allowed"
	}
	return phase
}

func deliveryStatusName(status webhook.Status) string {
	switch status {
	case webhook.Pending:
		return "Pending"
	case webhook.Delivered:
		return "Delivered"
	case webhook.Held:
		return "Held"
	case webhook.Dead:
		return "Dead"
	}
	return string(status)
}

func (ui *UI) deliveryPage(w http.ResponseWriter, r *httpapi.Request) error {
	deliveryID, err := httpapi.PathID[webhook.Delivery](r, "id", "delivery")
	if err != nil {
		return err
	}
	var body deliveryBody
	err = ui.DB.Snapshot(r.Context(), inStore(r, func(tx store.Tx) error {
		d, attempts, err := ui.Webhooks.Delivery(r.Context(), tx, deliveryID)
		if err != nil {
			return err
		}
		receiver, err := ui.Webhooks.Receiver(r.Context(), tx, d.ReceiverID)
		if err != nil {
			return err
		}
		happened, err := event.BySequence(r.Context(), tx, d.Sequence)
		if err != nil {
			return err
		}
		body = deliveryBody{deliveryRow: newDeliveryRow(r, d), Receiver: ui.receiverRow(r, receiver, nil),
			Event: indentJSON(happened.AppendEnvelope(nil, r.Principal.Store.ID))}
		body.Live = d.NextAttemptAt != nil && d.NextAttemptAt.Sub(ui.Now()) < liveBeforeAttempt
		for _, a := range attempts {
			body.Attempts = append(body.Attempts,
				attemptRow{a, newTimestamp(r.Principal.Store, a.StartedAt), formatDuration(a.Duration)})
		}
		return nil
	}))
	if err != nil {
		return err
	}
	v := ui.newView(r, "Delivery", "webhooks", body)
	if r.URL.Query().Has("sent") {
		v.Success = "It is being sent."
	}
	return ui.render(w, http.StatusOK, "delivery", v)
}

func (ui *UI) redeliver(w http.ResponseWriter, r *httpapi.Request) error {
	deliveryID, err := httpapi.PathID[webhook.Delivery](r, "id", "delivery")
	if err != nil {
		return err
	}
	err = ui.DB.Write(r.Context(), inStore(r, func(tx store.Tx) error {
		_, err := ui.Webhooks.Redeliver(r.Context(), tx, deliveryID)
		return err
	}))
	if err != nil {
		return err
	}
	redirect(w, r.Request, "/deliveries/"+deliveryID.String()+"?sent")
	return nil
}

// indentJSON indents JSON. It returns other text unchanged.
func indentJSON(text []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, text, "", "  ") != nil {
		return string(text)
	}
	return b.String()
}
