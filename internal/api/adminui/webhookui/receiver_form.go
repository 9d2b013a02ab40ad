package webhookui

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
)

// receiverForm is the form of a new or an existing receiver.
type receiverForm struct {
	ID  string // empty for a new receiver
	URL string
	// Restricted limits the receiver to the selected event types; otherwise it gets all events.
	Restricted bool
	Selected   []string
	Errors     frame.FieldErrors
}

// Choices returns the event types and patterns to choose from: order.*, all types, and the selected patterns that are
// not among them.
func (f receiverForm) Choices() []string {
	choices := []string{"order.*"}
	for _, t := range event.Types() {
		if t.ID != event.Test { // every receiver gets test events
			choices = append(choices, t.ID)
		}
	}
	for _, pattern := range f.Selected {
		if !slices.Contains(choices, pattern) {
			choices = append(choices, pattern)
		}
	}
	return choices
}

// IsSelected reports whether Selected contains the type or pattern.
func (f receiverForm) IsSelected(pattern string) bool { return slices.Contains(f.Selected, pattern) }

// types returns the event types and patterns that the form requests.
func (f receiverForm) types() []string {
	if f.Restricted {
		return f.Selected
	}
	return []string{"*"}
}

// receiverEntry returns the entry of a change of a receiver.
func receiverEntry(action string, receiver webhook.Receiver) audit.Entry {
	return audit.Entry{Action: action,
		Object: audit.Object{Kind: "receiver", ID: receiver.ID.String(), Label: receiver.URL}}
}

func readReceiverForm(r *httpapi.Request) receiverForm {
	return receiverForm{URL: strings.TrimSpace(r.PostForm.Get("url")), Restricted: r.PostForm.Get("access") == "some",
		Selected: r.PostForm["types"]}
}

func (ui *UI) newReceiverPage(w http.ResponseWriter, r *httpapi.Request) error {
	return ui.pages.Render(w, http.StatusOK, "receiver_form", ui.pages.NewView(r, "New receiver", "webhooks", receiverForm{}))
}

func (ui *UI) createReceiver(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(w, r)
	form := readReceiverForm(r)
	types := form.types()
	issued, err := frame.IssueCredential(ui.Frame, w, r, func(ctx context.Context, tx store.Tx) (issuedSecret, audit.Entry, error) {
		created, secret, err := ui.Webhooks.CreateReceiver(ctx, tx, webhook.ReceiverEdit{URL: &form.URL, Types: &types})
		issued := issuedSecret{receiverRow: ui.receiverRow(r, created, nil), Secret: secret}
		return issued, receiverEntry("receiver.created", created), err
	})
	if fault.KindOf(err) == fault.Invalid {
		form.Errors = frame.NewFieldErrors(err, map[string][]string{"webhook_types": types})
		return ui.rejectReceiverForm(w, r, "New receiver", form)
	}
	if err != nil {
		return err
	}
	return ui.pages.Render(w, http.StatusCreated, "receiver_secret", ui.pages.NewView(r, "Receiver created", "webhooks", issued))
}

func (ui *UI) editReceiverPage(w http.ResponseWriter, r *httpapi.Request) error {
	receiver, err := ui.receiverFromPath(r)
	if err != nil {
		return err
	}
	form := receiverForm{ID: receiver.ID.String(), URL: receiver.URL}
	if !(receiverRow{Receiver: receiver}).AllTypes() {
		form.Restricted, form.Selected = true, receiver.Types
	}
	return ui.pages.Render(w, http.StatusOK, "receiver_form", ui.pages.NewView(r, "Edit receiver", "webhooks", form))
}

func (ui *UI) editReceiver(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(w, r)
	receiverID := receiverIDFromPath(r)
	form := readReceiverForm(r)
	form.ID = receiverID.String()
	types := form.types()
	_, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (webhook.Receiver, audit.Entry, error) {
		e := webhook.ReceiverEdit{URL: &form.URL, Types: &types}
		edited, err := ui.Webhooks.EditReceiver(ctx, tx, receiverID, e, nil)
		return edited, receiverEntry("receiver.edited", edited), err
	})
	if fault.KindOf(err) == fault.Invalid {
		form.Errors = frame.NewFieldErrors(err, map[string][]string{"webhook_types": types})
		return ui.rejectReceiverForm(w, r, "Edit receiver", form)
	}
	if err != nil {
		return err
	}
	return frame.Redirect(w, r.Request, "/webhooks/"+form.ID+"?saved")
}

func (ui *UI) rejectReceiverForm(w http.ResponseWriter, r *httpapi.Request, title string, form receiverForm) error {
	return ui.pages.Reject(w, "receiver_form", ui.pages.NewView(r, title, "webhooks", form),
		"Nothing was saved: look at the marked fields.")
}
