package routes

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/wire"
)

// A misspelt parameter must not be ignored: a storefront would show an unfiltered list. Every method takes dates.
func TestEveryRoute_refusesUnknownQueryParameters(t *testing.T) {
	t.Parallel()
	c := newRouteWalk(t, database.SQLite)
	for _, route := range c.apiRoutes() {
		route.request = c.request(route.Route)
		o := c.doWith(route, "unheard_of=1", nil)
		if o.status != http.StatusBadRequest || !strings.Contains(o.body, `\"unheard_of\" is not known here`) {
			t.Errorf("%s: an unknown parameter gives %d %s", route.name, o.status, o.body)
		}
		if o = c.doWith(route, "date=iso", nil); !strings.Contains(o.body, "did you mean dates?") {
			t.Errorf("%s: date=iso gives %d %s", route.name, o.status, o.body)
		}
		if o = c.doWith(route, "dates=unix", nil); o.status != http.StatusBadRequest {
			t.Errorf("%s: dates=unix gives %d %s", route.name, o.status, o.body)
		}
	}
}

// dateObject matches a member of the date objects that no other object has.
var dateObject = regexp.MustCompile(`"(datetime_utc|iso_utc)":`)

// withoutPayloads returns a list without the payloads of events and the examples of these. They are shown in the form
// in which receivers get them, also with dates=iso.
func withoutPayloads(t *testing.T, body string) string {
	t.Helper()
	var list struct {
		Data []map[string]jsontext.Value `json:"data"`
		Meta jsontext.Value              `json:"meta"`
	}
	if err := json.Unmarshal([]byte(body), &list); err != nil {
		t.Fatal(err)
	}
	for _, e := range list.Data {
		delete(e, "payload")
		delete(e, "example")
		delete(e, "schema")
	}
	return string(wire.AppendJSON(nil, list))
}

func TestEveryGET_hasISODatesAndAnETagOnRequest(t *testing.T) {
	t.Parallel()
	c := newRouteWalk(t, database.SQLite)
	found := 0
	for _, route := range c.apiRoutes() {
		if route.Method != http.MethodGet {
			continue
		}

		route.request = c.request(route.Route)
		plain := c.doWith(route, "", nil)
		o := c.doWith(route, "dates=iso", nil)
		tag := o.header.Get("ETag")
		shown := o.body

		if route.Path == "/api/store/webhook-types" || route.Path == "/api/store/events" {
			shown = withoutPayloads(t, shown)
		}

		if o.status != http.StatusOK || tag == "" || dateObject.MatchString(shown) {
			t.Errorf("%s: dates=iso gives %d with the ETag %q: %s", route.name, o.status, tag, o.body)
		}

		if dateObject.MatchString(plain.body) {
			found++
		}

		o = c.doWith(route, "dates=iso", http.Header{"If-None-Match": {`"x", ` + tag}})
		if o.status == 200 && o.header.Get("ETag") != tag {
			continue // a worker has changed it in the meantime, such as a delivery
		}
		if o.status != 304 || o.body != "" || o.header.Get("ETag") != tag || o.header.Get("Cache-Control") == "" {
			t.Errorf("%s: with its ETag it gives %d %s %v", route.name, o.status, o.body, o.header)
		}
		if o = c.doWith(route, "dates=iso", http.Header{"If-None-Match": {`"x"`}}); o.status != 200 {
			t.Errorf("%s: with another ETag it gives %d", route.name, o.status)
		}
	}

	if found < 20 {
		t.Errorf("only %d routes show date objects without the parameter, want at least 20", found)
	}
}

// The answers to writes have ISO dates on request, too.
func TestEveryWrite_hasISODatesOnRequest(t *testing.T) {
	t.Parallel()
	c := newRouteWalk(t, database.SQLite)
	dated := 0
	for _, route := range c.apiRoutes() {
		if route.Method == http.MethodGet || route.Method == http.MethodHead {
			continue
		}

		route.request = c.request(route.Route)
		o := c.doWith(route, "dates=iso", nil)
		if !o.succeeded() || dateObject.MatchString(o.body) {
			t.Errorf("%s: dates=iso gives %d %s", route.name, o.status, o.body)
		}
		if strings.Contains(o.body, `"created_at":"20`) {
			dated++
		}
	}

	if dated < 20 {
		t.Errorf("only %d answers have dates, want at least 20", dated)
	}
}

// apiRoutes returns the routes under /v2 and /api.
func (c *routeWalk) apiRoutes() (list []walkedRoute) {
	c.t.Helper()
	for _, route := range c.listRoutes() {
		if strings.HasPrefix(route.Path, "/v2/") || strings.HasPrefix(route.Path, "/api/") {
			list = append(list, route)
		}
	}
	if len(list) < 80 {
		c.t.Fatalf("only %d routes are found, want at least 80", len(list))
	}
	return list
}

// doWith sends the request of the route with an additional query and additional headers.
func (c *routeWalk) doWith(route walkedRoute, query string, header http.Header) outcome {
	c.t.Helper()
	request := route.request
	route.request = func() *http.Request {
		r := request()
		r.URL.RawQuery = strings.TrimPrefix(r.URL.RawQuery+"&"+query, "&")
		for name, values := range header {
			r.Header[name] = values
		}
		return r
	}
	return c.do(route, c.t.Context())
}
