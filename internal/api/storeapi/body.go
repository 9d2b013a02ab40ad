package storeapi

import (
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
)

// readBody decodes a JSON body. extras are the values that the query parameter "with" may have on this route.
func readBody[T any](r *httpapi.Request, decode func(*wire.Reader) T, extras ...string) T {
	r.Query.Extras(extras...)
	return httpapi.ReadJSON(r, decode)
}

// readProtected decodes the JSON body of an action that a captcha may protect. It also returns the captcha token, or
// nil.
func readProtected[T any](r *httpapi.Request, decode func(*wire.Reader) (T, *string)) (value T, token *string) {
	r.Query.Extras()
	r.DecodeJSON(func(in *wire.Reader) { value, token = decode(in) })
	return value, token
}

// readOptionalBody reads a body that carries no data: it must be empty or a JSON object, whose members are ignored.
// extras are the values that the query parameter "with" may have on this route.
func readOptionalBody(r *httpapi.Request, extras ...string) {
	r.Query.Extras(extras...)
	r.DecodeOptionalJSON(func(in *wire.Reader) { in.Object(func(string) {}) })
}

// readExtras reads the query parameter "with". Only a secret key may name price_lists.
func readExtras(r *httpapi.Request, known ...string) httpapi.Extras {
	with := r.Query.Extras(known...)
	if with["price_lists"] && r.Principal.IsShopper() {
		r.Fail(fault.New(fault.Denied, "forbidden",
			"Only a secret key (sk_…) sees the prices of all price lists; take price_lists out of the query parameter "+
				"with."))
	}
	return with
}
