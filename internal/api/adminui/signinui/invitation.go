package signinui

import (
	"context"
	"net/http"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
)

// invitationForm is the data of the page on which an invited operator chooses a password.
type invitationForm struct {
	Token  string
	Email  string
	Errors frame.FieldErrors
}

func (ui *UI) invitationPage(w http.ResponseWriter, r *httpapi.Request) error {
	form, err := ui.invitationFromPath(r)
	if err != nil {
		return err
	}
	return ui.renderInvitation(w, r, http.StatusOK, form, "")
}

func (ui *UI) acceptInvitation(w http.ResponseWriter, r *httpapi.Request) error {
	if frame.ParseForm(w, r); r.Err() != nil {
		return r.Err()
	}
	form, err := ui.invitationFromPath(r)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), loginTimeout)
	defer cancel()
	prepared, err := ui.Access.PreparePassword(ctx, r.PostForm.Get("password"))
	if err == nil {
		err = ui.acceptWithPassword(ctx, r, form.Token, prepared)
	}
	if fault.KindOf(err) == fault.Invalid {
		form.Errors = frame.NewFieldErrors(err, nil)
		return ui.renderInvitation(w, r, http.StatusUnprocessableEntity, form,
			ui.pages.Language(r).T("The password was not set: look at the marked field."))
	}
	if err != nil {
		return err
	}
	return frame.Redirect(w, r.Request, "/login?invitation_accepted")
}

// acceptWithPassword accepts an invitation in a transaction.
func (ui *UI) acceptWithPassword(
	ctx context.Context, r *httpapi.Request, token string, prepared access.PreparedPassword,
) error {
	release, err := r.AdmitWrite(ctx)
	if err != nil {
		return err
	}
	defer release()
	return ui.DB.Write(ctx, func(q database.Querier) error {
		_, err := ui.Access.AcceptInvitation(ctx, q, token, prepared)
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
	invited, err := ui.Access.Invitation(r.Context(), token)
	if fault.KindOf(err) != fault.NotFound {
		succeeded()
	}
	return invitationForm{Token: token, Email: invited.Email}, err
}

func (ui *UI) renderInvitation(
	w http.ResponseWriter, r *httpapi.Request, status int, form invitationForm, failure string,
) error {
	v := ui.pages.NewPublicView(r.Request, "Choose your password", form)
	v.Failure = failure
	return ui.pages.Render(w, status, "invitation", v)
}
