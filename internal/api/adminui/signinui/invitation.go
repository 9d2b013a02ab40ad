package signinui

import (
	"context"
	"net/http"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/account"
	"vitrine/internal/shop/store"
)

// invitationForm is the data of the page on which an invited person chooses a password, or joins the store with the
// account that they have.
type invitationForm struct {
	Token, Email, Store string
	// HasPassword says that the person has an account, and SignedIn that the request has a session of it.
	HasPassword, SignedIn bool
	Errors                frame.FieldErrors
}

func (ui *UI) invitationPage(w http.ResponseWriter, r *httpapi.Request) error {
	form, err := ui.invitationFromPath(r)
	if err != nil {
		return err
	}
	return ui.renderInvitation(w, r, http.StatusOK, form, "")
}

func (ui *UI) acceptInvitation(w http.ResponseWriter, r *httpapi.Request) error {
	if frame.ParseForm(r); r.Err() != nil {
		return r.Err()
	}

	form, err := ui.invitationFromPath(r)
	if err != nil {
		return err
	}

	ctx, cancel := context.WithTimeout(r.Context(), loginTimeout)
	defer cancel()

	prepared, err := ui.Accounts.PreparePassword(ctx, r.PostForm.Get("password"))
	if err == nil {
		err = ui.acceptWithPassword(ctx, r, form.Token, prepared)
	}

	if fault.KindOf(err) == fault.Invalid {
		form.Errors = frame.NewFieldErrors(ui.pages.Language(r), err, nil)
		return ui.renderInvitation(w, r, http.StatusUnprocessableEntity, form,
			ui.pages.Language(r).T("The password was not set: look at the marked field."))
	}

	if err != nil {
		return err
	}

	return ui.enterInvited(w, r, form.Email)
}

// enterInvited signs in the person who has just chosen a password. If that is refused, the page on which one signs in
// follows: the password is set all the same.
func (ui *UI) enterInvited(w http.ResponseWriter, r *httpapi.Request, email string) error {
	const signInPage = "/login?invitation_accepted"
	if dropsSecureCookie(r.Header.Get("Origin")) {
		return frame.Redirect(w, r.Request, signInPage)
	}
	in, err := ui.signIn(r, email, r.PostForm.Get("password"))
	if err != nil || in.Pending != "" {
		return frame.Redirect(w, r.Request, signInPage)
	}
	return ui.enter(w, r, in, "/")
}

// acceptWithPassword accepts an invitation in a transaction.
func (ui *UI) acceptWithPassword(
	ctx context.Context, r *httpapi.Request, token string, prepared account.PreparedPassword,
) error {
	release, err := r.Work.AdmitWrite(ctx)
	if err != nil {
		return err
	}
	defer release()
	return ui.DB.Write(ctx, func(q database.Querier) error {
		_, err := ui.Accounts.Operators.AcceptInvitation(ctx, q, token, prepared)
		return err
	})
}

// invitationFromPath returns the form for the token in the path, or fault.NotFound. A wrong token counts as a failed
// credential.
func (ui *UI) invitationFromPath(r *httpapi.Request) (invitationForm, error) {
	token := r.PathValue("token")
	succeeded, err := r.TryCredential()
	if err != nil {
		return invitationForm{}, err
	}

	invited, err := ui.Accounts.Operators.Invitation(r.Context(), token)
	if fault.KindOf(err) != fault.NotFound {
		succeeded()
	}

	if err != nil {
		return invitationForm{}, err
	}

	form := invitationForm{Token: token, Email: invited.Email, Store: invited.StoreName,
		HasPassword: invited.HasPassword}
	if session, ok := frame.SessionToken(r.Request); ok && form.HasPassword {
		p, err := ui.Accounts.Sessions.Authenticate(r.Context(), session)
		if err != nil && fault.KindOf(err) != fault.Unauthenticated {
			return invitationForm{}, err
		}
		form.SignedIn = err == nil && p.Operator.AccountID == invited.AccountID
	}

	return form, nil
}

// joinStore accepts an invitation for the person who has signed in, and switches to the store.
func (ui *UI) joinStore(w http.ResponseWriter, r *httpapi.Request) error {
	token, err := frame.InStore(r, ui.DB.Write, func(ctx context.Context, tx store.Tx) (string, error) {
		q := tx.Unscoped()
		joined, err := ui.Accounts.Operators.JoinStore(ctx, q, r.Principal, r.PathValue("token"))
		if err != nil {
			return "", err
		}
		return ui.Accounts.Sessions.SwitchStore(ctx, q, r.Principal, joined.StoreID)
	})
	if err != nil {
		return err
	}
	frame.SetSessionCookie(w, token)
	return frame.Redirect(w, r.Request, "/")
}

// switchStore opens another store of the person who has signed in.
func (ui *UI) switchStore(w http.ResponseWriter, r *httpapi.Request) error {
	if frame.ParseForm(r); r.Err() != nil {
		return r.Err()
	}
	storeID, err := id.Parse[store.Store](r.PostForm.Get("store"))
	if err != nil {
		return store.Missing()
	}
	token, err := frame.InStore(r, ui.DB.Write, func(ctx context.Context, tx store.Tx) (string, error) {
		return ui.Accounts.Sessions.SwitchStore(ctx, tx.Unscoped(), r.Principal, storeID)
	})
	if err != nil {
		return err
	}
	frame.SetSessionCookie(w, token)
	return frame.Redirect(w, r.Request, "/")
}

func (ui *UI) renderInvitation(
	w http.ResponseWriter, r *httpapi.Request, status int, form invitationForm, failure string,
) error {
	v := ui.pages.NewPublicView(r.Request, "Invitation", form)
	v.Failure = failure
	return ui.pages.Render(w, status, "invitation", v)
}
