package httpapi

import (
	"context"
	"net/http"
	"strings"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/memory"
	"vitrine/internal/shop/access"
)

// Request is an HTTP request whose credential was checked.
//
// The methods that read a part of the request, and the methods of Query, keep the first error. After it they read
// nothing and return zero values, ReadTx does nothing, and Read, Write, Replay and Respond return the error. A handler
// that uses the values in any other way must check Err first.
type Request struct {
	*http.Request
	// Principal is the owner of the credential, with its store. It is zero on routes that need no credential.
	Principal access.Principal
	// ID is the X-Request-Id of the response.
	ID string
	// Received is the time at which the request arrived. Its credential was read later.
	Received time.Time
	// Query reads the query parameters.
	Query Query
	// Work has the slots of the request.
	Work Work

	server         *Server
	needs          access.Scope       // of the route
	idempotencyKey string             // the Idempotency-Key; empty without one
	claimed        *idempotencyRecord // the record of that key while the request has claimed it
	body           *requestBody
	sent           *Body     // nil until the body was read
	buffers        []*Buffer // closed after the handler has returned
	publicWrite    bool      // the route has PublicWrite
	memoryOwner    memory.Owner
	err            error
}

// newRequest returns a request of the server, with work of the class.
func newRequest(s *Server, r *http.Request, body *requestBody, class Class) *Request {
	req := &Request{Request: r, ID: RequestID(r.Context()), server: s, body: body}
	req.Query.request = req
	req.Work = Work{request: req, class: class}
	return req
}

// Err returns the first error of the methods that read a part of the request.
func (r *Request) Err() error { return r.err }

// Fail makes err the error of the request, unless it has one already. It does nothing if err is nil.
func (r *Request) Fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// Dates returns the formatter of this response's dates: in the store's timezone and language, or with dates=iso as ISO
// 8601 in UTC.
func (r *Request) Dates() *locale.Dates {
	if r.Query.isoDates {
		return locale.NewISODates()
	}
	return locale.NewDates(r.Principal.Store.Language(), r.Principal.Store.Zone(), r.server.now())
}

// PathID returns the identifier in the path parameter name. The parameter what names the kind of resource in the
// message of the fault. A text that is not a UUID fails the request with the same NotFound fault as an unknown
// identifier.
func PathID[Thing any](r *Request, name, what string) id.Of[Thing] {
	i, err := id.Parse[Thing](r.PathValue(name))
	if err != nil {
		r.Fail(fault.Missing(what))
	}
	return i
}

// Bearer returns the token in the header Authorization, and whether the header has the scheme Bearer.
func Bearer(r *http.Request) (string, bool) {
	scheme, token, ok := strings.Cut(strings.TrimSpace(r.Header.Get("Authorization")), " ")
	return strings.TrimSpace(token), ok && strings.EqualFold(scheme, "Bearer")
}

type requestIDKey struct{}

// RequestID returns the id of the request that ctx belongs to, or "" if it belongs to none.
func RequestID(ctx context.Context) string {
	s, _ := ctx.Value(requestIDKey{}).(string)
	return s
}
