package apitest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/databasetest"
)

var update = flag.Bool("update", false, "rewrite the responses in the golden files")

// RunGoldens runs the golden files *.http of a folder on both engines. Each file gets a new store. The expected text is
// the same for both engines.
//
// A file has one or more cases. Each of them is a request and its response below a line "### title":
//
//	### A value that is sent with its id is renamed
//	PUT /v2/variant-options/{id:1}?with=values
//
//	{"values": [{"id": "{id:2}", "name": "Small"}]}
//
//	HTTP 200
//	ETag: "v2"
//	! updated_by
//
//	{"data": …}
//
// The request has the secret key of the store and the Content-Type application/json, unless its headers say otherwise
// ("Authorization: -" sends none). A path below /api belongs to the admin listener.
//
// The response has its status, some headers and its body. Placeholders replace what differs between runs: the first id
// that appears is {id:1}, and later requests of the file can use that name; {store} is the id of the store; a date
// object is "{date}". A line that begins with "!" is text that must not be in the response. The flag -update rewrites
// the responses.
func RunGoldens(t *testing.T, folder string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.http"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden file in %s: %v", folder, err)
	}

	for _, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			if !*update {
				t.Parallel()
			}

			s := StartServer(t, engine)
			rewrite := *update && engine == databasetest.Engines()[0]
			for _, file := range files {
				t.Run(strings.TrimSuffix(filepath.Base(file), ".http"), func(t *testing.T) {
					s.WithTB(t).WithKeys(s.NewStore(store.Edit{})).runGolden(file, rewrite)
				})
			}
		})
	}
}

// runGolden runs the cases of one file. It compares the result with the file or, if rewrite is set, replaces the file.
func (s *Server) runGolden(file string, rewrite bool) {
	s.tb.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		s.tb.Fatal(err)
	}

	cases, err := parseGolden(string(text))
	if err != nil {
		s.tb.Fatalf("%s: %v", file, err)
	}

	placeholders := newPlaceholders(s.Keys)
	for i := range cases {
		s.runCase(&cases[i], placeholders)
	}

	got := formatGolden(cases)
	if rewrite {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			s.tb.Fatal(err)
		}
		return
	}

	if diff := cmp.Diff(strings.Split(string(text), "\n"), strings.Split(got, "\n")); diff != "" {
		s.tb.Errorf("%s differs (- file, + response; -update rewrites the file):\n%s", file, diff)
	}
}

// runCase sends the request of a case and replaces its response by the actual one.
func (s *Server) runCase(e *goldenCase, placeholders *goldenPlaceholders) {
	s.tb.Helper()
	var body any
	if e.body != "" {
		body = placeholders.expand(e.body)
	}

	options := []RequestOption{}
	for _, line := range e.headers {
		name, value, _ := strings.Cut(line, ":")
		options = append(options, Header(name, strings.TrimPrefix(placeholders.expand(strings.TrimSpace(value)), "-")))
	}

	do := s.Do
	if strings.HasPrefix(e.path, "/api/") {
		do = s.DoAdmin
	}

	r := do(e.method, placeholders.expand(e.path), body, options...)

	// Forbidden text is searched for in the whole response, not only in the part that the file shows.
	whole := headerText(r) + string(r.Body)
	for _, text := range e.forbidden {
		if strings.Contains(whole, placeholders.expand(text)) {
			s.tb.Errorf("%s: the response contains the forbidden text %q", e.title, text)
		}
	}

	e.status = strconv.Itoa(r.Status)
	e.responseHeaders = nil
	for _, name := range []string{"Location", "ETag", "Allow", "Retry-After", "Idempotent-Replayed", "Content-Type"} {
		if value := r.Header.Get(name); value != "" && value != "application/json" {
			e.responseHeaders = append(e.responseHeaders, name+": "+placeholders.replaceIDs(value))
		}
	}

	e.response = ""
	if len(r.Body) > 0 {
		e.response = placeholders.formatBody(r)
	}
}

func headerText(r *Response) string {
	var b strings.Builder
	_ = r.Header.Write(&b) // a strings.Builder returns no errors
	return b.String()
}

// goldenCase is one request of a golden file and its response.
type goldenCase struct {
	title, method, path        string
	comment                    []string
	headers                    []string
	body                       string
	status                     string
	responseHeaders, forbidden []string
	response                   string
}

// parseGolden parses a golden file.
func parseGolden(text string) ([]goldenCase, error) {
	parts := strings.Split("\n"+text, "\n### ")
	if strings.TrimSpace(parts[0]) != "" {
		return nil, fmt.Errorf("the first line must be %q", "### title")
	}
	var list []goldenCase
	for _, part := range parts[1:] {
		e, err := parseCase(part)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", e.title, err)
		}
		list = append(list, e)
	}
	return list, nil
}

func parseCase(part string) (e goldenCase, err error) {
	lines := strings.Split(strings.TrimRight(part, "\n"), "\n")
	e.title = lines[0]
	lines = lines[1:]
	for len(lines) > 0 && strings.HasPrefix(lines[0], "#") {
		e.comment = append(e.comment, lines[0])
		lines = lines[1:]
	}

	if len(lines) == 0 {
		return e, fmt.Errorf("no request")
	}

	var ok bool
	if e.method, e.path, ok = strings.Cut(lines[0], " "); !ok || !strings.HasPrefix(e.path, "/") {
		return e, fmt.Errorf("%q is not a request line", lines[0])
	}

	e.headers, lines = cutHeaders(lines[1:])
	at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "HTTP ") })
	if at < 0 {
		e.body = strings.Trim(strings.Join(lines, "\n"), "\n")
		return e, nil
	}

	e.body = strings.Trim(strings.Join(lines[:at], "\n"), "\n")
	e.status = strings.TrimPrefix(lines[at], "HTTP ")
	headers, lines := cutHeaders(lines[at+1:])
	for _, h := range headers {
		if text, ok := strings.CutPrefix(h, "! "); ok {
			e.forbidden = append(e.forbidden, text)
		} else {
			e.responseHeaders = append(e.responseHeaders, h)
		}
	}

	e.response = strings.Trim(strings.Join(lines, "\n"), "\n")
	return e, nil
}

// cutHeaders returns the lines before the first empty line. A request without headers and body ends at the line with
// the status of the response.
func cutHeaders(lines []string) (headers, rest []string) {
	at := slices.IndexFunc(lines, func(l string) bool { return l == "" || strings.HasPrefix(l, "HTTP ") })
	if at < 0 {
		return lines, nil
	}
	return lines[:at], lines[at:]
}

// formatGolden formats a golden file.
func formatGolden(list []goldenCase) string {
	var lines []string
	for _, e := range list {
		lines = append(append(lines, "### "+e.title), e.comment...)
		lines = append(append(lines, e.method+" "+e.path), e.headers...)
		if e.body != "" {
			lines = append(lines, "", e.body)
		}

		lines = append(append(lines, "", "HTTP "+e.status), e.responseHeaders...)
		for _, text := range e.forbidden {
			lines = append(lines, "! "+text)
		}

		if e.response != "" {
			lines = append(lines, "", e.response)
		}

		lines = append(lines, "")
	}

	return strings.Join(lines, "\n")
}
