package adminapi

import (
	"context"
	"net/http"
	"slices"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/schema"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/account"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/store"
)

// me responds with a description of the caller: the key or the operator, the store, and the scopes.
func (api *API) me(w http.ResponseWriter, r *httpapi.Request) error {
	return r.Read(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		p := r.Principal
		answer := Me{
			Kind: string(p.Kind), Store: StoreRef{ID: schema.ID(p.Store.ID), Name: p.Store.Name},
			Scopes: slices.DeleteFunc(access.APIScopes(), func(s access.Scope) bool { return !p.May(s) }),
		}
		if !p.CredentialID.IsZero() {
			answer.KeyID = schema.NotNull(schema.ID(p.CredentialID))
		}

		if o := p.Operator; o != nil {
			pending, err := api.pendingEmail(ctx, tx, r)
			if err != nil {
				return err
			}
			answer.Operator = schema.NotNull(OperatorRef{ID: schema.ID(o.ID), Email: o.Email, PendingEmail: pending,
				Role: string(o.Role)})
		}

		out.WriteData(answer)
		return nil
	})
}

// editMe changes the password of the operator whose session it is, or asks for another e-mail address.
func (api *API) editMe(w http.ResponseWriter, r *httpapi.Request) error {
	var password string
	var email, newPassword *string
	var edit account.ProfileEdit

	r.DecodeJSON(func(in *wire.Reader) {
		in.Object(func(name string) {
			switch {
			case in.Null():
			case name == "email":
				email = wire.OrNil(in.String())
			case name == "new_password":
				newPassword = wire.OrNil(in.String())
			case name == "password":
				password, _ = in.String()
			}
		})
	})
	if r.Err() == nil && r.Principal.Kind != access.OperatorSession {
		r.Fail(account.SessionRequired())
	}

	api.confirmPassword(r, password)

	if newPassword != nil && r.Err() == nil {
		prepared, err := api.accounts.PreparePassword(r.Context(), *newPassword)
		r.Fail(renameField(err, "password", "new_password"))
		edit.Password = &prepared
	}

	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		changed, err := api.accounts.Profiles.Edit(ctx, tx, r.Principal, edit,
			func(o access.Operator) error { return checkIfMatch(r, o) })
		if err != nil {
			return err
		}

		if email != nil {
			if changed, err = api.requestEmail(ctx, tx, r, *email); err != nil {
				return err
			}
		}

		pending, err := api.pendingEmail(ctx, tx, r)
		if err != nil {
			return err
		}

		o := renderOperator(changed, r.Dates())
		out.WriteResource(operatorVersion(changed), Account{ID: o.ID, Email: o.Email, PendingEmail: pending,
			Role:  o.Role,
			State: o.State, CreatedAt: o.CreatedAt, UpdatedAt: o.UpdatedAt})
		return nil
	})
}

// requestEmail asks for another e-mail address: it sends a link there and tells the present address. It returns the
// operator after that.
func (api *API) requestEmail(
	ctx context.Context, tx store.Tx, r *httpapi.Request, email string,
) (o access.Operator, err error) {
	change, err := api.accounts.Profiles.RequestEmail(ctx, tx, r.Principal, email)
	if err != nil {
		return o, err
	}

	if change.Token != "" {
		if !api.notify.ReachesPeople() {
			return o, account.NoMail()
		}

		base, err := api.mailBase(r, api.notify.ServerSendsMail())
		if err != nil {
			return o, err
		}

		for _, message := range account.EmailChangeMessages(r.Principal.Store, change, base) {
			if err := api.notify.Send(ctx, tx, message); err != nil {
				return o, err
			}
		}

		if err := audit.Record(ctx, tx, change.Entry(*r.Principal.Operator, audit.AccountEmailRequested)); err != nil {
			return o, err
		}
	}

	if change.Cancelled {
		if err := audit.Record(ctx, tx, r.Principal.Operator.AccountEntry(audit.AccountEmailCancelled)); err != nil {
			return o, err
		}
	}

	return api.accounts.Operators.Find(ctx, tx, r.Principal.Operator.ID)
}

// pendingEmail returns the e-mail address of the operator that waits for its confirmation.
func (api *API) pendingEmail(
	ctx context.Context, tx store.Tx, r *httpapi.Request,
) (shown schema.Nullable[PendingEmail], err error) {
	change, pending, err := api.accounts.Profiles.PendingEmail(ctx, tx.Unscoped(), r.Principal.Operator.AccountID)
	if err != nil || !pending {
		return shown, err
	}
	return schema.NotNull(PendingEmail{Email: change.Email, ExpiresAt: schema.NewDate(change.ExpiresAt, r.Dates())}),
		nil
}
