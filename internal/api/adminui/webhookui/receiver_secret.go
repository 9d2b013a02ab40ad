package webhookui

import (
	"context"
	"net/http"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
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
	Errors frame.FieldErrors
}

func (ui *UI) rotateSecretPage(w http.ResponseWriter, r *httpapi.Request) error {
	receiver, err := ui.receiverFromPath(r)
	if err != nil {
		return err
	}
	return ui.pages.Render(w, http.StatusOK, "receiver_rotate",
		ui.pages.NewView(r, "Replace the secret", "webhooks",
			secretRotationForm{receiverRow: ui.receiverRow(r, receiver, webhook.AttemptCounts{})}))
}

func (ui *UI) rotateSecret(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	receiver, err := ui.receiverFromPath(r)
	if err != nil {
		return err
	}

	issued, err := frame.IssueCredential(ui.Frame, w, r, func(ctx context.Context, tx store.Tx) (issuedSecret, error) {
		rotated, secret, err := ui.Webhooks.RotateSecret(ctx, tx, receiver.ID)
		row := ui.receiverRow(r, rotated, webhook.AttemptCounts{})
		return issuedSecret{receiverRow: row, Secret: secret, Rotated: true}, err
	})
	if fault.KindOf(err) == fault.Invalid {
		form := secretRotationForm{receiverRow: ui.receiverRow(r, receiver, webhook.AttemptCounts{}),
			Errors: frame.NewFieldErrors(ui.pages.Language(r), err, nil)}
		return ui.pages.Reject(w, "receiver_rotate", ui.pages.NewView(r, "Replace the secret", "webhooks", form),
			ui.pages.Language(r).T("The secret was not replaced: look at the marked field."))
	}

	if err != nil {
		return err
	}

	return ui.pages.Render(w, http.StatusOK, "receiver_secret",
		ui.pages.NewView(r, "Secret replaced", "webhooks", issued))
}
