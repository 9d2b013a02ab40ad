package httpapi

import (
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
)

// keyParam is the query parameter with the key of a route with KeyInQuery.
const keyParam = "key"

// useQueryKey makes the key in the query the credential of a request without one. It refuses other credentials than
// publishable keys and those of the kind: addresses are kept in logs and histories.
func useQueryKey(r *Request, kind access.Kind) error {
	key, given := r.Query.Param(keyParam)
	if !given {
		return r.Err()
	}
	if given, err := access.ParseToken(key); err == nil && given != access.PublishableKey && given != kind {
		return fault.New(fault.Unauthenticated, "secret_in_address",
			"Only a publishable key (pk_…) or, for a feed, its own key (fk_…) may stand in an address, which others "+
				"can read. Replace the one that was sent, and take it out of the address.")
	}

	if _, has := Bearer(r.Request); has {
		return nil
	}
	r.Request = r.Request.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+key)
	return nil
}
