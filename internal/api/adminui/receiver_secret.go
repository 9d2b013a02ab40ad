package adminui

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/webhook"
)

// madeSecret is the body of the page that shows a secret, once.
type madeSecret struct {
	receiverRow
	Secret string
	// Rotated says that the old one signs along.
	Rotated bool
}

// makeSecret runs fn, which makes a secret, in a transaction.
func (ui *UI) makeSecret(r *httpapi.Request, fn func(context.Context, database.Querier) (webhook.Receiver, string, error)) (made madeSecret, err error) {
	err = ui.DB.Write(r.Context(), func(q database.Querier) error {
		receiver, secret, err := fn(r.Context(), q)
		made = madeSecret{receiverRow: ui.receiverRow(r, receiver, nil), Secret: secret}
		return err
	})
	return made, err
}

// secretRotation is the form that replaces a secret.
type secretRotation struct {
	receiverRow
	Wrong wrongs
}

func (ui *UI) rotateSecretPage(w http.ResponseWriter, r *httpapi.Request) error {
	receiver, err := ui.receiver(r)
	if err != nil {
		return err
	}
	return ui.render(w, http.StatusOK, "receiver_rotate", ui.view(r, "Rotate secret", "webhooks", secretRotation{receiverRow: ui.receiverRow(r, receiver, nil)}))
}

func (ui *UI) rotateSecret(w http.ResponseWriter, r *httpapi.Request) error {
	if err := readForm(w, r); err != nil {
		return err
	}
	receiver, err := ui.receiver(r)
	if err != nil {
		return err
	}
	wrong, err := ui.confirm(w, r, r.PostForm.Get("password"))
	if err != nil {
		return err
	}
	if wrong != "" {
		v := ui.view(r, "Rotate secret", "webhooks", secretRotation{receiverRow: ui.receiverRow(r, receiver, nil), Wrong: wrongs{"password": {wrong}}})
		v.Bad = "The secret was not rotated: look at the marked field."
		return ui.render(w, http.StatusUnprocessableEntity, "receiver_rotate", v)
	}
	made, err := ui.makeSecret(r, func(ctx context.Context, q database.Querier) (webhook.Receiver, string, error) {
		return ui.Webhooks.RotateSecret(ctx, q, r.Principal.Store.ID, receiver.ID)
	})
	if err != nil {
		return err
	}
	made.Rotated = true
	return ui.render(w, http.StatusOK, "receiver_secret", ui.view(r, "Secret rotated", "webhooks", made))
}
