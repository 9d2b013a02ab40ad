package webhookui

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
)

// receiverAction handles the buttons on the page of a receiver: enable, disable, test and recover.
func (ui *UI) receiverAction(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	receiver, err := ui.receiverFromPath(r)
	if err != nil {
		return err
	}

	switch r.PostForm.Get("action") {
	case "enable":
		return ui.setReceiverEnabled(w, r, receiver, true)
	case "disable":
		return ui.setReceiverEnabled(w, r, receiver, false)
	case "test":
		return ui.sendTestEvent(w, r, receiver)
	case "recover":
		return ui.recoverDeliveries(w, r, receiver)
	}

	return fault.New(fault.Malformed, "malformed_form", "The form does not say what to do.")
}

func (ui *UI) setReceiverEnabled(
	w http.ResponseWriter, r *httpapi.Request, receiver webhook.Receiver, enabled bool,
) error {
	l := ui.pages.Language(r)
	toast := l.T("The receiver is off. Its events are held back.")
	if enabled {
		toast = l.T("The receiver is on. Events that were held back stay so until you send them.")
	}
	_, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (webhook.Receiver, error) {
		return ui.Webhooks.EditReceiver(ctx, tx, receiver.ID, webhook.ReceiverEdit{Enabled: &enabled}, nil)
	})
	return ui.Done(w, r, err, "/webhooks/"+receiver.ID.String(), toast)
}

// sendTestEvent sends an example event and redirects to the page of its delivery.
func (ui *UI) sendTestEvent(w http.ResponseWriter, r *httpapi.Request, receiver webhook.Receiver) error {
	delivery, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (webhook.Delivery, error) {
		return ui.Webhooks.SendTest(ctx, tx, receiver.ID, r.PostForm.Get("type"))
	})
	if err != nil {
		return err
	}
	return ui.redirectSent(w, r, delivery.ID)
}

func (ui *UI) recoverDeliveries(w http.ResponseWriter, r *httpapi.Request, receiver webhook.Receiver) error {
	l := ui.pages.Language(r)
	text := r.PostForm.Get("since")
	since, err := time.ParseInLocation(datetimeLocalLayout, text, r.Principal.Store.Zone())
	if err != nil {
		body, err := ui.readReceiverBody(r)
		if err != nil {
			return err
		}
		body.RecoverSince, body.Errors = text, frame.FieldErrors{"since": {l.T("Choose a day and a time.")}}
		return ui.pages.Reject(w, "receiver", ui.receiverView(r, body),
			l.T("Nothing was sent: look at the marked field."))
	}

	recovered, err := ui.Webhooks.Recover(r.Context(), r.Principal.Store.ID,
		webhook.Recovery{ReceiverID: receiver.ID, Since: since, By: r.Actor()})
	return ui.Done(w, r, err, "/webhooks/"+receiver.ID.String(),
		l.Plural(recovered, "%d event is being sent.", "%d events are being sent."))
}

func (ui *UI) deleteReceiverPage(r *httpapi.Request) (frame.View, error) {
	receiver, err := ui.receiverFromPath(r)
	return ui.deletionView(r, receiver), err
}

func (ui *UI) deletionView(r *httpapi.Request, receiver webhook.Receiver) frame.View {
	return ui.pages.NewView(r, "Delete receiver", "webhooks", ui.receiverRow(r, receiver, webhook.AttemptCounts{}))
}

func (ui *UI) deleteReceiver(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	receiverID := receiverIDFromPath(r)
	seen := r.PostForm.Get("version")
	unchanged := func(version int64) bool { return strconv.FormatInt(version, 10) == seen }
	_, err := frame.InStore(r, ui.DB.WriteAlone, func(ctx context.Context, tx store.Tx) (none struct{}, err error) {
		return none, ui.Webhooks.DeleteReceiver(ctx, tx, receiverID, unchanged)
	})
	if fault.KindOf(err) == fault.Stale {
		receiver, err := ui.receiverFromPath(r)
		if err != nil {
			return err
		}
		v := ui.deletionView(r, receiver)
		return ui.pages.Reject(w, "receiver_delete", v,
			v.T("Somebody else has changed this receiver meanwhile. Look at it again."))
	}

	return ui.Done(w, r, err, "/webhooks", ui.pages.Language(r).T("The receiver is deleted, with its deliveries."))
}
