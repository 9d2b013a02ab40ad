package adminapi

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/schema"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/account"
	"vitrine/internal/shop/store"
)

const operatorsPath = "/api/store/operators"

func (api *API) operators(w http.ResponseWriter, r *httpapi.Request) error {
	dates := r.Dates()
	return respondShortList(w, r, api.accounts.Operators.List,
		func(o *access.Operator) Operator { return renderOperator(*o, dates) })
}

func (api *API) operator(w http.ResponseWriter, r *httpapi.Request) error {
	operatorID := operatorInPath(r)
	return r.Read(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		o, err := api.accounts.Operators.Find(ctx, tx, operatorID)
		return writeOperator(r, out, o, err)
	})
}

// inviteOperator creates an operator and sends them a link to the page on which they choose their password.
func (api *API) inviteOperator(w http.ResponseWriter, r *httpapi.Request) error {
	var email, password string
	var role access.Role

	r.DecodeJSON(func(in *wire.Reader) {
		in.Object(func(name string) {
			switch name {
			case "email":
				email, _ = in.String()
			case "role":
				text, _ := in.String()
				role = access.Role(text)
			case "password":
				if !in.Null() {
					password, _ = in.String()
				}
			}
		})
	})

	api.confirmPassword(r, password)
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		sends, err := api.notify.SendsMail(ctx, tx)
		if err != nil {
			return err
		}
		base, err := api.mailBase(r, sends)
		if err != nil {
			return err
		}

		invited, token, err := api.accounts.Operators.Invite(ctx, tx, email, role)
		if err != nil {
			return err
		}
		if err := r.Principal.MayGrant(invited.Role); err != nil {
			return err
		}

		message := account.InvitationMessage(r.Principal.Store, invited, base+"/invitation/"+token)
		if err := api.notify.Send(ctx, tx, message); err != nil {
			return err
		}

		out.Created(operatorsPath + "/" + invited.ID.String())
		return writeOperator(r, out, invited, nil)
	})
}

func (api *API) editOperator(w http.ResponseWriter, r *httpapi.Request) error {
	operatorID := operatorInPath(r)
	var password string
	edit := httpapi.ReadJSON(r, func(in *wire.Reader) account.OperatorEdit { return readOperatorEdit(in, &password) })
	api.confirmPassword(r, password)

	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		var old access.Operator
		changed, err := api.accounts.Operators.Edit(ctx, tx, operatorID, edit, func(o access.Operator) error {
			old = o
			return mayChangeOperator(r, o)
		})
		if err != nil {
			return err
		}

		if changed.Role != old.Role || changed.DisabledAt == nil && old.DisabledAt != nil {
			if err := r.Principal.MayGrant(changed.Role); err != nil {
				return err
			}
		}

		return writeOperator(r, out, changed, nil)
	})
}

func (api *API) removeOperator(w http.ResponseWriter, r *httpapi.Request) error {
	operatorID := operatorInPath(r)
	api.confirmPassword(r, readOptionalPassword(r))
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		out.Status = http.StatusNoContent
		return api.accounts.Operators.Remove(ctx, tx, operatorID, func(o access.Operator) error {
			return mayChangeOperator(r, o)
		})
	})
}

func operatorInPath(r *httpapi.Request) access.OperatorID {
	return httpapi.PathID[access.Operator](r, "id", "operator")
}

// mayChangeOperator checks If-Match, and that the caller may do all that the operator may.
func mayChangeOperator(r *httpapi.Request, o access.Operator) error {
	if err := checkIfMatch(r, o); err != nil {
		return err
	}
	return r.Principal.MayManage(o.Role)
}

// checkIfMatch returns a Stale fault if the header If-Match does not allow a change of the operator.
func checkIfMatch(r *httpapi.Request, o access.Operator) error {
	return fault.Precondition(r.IfMatch()).Check(operatorVersion(o))
}

// readOperatorEdit reads the body of a request that changes an operator. It ignores other members, so that a client can
// send back an operator that it has read. The password goes to where password points.
func readOperatorEdit(r *wire.Reader, password *string) (e account.OperatorEdit) {
	r.Object(func(name string) {
		switch {
		case r.Null():
		case name == "role":
			if text, ok := r.String(); ok {
				e.Role = new(access.Role(text))
			}

		case name == "state":
			switch text, ok := r.String(); {
			case !ok:
			case text == "active":
				e.Enabled = new(true)
			case text == "disabled":
				e.Enabled = new(false)
			case text != "invited": // as it was read
				r.Failf("unknown_state", "Use active or disabled.")
			}

		case name == "password":
			*password, _ = r.String()
		}
	})

	return e
}

// confirmPassword asks for the operator's password before an action that a stolen session must not be able to perform.
func (api *API) confirmPassword(r *httpapi.Request, password string) {
	if r.Err() == nil {
		r.Fail(r.ConfirmPassword(api.accounts.Sessions, password))
	}
}

// confirmIfSent checks the operator's password if the request has one, for a change of which only the transaction can
// tell whether it needs one. It returns a function that the transaction calls in that case: it returns the fault
// password_required if a session has sent no password.
func (api *API) confirmIfSent(r *httpapi.Request, password string) (required func() error) {
	if password != "" {
		api.confirmPassword(r, password)
	}
	return func() error {
		if r.Principal.Kind == access.OperatorSession && password == "" {
			return account.PasswordMissing()
		}
		return nil
	}
}

// readOptionalPassword reads a body that has nothing but the operator's password and may be absent.
func readOptionalPassword(r *httpapi.Request) (password string) {
	r.DecodeOptionalJSON(func(in *wire.Reader) {
		in.Object(func(name string) {
			if name == "password" && !in.Null() {
				password, _ = in.String()
			}
		})
	})
	return password
}

// mailBase returns the URL of the administration, for a link in a mail, or the fault of AdminURLForMail. If the mail is
// not sent, the link is for those who read the mailbox.
func (api *API) mailBase(r *httpapi.Request, sent bool) (string, error) {
	if !sent {
		return r.AdminURL(api.adminURL), nil
	}
	return r.AdminURLForMail(api.adminURL)
}

// writeOperator writes an operator. The argument failure is the error of the use case: if it is not nil, writeOperator
// returns it and writes nothing.
func writeOperator(r *httpapi.Request, out *httpapi.Response, o access.Operator, failure error) error {
	if failure == nil {
		out.WriteResource(operatorVersion(o), renderOperator(o, r.Dates()))
	}
	return failure
}

// operatorVersion returns a version for the ETag of an operator.
func operatorVersion(o access.Operator) int64 { return o.UpdatedAt.UnixMicro() }

func renderOperator(o access.Operator, dates *locale.Dates) Operator {
	state := "active"
	switch {
	case o.DisabledAt != nil:
		state = "disabled"
	case o.Invited:
		state = "invited"
	}
	return Operator{
		ID: schema.ID(o.ID), Email: o.Email, Role: string(o.Role), State: state,
		CreatedAt: schema.NewDate(o.CreatedAt, dates), UpdatedAt: schema.NewDate(o.UpdatedAt, dates),
	}
}

// respondShortList responds with the requested page of a short list. The function read returns the whole list, and the
// function shape converts an element to the type from which its JSON is marshalled.
func respondShortList[T, Shape any](
	w http.ResponseWriter, r *httpapi.Request, read func(context.Context, store.Tx) ([]T, error), shape func(*T) Shape,
) error {
	page := r.Query.Page()
	return r.Read(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		all, err := read(ctx, tx)
		if err != nil {
			return err
		}
		return httpapi.WritePage(out, page, all, httpapi.AsJSON(shape))
	})
}
