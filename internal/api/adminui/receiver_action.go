package adminui

import (
	"net/http"
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
)

// receiverAction handles the buttons of the page of a receiver: enable, disable, test and recover.
func (ui *UI) receiverAction(w http.ResponseWriter, r *httpapi.Request) error {
	if err := parseForm(w, r); err != nil {
		return err
	}
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
	err := ui.DB.Write(r.Context(), inStore(r, func(tx store.Tx) error {
		_, err := ui.Webhooks.EditReceiver(r.Context(), tx, receiver.ID, webhook.ReceiverEdit{Enabled: &enabled}, nil)
		return err
	}))
	if err != nil {
		return err
	}
	redirect(w, r.Request, next)
	return nil
}

// sendTestEvent sends an example event and redirects to its delivery.
func (ui *UI) sendTestEvent(w http.ResponseWriter, r *httpapi.Request, receiver webhook.Receiver) error {
	var delivery webhook.Delivery
	err := ui.DB.Write(r.Context(), inStore(r, func(tx store.Tx) (err error) {
		delivery, err = ui.Webhooks.SendTest(r.Context(), tx, receiver.ID, r.PostForm.Get("type"))
		return err
	}))
	if err != nil {
		return err
	}
	redirect(w, r.Request, "/deliveries/"+delivery.ID.String()+"?sent")
	return nil
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
		v := ui.newView(r, "Receiver", "webhooks", body)
		v.Failure = "Nothing was sent: look at the marked field."
		return ui.render(w, http.StatusUnprocessableEntity, "receiver", v)
	}
	if _, err := ui.Webhooks.Recover(r.Context(), r.Principal.Store.ID, receiver.ID, since); err != nil {
		return err
	}
	redirect(w, r.Request, next)
	return nil
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
	receiverID, err := receiverIDFromPath(r)
	if err != nil {
		return err
	}
	err = ui.DB.WriteAlone(r.Context(), inStore(r, func(tx store.Tx) error {
		return ui.Webhooks.DeleteReceiver(r.Context(), tx, receiverID, nil)
	}))
	if err != nil {
		return err
	}
	redirect(w, r.Request, "/webhooks?deleted")
	return nil
}
