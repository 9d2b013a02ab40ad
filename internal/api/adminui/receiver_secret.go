package adminui

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// issuedSecret is the data of the page that shows a new secret. No other page shows it.
type issuedSecret struct {
	receiverRow
	Secret string
	// Rotated says that the secret replaces an older one. Requests are signed with both for 24 hours.
	Rotated bool
}

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
	parseForm(w, r)
	receiver, err := ui.receiverFromPath(r)
	if err != nil {
		return err
	}
	issued, err := issueCredential(ui, w, r, func(ctx context.Context, tx store.Tx) (issuedSecret, error) {
		rotated, secret, err := ui.Webhooks.RotateSecret(ctx, tx, receiver.ID)
		return issuedSecret{receiverRow: ui.receiverRow(r, rotated, nil), Secret: secret, Rotated: true}, err
	})
	if fault.KindOf(err) == fault.Invalid {
		form := secretRotationForm{receiverRow: ui.receiverRow(r, receiver, nil), Errors: newFieldErrors(err, nil)}
		return ui.rejectForm(w, "receiver_rotate", ui.newView(r, "Rotate secret", "webhooks", form),
			"The secret was not rotated: look at the marked field.")
	}
	if err != nil {
		return err
	}
	return ui.render(w, http.StatusOK, "receiver_secret", ui.newView(r, "Secret rotated", "webhooks", issued))
}
