package apitest

import (
	"net/http"
	"net/url"
	"slices"
	"sync"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
)

// documentedCodes are the codes that the documentation of each route of the API lists. All copies of a server share
// them.
type documentedCodes struct {
	once  sync.Once
	table httpapi.RouteTable
	codes map[string]map[int][]string // by pattern and status
}

func (d *documentedCodes) read(routes []httpapi.Route) {
	d.table = httpapi.NewRouteTable()
	d.codes = map[string]map[int][]string{}
	for _, route := range routes {
		pattern := route.Method + " " + route.Path
		d.codes[pattern] = openapi.ProblemCodes(route)
		d.table.Add(route, func(http.ResponseWriter, *http.Request) {})
	}
}

// checkCode fails the test if the documentation of the request's route does not list the code of a problem.
func (s *Server) checkCode(r *Response, path string) {
	s.tb.Helper()
	if r.Status < 400 || s.App == nil || r.method == http.MethodHead || r.Header.Get("Content-Encoding") != "" {
		return
	}

	d := s.documented
	d.once.Do(func() { d.read(s.App.API().Routes()) })
	at, err := url.Parse(path)
	if err != nil {
		return
	}

	pattern := d.table.Pattern(&http.Request{Method: r.method, URL: at})
	codes, routed := d.codes[pattern]
	if !routed || len(codes) == 0 { // no route of the API, or one without credentials
		return
	}

	code := r.Text("code")
	if code == "no_such_path" { // the path is not in its canonical form
		return
	}

	if !slices.Contains(codes[r.Status], code) {
		s.tb.Errorf("%s: the documentation of %s lists with %d the codes %v, not %s: add a Refusal", r.request, pattern,
			r.Status, codes[r.Status], code)
	}
}
