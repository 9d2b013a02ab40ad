package httpapi

import (
	"net/http"
	"strings"

	"vitrine/internal/shop/access"
)

// Handler writes the response to one request, or returns an error, which the server turns into a problem.
type Handler func(w http.ResponseWriter, r *Request) error

// Route is one line of a surface's table of routes: the pattern, the scope that it needs, the handler, and the
// documentation for the OpenAPI document.
type Route struct {
	Method string
	Path   string // in the syntax of http.ServeMux: /v2/features/{id}
	// First makes the route win over others that its path matches too, such as /v2/products/by-slug/{slug} over
	// /v2/products/{id}/variants: http.ServeMux takes neither for the more specific one.
	First bool
	// Needs is the scope that a credential must have. If it is empty, the route needs no credential.
	Needs access.Scope
	// Denied is the message of the 403 for a credential without that scope. If empty, the message names the scope.
	Denied string
	// SecretOnly marks a route that publishable keys and customer tokens may not call although they have the scope.
	SecretOnly bool
	// Unlimited marks a route that visitors may write to without the limits of public writes: what they send is counted
	// in memory and uses no database.
	Unlimited bool
	// KeyInQuery marks a route to which programs without headers come by an address: its query parameter "key" may have
	// a key of this kind, PublishableKey or FeedKey. A feed key may call the routes with FeedKey and no others.
	KeyInQuery access.Kind
	// Exchange marks a route of the exchange gate: Needs is an entity, and an Idempotency-Key is ignored.
	Exchange bool
	// Class is the class of the work that the server does for a request. If it is empty, it is derived from the method
	// and from Paged and CursorPaged.
	Class   Class
	Handler Handler

	// The other fields are documentation for the OpenAPI document. Three of them also have an effect: Paged and
	// CursorPaged choose the class of a route without Class, and together with QueryParams they decide which query
	// parameters the route refuses as unknown; see checksQuery. Package openapi adds what it can derive from the route:
	// credentials, headers that all requests of the method take, page parameters, and the problems that a wrong
	// credential, header or parameter causes. openapi.NewDocument returns an error for a route with gaps in its
	// documentation.

	// OperationID is the name of the operation in generated clients, such as listFeatures. It never changes.
	OperationID string
	Summary     string
	Description string // CommonMark
	Tag         string

	// PathParams documents each parameter of the path. Parameters named id or …_id are UUIDs.
	PathParams   []Param
	QueryParams  []Param
	HeaderParams []Param

	// Body, BodyNDJSON, Form, Response and Meta are values of Go types. The document has the schemas of these types.

	Body         any // the JSON body; nil without one
	BodyOptional bool
	BodyNDJSON   any // a line of the body, if the body may be NDJSON instead of JSON
	// Form is a multipart form with a file, in place of Body. The file may also be sent alone, as the body.
	Form         any
	BodyExamples []Example

	Response         any // the member data of the response; nil for 204
	ResponseExamples []Example
	Paged            bool // data is a list that clients read by page
	CursorPaged      bool // data is a list that clients read by cursor
	Meta             any  // the member meta, if it is neither PageMeta nor CursorMeta
	HasETag          bool // the response has an ETag
	Status           int
	// AcceptedExamples are responses with status 202. They have the schema of Response. A client gets a 202 if it asked
	// for asynchronous processing.
	AcceptedExamples []Example
	// Refusals are the problems that are specific to this route.
	Refusals []Refusal
	// ProblemMember is an additional member of the problems of this route; nil if they have none.
	ProblemMember *ProblemMember

	// PlainMediaType is the media type of a response without the envelope. It is empty for a response with the
	// envelope.
	PlainMediaType string
}

// PublicWrite reports whether the route changes data and visitors of a shop may call it. Such a route needs a rate
// limit, and a captcha or a reason for having none.
func (r Route) PublicWrite() bool {
	public := r.Needs == access.Storefront || r.Needs == access.Profile
	return public && r.Method != http.MethodGet && r.Method != http.MethodHead
}

// ProblemMember documents an additional member of problems with some statuses. Members of the same name must be equal
// in all routes.
type ProblemMember struct {
	Name        string
	Description string
	Value       any // a value of the Go type whose schema it has
	Statuses    []int
}

// Param documents a parameter of the path or the query, or a header.
type Param struct {
	Name        string
	Description string
	Example     string
	Type        string   // string, integer, number or boolean; string by default
	Values      []string // if set, the parameter is a comma-separated list of these
	Enum        []string // if set, the parameter is one of these
	IDs         int      // if set, the parameter is a comma-separated list of at most so many ids or texts
	Repeated    bool     // the parameter may be repeated; lists separated by commas always may
	// Unlisted leaves a parameter of the query that is read out of the document: another one says the same.
	Unlisted bool
}

// Example is an example of a request body or a response body.
type Example struct {
	Name string // a short title
	JSON string
}

// Refusal documents one problem of a route. With status 422, Code is the code of a field in errors.
type Refusal struct {
	Status int
	Code   string
	When   string
}

// RouteTable finds the route of a request: one of first, or else one of others.
type RouteTable struct{ first, others *http.ServeMux }

// NewRouteTable returns a table without routes.
func NewRouteTable() RouteTable { return RouteTable{http.NewServeMux(), http.NewServeMux()} }

// Add adds a route. It panics if another route has the same pattern.
func (t RouteTable) Add(route Route, handle http.HandlerFunc) {
	mux := t.others
	if route.First {
		mux = t.first
	}
	mux.HandleFunc(route.Method+" "+route.Path, handle)
}

// of returns the mux with the route of a request, or false if there is no such route.
func (t RouteTable) of(r *http.Request) (*http.ServeMux, bool) {
	for _, mux := range []*http.ServeMux{t.first, t.others} {
		if _, pattern := mux.Handler(r); pattern != "" {
			return mux, true
		}
	}
	return nil, false
}

// Pattern returns the method and path of the route of a request, or "" if there is no such route.
func (t RouteTable) Pattern(r *http.Request) string {
	mux, found := t.of(r)
	if !found {
		return ""
	}
	_, pattern := mux.Handler(r)
	return pattern
}

// allowedMethods lists the methods that the request's path has, for the header Allow.
func (t RouteTable) allowedMethods(r *http.Request) []string {
	var methods []string
	for _, m := range []string{
		http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
	} {
		probe := &http.Request{Method: m, URL: r.URL, Host: r.Host}
		if _, found := t.of(probe); found {
			methods = append(methods, m)
		}
	}
	return methods
}

// isCanonicalPath reports whether the mux accepts the path as it is. The mux would redirect any other path, and the
// Location of the redirect would repeat the path, which may contain a token.
func isCanonicalPath(path string) bool {
	return strings.HasPrefix(path, "/") && !strings.Contains(path, "//") && !strings.Contains(path+"/", "/./") &&
		!strings.Contains(path+"/", "/../")
}
