package httpapi

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/locale"
)

// Query reads the parameters in the query of a request. Errors become the error of the request, as [Request] says.
type Query struct {
	request  *Request
	values   url.Values // nil until the query is parsed
	isoDates bool       // the query has dates=iso
}

// datesParam is the query parameter that selects the form of the response's dates. Every route with a credential
// has it.
const datesParam = "dates"

// maxParams is how many query parameters a request may have. No route needs so many.
const maxParams = 5000

// BadParam fails the request with a Malformed fault for a query parameter. message completes the sentence that begins
// with "The query parameter" and its name.
func (q *Query) BadParam(name, message string, args ...any) {
	q.request.Fail(fault.New(fault.Malformed, "malformed_query", "The query parameter %s "+message+".",
		append([]any{name}, args...)...))
}

// parse parses the query at its first use, and reports whether the request has no error.
func (q *Query) parse() bool {
	if q.request.err != nil || q.values != nil {
		return q.request.err == nil
	}
	if n := strings.Count(q.request.URL.RawQuery, "&") + 1; n > maxParams {
		q.request.err = fault.New(fault.Malformed, "malformed_query",
			"The query string has %d parameters; at most %d are read.", n, maxParams)
		return false
	}

	values, err := url.ParseQuery(q.request.URL.RawQuery)
	if err != nil {
		q.request.err = fault.New(fault.Malformed, "malformed_query",
			"The query string cannot be read: percent-encode it.")
	}

	q.values = values
	return err == nil
}

// Param returns a query parameter, which may be empty, and whether the query has it. A parameter that is given twice is
// malformed.
func (q *Query) Param(name string) (value string, given bool) {
	if !q.parse() {
		return "", false
	}
	values := q.values[name]
	switch {
	case len(values) == 0:
		return "", false
	case len(values) > 1:
		q.BadParam(name, "is given %d times; once is right", len(values))
	case !isText(values[0]):
		q.BadParam(name, "must be UTF-8 text without control characters")
	}
	return values[0], q.request.err == nil
}

// Params returns the values of a query parameter that may be repeated, in their order. It returns nil if the query does
// not have the parameter.
func (q *Query) Params(name string) []string {
	if !q.parse() {
		return nil
	}
	values := q.values[name]
	if slices.ContainsFunc(values, func(v string) bool { return !isText(v) }) {
		q.BadParam(name, "must be UTF-8 text without control characters")
		return nil
	}
	return values
}

// HasAny reports whether the query has one of the parameters.
func (q *Query) HasAny(names ...string) bool {
	return q.parse() && slices.ContainsFunc(names, func(name string) bool { return len(q.values[name]) > 0 })
}

// HasBrackets reports whether the query has a parameter of the form name[a]=value with one of the names.
func (q *Query) HasBrackets(names ...string) bool {
	if q.parse() {
		for given := range q.values {
			if base := paramBase(given); base != given && slices.Contains(names, base) {
				return true
			}
		}
	}
	return false
}

// BracketParams returns the query parameters of the form name[a][b]=value, sorted by their names. A parameter with
// unbalanced brackets is malformed.
func (q *Query) BracketParams(name string) []BracketParam {
	if !q.parse() {
		return nil
	}

	if len(q.values[name]) > 0 {
		q.BadParam(name, "is written with brackets: "+name+"[…]")
		return nil
	}

	var list []BracketParam
	for given, values := range q.values {
		rest, ok := strings.CutPrefix(given, name+"[")
		if !ok {
			continue
		}

		rest, ok = strings.CutSuffix(rest, "]")
		keys := strings.Split(rest, "][")
		if !ok || slices.ContainsFunc(keys, func(k string) bool { return strings.ContainsAny(k, "[]") }) {
			q.BadParam(name, "has brackets that do not fit; it is written "+name+"[…]")
		}

		if !isText(given) || slices.ContainsFunc(values, func(v string) bool { return !isText(v) }) {
			q.BadParam(name, "must be UTF-8 text without control characters")
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
func (q *Query) Page() Page {
	return Page{
		Number:  q.positiveParam("page", 1, 1<<53),
		PerPage: q.positiveParam("per_page", DefaultPerPage, MaxPerPage),
	}
}

// BoolParam returns a query parameter that must be true or false, or false if the query does not have it.
func (q *Query) BoolParam(name string) bool {
	v, given := q.Param(name)
	if given && v != "true" && v != "false" {
		q.BadParam(name, "must be true or false")
	}
	return v == "true"
}

// positiveParam returns the query parameter with this name, a whole number from 1 to limit. It returns fallback if the
// query does not have the parameter.
func (q *Query) positiveParam(name string, fallback, limit int64) int64 {
	v, given := q.Param(name)
	if !given {
		return fallback
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || n < 1 || n > limit || v[0] == '+' {
		q.BadParam(name, "must be a whole number from 1 to %d", limit)
	}
	return n
}

// Offset returns the number of elements before the page.
func (p Page) Offset() int64 { return (p.Number - 1) * p.PerPage }

// maxWords is how many different words a search may have. The time of a search grows with each of them.
const maxWords = 32

// SearchText returns the query parameter q, the text to search for, of at most 1024 bytes and maxWords different words.
func (q *Query) SearchText() string {
	text, _ := q.Param("q")
	switch {
	case len(text) > 1024:
		q.BadParam("q", "may have at most 1024 bytes")
	case len(slices.Compact(slices.Sorted(slices.Values(locale.Words(text))))) > maxWords:
		q.BadParam("q", "may have at most %d different words", maxWords)
	}
	return text
}

// Extras is the set of optional members that a request asks for in the query parameter "with".
type Extras map[string]bool

// Extras parses the query parameter "with", a comma-separated list of names, which may also be repeated. A name that is
// not in the list known is malformed.
func (q *Query) Extras(known ...string) Extras {
	lists := slices.DeleteFunc(slices.Clone(q.Params("with")), func(list string) bool { return list == "" })
	if len(lists) == 0 {
		return nil
	}

	extras := Extras{}
	for name := range strings.SplitSeq(strings.Join(lists, ","), ",") {
		name = strings.TrimSpace(name)
		if len(known) == 0 {
			q.BadParam("with", "has nothing to name here")
		}
		if !slices.Contains(known, name) {
			q.BadParam("with", "may name %s and nothing else", strings.Join(known, ", "))
		}
		extras[name] = true
	}

	return extras
}
