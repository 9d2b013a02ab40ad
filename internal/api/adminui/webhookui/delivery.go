package webhookui

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
)

// liveBeforeAttempt is how long before the next attempt of a delivery its page begins to refresh itself.
const liveBeforeAttempt = time.Minute

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
	Outcome frame.State
	Started frame.Timestamp
	Took    string
	Advice  string // where to look if it failed
}

func (ui *UI) newAttemptRow(r *httpapi.Request, a webhook.Attempt) attemptRow {
	l := ui.pages.Language(r)
	row := attemptRow{Attempt: a, Started: ui.pages.NewPreciseTimestamp(r, a.StartedAt), Took: l.Duration(a.Duration),
		Outcome: frame.State{Code: "good", Text: l.T("Delivered")}}
	if a.Phase != nil {
		row.Outcome = frame.State{Code: "bad", Text: phaseName(l, *a.Phase)}
		row.Advice = phaseAdvice(l, *a.Phase)
	}
	return row
}

func (ui *UI) deliveryPage(w http.ResponseWriter, r *httpapi.Request) error {
	deliveryID := deliveryIDFromPath(r)

	body, err := frame.InStore(r, ui.Snapshot(r), func(
		ctx context.Context, tx store.Tx,
	) (body deliveryBody, err error) {
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

		body = deliveryBody{deliveryRow: ui.newDeliveryRow(r, d, nil),
			Receiver: ui.receiverRow(r, receiver, webhook.AttemptCounts{}),
			Event:    indentJSON(happened.AppendEnvelope(nil, r.Principal.Store.ID)),
			Live:     d.NextAttemptAt != nil && d.NextAttemptAt.Sub(ui.Now()) < liveBeforeAttempt}
		for _, a := range attempts {
			body.Attempts = append(body.Attempts, ui.newAttemptRow(r, a))
		}

		return body, nil
	})
	if err != nil {
		return err
	}

	v := ui.pages.NewView(r, "Delivery", "webhooks", body)
	v.Crumbs = []frame.Link{{Text: v.T("Webhooks"), URL: "/webhooks"}, {Text: v.T("Deliveries"), URL: "/deliveries"}}
	return ui.pages.Render(w, http.StatusOK, "delivery", v)
}

func (ui *UI) redeliver(w http.ResponseWriter, r *httpapi.Request) error {
	deliveryID := deliveryIDFromPath(r)
	_, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (webhook.Delivery, error) {
		return ui.Webhooks.Redeliver(ctx, tx, deliveryID)
	})
	if err != nil {
		return err
	}
	return ui.redirectSent(w, r, deliveryID)
}

// redirectSent redirects to the page of a delivery that is being sent.
func (ui *UI) redirectSent(w http.ResponseWriter, r *httpapi.Request, deliveryID webhook.DeliveryID) error {
	return ui.RedirectWith(w, r, "/deliveries/"+deliveryID.String(),
		frame.Toast{Text: ui.pages.Language(r).T("It is sent now; this page shows what comes of it.")})
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
