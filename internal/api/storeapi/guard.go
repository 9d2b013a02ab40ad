package storeapi

import (
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/protection"
)

// guard stands between the syntax of a protected action's body and the work: it answers a repeated request from memory and reports that it
// did, and otherwise demands and verifies the captcha, if the store protects the action. Limits of the action's own are asked in between,
// so that made-up tokens do not use up what the shop may ask its provider. On an error, too, the work must not be done.
func (api *API) guard(w http.ResponseWriter, r *httpapi.Request, action protection.Action, body *httpapi.Body, token *string, limits ...func() error) (done bool, err error) {
	done, err = r.Replay(w, body)
	if done || err != nil {
		return done, err
	}
	for _, limit := range limits {
		if err := limit(); err != nil {
			return false, err
		}
	}
	err = api.protection.Admit(r.Context(), r.Principal.Store, action, token)
	if used := fault.KindOf(err) == fault.Unauthenticated && token != nil; !used {
		return false, err
	}
	// Another node may have answered the same request meanwhile, and used its token up.
	if done, replay := r.Replay(w, body); done || replay != nil {
		return done, replay
	}
	return false, err
}

// readRecaptcha reads the member recaptcha of a body, and returns its token; nil without one.
func readRecaptcha(r *wire.Reader) *string {
	var token *string
	r.Object(func(name string) {
		if name != "token" {
			return
		}
		if s, ok := r.String(); ok {
			token = &s
		}
	})
	return token
}
