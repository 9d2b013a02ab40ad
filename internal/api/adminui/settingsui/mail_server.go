package settingsui

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/notify"
	"vitrine/internal/shop/store"
)

const (
	mailServerPath  = "/settings/mail-server"
	usualPort       = 465 // of ImplicitTLS
	mailServerTitle = "Mail server"
	removeTitle     = "Remove the mail server"
)

// mailServerForm is the form of the store's own mail server.
type mailServerForm struct {
	notify.MailServer
	Port string // as it was sent
	// Fixed and FixedFrom are the server that the command line sets and its sender. Then there is nothing to set.
	Fixed, FixedFrom string
	// Stored says that the store has a server, and Secret that its password is stored.
	Stored, Secret bool
	Version        int64
	Encryptions    []encryptionChoice
	Errors         frame.FieldErrors
}

type encryptionChoice struct {
	ID   notify.Encryption
	Text string
}

func encryptionChoices(l *frame.Language) []encryptionChoice {
	return []encryptionChoice{
		{notify.ImplicitTLS, l.T("TLS from the start (usually port 465)")},
		{notify.StartTLS, l.T("STARTTLS (usually port 587)")},
		{notify.NoTLS, l.T("none, for a server without a password")},
	}
}

func (ui mailUI) mailServerForm(r *httpapi.Request) (mailServerForm, error) {
	server, err := frame.InStore(r, ui.Read(r), ui.Notify.MailServer)
	form := mailServerForm{MailServer: server, Stored: server.IsSet(), Secret: server.PasswordSet(),
		Version: server.Version, Encryptions: encryptionChoices(ui.pages.Language(r))}
	form.Fixed, form.FixedFrom = ui.Notify.ServerOfCommandLine()

	if !server.IsSet() {
		form.MailServer.Port = usualPort
		form.Encryption = notify.ImplicitTLS
	}
	form.Port = strconv.Itoa(form.MailServer.Port)
	return form, err
}

func (ui mailUI) newMailServerView(r *httpapi.Request, title string, body any) frame.View {
	v := ui.pages.NewView(r, title, "settings", body)
	v.Crumbs = []frame.Link{{Text: v.T("Messages"), URL: messagesPath}}
	return v
}

func (ui mailUI) mailServerView(r *httpapi.Request) (frame.View, error) {
	form, err := ui.mailServerForm(r)
	return ui.newMailServerView(r, mailServerTitle, form), err
}

// saveMailServer stores the server after a test message to the person went through it, or removes it, by the button.
func (ui mailUI) saveMailServer(w http.ResponseWriter, r *httpapi.Request) error {
	if frame.ParseForm(r); r.Err() != nil {
		return r.Err()
	}
	form, err := ui.mailServerForm(r)
	if err != nil {
		return err
	}

	field := formField(r)
	form.Port = field("port")
	port, _ := strconv.Atoi(form.Port)
	form.MailServer = notify.MailServer{Host: field("host"), Port: port, User: field("user"), From: field("from"),
		Encryption: notify.Encryption(field("encryption")), Password: r.PostForm.Get("mail_password")}
	if err := ui.ConfirmPassword(w, r); err != nil {
		return ui.rejectMailServer(w, r, form, err)
	}

	l := ui.pages.Language(r)
	if r.PostForm.Get("do") == "remove" {
		_, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (none struct{}, err error) {
			return none, ui.Notify.RemoveMailServer(ctx, tx, frame.RenderedVersion(r))
		})
		if fault.KindOf(err) == fault.Stale {
			return ui.rejectMailServer(w, r, form, err)
		}
		return ui.Done(w, r, err, messagesPath, l.T("The mail server is removed."))
	}

	to := r.Principal.Operator.Email
	checked, err := ui.Notify.CheckMailServer(r.Context(), r.Principal.Store.ID, form.MailServer, notify.Message{To: to,
		From: r.Principal.Store.Name, Subject: l.T("A test message of %s", r.Principal.Store.Name),
		Text: l.T("This message shows that messages of your shop arrive. Nobody needs to answer it.") + "\n"})
	if err != nil {
		return ui.rejectMailServer(w, r, form, err)
	}

	_, err = frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (notify.MailServer, error) {
		return ui.Notify.SetMailServer(ctx, tx, checked, frame.RenderedVersion(r))
	})
	if fault.KindOf(err) == fault.Stale {
		return ui.rejectMailServer(w, r, form, err)
	}
	return ui.Done(w, r, err, messagesPath, l.T("The mail server is saved. A test message is on its way to %s.", to))
}

// rejectMailServer shows the form again, with what is wrong with it. A password is not shown again.
func (ui mailUI) rejectMailServer(w http.ResponseWriter, r *httpapi.Request, form mailServerForm, err error) error {
	refused, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return err
	}

	l := ui.pages.Language(r)
	message := l.T("Nothing was saved: look at the marked fields.")
	switch refused.Kind {
	case fault.Invalid:
		form.Errors = frame.NewFieldErrors(l, err, nil)
	case fault.Unavailable:
		message = l.T("Nothing was saved, since the test message was not sent. What went wrong: %s",
			l.Fault(refused.Message))
	case fault.Stale:
		message = l.T("Somebody else changed the settings while you were editing, so nothing was saved. " +
			"Save again to overwrite their changes, or reload the page to see them.")
	default:
		return err
	}
	return ui.pages.Reject(w, "mail_server", ui.newMailServerView(r, mailServerTitle, form), message)
}
