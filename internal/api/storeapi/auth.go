package storeapi

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/kit/contact"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/schema"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/protection"
	"vitrine/internal/shop/store"
)

// maxCodeLength limits the length of a login code in a request, in characters. A correct code has six.
const maxCodeLength = 64

// requestLogin sends a login code. The response does not reveal whether the address belongs to a customer.
func (api *API) requestLogin(w http.ResponseWriter, r *httpapi.Request) error {
	address, token := readProtected(r, readLoginRequest)
	limit := func() error { return api.loginQuota.Allow(r, "Too many login codes were asked for from this address.") }
	if done, err := api.guard(w, r, protection.PasswordlessRequest, token, limit); done || err != nil {
		return err
	}
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		login, err := api.customers.RequestLogin(ctx, tx, r.Principal.Store, address)
		if err != nil {
			return err
		}
		out.Status = http.StatusAccepted
		out.WriteData(spec.LoginRequested{RequestID: schema.ID(login.ID),
			ExpiresAt: schema.NewDate(login.ExpiresAt, r.Dates())})
		return nil
	})
}

// readLoginRequest reads the captcha token and the address that the code is sent to: an e-mail address or a phone
// number.
func readLoginRequest(r *wire.Reader) (address string, token *string) {
	var email, phone string
	var hasEmail, hasPhone bool

	ok := r.Object(func(name string) {
		switch name {
		case "email":
			email, hasEmail = readContact(r, contact.CheckEmail)
		case "phone":
			phone, hasPhone = readContact(r, contact.CheckPhone)
		case "recaptcha":
			token = readRecaptcha(r)
		}
	})
	switch {
	case ok && !hasEmail && !hasPhone:
		r.FailAt("email", "required", "Give an e-mail address, or a phone number as phone: the code is sent there.")
	case hasEmail && hasPhone:
		r.FailAt("phone", "not_allowed", "Give an e-mail address or a phone number, not both: one code is sent.")
	}

	return email + phone, token
}

// confirmLogin signs a customer in. If the request has a customer token, the address is added to that customer's login
// addresses. The customer gets the orders that name a login address as contact.
func (api *API) confirmLogin(w http.ResponseWriter, r *httpapi.Request) error {
	confirmation := readBody(r, readConfirmation)
	w.Header().Set("Cache-Control", "no-store")

	if done, err := r.Replay(w); done || err != nil {
		return err
	}

	proof, err := api.checkCode(r, confirmation)
	if err != nil {
		return err
	}

	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		session, err := api.customers.SignIn(ctx, tx, r.Principal.CustomerID, proof, r.Principal.EntryKey())
		if err != nil {
			return err
		}
		if err := api.adoptions.Adopt(ctx, tx, &session.Customer); err != nil {
			return err
		}

		dates := r.Dates()
		out.WriteData(spec.CustomerSession{
			Token: session.Token, ExpiresAt: schema.NewDate(session.ExpiresAt, dates),
			Customer: customerOf(&session.Customer, dates),
		})
		return nil
	})
}

// checkCode calls CheckCode within the limits of wrong codes of an address. An attempt counts while it runs, and if the
// code is wrong. If it fails for another reason, such as an overload, it is taken back: a shop whose server signs in
// all its customers from one address must not use up the limits with correct codes.
//
// CheckCode runs outside the transaction that stores the response: it counts the attempt before it compares the code,
// and the count must survive if the request fails.
func (api *API) checkCode(r *httpapi.Request, c loginConfirmation) (proof customer.Proof, err error) {
	wrong := false
	unlessWrong := func(takeBack func()) {
		if !wrong {
			takeBack()
		}
	}
	succeeded, err := r.TryCredential()
	if err != nil {
		return proof, err
	}
	defer unlessWrong(succeeded)

	// A code has only six digits, so wrong ones are limited per hour as well as per minute.
	right, err := api.wrongCodeQuota.Try(r, "Too many wrong login codes came from this address.")
	if err != nil {
		return proof, err
	}
	defer unlessWrong(right)

	release, err := r.Work.Admit(r.Context(), httpapi.ClassWrite)
	if err != nil {
		return proof, err
	}
	defer release()

	proof, err = api.customers.CheckCode(r.Context(), r.Principal.Store.ID, c.loginID, c.code)
	wrong = fault.KindOf(err) == fault.Unauthenticated
	return proof, err
}

// loginConfirmation is a login code and the id of the login that it was sent for.
type loginConfirmation struct {
	loginID customer.LoginID
	code    string
}

func readConfirmation(r *wire.Reader) (c loginConfirmation) {
	var hasID, hasCode bool

	ok := r.Object(func(name string) {
		switch name {
		case "request_id":
			c.loginID, _ = wire.ID[customer.Login](r)
			hasID = true
		case "code":
			c.code, hasCode = readFormText(r, maxCodeLength, singleLine)
		}
	})
	if ok && !hasID {
		r.FailAt("request_id", "required", "The request_id that asking for the code answered with is needed.")
	}

	if ok && !hasCode {
		r.FailAt("code", "required", "The six digits that were sent are needed.")
	}

	return c
}

// logout ends the session of the customer token that authenticates the request.
func (api *API) logout(w http.ResponseWriter, r *httpapi.Request) error {
	r.Query.Extras()
	token, _ := httpapi.Bearer(r.Request)
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		out.Status = http.StatusNoContent
		return api.customers.SignOut(ctx, tx, token)
	})
}
