package settingsui

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/mailing"
	"vitrine/internal/shop/notify"
	"vitrine/internal/shop/store"
)

// mailUI serves the pages of the texts of mails.
type mailUI struct{ *UI }

// mailTextForm is the form of the subject and the text of a kind of mail, with a preview.
type mailTextForm struct {
	Kind          mailing.Kind
	Name          string
	Subject, Text string
	Placeholders  []string
	// Own says that the store has a text of its own.
	Own     bool
	Version int64
	Preview notify.Message
	Errors  frame.FieldErrors
}

// Path returns the path of the page.
func (f mailTextForm) Path() string { return messagesPath + "/" + string(f.Kind) }

// mailTextForm returns the form of the kind in the path, as it is stored, or fault.NotFound.
func (ui mailUI) mailTextForm(r *httpapi.Request) (mailTextForm, error) {
	kind := mailing.Kind(r.PathValue("kind"))
	if !slices.Contains(mailing.Kinds(), kind) {
		return mailTextForm{}, fault.Missing("mail")
	}

	settings, err := frame.InStore(r, ui.Read(r), ui.Mailing.Settings)
	if err != nil {
		return mailTextForm{}, err
	}

	t := settings.Template(kind, r.Principal.Store.Language())
	_, own := settings.Templates[kind]
	return mailTextForm{Kind: kind, Name: mailTexts[kind], Subject: t.Subject, Text: t.Text, Own: own,
		Placeholders: kind.Placeholders(), Version: settings.Version}, nil
}

// preview fills the form's preview. It returns fault.Invalid for what is wrong with the texts.
func (ui mailUI) preview(r *httpapi.Request, f *mailTextForm) (err error) {
	t := mailing.Template{Subject: f.Subject, Text: f.Text}
	f.Preview, err = frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) (notify.Message, error) {
		return ui.Mailing.Preview(ctx, tx, r.Principal.Store, f.Kind, t)
	})
	return err
}

// newMailTextView returns the page, which shows the HTML of the mail in a document of its own.
func (ui mailUI) newMailTextView(r *httpapi.Request, body any) frame.View {
	v := ui.pages.NewView(r, "Text of a mail", "settings", body)
	v.Embedded = &frame.Embedded{Styles: mailing.Styles(), ImagesURL: ui.Mailing.ImagesURL}
	return v
}

func (ui mailUI) mailTextView(r *httpapi.Request) (frame.View, error) {
	v := ui.newMailTextView(r, nil)
	form, err := ui.mailTextForm(r)
	if err == nil {
		err = ui.preview(r, &form)
	}
	v.Body = form
	return v, err
}

// sentMailText returns the form as it was sent.
func (ui mailUI) sentMailText(r *httpapi.Request) (mailTextForm, error) {
	frame.ParseForm(r)
	form, err := ui.mailTextForm(r)
	if r.Err() != nil {
		return form, r.Err()
	}
	form.Subject = r.PostForm.Get("subject")
	form.Text = r.PostForm.Get("text")
	return form, err
}

// saveMailText saves the texts, shows them as they would be, or restores the program's own, by the button.
func (ui mailUI) saveMailText(w http.ResponseWriter, r *httpapi.Request) error {
	form, err := ui.sentMailText(r)
	if err != nil {
		return err
	}

	l := ui.pages.Language(r)
	if r.PostForm.Get("do") == "preview" {
		if err := ui.preview(r, &form); err != nil {
			return ui.rejectMailText(w, r, form, err)
		}
		return ui.pages.Render(w, http.StatusOK, "mail_text", ui.newMailTextView(r, form))
	}

	t := mailing.Template{Subject: form.Subject, Text: form.Text}
	if r.PostForm.Get("do") == "restore" {
		t = mailing.Template{}
	}
	_, err = frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (mailing.Settings, error) {
		return ui.Mailing.SetTemplate(ctx, tx, r.Principal.Store, form.Kind, t, frame.RenderedVersion(r))
	})
	if kind := fault.KindOf(err); kind == fault.Invalid || kind == fault.Stale {
		return ui.rejectMailText(w, r, form, err)
	}
	return ui.Done(w, r, err, form.Path(), l.T("The text is saved."))
}

// rejectMailText shows the form again, with what is wrong with it.
func (ui mailUI) rejectMailText(w http.ResponseWriter, r *httpapi.Request, form mailTextForm, err error) error {
	if kind := fault.KindOf(err); kind != fault.Invalid && kind != fault.Stale && kind != fault.Unavailable {
		return err
	}
	l := ui.pages.Language(r)
	form.Errors = frame.NewFieldErrors(l, err, nil)
	message := l.T("Nothing was saved: look at the marked fields.")
	switch refused, _ := errors.AsType[*fault.Error](err); refused.Kind {
	case fault.Stale:
		message = l.T("Somebody else changed the settings while you were editing, so nothing was saved. " +
			"Save again to overwrite their changes, or reload the page to see them.")
	case fault.Unavailable:
		message = l.T("The message was not sent. What went wrong: %s", l.Fault(refused.Message))
	}
	return ui.pages.Reject(w, "mail_text", ui.newMailTextView(r, form), message)
}

// testMailText sends the mail to the person at once, with the texts of the form.
func (ui mailUI) testMailText(w http.ResponseWriter, r *httpapi.Request) error {
	form, err := ui.sentMailText(r)
	if err != nil {
		return err
	}
	if err := ui.preview(r, &form); err != nil {
		return ui.rejectMailText(w, r, form, err)
	}

	m := form.Preview
	m.To = r.Principal.Operator.Email
	sent, err := ui.Notify.SendNow(r.Context(), r.Principal.Store.ID, m)
	if err != nil {
		return ui.rejectMailText(w, r, form, err)
	}

	_, err = frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (none struct{}, err error) {
		return none, audit.Record(ctx, tx, audit.Entry{Action: audit.MessageTested,
			Object: audit.Object{Kind: "settings", Label: m.To}})
	})
	if err != nil {
		return err
	}

	v := ui.newMailTextView(r, form)
	v.Success = v.T("The message is sent to %s.", m.To)
	if !sent {
		v.Success = v.T("The message is in the mailbox, since this server sends no such messages.")
	}
	return ui.pages.Render(w, http.StatusOK, "mail_text", v)
}
