package webhookui

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/confirm"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
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
	Choices    []typeChoice
	// Version is the version of the receiver that the form shows; 0 for a new receiver.
	Version int64
	Errors  frame.FieldErrors
}

// typeChoice is an event type or a pattern to choose.
type typeChoice struct{ ID, Name string }

// typeChoices returns the event types and patterns to choose from: order.*, all types, and the selected patterns that
// are not among them.
func typeChoices(l *frame.Language, selected []string) (list []typeChoice) {
	choices := []string{"order.*"}
	for _, t := range event.Types() {
		if t.ID != event.Test { // every receiver gets test events
			choices = append(choices, t.ID)
		}
	}
	for _, pattern := range selected {
		if !slices.Contains(choices, pattern) {
			choices = append(choices, pattern)
		}
	}
	for _, pattern := range choices {
		list = append(list, typeChoice{pattern, eventName(l, pattern)})
	}
	return list
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

func readReceiverForm(r *httpapi.Request) receiverForm {
	version, _ := strconv.ParseInt(r.PostForm.Get("version"), 10, 64) // a malformed one is stale
	return receiverForm{URL: strings.TrimSpace(r.PostForm.Get("url")), Restricted: r.PostForm.Get("access") == "some",
		Selected: r.PostForm["types"], Version: version}
}

func (ui *UI) newReceiverPage(w http.ResponseWriter, r *httpapi.Request) error {
	return ui.pages.Render(w, http.StatusOK, "receiver_form", ui.formView(r, receiverForm{}))
}

func (ui *UI) createReceiver(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	form := readReceiverForm(r)
	types := form.types()
	issued, err := frame.IssueCredential(ui.Frame, w, r, func(ctx context.Context, tx store.Tx) (issuedSecret, error) {
		created, secret, err := ui.Webhooks.CreateReceiver(ctx, tx, webhook.ReceiverEdit{URL: &form.URL, Types: &types})
		return issuedSecret{receiverRow: ui.receiverRow(r, created, webhook.AttemptCounts{}), Secret: secret}, err
	})
	if fault.KindOf(err) == fault.Invalid {
		form.Errors = frame.NewFieldErrors(ui.pages.Language(r), err, map[string][]string{"webhook_types": types})
		return ui.rejectReceiverForm(w, r, form,
			ui.pages.Language(r).T("Nothing was saved: look at the marked fields."))
	}

	if err != nil {
		return err
	}

	return ui.pages.Render(w, http.StatusCreated, "receiver_secret",
		ui.pages.NewView(r, "Receiver created", "webhooks", issued))
}

func (ui *UI) editReceiverPage(w http.ResponseWriter, r *httpapi.Request) error {
	receiver, err := ui.receiverFromPath(r)
	if err != nil {
		return err
	}
	form := receiverForm{ID: receiver.ID.String(), URL: receiver.URL, Version: receiver.Version}
	if !(receiverRow{Receiver: receiver}).AllTypes() {
		form.Restricted = true
		form.Selected = receiver.Types
	}
	return ui.pages.Render(w, http.StatusOK, "receiver_form", ui.formView(r, form))
}

func (ui *UI) editReceiver(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	receiverID := receiverIDFromPath(r)
	l := ui.pages.Language(r)
	form := readReceiverForm(r)
	form.ID = receiverID.String()
	types := form.types()

	if err := r.Err(); err != nil {
		return err
	}

	passwordRequired, err := ui.ConfirmIfTyped(w, r)
	if err == nil {
		err = ui.saveReceiver(r, receiverID, form, passwordRequired)
	}

	switch fault.KindOf(err) {
	case fault.Invalid:
		form.Errors = frame.NewFieldErrors(ui.pages.Language(r), err, map[string][]string{"webhook_types": types})
		return ui.rejectReceiverForm(w, r, form, l.T("Nothing was saved: look at the marked fields."))
	case fault.Stale:
		return ui.rejectStaleForm(w, r, form)
	}

	return ui.Done(w, r, err, "/webhooks/"+form.ID, l.T("The receiver is saved."))
}

// saveReceiver saves the form, unless the receiver has another version. A stolen session must not be able to redirect
// the orders: such an edit needs the password.
func (ui *UI) saveReceiver(
	r *httpapi.Request, receiverID webhook.ReceiverID, form receiverForm, passwordRequired func() error,
) error {
	types := form.types()

	_, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (none struct{}, err error) {
		before, err := ui.Webhooks.Receiver(ctx, tx, receiverID)
		if err != nil {
			return none, err
		}

		e := webhook.ReceiverEdit{URL: &form.URL, Types: &types}
		edited, err := ui.Webhooks.EditReceiver(ctx, tx, receiverID, e, func(version int64) bool {
			return version == form.Version
		})
		if err == nil && confirm.Receiver(before, edited) {
			err = passwordRequired()
		}

		return none, err
	})

	return err
}

// rejectStaleForm writes the form again, with the version that somebody else has saved meanwhile, and says what that
// is.
func (ui *UI) rejectStaleForm(w http.ResponseWriter, r *httpapi.Request, form receiverForm) error {
	current, err := ui.receiverFromPath(r)
	if err != nil {
		return err
	}
	form.Version = current.Version
	l := ui.pages.Language(r)
	return ui.rejectReceiverForm(w, r, form,
		l.T("Somebody else changed this receiver meanwhile. Now it has the address "+
			"%s and gets %s. Save again to replace that by what the form shows.", current.URL,
			strings.Join(current.Types, ", ")))
}

func (ui *UI) rejectReceiverForm(w http.ResponseWriter, r *httpapi.Request, form receiverForm, message string) error {
	return ui.pages.Reject(w, "receiver_form", ui.formView(r, form), message)
}

// formView returns the data of the page with the form of a receiver.
func (ui *UI) formView(r *httpapi.Request, form receiverForm) frame.View {
	form.Choices = typeChoices(ui.pages.Language(r), form.Selected)
	title := "Edit receiver"
	if form.ID == "" {
		title = "New receiver"
	}
	//messages: "New receiver" "Edit receiver"
	v := ui.pages.NewView(r, title, "webhooks", form)
	v.Crumbs = []frame.Link{{Text: v.T("Webhooks"), URL: "/webhooks"}}
	return v
}
