package httpapi

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/access"
)

// Request is an HTTP request whose credential was checked.
type Request struct {
	*http.Request
	// Principal is the owner of the credential, with its store. It is zero on routes that need no credential.
	Principal access.Principal
	// ID is the X-Request-Id of the response.
	ID string

	server         *Server
	idempotencyKey string             // the Idempotency-Key; empty without one
	claimed        *idempotencyRecord // the record of that key while the request has claimed it
	body           *requestBody
	query          url.Values
}

// Dates returns the formatter of this response's dates, in the store's timezone and language.
func (r *Request) Dates() *locale.Dates {
	return locale.NewDates(r.Principal.Store.Language(), r.Principal.Store.Zone(), r.server.now())
}

// PathID returns the identifier in the path parameter name. what is the kind of resource, for the message of the fault.
// Text that is not an identifier is a NotFound fault, as an unknown identifier is.
func PathID[Thing any](r *Request, name, what string) (id.Of[Thing], error) {
	i, err := id.Parse[Thing](r.PathValue(name))
	if err != nil {
		return i, fault.Missing(what)
	}
	return i, nil
}

// maxParams is how many query parameters a request may have. No list needs so many.
const maxParams = 5000

// Param returns a query parameter, or "" without it. A parameter that is given twice is malformed.
func (r *Request) Param(name string) (string, error) {
	if r.query == nil {
		if n := strings.Count(r.URL.RawQuery, "&") + 1; n > maxParams {
			return "", fault.New(fault.Malformed, "malformed_query",
				"The query string has %d parameters; at most %d are read.", n, maxParams)
		}
		q, err := url.ParseQuery(r.URL.RawQuery)
		if err != nil {
			return "", fault.New(fault.Malformed, "malformed_query",
				"The query string cannot be read: percent-encode it.")
		}
		r.query = q
	}
	values := r.query[name]
	if len(values) == 0 {
		return "", nil
	}
	if len(values) > 1 {
		return "", badParam(name, "is given %d times; once is right", len(values))
	}
	v := values[0]
	if !isText(v) {
		return "", badParam(name, "must be UTF-8 text without control characters")
	}
	return v, nil
}

// BracketParams returns the query parameters of the form name[a][b]=value, sorted by their names. A parameter with
// unbalanced brackets is malformed.
func (r *Request) BracketParams(name string) ([]BracketParam, error) {
	if _, err := r.Param(name); err != nil {
		return nil, err
	}
	if r.query.Has(name) {
		return nil, badParam(name, "is written with brackets: "+name+"[…]")
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
			return nil, badParam(name, "has brackets that do not fit; it is written "+name+"[…]")
		}
		if !isText(given) || slices.ContainsFunc(values, func(v string) bool { return !isText(v) }) {
			return nil, badParam(name, "must be UTF-8 text without control characters")
		}
		list = append(list, BracketParam{Name: given, Keys: keys, Values: values})
	}
	slices.SortFunc(list, func(a, b BracketParam) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// BracketParam is a query parameter with brackets, such as features[a][].
type BracketParam struct {
	Name   string   // as it was sent: features[a][]
	Keys   []string // the texts in the brackets: "a" and ""
	Values []string // one or more
}

// BadParam returns the Malformed fault for a query parameter. message continues the sentence that begins with its name.
func BadParam(name, message string, args ...any) error { return badParam(name, message, args...) }

// isText reports whether v is UTF-8 without control characters, except tab and newline.
func isText(v string) bool {
	return utf8.ValidString(v) &&
		!strings.ContainsFunc(v, func(c rune) bool { return c < 0x20 && c != '\t' && c != '\n' })
}

func badParam(name, message string, args ...any) error {
	return fault.New(fault.Malformed, "malformed_query", "The query parameter %s "+message+".",
		append([]any{name}, args...)...)
}

// DefaultPerPage and MaxPerPage are the default and the largest size of a page.
const (
	DefaultPerPage = 50
	MaxPerPage     = 250
)

// Page is the position of one page in a list.
type Page struct {
	Number  int64
	PerPage int64
}

// Page returns the page that the query parameters page and per_page name.
func (r *Request) Page() (Page, error) {
	p := Page{Number: 1, PerPage: DefaultPerPage}
	if err := r.positiveParam("page", &p.Number, 1<<53); err != nil {
		return p, err
	}
	return p, r.positiveParam("per_page", &p.PerPage, MaxPerPage)
}

// BoolParam returns a query parameter that must be true or false. Without it Bool returns false.
func (r *Request) BoolParam(name string) (bool, error) {
	v, err := r.Param(name)
	if err != nil {
		return false, err
	}
	if v != "true" && v != "false" && r.query.Has(name) {
		return false, badParam(name, "must be true or false")
	}
	return v == "true", nil
}

// HasParam reports whether the query has a parameter, empty or not. It returns false for a malformed query, for which
// Param returns the fault.
func (r *Request) HasParam(name string) bool {
	_, err := r.Param(name)
	return err == nil && r.query.Has(name)
}

// AllowOnlyParams returns a Malformed fault if the query has a parameter that is not among known.
func (r *Request) AllowOnlyParams(known ...string) error {
	if _, err := r.Param(known[0]); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(r.query)) {
		if !slices.Contains(known, name) {
			return badParam(fmt.Sprintf("%.*q", maxEchoedName, name), "is not known here; known are %s",
				strings.Join(known, ", "))
		}
	}
	return nil
}

