package apitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// Response is a response whose body has been read. A response of the API was checked on arrival: it has a request id
// and a body, it is no redirect and no internal error, and an error is a valid problem document.
type Response struct {
	Status int
	Header http.Header
	Body   []byte

	tb      testing.TB
	request string
	method  string
	parsed  any
}

func newResponse(tb testing.TB, method, path string, response *http.Response) (*Response, error) {
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("read the body: %w", err)
	}
	return &Response{Status: response.StatusCode, Header: response.Header, Body: body, tb: tb,
		request: method + " " + path, method: method}, nil
}

// check fails the test if the response lacks what all responses of the API have in common.
func (r *Response) check() {
	r.tb.Helper()
	if r.Header.Get("X-Request-Id") == "" {
		r.tb.Errorf("%s: no X-Request-Id", r.request)
	}
	if r.Header.Get("X-Content-Type-Options") != "nosniff" {
		r.tb.Errorf("%s: X-Content-Type-Options is not nosniff", r.request)
	}
	if r.Status >= 300 && r.Status < 400 && r.Status != http.StatusNotModified {
		r.tb.Errorf("%s: %d to %s; the API must not redirect", r.request, r.Status, r.Header.Get("Location"))
	}

	if r.Status >= 500 && r.Status != http.StatusServiceUnavailable {
		r.tb.Errorf("%s: %d %s", r.request, r.Status, truncateText(r.Body))
	}
	if r.method == http.MethodHead || r.Header.Get("Content-Encoding") != "" {
		return
	}

	if r.Status < 300 && r.Status != http.StatusNoContent && len(r.Body) == 0 &&
		r.Header.Get("Content-Type") != "application/x-ndjson" {
		r.tb.Errorf("%s: %d without a body", r.request, r.Status)
	}

	if r.Status >= 400 {
		r.checkProblem()
	}
}

var snakeCase = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// checkProblem checks an error response against RFC 9457 and the members that our problems have.
func (r *Response) checkProblem() {
	r.tb.Helper()
	fail := func(format string, args ...any) {
		r.tb.Helper()
		r.tb.Errorf("%s: %d: %s: %s", r.request, r.Status, fmt.Sprintf(format, args...), truncateText(r.Body))
	}
	if got := r.Header.Get("Content-Type"); got != "application/problem+json" {
		fail("the Content-Type is %q", got)
		return
	}

	if !utf8.Valid(r.Body) {
		fail("the body is not UTF-8")
	}

	p, ok := r.JSON().(map[string]any)
	if !ok {
		fail("the body is not an object")
		return
	}

	problemMembers := []string{"type", "title", "status", "detail", "code", "request_id", "errors", "run"}
	for name, value := range p {
		if !slices.Contains(problemMembers, name) {
			fail("unknown member %s", name)
		}
		if text, isText := value.(string); !slices.Contains([]string{"status", "errors", "run"}, name) &&
			(!isText || text == "") {
			fail("%s is %v", name, value)
		}
	}

	if p["status"] != json.Number(strconv.Itoa(r.Status)) {
		fail("the member status is %v", p["status"])
	}

	if p["request_id"] != r.Header.Get("X-Request-Id") {
		fail("request_id differs from X-Request-Id %s", r.Header.Get("X-Request-Id"))
	}

	if code, _ := p["code"].(string); !snakeCase.MatchString(code) {
		fail("the code is %q", code)
	}

	errors, listed := p["errors"].([]any)
	if listed != (r.Status == http.StatusUnprocessableEntity) && r.Status != http.StatusConflict {
		fail("has a list of errors: %t", listed)
	}

	for _, e := range errors {
		field, _ := e.(map[string]any)
		code, _ := field["code"].(string)
		members := 3
		if code == "out_of_stock" {
			members = 4 // available is the fourth
		}

		if path, _ := field["field"].(string); len(field) != members || !snakeCase.MatchString(code) ||
			field["message"] == "" || (path == "" && code != "wrong_type") {
			fail("invalid element of errors: %v", e)
		}
	}

	if r.Status == http.StatusTooManyRequests || r.Status == http.StatusServiceUnavailable {
		if n, err := strconv.Atoi(r.Header.Get("Retry-After")); err != nil || n < 1 {
			fail("Retry-After is %q", r.Header.Get("Retry-After"))
		}
	}

	if r.Header.Get("ETag") != "" || r.Header.Get("Location") != "" {
		fail("a problem must not have an ETag or a Location")
	}
}

