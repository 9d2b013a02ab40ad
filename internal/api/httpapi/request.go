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
	// Principal is who asks, and for which store; zero on public routes.
	Principal access.Principal
	// ID is the X-Request-Id of the answer.
	ID string

	server *Server
	key    string  // the Idempotency-Key; empty without one
	held   *record // what that key names, while it is claimed
	body   *requestBody
	query  url.Values
}

// Dates renders this answer's dates in the store's timezone and locale.
func (r *Request) Dates() *locale.Dates {
	return locale.NewDates(r.Principal.Store.Language(), r.Principal.Store.Zone(), r.server.now())
}

// PathID returns the identifier in the path. Text that is no identifier names nothing, so it is the same 404 as an unknown one.
func PathID[Thing any](r *Request, name, what string) (id.Of[Thing], error) {
	i, err := id.Parse[Thing](r.PathValue(name))
	if err != nil {
		return i, fault.Missing(what)
	}
	return i, nil
}

// maxParams is how many query parameters are read: more than any list takes.
const maxParams = 5000

// Param returns a query parameter, empty if it is absent; given twice it is malformed.
func (r *Request) Param(name string) (string, error) {
	if r.query == nil {
		if n := strings.Count(r.URL.RawQuery, "&") + 1; n > maxParams {
			return "", fault.New(fault.Malformed, "malformed_query", "The query string has %d parameters; at most %d are read.", n, maxParams)
		}
		q, err := url.ParseQuery(r.URL.RawQuery)
		if err != nil {
			return "", fault.New(fault.Malformed, "malformed_query", "The query string cannot be read: percent-encode it.")
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

// Group returns the query parameters of the form name[a][b]=value, in the order of their names: each with the texts between its brackets
// and its values. A parameter whose brackets do not fit is malformed.
func (r *Request) Group(name string) ([]Grouped, error) {
	if _, err := r.Param(name); err != nil {
		return nil, err
	}
	if r.query.Has(name) {
		return nil, badParam(name, "is written with brackets: "+name+"[…]")
	}
	var list []Grouped
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
		list = append(list, Grouped{Name: given, Keys: keys, Values: values})
	}
	slices.SortFunc(list, func(a, b Grouped) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// Grouped is a query parameter with brackets: features[a][] has the name as it was sent, the keys "a" and "", and one value or more.
type Grouped struct {
	Name   string
	Keys   []string
	Values []string
}

// BadParam is the answer to a query parameter that cannot be understood; message goes on after its name.
func BadParam(name, message string, args ...any) error { return badParam(name, message, args...) }

// isText reports whether a parameter is UTF-8 without control characters.
func isText(v string) bool {
	return utf8.ValidString(v) && !strings.ContainsFunc(v, func(c rune) bool { return c < 0x20 && c != '\t' && c != '\n' })
}

func badParam(name, message string, args ...any) error {
	return fault.New(fault.Malformed, "malformed_query", "The query parameter %s "+message+".", append([]any{name}, args...)...)
}

// DefaultPerPage and MaxPerPage are the default and the largest size of a page.
const (
	DefaultPerPage = 50
	MaxPerPage     = 250
)

// Page is one page of a list.
type Page struct {
	Number  int64
	PerPage int64
}

// Page returns the page that the query asks for.
func (r *Request) Page() (Page, error) {
	p := Page{Number: 1, PerPage: DefaultPerPage}
	if err := r.positive("page", &p.Number, 1<<53); err != nil {
		return p, err
	}
	return p, r.positive("per_page", &p.PerPage, MaxPerPage)
}

// Bool returns a query parameter that is true or false; false if it is absent.
func (r *Request) Bool(name string) (bool, error) {
	v, err := r.Param(name)
	if err != nil {
		return false, err
	}
	if v != "true" && v != "false" && r.query.Has(name) {
		return false, badParam(name, "must be true or false")
	}
	return v == "true", nil
}

// Has reports whether the query has a parameter, empty or not. Param says whether the query can be read at all.
func (r *Request) Has(name string) bool {
	_, err := r.Param(name)
	return err == nil && r.query.Has(name)
}

// KnownParams refuses a query with a parameter of another name than these.
func (r *Request) KnownParams(known ...string) error {
	if _, err := r.Param(known[0]); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(r.query)) {
		if !slices.Contains(known, name) {
			return badParam(fmt.Sprintf("%.*q", maxEcho, name), "is not known here; known are %s", strings.Join(known, ", "))
		}
	}
	return nil
}

// maxEcho is how many characters of an unknown name an answer repeats.
const maxEcho = 64

func (r *Request) positive(name string, n *int64, most int64) error {
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

// Offset is how many elements stand before the page.
func (p Page) Offset() int64 { return (p.Number - 1) * p.PerPage }

// maxWords is how many words a search may have: each is looked for in each text.
const maxWords = 32

// Search returns the words of q.
func (r *Request) Search() (string, error) {
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

// With reads the extras of the query parameter with; one that the resource does not have is malformed. Without any known it refuses all.
func (r *Request) With(known ...string) (Extras, error) {
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

// IfMatch returns how If-Match judges a version; nil without that header.
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

// ETag is the entity tag of a version. It says which state of the resource this is, not how that state was rendered.
func ETag(version int64) string { return `"v` + strconv.FormatInt(version, 10) + `"` }

// Bearer returns the token of the header Authorization, and whether it is one.
func Bearer(r *http.Request) (string, bool) {
	scheme, token, ok := strings.Cut(strings.TrimSpace(r.Header.Get("Authorization")), " ")
	return strings.TrimSpace(token), ok && strings.EqualFold(scheme, "Bearer")
}

type requestIDKey struct{}

// RequestID returns the id of the request that ctx belongs to; empty outside of one.
func RequestID(ctx context.Context) string {
	s, _ := ctx.Value(requestIDKey{}).(string)
	return s
}
