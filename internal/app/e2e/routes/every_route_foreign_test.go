package routes

import (
	"encoding/hex"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/promise"
)

// unownedParameters are the paths whose parameters are no ids of entities, or are public, with the reason.
var unownedParameters = map[string]string{
	"/images/{store_id}/{image_id}/{file}": "images are public", "/docs/{file}": "a file of the program",
	"/demo/{path...}": "a file of the program", "/assets/{file}": "a file of the program",
	"/debug/pprof/{profile}": "a name", "/v2/sitemap/{file}": "a number of the store's own sitemap",
	"/v2/feeds/{name}": "a name; each store has its own", "/settings/messages/{kind}": "a kind of mail",
	"/settings/messages/{kind}/test": "a kind of mail", "/views/{list}": "a list",
}

// ignoredFields are the forms that ignore ids that the store does not have, with the reason.
var ignoredFields = map[string]string{
	"POST /products/new":     "the form has a field for the quantity in each of the store's stocks",
	"POST /product-changes":  "the preview finds no such products",
	"POST /products/sheet":   "cells of products that the store does not have stay as they are",
	"POST /v2/search/clicks": "a click on a product of another store is not counted",
}

// workerTables are the tables that workers write after the requests that set up the other store.
var workerTables = []string{"jobs", "mailbox", "sent_mails", "exchange_pieces", "attempts", "attempt_hours",
	"change_heads", "change_days", "event_sequences", "changed_products", "changed_categories", "touched_products"}

// workerEvent is the type of the events that a worker emits some time after the changes of a catalogue.
const workerEvent = " type=catalog.changed "

// A request that names something of another store, in its path, its query or its body, is refused and changes nothing
// of that store: for every route of both listeners. Each request would succeed with a credential of the other store.
// Without VITRINE_PROVE it takes every other route on SQLite, and half of the remaining routes on PostgreSQL.
func TestEveryRoute_refusesIDsOfAnotherStore(t *testing.T) {
	t.Parallel()
	for _, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			mine := newRouteWalk(t, engine)
			theirs := mine.inOtherStore()
			checked := 0
			for i, route := range mine.listRoutes() {
				sampled := i%2 == 0
				if engine == database.Postgres {
					sampled = i%4 == 1
				}

				if !promise.ProveAll() && !sampled {
					continue
				}

				if mine.checkForeign(route, theirs) {
					checked++
				}
			}

			want := 160
			if !promise.ProveAll() {
				want = 35
			}

			if checked < want {
				t.Errorf("only %d routes were checked, want at least %d", checked, want)
			}
		})
	}
}

var anyUUID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)

// checkForeign sends a request about entities of another store with the credential of this one. It returns false if the
// request names no entity.
func (c *routeWalk) checkForeign(route walkedRoute, theirs *routeWalk) bool {
	c.t.Helper()
	request := theirs.request(route.Route)()
	body, err := io.ReadAll(request.Body)
	if err != nil {
		c.t.Fatal(err)
	}

	pattern := strings.NewReplacer("{$}", "", "{token}", "").Replace(route.Path) // a token is a credential
	inPath := strings.Contains(pattern, "{") && unownedParameters[route.Path] == "" ||
		anyUUID.MatchString(request.URL.RawQuery)
	if !inPath && !anyUUID.Match(body) {
		return false
	}

	c.useOwnCredential(request, string(body), theirs)
	route.request = func() *http.Request {
		again := request.Clone(c.t.Context())
		again.Body = io.NopCloser(strings.NewReader(string(body)))
		return again
	}
	before := c.Dump()

	o := c.do(route, c.t.Context())
	if o.status < 400 && ignoredFields[route.Method+" "+route.Path] == "" || inPath && o.status != http.StatusNotFound {
		c.t.Errorf("%s: the response is %d %.200s", route.name, o.status, o.body)
	}
	if diff := c.foreignDiff(before); diff != "" {
		c.t.Errorf("%s: the other store has changed:\n%s", route.name, diff)
	}

	for _, id := range anyUUID.FindAllString(string(body), -1) {
		if o.status == http.StatusOK && strings.Contains(o.body, id) {
			c.t.Errorf("%s: the response has an id of the other store:\n%s", route.name, o.body)
		}
	}

	theirs.deleteReceiver()
	return true
}

// useOwnCredential replaces the credential of a request to another store by the one of this store.
func (c *routeWalk) useOwnCredential(r *http.Request, body string, theirs *routeWalk) {
	c.t.Helper()
	own := strings.NewReplacer(theirs.Secret, c.Secret, theirs.Publishable, c.Publishable, theirs.Exchange, c.Exchange)
	r.URL.Path = own.Replace(r.URL.Path)
	if token := r.Header.Get("Authorization"); token != "" {
		r.Header.Set("Authorization", own.Replace(token))
	}
	if r.Header.Get("Cookie") != "" {
		session := c.session
		if strings.Contains(body, "password=") {
			session = c.disposableSession()
		}
		r.Header.Del("Cookie")
		r.AddCookie(&http.Cookie{Name: "__Host-vitrine", Value: session})
	}
}

// foreignDiff returns the rows that have changed since a dump and do not belong to the store.
func (c *routeWalk) foreignDiff(before apitest.Dump) string {
	c.t.Helper()
	for _, table := range workerTables {
		delete(before, table)
	}
	storeID := c.StoreID.Bytes()
	var lines []string
	for line := range strings.Lines(before.Diff(c.Dump())) {
		if !strings.Contains(line, c.StoreID.String()) && !strings.Contains(line, hex.EncodeToString(storeID[:])) &&
			!strings.Contains(line, workerEvent) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}
