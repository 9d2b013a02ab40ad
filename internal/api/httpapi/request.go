package httpapi

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/memory"
	"vitrine/internal/shop/access"
)

// Request is an HTTP request whose credential was checked.
//
// The methods that read a part of the request keep the first error. After it they read nothing and return zero values,
// ReadTx does nothing, and Read, Write, Replay and Respond return the error. A handler that uses the values in any
// other way must check Err first.
type Request struct {
	*http.Request
	// Principal is the owner of the credential, with its store. It is zero on routes that need no credential.
	Principal access.Principal
	// ID is the X-Request-Id of the response.
	ID string
	// Received is the time at which the request arrived. Its credential was read later.
	Received time.Time

	server         *Server
	class          Class              // the class of the route, or that of the slot that the request has
	admitted       bool               // the request has a slot of the class
	leaveSlot      func()             // releases the slot of the last Admit, unless it is released; nil before
	freeLong       func()             // releases the slots of a long edit; nil if the request has none
	needs          access.Scope       // of the route
	idempotencyKey string             // the Idempotency-Key; empty without one
	claimed        *idempotencyRecord // the record of that key while the request has claimed it
	body           *requestBody
	sent           *Body     // nil until the body was read
	buffers        []*Buffer // closed after the handler has returned
	publicWrite    bool      // the route has PublicWrite
	memoryOwner    memory.Owner
	query          url.Values
	isoDates       bool // the query has dates=iso
	err            error
}

// Err returns the first error of the methods that read a part of the request.
func (r *Request) Err() error { return r.err }

// Fail makes err the error of the request, unless it has one already. It does nothing if err is nil.
func (r *Request) Fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// BadParam fails the request with a Malformed fault for a query parameter. message completes the sentence that begins
// with "The query parameter" and its name.
func (r *Request) BadParam(name, message string, args ...any) {
	r.Fail(fault.New(fault.Malformed, "malformed_query", "The query parameter %s "+message+".",
		append([]any{name}, args...)...))
}

// datesParam is the query parameter that selects the form of the response's dates. Every GET has it.
const datesParam = "dates"

