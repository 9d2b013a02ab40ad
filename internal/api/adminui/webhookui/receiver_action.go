package webhookui

import (
	"context"
	"net/http"
	"time"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
)

// receiverAction handles the buttons on the page of a receiver: enable, disable, test and recover.
func (ui *UI) receiverAction(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(w, r)
	receiver, err := ui.receiverFromPath(r)
	if err != nil {
		return err
	}
	path := "/webhooks/" + receiver.ID.String()
	switch r.PostForm.Get("action") {
	case "enable":
		return ui.setReceiverEnabled(w, r, receiver, true, path+"?enabled")
	case "disable":
		return ui.setReceiverEnabled(w, r, receiver, false, path+"?disabled")
	case "test":
		return ui.sendTestEvent(w, r, receiver)
	case "recover":
		return ui.recoverDeliveries(w, r, receiver, path+"?recovered")
	}
	return fault.New(fault.Malformed, "malformed_form", "The form does not say what to do.")
}

func (ui *UI) setReceiverEnabled(
	w http.ResponseWriter, r *httpapi.Request, receiver webhook.Receiver, enabled bool, next string,
) error {
	action := "receiver.disabled"
	if enabled {
		action = "receiver.enabled"
	}
	_, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (webhook.Receiver, audit.Entry, error) {
		edited, err := ui.Webhooks.EditReceiver(ctx, tx, receiver.ID, webhook.ReceiverEdit{Enabled: &enabled}, nil)
		return edited, receiverEntry(action, edited), err
	})
	if err != nil {
		return err
	}
	return frame.Redirect(w, r.Request, next)
}

// sendTestEvent sends an example event and redirects to the page of its delivery.
func (ui *UI) sendTestEvent(w http.ResponseWriter, r *httpapi.Request, receiver webhook.Receiver) error {
	delivery, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (webhook.Delivery, audit.Entry, error) {
		d, err := ui.Webhooks.SendTest(ctx, tx, receiver.ID, r.PostForm.Get("type"))
		return d, receiverEntry("receiver.tested", receiver), err
	})
	if err != nil {
		return err
	}
	return frame.Redirect(w, r.Request, "/deliveries/"+delivery.ID.String()+"?sent")
}

func (ui *UI) recoverDeliveries(
	w http.ResponseWriter, r *httpapi.Request, receiver webhook.Receiver, next string,
) error {
	text := r.PostForm.Get("since")
	since, err := time.ParseInLocation(datetimeLocalLayout, text, r.Principal.Store.Zone())
	if err != nil {
		body, err := ui.readReceiverBody(r)
		if err != nil {
			return err
		}
		body.RecoverSince, body.Errors = text, frame.FieldErrors{"since": {"Choose a day and a time."}}
		return ui.pages.Reject(w, "receiver", ui.pages.NewView(r, "Receiver", "webhooks", body),
			"Nothing was sent: look at the marked field.")
	}
	if _, err := ui.Webhooks.Recover(r.Context(), r.Principal.Store.ID, receiver.ID, since); err != nil {
		return err
	}
	return frame.Redirect(w, r.Request, next)
}

func (ui *UI) deleteReceiverPage(w http.ResponseWriter, r *httpapi.Request) error {
	receiver, err := ui.receiverFromPath(r)
	if err != nil {
		return err
	}
	return ui.pages.Render(w, http.StatusOK, "receiver_delete",
		ui.pages.NewView(r, "Delete receiver", "webhooks", ui.receiverRow(r, receiver, nil)))
}

func (ui *UI) deleteReceiver(w http.ResponseWriter, r *httpapi.Request) error {
	receiverID := receiverIDFromPath(r)
	_, err := frame.ChangeWith(ui.Frame, r, ui.DB.WriteAlone,
		func(ctx context.Context, tx store.Tx) (receiver webhook.Receiver, e audit.Entry, err error) {
			if receiver, err = ui.Webhooks.Receiver(ctx, tx, receiverID); err != nil {
				return receiver, e, err
			}
			return receiver, receiverEntry("receiver.deleted", receiver), ui.Webhooks.DeleteReceiver(ctx, tx, receiverID, nil)
		})
	if err != nil {
		return err
	}
	return frame.Redirect(w, r.Request, "/webhooks?deleted")
}
