package routes

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/promise"
)

// sampledWrites are the routes that TestEveryWrite_isWholeOrNotAtAll sends without VITRINE_PROVE.
var sampledWrites = []string{
	"POST /v2/products", "PUT /v2/products/{id}", "POST /v2/orders/{id}/submit", "DELETE /v2/variant-options/{id}",
	"POST /v2/features/{id}/merge", "POST /api/store/keys (administration)",
	"POST /settings/captcha (administration)",
}

// A request whose Nth statement fails changes nothing: for every statement of the write transactions of every route,
// whether it took effect or not. The client is told. The same request then succeeds.
func TestEveryWrite_isWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	for _, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			c := newRouteWalk(t, engine)
			c.OK(201, "POST", "/v2/images", apitest.PNG(1), apitest.Header("Content-Type",
				"image/png")) // the first image also claims the image storage
			writes, failures := 0, 0
			for _, route := range c.listRoutes() {
				if !route.changesDB || inSteps(route) {
					continue
				}
				if !promise.ProveAll() && !slices.Contains(sampledWrites, route.name) {
					continue
				}
				writes++
				failures += c.failEachStatement(route)
			}

			if writes < len(sampledWrites) || failures < 5*writes {
				t.Errorf("%d statements of %d writes failed; the test proves less than it says", failures, writes)
			}

			t.Logf("%d writes, %d failed statements", writes, failures)
		})
	}
}

// ownSteps are the tables that TestEveryWrite_isWholeOrNotAtAll leaves out, since other transactions than that of the
// request write them.
var ownSteps = []string{
	// The check of a password, which replaces the session, is recorded even if the change then fails.
	"operator_sessions", "account_devices", "account_lockouts",
	// Bytes of an image are listed for removal before they are stored.
	"image_leftovers",
	// Workers deliver the events of earlier requests and delete the bodies of earlier pushes meanwhile.
	"deliveries", "attempts", "attempt_hours", "receivers", "exchange_pieces", "mailbox", "sent_mails", "jobs",
}

// writesInSteps are the routes of which each step is whole, but not all of them together, with the reason. The tests
// of package exchange whose names end with IfAnyStatementFails cover pushes and reverts.
var writesInSteps = map[string]string{
	"POST /v2/auth/passwordless/confirm":          "a guess of a code is counted before it is checked",
	"POST /login (administration)":                "the login is counted before and after the session is created",
	"POST /login/code (administration)":           "the login is counted before and after the session is created",
	"POST /settings/mail-server (administration)": "a test message is sent before the server is stored",
	"POST /settings/messages (administration)":    "the message is sent before its outcome is stored",
	"POST /products/download (administration)":    "ids are given in batches, and then the file is written",
	"POST /exchange/upload (administration)":      "a push is applied item by item and may be repeated",
	"POST /exchange/{id}/undo (administration)":   "the file of the revert is stored in parts before its trial",
	"POST /exchange/{id}/revert (administration)": "products are restored in batches, and a repetition goes on",
	"POST /settings/messages/{kind}/test (administration)": "the message is sent " +
		"before its outcome is stored",
	"POST /api/store/exchange-runs/{id}/revert (administration)": "products are restored in batches, " +
		"and a repetition " +
		"goes on",
}

// inSteps reports whether a route is in writesInSteps, or a push to the gate, which is applied item by item.
func inSteps(route walkedRoute) bool { return writesInSteps[route.name] != "" || route.Exchange }

// spooledBytes matches a column of exchange_runs: the size of the body.
var spooledBytes = regexp.MustCompile(` spooled_bytes=\d+`)

// failEachStatement sends the request of a route again and again. Each time a later statement fails, until none does.
func (c *routeWalk) failEachStatement(route walkedRoute) (failures int) {
	c.t.Helper()
	route.request = c.request(route.Route)
	c.waitForRuns()
	before := c.Dump()
	for step := 1; ; step++ {
		fault := databasetest.FailStatement(step)
		o := c.do(route, fault.In(c.t.Context()))
		if fault.Statement() == "" {
			if !o.succeeded() {
				c.t.Errorf("%s: the request without a failure returns %d %.300s", route.name, o.status, o.body)
			}
			c.checkChange("no failure", route, o, before)
			return failures
		}

		failures++
		when := fmt.Sprintf("%s: failure %d, %.120s", route.name, step, fault.Statement())

		// Pages show the failure above the form, with the status of refused forms.
		if o.status < 400 || o.status < 500 && !c.isPage(route.Route) || !strings.Contains(o.body, "The disk is full") {
			c.t.Errorf("%s: the response is %d %.300s, want a failure that names the full disk", when, o.status, o.body)
		}

		now := c.Dump()
		if before.Diff(now) == "" {
			continue
		}

		for _, table := range ownSteps {
			delete(before, table)
		}

		// Workers delete the bodies of earlier pushes meanwhile.
		for _, dump := range []apitest.Dump{before, now} {
			for i, row := range dump["exchange_runs"] {
				dump["exchange_runs"][i] = spooledBytes.ReplaceAllString(row, "")
			}
		}

		if diff := before.Diff(now); diff != "" {
			c.t.Errorf("%s: the database has changed:\n%s", when, diff)
			return failures
		}

		route.request = c.request(route.Route) // its session may have been replaced
		c.waitForRuns()
		before = c.Dump()
	}
}
