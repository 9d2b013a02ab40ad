package storeapi

import (
	"io"

	"vitrine/internal/api/httpapi"
)

// readBody reads a JSON body and what it says. The caller closes the body unless there is an error. The extras are those
// that the route knows.
func readBody[T any](r *httpapi.Request, read func(io.Reader) (T, error), extras ...string) (*httpapi.Body, T, error) {
	var said T
	if _, err := r.With(extras...); err != nil {
		return nil, said, err
	}
	body, err := r.JSONBody(httpapi.BodyLimit)
	if err != nil {
		return nil, said, err
	}
	if said, err = read(body.Reader()); err != nil {
		body.Close()
		return nil, said, err
	}
	return body, said, nil
}
