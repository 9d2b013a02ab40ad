// Package problem converts responses that are not 2xx to faults, for the HTTP clients of the program: push, which calls
// the exchange gate, and listen, which calls the admin API. It sends no requests.
package problem

import (
	"fmt"
	"net/http"
	"strings"

	"vitrine/internal/kit/fault"
)

// Document is a problem document (RFC 9457), the body of a response that is not 2xx.
type Document struct {
	Detail    string `json:"detail"`
	Code      string `json:"code"`
	RequestID string `json:"request_id"`
	Errors    []struct {
		Field   string `json:"field"`
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"errors"`
}

// Fault returns the problem as a fault. Its kind follows from the status of the response.
func (d Document) Fault(status int) *fault.Error {
	f := &fault.Error{Kind: KindOf(status), Code: d.Code, Message: d.Detail}
	for _, e := range d.Errors {
		f.Fields = append(f.Fields, fault.Field{Field: e.Field, Code: e.Code, Message: e.Message})
	}
	return f
}

// KindOf returns the kind of fault for a response status. It is Invalid for a status without a kind of its own.
func KindOf(status int) fault.Kind {
	switch {
	case status == http.StatusUnauthorized:
		return fault.Unauthenticated
	case status == http.StatusForbidden:
		return fault.Denied
	case status == http.StatusNotFound:
		return fault.NotFound
	case status == http.StatusConflict:
		return fault.Conflict
	case status == http.StatusTooManyRequests:
		return fault.TooMany
	case status >= 500:
		return fault.Unavailable
	}
	return fault.Invalid
}

// StatusText returns a status code with its text, such as 200 OK.
func StatusText(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}