// Problem summarizes an error in one line, such as "404 not_found" or, for validation errors, "422 values[0].name
// required, values[1].id unknown_value". For a success it returns the status.
func (r *Response) Problem() string {
	r.tb.Helper()
	status := strconv.Itoa(r.Status)
	if r.Status < 400 {
		return status
	}
	if r.Text("code") != "validation_failed" {
		return status + " " + r.Text("code")
	}
	var failures []string
	for i := range r.Len("errors") {
		at := fmt.Sprintf("errors.%d.", i)
		failures = append(failures, strings.TrimSpace(r.Text(at+"field")+" "+r.Text(at+"code")))
	}
	return status + " " + strings.Join(failures, ", ")
}

// JSON returns the parsed body. Numbers are of type json.Number.
func (r *Response) JSON() any {
	r.tb.Helper()
	if r.parsed != nil {
		return r.parsed
	}
	d := json.NewDecoder(bytes.NewReader(r.Body))
	d.UseNumber()
	if err := d.Decode(&r.parsed); err != nil {
		r.tb.Fatalf("%s: %d: the body is not JSON: %v: %s", r.request, r.Status, err, truncateText(r.Body))
	}
	return r.parsed
}

// At returns the value at a path such as data.values.0.name, and whether there is one.
func (r *Response) At(path string) (any, bool) {
	r.tb.Helper()
	v := r.JSON()
	for name := range strings.SplitSeq(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			member, ok := at[name]
			if !ok {
				return nil, false
			}
			v = member

		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(at) {
				return nil, false
			}
			v = at[i]
		default:
			return nil, false
		}
	}

	return v, true
}

// Has reports whether there is a value at the path.
func (r *Response) Has(path string) bool {
	r.tb.Helper()
	_, ok := r.At(path)
	return ok
}

// Text returns the value at the path as text: a string unchanged, any other value as JSON. It fails the test if there
// is no value.
func (r *Response) Text(path string) string {
	r.tb.Helper()
	v, ok := r.At(path)
	if !ok {
		r.tb.Fatalf("%s: %d: nothing at %s in %s", r.request, r.Status, path, truncateText(r.Body))
	}
	if s, ok := v.(string); ok {
		return s
	}
	text, err := json.Marshal(v)
	if err != nil {
		r.tb.Fatal(err)
	}
	return string(text)
}

// Len returns the length of the list at the path. It fails the test if there is no list.
func (r *Response) Len(path string) int {
	r.tb.Helper()
	v, _ := r.At(path)
	list, ok := v.([]any)
	if !ok {
		r.tb.Fatalf("%s: %d: no list at %s in %s", r.request, r.Status, path, truncateText(r.Body))
	}
	return len(list)
}

// Texts returns the text of this member in each element of the list at the path.
func (r *Response) Texts(path, member string) []string {
	r.tb.Helper()
	texts := make([]string, r.Len(path))
	for i := range texts {
		texts[i] = r.Text(fmt.Sprintf("%s.%d.%s", path, i, member))
	}
	return texts
}

// WantSame fails the test unless both responses have the same status and, except for the request id, the same body.
func (r *Response) WantSame(other *Response) {
	r.tb.Helper()
	if r.Status != other.Status || !bytes.Equal(r.withoutRequestID(), other.withoutRequestID()) {
		r.tb.Errorf("responses differ:\n%s: %d %s\n%s: %d %s", r.request, r.Status, truncateText(r.Body), other.request,
			other.Status, truncateText(other.Body))
	}
}

func (r *Response) withoutRequestID() []byte {
	if id := r.Header.Get("X-Request-Id"); id != "" {
		return bytes.ReplaceAll(r.Body, []byte(id), nil)
	}
	return r.Body
}
