package signinui

import (
	"net/http"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/account"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/store"
)

// emailForm is the data of the page on which a person confirms a new e-mail address. Programs that look at the links of
// a mail open the page, so only its button confirms.
type emailForm struct {
	Token, Before, Email string
}

func (ui *UI) emailPage(w http.ResponseWriter, r *httpapi.Request) error {
	change, err := ui.emailFromPath(r)
	if err != nil {
		return err
	}
	form := emailForm{Token: r.PathValue("token"), Before: change.Before, Email: change.Email}
	return ui.pages.Render(w, http.StatusOK, "email", ui.pages.NewPublicView(r.Request, "Confirm your e-mail address",
		form))
}

func (ui *UI) confirmEmail(w http.ResponseWriter, r *httpapi.Request) error {
	if frame.ParseForm(r); r.Err() != nil {
		return r.Err()
	}
	if _, err := ui.emailFromPath(r); err != nil {
		return err
	}

	release, err := r.Work.AdmitWrite(r.Context())
	if err != nil {
		return err
	}
	defer release()

	ctx := r.Context()

	err = ui.DB.Write(ctx, func(q database.Querier) error {
		change, operators, err := ui.Accounts.Profiles.ConfirmEmail(ctx, q, r.PathValue("token"))
		if err != nil {
			return err
		}

		for _, o := range operators {
			tx := store.In(q, o.StoreID).By(o.Actor(), ui.Now())
			err := audit.Record(ctx, tx, change.Entry(o, audit.AccountChanged))
			if err != nil {
				return err
			}
		}

		return nil
	})
	if err != nil {
		return err
	}

	return frame.Redirect(w, r.Request, "/login?email_confirmed")
}

// emailFromPath returns the change of the token in the path, or fault.NotFound. A wrong token counts as a failed
// credential.
func (ui *UI) emailFromPath(r *httpapi.Request) (account.EmailChange, error) {
	succeeded, err := r.TryCredential()
	if err != nil {
		return account.EmailChange{}, err
	}
	change, err := ui.Accounts.Profiles.EmailChange(r.Context(), r.PathValue("token"))
	if fault.KindOf(err) != fault.NotFound {
		succeeded()
	}
	return change, err
}
