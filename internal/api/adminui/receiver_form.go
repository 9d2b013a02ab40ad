package adminui

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/webhook"
)

// receiverForm is the form of a receiver, a new one or one that is there.
type receiverForm struct {
	ID  string // empty for a new one
	URL string
	// Some says that the receiver is told only of what is ticked.
	Some   bool
	Ticked []string
	Wrong  wrongs
}

// Choices are what can be ticked: the types, orders together, and whatever else the receiver has.
func (f receiverForm) Choices() []string {
	choices := []string{"order.*"}
	for _, t := range event.Types() {
		if t.ID != event.Test { // which comes whatever is ticked
			choices = append(choices, t.ID)
		}
	}
	for _, pattern := range f.Ticked {
		if !slices.Contains(choices, pattern) {
			choices = append(choices, pattern)
		}
	}
	return choices
}

// Has reports whether a type is ticked.
func (f receiverForm) Has(pattern string) bool { return slices.Contains(f.Ticked, pattern) }

// types are what the form asks for.
func (f receiverForm) types() []string {
	if f.Some {
		return f.Ticked
	}
	return []string{"*"}
}

func readReceiverForm(r *httpapi.Request) receiverForm {
	return receiverForm{URL: strings.TrimSpace(r.PostForm.Get("url")), Some: r.PostForm.Get("access") == "some", Ticked: r.PostForm["types"]}
}

func (ui *UI) newReceiverPage(w http.ResponseWriter, r *httpapi.Request) error {
	return ui.render(w, http.StatusOK, "receiver_form", ui.view(r, "New receiver", "webhooks", receiverForm{}))
}

func (ui *UI) createReceiver(w http.ResponseWriter, r *httpapi.Request) error {
	if err := readForm(w, r); err != nil {
		return err
	}
	form := readReceiverForm(r)
	wrong, err := ui.confirm(w, r, r.PostForm.Get("password"))
	if err != nil {
		return err
	}
	if wrong != "" {
		form.Wrong = wrongs{"password": {wrong}}
		return ui.receiverFormAgain(w, r, "New receiver", form)
	}
	types := form.types()
	made, err := ui.makeSecret(r, func(ctx context.Context, q database.Querier) (webhook.Receiver, string, error) {
		return ui.Webhooks.CreateReceiver(ctx, q, r.Principal.Store.ID, webhook.ReceiverEdit{URL: &form.URL, Types: &types})
	})
	if fault.KindOf(err) == fault.Invalid {
		form.Wrong = wrongFields(err, map[string][]string{"webhook_types": types})
		return ui.receiverFormAgain(w, r, "New receiver", form)
	}
	if err != nil {
		return err
	}
	return ui.render(w, http.StatusCreated, "receiver_secret", ui.view(r, "Receiver created", "webhooks", made))
}

func (ui *UI) editReceiverPage(w http.ResponseWriter, r *httpapi.Request) error {
	receiver, err := ui.receiver(r)
	if err != nil {
		return err
	}
	form := receiverForm{ID: receiver.ID.String(), URL: receiver.URL}
	if !(receiverRow{Receiver: receiver}).All() {
		form.Some, form.Ticked = true, receiver.Types
	}
	return ui.render(w, http.StatusOK, "receiver_form", ui.view(r, "Edit receiver", "webhooks", form))
}

func (ui *UI) editReceiver(w http.ResponseWriter, r *httpapi.Request) error {
	if err := readForm(w, r); err != nil {
		return err
	}
	receiverID, err := receiverInPath(r)
	if err != nil {
		return err
	}
	form := readReceiverForm(r)
	form.ID = receiverID.String()
	types := form.types()
	err = ui.DB.Write(r.Context(), func(q database.Querier) error {
		_, err := ui.Webhooks.EditReceiver(r.Context(), q, r.Principal.Store.ID, receiverID, webhook.ReceiverEdit{URL: &form.URL, Types: &types}, nil)
		return err
	})
	if fault.KindOf(err) == fault.Invalid {
		form.Wrong = wrongFields(err, map[string][]string{"webhook_types": types})
		return ui.receiverFormAgain(w, r, "Edit receiver", form)
	}
	if err != nil {
		return err
	}
	redirect(w, r.Request, "/webhooks/"+form.ID+"?saved")
	return nil
}

func (ui *UI) receiverFormAgain(w http.ResponseWriter, r *httpapi.Request, title string, form receiverForm) error {
	v := ui.view(r, title, "webhooks", form)
	v.Bad = "Nothing was saved: look at the marked fields."
	return ui.render(w, http.StatusUnprocessableEntity, "receiver_form", v)
}
