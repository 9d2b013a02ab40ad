package settingsui

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/mailing"
	"vitrine/internal/shop/notify"
	"vitrine/internal/shop/store"
)

// messagesForm is the page about how messages are sent, with the form of a test message.
type messagesForm struct {
	// MailServer and MailFrom describe the server that sends mail; they are empty if none is configured.
	MailServer, MailFrom string
	// Fixed says that the command line sets the server, for all stores.
	Fixed     bool
	SendsText bool
	To        string
	Errors    frame.FieldErrors
	// Mails is the form of the mails about orders, inquiries and the exchange.
	Mails mailsForm
}

func (ui *UI) messagesForm(r *httpapi.Request) (messagesForm, error) {
	form := messagesForm{SendsText: ui.Notify.SendsText(), To: r.Principal.Operator.Email,
		Fixed: ui.Notify.ServerSendsMail()}
	form.MailServer, form.MailFrom = ui.Notify.ServerOfCommandLine()

	settings, err := frame.InStore(r, ui.Read(r), func(ctx context.Context, tx store.Tx) (mailing.Settings, error) {
		if !form.Fixed {
			own, err := ui.Notify.MailServer(ctx, tx)
			if err != nil {
				return mailing.Settings{}, err
			}
			form.MailServer = own.Address()
			form.MailFrom = own.From
		}
		return ui.Mailing.Settings(ctx, tx)
	})
	form.Mails = newMailsForm(settings)
	return form, err
}

func (ui *UI) messagesPage(w http.ResponseWriter, r *httpapi.Request) error {
	form, err := ui.messagesForm(r)
	if err != nil {
		return err
	}
	return ui.pages.Render(w, http.StatusOK, "messages", ui.pages.NewView(r, "Messages", "settings", form))
}

// sendTestMessage sends a message at once, so that the page can say what went wrong.
func (ui *UI) sendTestMessage(w http.ResponseWriter, r *httpapi.Request) error {
	if frame.ParseForm(r); r.Err() != nil {
		return r.Err()
	}

	l := ui.pages.Language(r)
	form, err := ui.messagesForm(r)
	if err != nil {
		return err
	}

	form.To = strings.TrimSpace(r.PostForm.Get("to"))
	sent, err := ui.Notify.SendNow(r.Context(), r.Principal.Store.ID, notify.Message{To: form.To,
		From: r.Principal.Store.Name, Subject: l.T("A test message of %s", r.Principal.Store.Name),
		Text: l.T("This message shows that messages of your shop arrive. Nobody needs to answer it.") + "\n"})
	if fault.KindOf(err) == fault.Invalid || fault.KindOf(err) == fault.Unavailable {
		form.Errors = frame.NewFieldErrors(ui.pages.Language(r), err, nil)
		message := l.T("The message was not sent: look at the marked field.")
		var refused *fault.Error
		if errors.As(err, &refused) && refused.Kind == fault.Unavailable {
			message = l.T("The message was not sent. What went wrong: %s", l.Fault(refused.Message))
		}
		return ui.pages.Reject(w, "messages", ui.pages.NewView(r, "Messages", "settings", form), message)
	}

	if err != nil {
		return err
	}

	// The message is sent and changes nothing in the database, so the entry has a transaction of its own.
	_, err = frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (none struct{}, err error) {
		return none, audit.Record(ctx, tx, audit.Entry{Action: audit.MessageTested,
			Object: audit.Object{Kind: "settings", Label: form.To}})
	})
	if err != nil {
		return err
	}

	toast := l.T("The message is sent to %s.", form.To)
	if !sent {
		toast = l.T("The message is in the mailbox, since this server sends no such messages.")
	}

	return ui.RedirectWith(w, r, "/settings/messages", frame.Toast{Text: toast})
}
