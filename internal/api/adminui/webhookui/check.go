package webhookui

import (
	"context"
	"net/http"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
)

// checkForm is the form in which a request is pasted.
type checkForm struct {
	Receivers               []webhook.Receiver
	Receiver, Headers, Body string
	// Result says what was found; nil before the form is sent. Age is how long ago the request was signed.
	Result  *webhook.SignatureCheck
	Message string
	Age     string
	Errors  frame.FieldErrors
}

func (ui *UI) checkPage(w http.ResponseWriter, r *httpapi.Request) error {
	return ui.showCheck(w, r, checkForm{Receiver: r.URL.Query().Get("receiver")}, "")
}

// checkSignature checks a pasted request. The secret that was pasted with it is not shown again.
func (ui *UI) checkSignature(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	return ui.showCheck(w, r, checkForm{Receiver: r.PostForm.Get("receiver"), Headers: r.PostForm.Get("headers"),
		Body: r.PostForm.Get("body"), Result: &webhook.SignatureCheck{}}, r.PostForm.Get("secret"))
}

// showCheck reads the receivers, checks the request of the form if it has one, and writes the page.
func (ui *UI) showCheck(w http.ResponseWriter, r *httpapi.Request, form checkForm, secret string) error {
	l := ui.pages.Language(r)

	form, err := frame.InStore(r, ui.Read(r), func(ctx context.Context, tx store.Tx) (checkForm, error) {
		form := form
		receivers, _, err := ui.Webhooks.Receivers(ctx, tx, webhook.MaxReceivers, 0)
		form.Receivers = receivers
		if err != nil || form.Result == nil {
			return form, err
		}

		receiverID, err := id.Parse[webhook.Receiver](form.Receiver)
		if err != nil {
			form.Errors = frame.FieldErrors{"receiver": {l.T("Choose a receiver.")}}
			return form, nil //nolint:nilerr // the page says it
		}

		check, err := ui.Webhooks.CheckSignature(ctx, tx, receiverID, secret,
			webhook.SignedRequest{Headers: form.Headers, Body: form.Body})
		form.Result, form.Message, form.Age = &check, checkMessage(l, check), l.Duration(check.Age)
		return form, err
	})
	if err != nil {
		return err
	}

	v := ui.pages.NewView(r, "Check a signature", "webhooks", form)
	v.Crumbs = []frame.Link{{Text: v.T("Webhooks"), URL: "/webhooks"}}
	if form.Errors != nil {
		return ui.pages.Reject(w, "check", v, v.T("Nothing was checked: look at the marked field."))
	}

	return ui.pages.Render(w, http.StatusOK, "check", v)
}
