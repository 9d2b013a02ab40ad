package listen

import (
	"net/http"
	"slices"

	"github.com/go-json-experiment/json"

	"vitrine/internal/client/request"
	"vitrine/internal/kit/fault"
)

// problemFault returns the fault for a response that is not 2xx.
func problemFault(admin Admin, resp *http.Response, body []byte) *fault.Error {
	var p request.Problem
	if json.Unmarshal(body, &p) != nil || p.Code == "" {
		return notAdminError(admin, resp.StatusCode)
	}
	f := p.Fault(resp.StatusCode)
	switch {
	case f.Kind == fault.Unauthenticated:
		f.Message = "The administration rejects this key: it is unknown, expired or revoked."
	case f.Kind == fault.NotFound && resp.Request.Method == http.MethodPost:
		return notAdminError(admin, resp.StatusCode)
	case forbidsLoopback(f):
		f.Message = "The server sends no events to this machine. Start it with --dev, or with --allow-http " +
			"--allow-net 127.0.0.0/8."
	}
	return f
}

// forbidsLoopback reports whether the server rejected the receiver's address. Listen only ever registers http://
// addresses on loopback, so the rejection means that the operator does not allow them.
func forbidsLoopback(f *fault.Error) bool {
	forbids := func(code string) bool { return code == "invalid_url" || code == "forbidden_address" }
	return forbids(f.Code) || slices.ContainsFunc(f.Fields,
		func(field fault.Field) bool { return field.Field == "url" || forbids(field.Code) })
}

// notAdminError returns the error of a response that does not come from the admin API.
func notAdminError(admin Admin, status int) *fault.Error {
	return fault.New(request.KindOf(status), "not_an_administration",
		"The response of %s (%s) is not from a store's administration. Its address differs from that of the API: "+
			"it is http://localhost:8081 by default, and vitrine serve prints it.", admin, request.StatusText(status))
}