// maxEchoedName is how many characters of an unknown parameter name a fault repeats.
const maxEchoedName = 64

// positiveParam parses a query parameter into n: a whole number from 1 to most. Without the parameter it leaves n.
func (r *Request) positiveParam(name string, n *int64, most int64) error {
	v, err := r.Param(name)
	if err != nil || v == "" && !r.query.Has(name) {
		return err
	}
	parsed, err := strconv.ParseInt(v, 10, 64)
	if err != nil || parsed < 1 || parsed > most || v[0] == '+' {
		return badParam(name, "must be a whole number from 1 to %d", most)
	}
	*n = parsed
	return nil
}

// Offset returns the number of elements before the page.
func (p Page) Offset() int64 { return (p.Number - 1) * p.PerPage }

// maxWords is how many different words a search may have. The time of a search grows with each of them.
const maxWords = 32

// SearchText returns the query parameter q, a text to search for.
func (r *Request) SearchText() (string, error) {
	q, err := r.Param("q")
	switch {
	case err != nil:
		return "", err
	case len(q) > 1024:
		return "", badParam("q", "may have at most 1024 bytes")
	case len(slices.Compact(slices.Sorted(slices.Values(locale.Words(q))))) > maxWords:
		return "", badParam("q", "may have at most %d different words", maxWords)
	}
	return q, nil
}

// Extras is the set of extras that a request asks for.
type Extras map[string]bool

// Extras returns the extras that the query parameter with names. An extra that is not among known is malformed.
func (r *Request) Extras(known ...string) (Extras, error) {
	v, err := r.Param("with")
	if err != nil || v == "" {
		return nil, err
	}
	extras := Extras{}
	for name := range strings.SplitSeq(v, ",") {
		name = strings.TrimSpace(name)
		if len(known) == 0 {
			return nil, badParam("with", "has nothing to name here")
		}
		if !slices.Contains(known, name) {
			return nil, badParam("with", "may name %s and nothing else", strings.Join(known, ", "))
		}
		extras[name] = true
	}
	return extras, nil
}

// IfMatch returns a function that reports whether the header If-Match allows to change a version. It returns nil
// without the header.
func (r *Request) IfMatch() func(version int64) bool {
	header := r.Header.Values("If-Match")
	if len(header) == 0 {
		return nil
	}
	var tags []string
	for _, line := range header {
		for tag := range strings.SplitSeq(line, ",") {
			tags = append(tags, strings.TrimSpace(tag))
		}
	}
	return func(version int64) bool {
		return slices.Contains(tags, "*") || slices.Contains(tags, ETag(version))
	}
}

// ETag returns the entity tag of a version. It identifies a state of the resource, whatever its representation.
func ETag(version int64) string { return `"v` + strconv.FormatInt(version, 10) + `"` }

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
