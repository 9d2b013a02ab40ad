// Package httpapi is the HTTP vocabulary of every surface: routes, credentials, strict bodies, the envelope, pages, ETags,
// idempotency, problems, and what stands around a request (ids, log, metrics, compression, CORS, limits).
// It knows no resource of the shop.
package httpapi

import (
	"net/http"
	"strings"

	"vitrine/internal/shop/access"
)

// Handler answers one request, or returns the fault that the one error writer turns into a problem.
type Handler func(w http.ResponseWriter, r *Request) error

// Route is one line of a surface's table: what is routed, who may, and what the OpenAPI document says of it.
type Route struct {
	Method string
	Path   string // as http.ServeMux writes it: /v2/features/{id}
	// Needs is the scope a credential must have; empty means that no credential is asked for.
	Needs access.Scope
	// Exchange makes it a route of the exchange gate: Needs is an entity, and an Idempotency-Key means nothing.
	Exchange bool
	Handler  Handler

	// The rest is what the OpenAPI document says of it. What follows from the above is not repeated: credentials, the headers that
	// every request of that method takes, pages, and the problems that come with them. openapi.NewDocument refuses what says too little.

	// OperationID names the operation in generated clients, so it never changes: listFeatures.
	OperationID string
	Summary     string
	Description string // CommonMark
	Tag         string

	// InPath documents each parameter of the path; those called id or …_id are known to be UUIDs.
	InPath  []Param
	Query   []Param
	Headers []Param

	Body       any // a value of the type whose schema the body has; nil without one
	BodyNeeded bool
	BodyAnyLen bool // the body has no limit, so there is no 413
	BodyLines  any  // the body may be NDJSON too; a value of the type whose schema a line has
	// Form is in the place of Body where a file is sent: a value of the type whose schema the form has. The file alone is a body too.
	Form         any
	BodyExamples []Example

	Answer         any // likewise for the member data; nil for 204
	AnswerExamples []Example
	Listed         bool // data is a list in pages
	Cursored       bool // data is a list by cursor
	Meta           any  // the member meta of a list that says more than the page; a value of the type whose schema it has
	Tagged         bool // the answer has an ETag
	Status         int
	// AcceptedExamples are answers with 202 to a request whose work is done afterwards, which the client may ask for: each is an Answer too.
	AcceptedExamples []Example
	// Refusals are the problems that are this route's own.
	Refusals []Refusal
	// InProblems is a member that problems of this route may have besides those of every problem; nil without one.
	InProblems *ProblemMember

	// Plain routes answer something else than the envelope: they are documented with this media type.
	Plain string
}

// PublicWrite reports whether the route changes something for whoever visits a shop: what needs a limit, and a captcha or a reason for none.
func (r Route) PublicWrite() bool {
	return (r.Needs == access.Storefront || r.Needs == access.Profile) && r.Method != http.MethodGet && r.Method != http.MethodHead
}

// ProblemMember documents one more member of problems with some statuses. Routes that give it the same name mean the same.
type ProblemMember struct {
	Name        string
	Description string
	Value       any // a value of the type whose schema it has
	Statuses    []int
}

// Param documents a parameter of the path or the query, or a header.
type Param struct {
	Name        string
	Description string
	Example     string
	Type        string   // string, integer, number, boolean; string by default
	Values      []string // makes it a list of some of these words, with commas between
}

// Example is one body or answer, as it goes over the wire.
type Example struct {
	Name string // what it shows, in a few words
	JSON string
}

// Refusal is one way in which a route says no. With 422 the code is that of the place, in errors.
type Refusal struct {
	Status int
	Code   string
	When   string
}

// Allow lists the methods of the routes that have this path, for 405 and the Allow header.
func allowed(mux *http.ServeMux, r *http.Request) []string {
	var methods []string
	for _, m := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		probe := &http.Request{Method: m, URL: r.URL, Host: r.Host}
		if _, pattern := mux.Handler(probe); pattern != "" {
			methods = append(methods, m)
		}
	}
	return methods
}

// canonical reports whether the mux would take the path as it is. Other paths would be redirected, and a redirect would repeat what the path holds.
func canonical(path string) bool {
	return strings.HasPrefix(path, "/") && !strings.Contains(path, "//") && !strings.Contains(path+"/", "/./") && !strings.Contains(path+"/", "/../")
}
