package adminui

import (
	"context"
	"net/http"
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
)

// receiverAction handles the buttons on the page of a receiver: enable, disable, test and recover.
func (ui *UI) receiverAction(w http.ResponseWriter, r *httpapi.Request) error {
	parseForm(w, r)
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
	return changeAndRedirect(w, r, ui.DB.Write, next, func(ctx context.Context, tx store.Tx) error {
		_, err := ui.Webhooks.EditReceiver(ctx, tx, receiver.ID, webhook.ReceiverEdit{Enabled: &enabled}, nil)
		return err
	})
}

// sendTestEvent sends an example event and redirects to the page of its delivery.
func (ui *UI) sendTestEvent(w http.ResponseWriter, r *httpapi.Request, receiver webhook.Receiver) error {
	delivery, err := inStore(r, ui.DB.Write, func(ctx context.Context, tx store.Tx) (webhook.Delivery, error) {
		return ui.Webhooks.SendTest(ctx, tx, receiver.ID, r.PostForm.Get("type"))
	})
	if err != nil {
		return err
	}
	return redirect(w, r.Request, "/deliveries/"+delivery.ID.String()+"?sent")
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
		body.RecoverSince, body.Errors = text, fieldErrors{"since": {"Choose a day and a time."}}
		return ui.rejectForm(w, "receiver", ui.newView(r, "Receiver", "webhooks", body),
			"Nothing was sent: look at the marked field.")
	}
	if _, err := ui.Webhooks.Recover(r.Context(), r.Principal.Store.ID, receiver.ID, since); err != nil {
		return err
	}
	return redirect(w, r.Request, next)
}

func (ui *UI) deleteReceiverPage(w http.ResponseWriter, r *httpapi.Request) error {
	receiver, err := ui.receiverFromPath(r)
	if err != nil {
		return err
	}
	return ui.render(w, http.StatusOK, "receiver_delete",
		ui.newView(r, "Delete receiver", "webhooks", ui.receiverRow(r, receiver, nil)))
}

func (ui *UI) deleteReceiver(w http.ResponseWriter, r *httpapi.Request) error {
	receiverID := receiverIDFromPath(r)
	return changeAndRedirect(w, r, ui.DB.WriteAlone, "/webhooks?deleted", func(ctx context.Context, tx store.Tx) error {
		return ui.Webhooks.DeleteReceiver(ctx, tx, receiverID, nil)
	})
}
