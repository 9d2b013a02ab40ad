package settingsui

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/account"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/store"
)

// accountUI serves the pages of a person's own account: e-mail address, password, language, codes and sessions.
type accountUI struct{ *UI }

// accountPage is the data of the page of a person's own account. It has several forms; Errors belong to the one that
// was sent.
type accountPage struct {
	Operator      access.Operator
	RoleName      string
	Languages     []languageChoice
	Sessions      []sessionRow
	RecoveryCodes int64
	// Form is the name of the form that was sent, and Email the address in it.
	Form, Email string
	// PendingEmail is the new address that waits for its confirmation, until PendingUntil; "" if there is none.
	PendingEmail string
	PendingUntil frame.Timestamp
	Errors       frame.FieldErrors
}

// ErrorsOf returns the messages of a form.
func (p accountPage) ErrorsOf(form string) frame.FieldErrors {
	if p.Form == form {
		return p.Errors
	}
	return nil
}

// languageChoice is a language of the pages, by its own name.
type languageChoice struct {
	Tag, Name string
	Chosen    bool
}

type sessionRow struct {
	account.ActiveSession
	Since, Seen frame.Timestamp
}

func (ui accountUI) readAccount(r *httpapi.Request) (accountPage, error) {
	return frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) (accountPage, error) {
		o, err := ui.Accounts.Operators.Find(ctx, tx, r.Principal.Operator.ID)
		if err != nil {
			return accountPage{}, err
		}

		l := ui.pages.Language(r)
		page := accountPage{Operator: o, RoleName: roleName(l, o.Role), Email: o.Email}
		change, pending, err := ui.Accounts.Profiles.PendingEmail(ctx, tx.Unscoped(), o.AccountID)
		if err != nil {
			return accountPage{}, err
		}

		if pending {
			page.Email = change.Email
			page.PendingEmail = change.Email
			page.PendingUntil = ui.pages.NewTimestamp(r, change.ExpiresAt)
		}

		names := map[string]string{"en": "English", "ru": "Русский"}
		for _, tag := range frame.Languages() {
			page.Languages = append(page.Languages, languageChoice{Tag: tag, Name: names[tag],
				Chosen: tag == o.Language})
		}

		sessions, err := ui.Accounts.Sessions.List(ctx, tx.Unscoped(), r.Principal)
		if err != nil {
			return accountPage{}, err
		}

		for _, s := range sessions {
			page.Sessions = append(page.Sessions, sessionRow{s, ui.pages.NewTimestamp(r, s.CreatedAt),
				ui.pages.NewTimestamp(r, s.LastSeenAt)})
		}

		page.RecoveryCodes, err = ui.Accounts.Profiles.RecoveryCodesLeft(ctx, tx.Unscoped(), r.Principal)
		return page, err
	})
}

func (ui accountUI) accountPage(r *httpapi.Request) (frame.View, error) {
	page, err := ui.readAccount(r)
	return ui.pages.NewView(r, "Your account", "account", page), err
}

// rejectAccount renders the page with the messages of a form that was refused.
func (ui accountUI) rejectAccount(w http.ResponseWriter, r *httpapi.Request, form string, refusal error) error {
	page, err := ui.readAccount(r)
	if err != nil {
		return err
	}
	page.Form, page.Errors = form, frame.NewFieldErrors(ui.pages.Language(r), refusal, nil)
	if email := r.PostForm.Get("email"); form == "email" {
		page.Email = email
	}
	v := ui.pages.NewView(r, "Your account", "account", page)
	return ui.pages.Reject(w, "account", v, v.T("Nothing was saved: look at the marked fields."))
}

// editAccount changes the account after the password was confirmed, and shows the toast.
func (ui accountUI) editAccount(
	w http.ResponseWriter, r *httpapi.Request, form, toast string, edit account.ProfileEdit,
) error {
	// The error is not that of the request: the page, which is rendered again, reads from the database.
	err := ui.ConfirmPassword(w, r)
	if err == nil {
		_, err = ui.changeProfile(r, edit)
	}
	if fault.KindOf(err) == fault.Invalid {
		return ui.rejectAccount(w, r, form, err)
	}
	return ui.Done(w, r, err, "/account", toast)
}

func (ui accountUI) changeProfile(r *httpapi.Request, edit account.ProfileEdit) (access.Operator, error) {
	return frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (access.Operator, error) {
		return ui.Accounts.Profiles.Edit(ctx, tx, r.Principal, edit, nil)
	})
}

func (ui accountUI) changeEmail(w http.ResponseWriter, r *httpapi.Request) error {
	if frame.ParseForm(r); r.Err() != nil {
		return r.Err()
	}

	// The error is not that of the request: the page, which is rendered again, reads from the database.
	err := ui.ConfirmPassword(w, r)
	var change account.EmailChange
	if err == nil {
		change, err = ui.requestEmail(r, r.PostForm.Get("email"))
	}

	if err = asEmailField(err); fault.KindOf(err) == fault.Invalid {
		return ui.rejectAccount(w, r, "email", err)
	}
	if err != nil {
		return err
	}

	l := ui.pages.Language(r)
	toast := l.T("A link is on its way to %s. The address counts once it is opened.", change.Email)
	if change.Token == "" {
		toast = l.T("Your e-mail address stays %s.", change.Email)
	}

	return ui.RedirectWith(w, r, "/account", frame.Toast{Text: toast})
}

