package adminapi

import (
	"context"
	"net/http"
	"slices"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/schema"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

// me responds with a description of the caller: the key or the operator, the store, and the scopes.
func (api *API) me(w http.ResponseWriter, r *httpapi.Request) error {
	return r.Read(w, false, func(_ context.Context, _ store.Tx, out *httpapi.Response) error {
		p := r.Principal
		answer := Me{
			Kind: string(p.Kind), Store: StoreRef{ID: schema.ID(p.Store.ID), Name: p.Store.Name},
			Scopes: slices.DeleteFunc(access.APIScopes(), func(s access.Scope) bool { return !p.May(s) }),
		}
		if !p.CredentialID.IsZero() {
			answer.KeyID = schema.NotNull(schema.ID(p.CredentialID))
		}
		if o := p.Operator; o != nil {
			answer.Operator = schema.NotNull(OperatorRef{ID: schema.ID(o.ID), Email: o.Email, Role: string(o.Role)})
		}
		out.WriteData(answer)
		return nil
	})
}

// editMe changes the e-mail address or the password of the operator whose session it is.
func (api *API) editMe(w http.ResponseWriter, r *httpapi.Request) error {
	var password string
	var newPassword *string
	var edit access.ProfileEdit
	r.DecodeJSON(func(in *wire.Reader) {
		in.Object(func(name string) {
			switch {
			case in.Null():
			case name == "email":
				edit.Email = wire.OrNil(in.String())
			case name == "new_password":
				newPassword = wire.OrNil(in.String())
			case name == "password":
				password, _ = in.String()
			}
		})
	})
	if r.Err() == nil && r.Principal.Kind != access.OperatorSession {
		r.Fail(access.SessionRequired())
	}
	api.confirmPassword(r, password)
	if newPassword != nil && r.Err() == nil {
		prepared, err := api.access.PreparePassword(r.Context(), *newPassword)
		r.Fail(renameField(err, "password", "new_password"))
		edit.Password = &prepared
	}
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		changed, err := api.access.EditProfile(ctx, tx, r.Principal, edit,
			func(o access.Operator) error { return checkIfMatch(r, o) })
		if err != nil {
			return err
		}
		r.Record(access.ProfileEditEntry(*r.Principal.Operator, changed, edit))
		out.WriteResource(operatorVersion(changed), renderOperator(changed, r.Dates()))
		return nil
	})
}
