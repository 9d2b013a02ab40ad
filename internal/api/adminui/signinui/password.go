package signinui

import (
	"context"
	"net/http"
	"strings"
	"time"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/account"
	"vitrine/internal/shop/store"
)

// minResetTime is the shortest duration of a request for a link, so that the time does not tell whether somebody has
// the address.
const minResetTime = 300 * time.Millisecond

// passwordForm is the data of the page on which a person chooses a new password.
type passwordForm struct {
	Token, Email string
	Errors       frame.FieldErrors
}

// resetsPasswords reports whether forgotten passwords can be replaced by mail: mail reaches people, and the address of
// the administration does not come from a request, which anybody can forge.
func (ui *UI) resetsPasswords() bool {
	return ui.Notify.ReachesPeople() && (ui.AdminURL != "" || ui.Notify.Development)
}

// forgottenPage asks for the e-mail address.
func (ui *UI) forgottenPage(w http.ResponseWriter, r *httpapi.Request) error {
	if !ui.resetsPasswords() {
		return fault.Missing("page")
	}
	return ui.pages.Render(w, http.StatusOK, "forgotten",
		ui.pages.NewPublicView(r.Request, "Forgot the password?", nil))
}

// sendPasswordLink sends a link, and answers the same whether somebody has the address. Each request counts as a
// failed credential of the client's network, which bounds them.
func (ui *UI) sendPasswordLink(w http.ResponseWriter, r *httpapi.Request) error {
	if frame.ParseForm(r); r.Err() != nil {
		return r.Err()
	}
	if !ui.resetsPasswords() {
		return fault.Missing("page")
	}
	if _, err := r.TryCredential(); err != nil {
		return err
	}

	started := time.NewTimer(minResetTime)
	defer started.Stop()
	if err := ui.requestReset(r, r.PostForm.Get("email")); err != nil {
		return err
	}

	select {
	case <-started.C:
	case <-r.Context().Done():
		return r.Context().Err()
	}

	return frame.Redirect(w, r.Request, "/login?password_link")
}

func (ui *UI) requestReset(r *httpapi.Request, email string) error {
	email = strings.ReplaceAll(strings.ToValidUTF8(email, "?"), "\x00", "?")
	ctx := r.Context()
	release, err := r.Work.AdmitWrite(ctx)
	if err != nil {
		return err
	}
	defer release()

	return ui.DB.Write(ctx, func(q database.Querier) error {
		reset, found, err := ui.Accounts.Profiles.RequestPasswordReset(ctx, q, email)
		if err != nil || !found {
			return err
		}
		tx := store.In(q, reset.StoreID)
		shop, err := ui.Stores.FindIn(ctx, tx)
		if err != nil {
			return err
		}
		return ui.Notify.Send(ctx, tx, reset.Message(shop, r.AdminURL(ui.AdminURL)+"/password/"+reset.Token))
	})
}

// passwordPage asks for the new password.
func (ui *UI) passwordPage(w http.ResponseWriter, r *httpapi.Request) error {
	form, err := ui.passwordFromPath(r)
	if err != nil {
		return err
	}
	return ui.renderPassword(w, r, http.StatusOK, form, "")
}

func (ui *UI) setPassword(w http.ResponseWriter, r *httpapi.Request) error {
	if frame.ParseForm(r); r.Err() != nil {
		return r.Err()
	}
	form, err := ui.passwordFromPath(r)
	if err != nil {
		return err
	}

	ctx, cancel := context.WithTimeout(r.Context(), loginTimeout)
	defer cancel()

	prepared, err := ui.Accounts.PreparePassword(ctx, r.PostForm.Get("password"))
	if err == nil {
		err = ui.setForgotten(ctx, r, form.Token, prepared)
	}

	if fault.KindOf(err) == fault.Invalid {
		form.Errors = frame.NewFieldErrors(ui.pages.Language(r), err, nil)
		return ui.renderPassword(w, r, http.StatusUnprocessableEntity, form,
			ui.pages.Language(r).T("The password was not set: look at the marked field."))
	}
	if err != nil {
		return err
	}

	return frame.Redirect(w, r.Request, "/login?invitation_accepted")
}

func (ui *UI) setForgotten(
	ctx context.Context, r *httpapi.Request, token string, prepared account.PreparedPassword,
) error {
	release, err := r.Work.AdmitWrite(ctx)
	if err != nil {
		return err
	}
	defer release()
	return ui.DB.Write(ctx, func(q database.Querier) error {
		return ui.Accounts.Profiles.SetForgottenPassword(ctx, q, token, prepared)
	})
}

// passwordFromPath returns the form for the token in the path, or fault.NotFound. A wrong token counts as a failed
// credential.
func (ui *UI) passwordFromPath(r *httpapi.Request) (passwordForm, error) {
	succeeded, err := r.TryCredential()
	if err != nil {
		return passwordForm{}, err
	}
	token := r.PathValue("token")
	reset, err := ui.Accounts.Profiles.PasswordReset(r.Context(), token)
	if fault.KindOf(err) != fault.NotFound {
		succeeded()
	}
	return passwordForm{Token: token, Email: reset.Email}, err
}

func (ui *UI) renderPassword(
	w http.ResponseWriter, r *httpapi.Request, status int, form passwordForm, failure string,
) error {
	v := ui.pages.NewPublicView(r.Request, "Choose your password", form)
	v.Failure = failure
	return ui.pages.Render(w, status, "password", v)
}
