package storeapi

import (
	"io"

	"vitrine/internal/api/httpapi"
)

// readBody reads a JSON body and decodes it with read. The caller closes the body unless there is an error. extras are
// the values that the query parameter with may have on this route.
func readBody[T any](r *httpapi.Request, read func(io.Reader) (T, error), extras ...string) (*httpapi.Body, T, error) {
	if _, err := r.Extras(extras...); err != nil {
		var none T
		return nil, none, err
	}
	return httpapi.ReadJSON(r, httpapi.BodyLimit, func(body *httpapi.Body) (T, error) { return read(body.Reader()) })
}