// Dates returns the formatter of this response's dates: in the store's timezone and language, or with dates=iso as ISO
// 8601 in UTC.
func (r *Request) Dates() *locale.Dates {
	if r.isoDates {
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

// maxParams is how many query parameters a request may have. No route needs so many.
const maxParams = 5000

// parseQuery parses the query at its first use, and reports whether the request has no error.
func (r *Request) parseQuery() bool {
	if r.err != nil || r.query != nil {
		return r.err == nil
	}
	if n := strings.Count(r.URL.RawQuery, "&") + 1; n > maxParams {
		r.err = fault.New(fault.Malformed, "malformed_query",
			"The query string has %d parameters; at most %d are read.", n, maxParams)
		return false
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		r.err = fault.New(fault.Malformed, "malformed_query", "The query string cannot be read: percent-encode it.")
	}
	r.query = query
	return err == nil
}

// Param returns a query parameter, which may be empty, and whether the query has it. A parameter that is given twice is
// malformed.
func (r *Request) Param(name string) (value string, given bool) {
	if !r.parseQuery() {
		return "", false
	}
	values := r.query[name]
	switch {
	case len(values) == 0:
		return "", false
	case len(values) > 1:
		r.BadParam(name, "is given %d times; once is right", len(values))
	case !isText(values[0]):
		r.BadParam(name, "must be UTF-8 text without control characters")
	}
	return values[0], r.err == nil
}

// BracketParams returns the query parameters of the form name[a][b]=value, sorted by their names. A parameter with
// unbalanced brackets is malformed.
func (r *Request) BracketParams(name string) []BracketParam {
	if _, given := r.Param(name); given {
		r.BadParam(name, "is written with brackets: "+name+"[…]")
	}

	if r.err != nil {
		return nil
	}

	var list []BracketParam
	for given, values := range r.query {
		rest, ok := strings.CutPrefix(given, name+"[")
		if !ok {
			continue
		}

		rest, ok = strings.CutSuffix(rest, "]")
		keys := strings.Split(rest, "][")
		if !ok || slices.ContainsFunc(keys, func(k string) bool { return strings.ContainsAny(k, "[]") }) {
			r.BadParam(name, "has brackets that do not fit; it is written "+name+"[…]")
		}

		if !isText(given) || slices.ContainsFunc(values, func(v string) bool { return !isText(v) }) {
			r.BadParam(name, "must be UTF-8 text without control characters")
		}

		list = append(list, BracketParam{Name: given, Keys: keys, Values: values})
	}

	slices.SortFunc(list, func(a, b BracketParam) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// BracketParam is a query parameter with brackets, such as features[a][].
type BracketParam struct {
	Name   string   // as it was sent: features[a][]
	Keys   []string // the texts in the brackets: "a" and ""
	Values []string // one or more
}

// isText reports whether v is UTF-8 without control characters, except tab and newline.
func isText(v string) bool {
	return utf8.ValidString(v) &&
		!strings.ContainsFunc(v, func(c rune) bool { return c < 0x20 && c != '\t' && c != '\n' })
}

// DefaultPerPage and MaxPerPage are the default and the largest size of a page.
const (
	DefaultPerPage = 50
	MaxPerPage     = 250
)

// Page is the number of a page in a list, from 1, and the size of the pages.
type Page struct {
	Number  int64
	PerPage int64
}

// Page returns the page that the query parameters page and per_page select.
func (r *Request) Page() Page {
	return Page{Number: r.positiveParam("page", 1, 1<<53), PerPage: r.positiveParam("per_page", DefaultPerPage,
		MaxPerPage)}
}

// BoolParam returns a query parameter that must be true or false, or false if the query does not have it.
func (r *Request) BoolParam(name string) bool {
	v, given := r.Param(name)
	if given && v != "true" && v != "false" {
		r.BadParam(name, "must be true or false")
	}
	return v == "true"
}

// positiveParam returns the query parameter with this name, a whole number from 1 to limit. It returns fallback if the
// query does not have the parameter.
func (r *Request) positiveParam(name string, fallback, limit int64) int64 {
	v, given := r.Param(name)
	if !given {
		return fallback
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || n < 1 || n > limit || v[0] == '+' {
		r.BadParam(name, "must be a whole number from 1 to %d", limit)
	}
	return n
}

// Offset returns the number of elements before the page.
func (p Page) Offset() int64 { return (p.Number - 1) * p.PerPage }

// maxWords is how many different words a search may have. The time of a search grows with each of them.
const maxWords = 32

// SearchText returns the query parameter q, the text to search for, of at most 1024 bytes and maxWords different words.
func (r *Request) SearchText() string {
	q, _ := r.Param("q")
	switch {
	case len(q) > 1024:
		r.BadParam("q", "may have at most 1024 bytes")
	case len(slices.Compact(slices.Sorted(slices.Values(locale.Words(q))))) > maxWords:
		r.BadParam("q", "may have at most %d different words", maxWords)
	}
	return q
}

// Extras is the set of optional members that a request asks for in the query parameter "with".
type Extras map[string]bool

// Extras parses the query parameter "with", a comma-separated list of names. A name that is not in the list known is
// malformed.
func (r *Request) Extras(known ...string) Extras {
	v, _ := r.Param("with")
	if v == "" {
		return nil
	}

	extras := Extras{}
	for name := range strings.SplitSeq(v, ",") {
		name = strings.TrimSpace(name)
		if len(known) == 0 {
			r.BadParam("with", "has nothing to name here")
		}
		if !slices.Contains(known, name) {
			r.BadParam("with", "may name %s and nothing else", strings.Join(known, ", "))
		}
		extras[name] = true
	}

	return extras
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
