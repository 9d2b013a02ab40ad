package adminui

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
)

// issuedSecret is the body of the page that shows a new secret, once.
type issuedSecret struct {
	receiverRow
	Secret string
	// Rotated says that the secret replaces another one, which signs requests, too, for 24 hours.
	Rotated bool
}

// issueSecret runs fn in a transaction. fn creates a secret and returns it with its receiver.
func (ui *UI) issueSecret(
	r *httpapi.Request, fn func(context.Context, store.Tx) (webhook.Receiver, string, error),
) (issued issuedSecret, err error) {
	err = ui.DB.Write(r.Context(), inStore(r, func(tx store.Tx) error {
		receiver, secret, err := fn(r.Context(), tx)
		issued = issuedSecret{receiverRow: ui.receiverRow(r, receiver, nil), Secret: secret}
		return err
	}))
	return issued, err
}

// secretRotationForm is the form that rotates the secret of a receiver.
type secretRotationForm struct {
	receiverRow
	Errors fieldErrors
}

func (ui *UI) rotateSecretPage(w http.ResponseWriter, r *httpapi.Request) error {
	receiver, err := ui.receiverFromPath(r)
	if err != nil {
		return err
	}
	return ui.render(w, http.StatusOK, "receiver_rotate",
		ui.newView(r, "Rotate secret", "webhooks", secretRotationForm{receiverRow: ui.receiverRow(r, receiver, nil)}))
}

func (ui *UI) rotateSecret(w http.ResponseWriter, r *httpapi.Request) error {
	if err := parseForm(w, r); err != nil {
		return err
	}
	receiver, err := ui.receiverFromPath(r)
	if err != nil {
		return err
	}
	rejection, err := ui.confirmPassword(w, r, r.PostForm.Get("password"))
	if err != nil {
		return err
	}
	if rejection != "" {
		v := ui.newView(r, "Rotate secret", "webhooks",
			secretRotationForm{receiverRow: ui.receiverRow(r, receiver, nil),
				Errors: fieldErrors{"password": {rejection}}})
		v.Failure = "The secret was not rotated: look at the marked field."
		return ui.render(w, http.StatusUnprocessableEntity, "receiver_rotate", v)
	}
	issued, err := ui.issueSecret(r, func(ctx context.Context, tx store.Tx) (webhook.Receiver, string, error) {
		return ui.Webhooks.RotateSecret(ctx, tx, receiver.ID)
	})
	if err != nil {
		return err
	}
	issued.Rotated = true
	return ui.render(w, http.StatusOK, "receiver_secret", ui.newView(r, "Secret rotated", "webhooks", issued))
}