// requestEmail asks for another e-mail address: it sends a link there and tells the present address.
func (ui accountUI) requestEmail(r *httpapi.Request, email string) (account.EmailChange, error) {
	return frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (account.EmailChange, error) {
		change, err := ui.Accounts.Profiles.RequestEmail(ctx, tx, r.Principal, email)
		if err != nil {
			return change, err
		}
		if change.Cancelled {
			return change, audit.Record(ctx, tx, r.Principal.Operator.AccountEntry(audit.AccountEmailCancelled))
		}
		if change.Token == "" {
			return change, nil
		}

		if !ui.Notify.ReachesPeople() {
			return change, account.NoMail()
		}

		base := r.AdminURL(ui.AdminURL)
		if ui.Notify.ServerSendsMail() {
			if base, err = ui.mailBase(r, "email"); err != nil {
				return change, err
			}
		}

		for _, message := range account.EmailChangeMessages(r.Principal.Store, change, base) {
			if err := ui.Notify.Send(ctx, tx, message); err != nil {
				return change, err
			}
		}

		return change, audit.Record(ctx, tx, change.Entry(*r.Principal.Operator, audit.AccountEmailRequested))
	})
}

// asEmailField returns a refusal of a new e-mail address as a message beside its field.
func asEmailField(err error) error {
	refused, ok := errors.AsType[*fault.Error](err)
	if ok && (refused.Kind == fault.Conflict || refused.Code == "too_many_links") {
		return fault.OneField("email", refused.Code, "%s", refused.Message)
	}
	return err
}

// cancelEmail keeps the present e-mail address. It needs no password: it takes a change back.
func (ui accountUI) cancelEmail(w http.ResponseWriter, r *httpapi.Request) error {
	_, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (none struct{}, err error) {
		if _, err := ui.Accounts.Profiles.CancelEmail(ctx, tx, r.Principal); err != nil {
			return none, err
		}
		return none, audit.Record(ctx, tx, r.Principal.Operator.AccountEntry(audit.AccountEmailCancelled))
	})
	if err != nil {
		return err
	}
	return ui.RedirectWith(w, r, "/account", frame.Toast{
		Text: ui.pages.Language(r).T("Your e-mail address stays %s.", r.Principal.Operator.Email)})
}

func (ui accountUI) changePassword(w http.ResponseWriter, r *httpapi.Request) error {
	if frame.ParseForm(r); r.Err() != nil {
		return r.Err()
	}

	next := r.PostForm.Get("new_password")
	if next != r.PostForm.Get("repeat_password") {
		return ui.rejectAccount(w, r, "password", fault.OneField("repeat_password", "different", "%s",
			ui.pages.Language(r).T("The two passwords differ; type the new one twice.")))
	}

	prepared, err := ui.Accounts.PreparePassword(r.Context(), next)
	if fault.KindOf(err) == fault.Invalid {
		messages := frame.NewFieldErrors(ui.pages.Language(r), err, nil)["password"]
		return ui.rejectAccount(w, r, "password", fault.OneField("new_password", "invalid", "%s", messages[0]))
	}

	if err != nil {
		return err
	}

	return ui.editAccount(w, r, "password",
		ui.pages.Language(r).T("Your password is changed. All your other browsers are signed out."),
		account.ProfileEdit{Password: &prepared})
}

func (ui accountUI) changeLanguage(w http.ResponseWriter, r *httpapi.Request) error {
	if frame.ParseForm(r); r.Err() != nil {
		return r.Err()
	}
	tag := r.PostForm.Get("language")
	if !slices.Contains(frame.Languages(), tag) {
		tag = ""
	}
	if _, err := ui.changeProfile(r, account.ProfileEdit{Language: &tag}); err != nil {
		return err
	}
	frame.SetLanguage(w, tag)
	return frame.Redirect(w, r.Request, "/account")
}

func (ui accountUI) endOwnSession(w http.ResponseWriter, r *httpapi.Request) error {
	return ui.endSessions(w, r, ui.pages.Language(r).T("The browser is signed out."),
		func(ctx context.Context, tx store.Tx) error {
			return ui.Accounts.Sessions.End(ctx, tx.Unscoped(), r.Principal, r.PathValue("session"))
		})
}

func (ui accountUI) endOtherSessions(w http.ResponseWriter, r *httpapi.Request) error {
	return ui.endSessions(w, r, ui.pages.Language(r).T("All your other browsers are signed out."),
		func(ctx context.Context, tx store.Tx) error {
			return ui.Accounts.Sessions.EndOthers(ctx, tx.Unscoped(), r.Principal)
		})
}

func (ui accountUI) endSessions(
	w http.ResponseWriter, r *httpapi.Request, toast string, end func(ctx context.Context, tx store.Tx) error,
) error {
	_, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (none struct{}, err error) {
		if err := end(ctx, tx); err != nil {
			return none, err
		}
		return none, audit.Record(ctx, tx, r.Principal.Operator.AccountEntry(audit.AccountSessionsEnded))
	})
	return ui.Done(w, r, err, "/account", toast)
}

// confirmField is the data of the template "confirm": the field of a form in which the person types the password.
type confirmField struct {
	Form, Email string
	Messages    []string
}

// Confirm returns the password field of a form. The page has several, so their ids contain the name of the form.
func (p accountPage) Confirm(form string) confirmField {
	return confirmField{Form: form, Email: p.Operator.Email, Messages: p.ErrorsOf(form)["password"]}
}
