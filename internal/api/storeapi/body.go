package storeapi

import (
	"io"

	"vitrine/internal/api/httpapi"
)

// readBody reads a JSON body and what it says. The caller closes the body unless there is an error. The extras are those
// that the route knows.
func readBody[T any](r *httpapi.Request, read func(io.Reader) (T, error), extras ...string) (*httpapi.Body, T, error) {
	if _, err := r.With(extras...); err != nil {
		var none T
		return nil, none, err
	}
	return httpapi.ReadJSON(r, httpapi.BodyLimit, func(body *httpapi.Body) (T, error) { return read(body.Reader()) })
}
