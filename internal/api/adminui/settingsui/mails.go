package settingsui

import (
	"context"
	"net/http"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/mailing"
	"vitrine/internal/shop/store"
)

// messagesPath is the page of the messages and of the mails.
const messagesPath = "/settings/messages"

// mailsForm is the form that says which mails are sent, and to whom.
type mailsForm struct {
	Customer, Shop []mailRow
	Recipients     string // one per line
	// Unsubscribed are addresses that have ended mails.
	Unsubscribed []unsubscribedRow
	OrderPage    string
	Version      int64
	Errors       frame.FieldErrors
}

// mailRow is a kind of mail.
type mailRow struct {
	Kind mailing.Kind
	Name string
	On   bool
}

// unsubscribedRow is an address that has ended mails of some kinds. Stays says that it gets none.
type unsubscribedRow struct {
	Address string
	Kinds   []string // names
	Stays   bool
}

// mailTexts are the names of the kinds of mails.
var mailTexts = map[mailing.Kind]string{
	mailing.OrderReceived:  "The order is received",
	mailing.OrderConfirmed: "The order is confirmed",
	mailing.OrderCompleted: "The order is completed",
	mailing.OrderCancelled: "The order is cancelled",
	mailing.NewOrder:       "A new order",
	mailing.NewInquiry:     "A new inquiry",
	mailing.ExchangeFailed: "The exchange with accounting fails",
}

func newMailsForm(s mailing.Settings) mailsForm {
	f := mailsForm{Recipients: strings.Join(s.Recipients, "\n"), OrderPage: s.OrderPage, Version: s.Version}
	for _, u := range s.Unsubscribed {
		row := unsubscribedRow{Address: u.Address, Stays: true}
		for _, kind := range u.Kinds {
			row.Kinds = append(row.Kinds, mailTexts[kind])
		}
		f.Unsubscribed = append(f.Unsubscribed, row)
	}

	for _, kind := range mailing.Kinds() {
		row := mailRow{Kind: kind, Name: mailTexts[kind], On: s.On(kind)}
		if kind.ToCustomer() {
			f.Customer = append(f.Customer, row)
		} else {
			f.Shop = append(f.Shop, row)
		}
	}
	return f
}

// saveMails saves which mails are sent, and to whom.
func (ui *UI) saveMails(w http.ResponseWriter, r *httpapi.Request) error {
	if frame.ParseForm(r); r.Err() != nil {
		return r.Err()
	}

	change := mailing.Switches{Recipients: frame.TextAreaLines(r.PostForm.Get("recipients")),
		OrderPage: formField(r)("order_page")}
	for _, kind := range r.PostForm["kinds"] {
		change.Kinds = append(change.Kinds, mailing.Kind(kind))
	}
	for _, address := range r.PostForm["unsubscribed"] {
		change.Unsubscribed = append(change.Unsubscribed, mailing.Unsubscribed{Address: address})
	}

	_, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (mailing.Settings, error) {
		return ui.Mailing.UpdateSwitches(ctx, tx, change, frame.RenderedVersion(r))
	})

	l := ui.pages.Language(r)
	if kind := fault.KindOf(err); kind == fault.Invalid || kind == fault.Stale {
		form, readErr := ui.messagesForm(r)
		if readErr != nil {
			return readErr
		}

		message := l.T("Nothing was saved: look at the marked fields.")
		if kind == fault.Stale { // the form has the present version, so that it can be saved again
			message = l.T("Somebody else changed the settings while you were editing, so nothing was saved. " +
				"Save again to overwrite their changes, or reload the page to see them.")
		}
		version := form.Mails.Version
		form.Mails = newMailsForm(mailing.Settings{Switches: change, Version: version})
		form.Mails.Errors = frame.NewFieldErrors(l, err, nil)
		return ui.pages.Reject(w, "messages", ui.pages.NewView(r, "Messages", "settings", form), message)
	}

	return ui.Done(w, r, err, messagesPath, l.T("The settings are saved."))
}
