package storeapi

import (
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/protection"
)

// guard runs between parsing the body of a protected action and executing it. If the request repeats an
// Idempotency-Key, guard writes the stored response and returns true for done. Otherwise it checks the limits and then
// the captcha, if the store protects the action. It checks the limits of this action alone: the server has checked the
// limits of all public writes before. The caller must not execute the action if done is true or err is not nil.
//
// The limits come before the captcha, so that forged tokens do not use up the store's quota at the captcha provider.
func (api *API) guard(
	w http.ResponseWriter, r *httpapi.Request, action protection.Action, token *string, limits ...func() error,
) (done bool, err error) {
	if err := r.Err(); err != nil {
		return false, err
	}

	protected, err := api.protection.GuardOf(r.Context(), r.Principal.Store, action)
	if err != nil || protected == nil && len(limits) == 0 {
		return false, err // nothing comes before Write, which replays the stored response itself
	}
	if done, err := r.Replay(w); done || err != nil {
		return done, err
	}

	for _, limit := range limits {
		if err := limit(); err != nil {
			return false, err
		}
	}

	err = protected.Admit(r.Context(), token, r.Work.AdmitWrite)
	if used := fault.KindOf(err) == fault.Unauthenticated && token != nil; !used {
		return false, err
	}

	// Another node may have handled the same request since the first Replay. It has then used up the token and stored a
	// response.
	if done, replay := r.Replay(w); done || replay != nil {
		return done, replay
	}

	return false, err
}

// readRecaptcha reads the member recaptcha of a body. It returns the captcha token, or nil if there is none.
func readRecaptcha(r *wire.Reader) (token *string) {
	r.Object(func(name string) {
		if name == "token" {
			token = wire.OrNil(r.String())
		}
	})
	return token
}
