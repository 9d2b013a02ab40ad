package routes

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/api/exchangeapi"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/mailtest"
	"vitrine/internal/testkit/promise"
)

// No route responds with a false success, no matter what fails. A request gets a complete response, gets an error, or
// has its connection closed because the client has disconnected. Without VITRINE_PROVE it takes every fourth route, in
// make test every eighth, on PostgreSQL others than on SQLite.
func TestEveryRoute_givesNoEmptySuccess(t *testing.T) {
	t.Parallel()
	for i, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			c := newRouteWalk(t, engine)
			routes := c.listRoutes()
			if !promise.ProveAll() {
				routes = everyNth(routes, promise.Repeat(8, 4), 2*i)
			}

			t.Logf("%d of %d routes", len(routes), len(c.listRoutes()))
			c.wantSuccesses(routes)
			admitted := c.cachePrincipals(routes)
			t.Run("when its deadline has expired", func(t *testing.T) { c.withT(t).deadlineExpires(admitted) })
			t.Run("when its connection ends", func(t *testing.T) { c.withT(t).connectionEnds(routes) })
			t.Run("when the database fails", func(t *testing.T) { c.withT(t).databaseFails(admitted) })
		})
	}
}

// connectionEnds sends each request several times. The context of the first request is cancelled at its first call of
// Done or Err, the context of each further request at a later call.
func (c *routeWalk) connectionEnds(routes []walkedRoute) {
	for _, route := range routes {
		route.request = c.request(route.Route)
		before := c.dump(route)
		for step := int64(1); ; step = nextStep(step) {
			outcome, want, cancelled := c.cancelAt(route, step)
			when := fmt.Sprintf("context cancelled at step %d", step)
			c.checkOutcome(when, route, outcome, want)
			c.checkChange(when, route, outcome, before)

			if !cancelled || outcome.succeeded() {
				break // the request also succeeds if it is cancelled at a later step
			}

			if !outcome.aborted { // the request may have changed or deleted its entity, so create another one
				route.request = c.request(route.Route)
				before = c.dump(route)
			}
		}
	}
}

// cancelAt sends a request whose context is cancelled at the given step. For a GET request it also returns the outcome
// while nothing fails. It starts again if this healthy outcome changed meanwhile: the page of an order shows its
// deliveries, which workers attempt in the background.
func (c *routeWalk) cancelAt(route walkedRoute, step int64) (o, healthy outcome, cancelled bool) {
	c.t.Helper()
	healthy = c.healthyOutcome(route)
	for {
		ctx := newCountdownContext(c.t.Context(), step)
		o = c.do(route, ctx)
		before := healthy
		healthy = c.healthyOutcome(route)
		if healthy.body == before.body || isVolatile(route.Path) {
			return o, healthy, ctx.Context.Err() != nil
		}
	}
}

// nextStep returns the step to test after the given one: the following one at first, then 1.5 times the step.
func nextStep(step int64) int64 { return max(step+1, step*3/2) }

// checkChange fails the test if a request succeeded but did not change the database. The parameter before is the dump
// that was taken before the request, or nil if the request need not change anything.
func (c *routeWalk) checkChange(when string, route walkedRoute, o outcome, before apitest.Dump) {
	c.t.Helper()
	if o.succeeded() && before != nil && before.Diff(c.Dump()) == "" {
		c.t.Errorf("%s: %s: the response is %d, but the database has not changed", route.name, when, o.status)
	}
}

// deadlineExpires sends requests whose deadline has expired.
func (c *routeWalk) deadlineExpires(routes []walkedRoute) {
	for _, route := range routes {
		route.request = c.request(route.Route)
		c.cachePrincipal(route)
		before := c.dump(route)
		ctx, cancel := context.WithDeadline(c.t.Context(), time.Now().Add(-time.Second))
		outcome := c.do(route, ctx)
		cancel()
		c.checkOutcome("expired deadline", route, outcome, c.healthyOutcome(route))
		c.checkChange("expired deadline", route, outcome, before)
		if outcome.aborted {
			c.t.Errorf("%s: expired deadline: the connection is closed, although the client is still connected",
				route.name)
		}
	}
}

// databaseFails sends requests while the database is unreachable. On SQLite it closes the database for good.
func (c *routeWalk) databaseFails(routes []walkedRoute) {
	for i := range routes {
		routes[i].request = c.request(routes[i].Route)
	}

	healthy := map[string]outcome{}
	for _, route := range routes {
		healthy[route.name] = c.healthyOutcome(route)
		c.cachePrincipal(route)
	}

	if c.proxy != nil {
		c.proxy.Disable()
		defer c.proxy.Enable()
	} else if err := c.App.DB.Close(); err != nil {
		c.t.Fatal(err)
	}

	for _, route := range routes {
		outcome := c.do(route, c.t.Context())
		c.checkOutcome("failing database", route, outcome, healthy[route.name])
		if route.changesDB && outcome.succeeded() {
			c.t.Errorf("%s: failing database: the response is %d, but nothing can have changed", route.name,
				outcome.status)
		}

		if outcome.aborted {
			c.t.Errorf("%s: failing database: the connection is closed, although the client is still connected",
				route.name)
		}
	}
}

// countdownContext is cancelled at the nth call of Done or Err.
type countdownContext struct {
	context.Context
	cancel context.CancelFunc
	left   atomic.Int64
}

func newCountdownContext(parent context.Context, step int64) *countdownContext {
	c := &countdownContext{}
	c.Context, c.cancel = context.WithCancel(parent)
	c.left.Store(step)
	return c
}

func (c *countdownContext) count() {
	if c.left.Add(-1) == 0 {
		c.cancel()
	}
}

func (c *countdownContext) Done() <-chan struct{} {
	c.count()
	return c.Context.Done()
}

func (c *countdownContext) Err() error {
	c.count()
	return c.Context.Err()
}

// routeWalk sends a request to every route of a server.
type routeWalk struct {
	*apitest.Server
	t             *testing.T
	proxy         *apitest.Proxy // to PostgreSQL; nil on SQLite
	email         string
	session       string // of the operator
	disposable    string // a second session, for requests that end it
	receiverID    string
	memberVersion string // of the last newMember
	mailServer    *mailtest.Server
	account       string // a session of an operator who may change their own account
	requestCount  int    // makes the names of new entities unique
}

func newRouteWalk(t *testing.T, engine string) *routeWalk {
	t.Helper()
	c := &routeWalk{t: t}
	url := databasetest.NewMigratedURL(t, engine)
	if engine == database.Postgres {
		c.proxy = apitest.NewProxy(t, url)
		url = c.proxy.URL
	}
	c.Server = apitest.StartServer(t, engine, apitest.WithDatabase(url), apitest.DevMode())
	c.createOperator("owner@shop.example")
	return c
}

// inOtherStore returns a walk of the other store of the same server.
func (c *routeWalk) inOtherStore() *routeWalk {
	c.t.Helper()
	other := &routeWalk{t: c.t, proxy: c.proxy, Server: c.WithKeys(c.Other)}
	other.createOperator("owner@other.example")
	return other
}

// withT makes c report its failures to t, such as a subtest, from now on.
func (c *routeWalk) withT(t *testing.T) *routeWalk {
	c.t, c.Server = t, c.Server.WithTB(t)
	return c
}

// createOperator creates an operator and signs in.
func (c *routeWalk) createOperator(email string) {
	c.t.Helper()
	c.email = email
	c.NewOperator(c.StoreID, c.email, access.Owner)
	c.session = c.newSession()
}

// newSession signs the operator in and returns the session token.
func (c *routeWalk) newSession() (session string) {
	c.t.Helper()
	form := url.Values{"email": {c.email}, "password": {apitest.OperatorPassword}}
	r := c.DoAdmin("POST", "/login", form.Encode(), apitest.Header("Content-Type", formType), apitest.As(""))
	for _, cookie := range (&http.Response{Header: r.Header}).Cookies() {
		if cookie.Name == "__Host-vitrine" {
			session = cookie.Value
		}
	}
	if r.Status != http.StatusSeeOther || session == "" {
		c.t.Fatalf("sign in: %d %s", r.Status, r.Body)
	}
	return session
}

const formType = "application/x-www-form-urlencoded"

// walkedRoute is a route of one of the two listeners.
type walkedRoute struct {
	httpapi.Route
	name      string
	admin     bool // the route is on the admin listener
	handler   http.Handler
	changesDB bool                 // a request changes the database
	request   func() *http.Request // nil until it is set
}

// unchangingRoutes are the routes whose requests change nothing, although they are not GET. Some only compute a result.
// The others send failed deliveries again, and the test has none.
var unchangingRoutes = map[string]bool{
	"POST /v2/variant-options/{id}/impact": true, "POST /v2/features/{id}/impact": true,
	"POST /api/store/webhook-receivers/{id}/recover": true, "POST /api/store/webhook-deliveries/{id}/redeliver": true,
	"POST /deliveries/{id}": true, "POST /language": true,
	// The clock stands still, so a language that is set again changes nothing.
	"POST /account/language": true,
	"POST /webhooks/check":   true,
	"POST /product-changes":  true,
	// Clicks are stored later, and a dump does not have them.
	"POST /v2/search/clicks": true,
}

// failsInText reports whether a route is that of 1C, which reads only the text of a response: its failures are 200. The
// tests of package exchangeapi cover it.
func failsInText(r httpapi.Route) bool { return strings.HasSuffix(r.Path, "/commerceml") }

// everyNth returns every nth route, from the given one on.
func everyNth(routes []walkedRoute, n, first int) (sample []walkedRoute) {
	for i := first; i < len(routes); i += n {
		sample = append(sample, routes[i])
	}
	return sample
}

// wantSuccesses ends the test unless a request to each of the routes succeeds.
func (c *routeWalk) wantSuccesses(routes []walkedRoute) {
	c.t.Helper()
	for _, route := range routes {
		route.request = c.request(route.Route)
		if outcome := c.do(route, c.t.Context()); !outcome.succeeded() {
			c.t.Errorf("%s: the request of the test returns %d %s, want a success", route.name, outcome.status,
				outcome.body)
		}
	}
	if c.t.Failed() {
		c.t.FailNow()
	}
}

// listRoutes returns all routes of both listeners, without requests.
func (c *routeWalk) listRoutes() []walkedRoute {
	c.t.Helper()
	var list []walkedRoute
	for _, r := range c.App.API().Routes() {
		if failsInText(r) {
			continue
		}
		list = append(list,
			walkedRoute{Route: r, name: r.Method + " " + r.Path, handler: exchangeapi.HideToken(c.App.API())})
	}

	for _, r := range c.App.Admin().Routes() {
		list = append(list,
			walkedRoute{Route: r, name: r.Method + " " + r.Path + " (administration)", admin: true,
				handler: c.App.Admin()})
	}

	if len(list) < 150 {
		c.t.Fatalf("only %d routes are found, want at least 150", len(list))
	}

	for i, route := range list {
		list[i].changesDB = route.Method != http.MethodGet && !unchangingRoutes[route.Method+" "+route.Path]
	}

	return list
}

// cachePrincipals returns the routes with handlers that cache the principal of each credential, so that requests pass
// the authentication even while the database fails.
func (c *routeWalk) cachePrincipals(routes []walkedRoute) []walkedRoute {
	routes = slices.Clone(routes)
	api := c.App.API()
	admin := c.App.Admin()
	withCache := func(s *httpapi.Server) *httpapi.Server {
		deps := s.Deps
		deps.Metrics, deps.Authenticate = nil, c.cachedAuthenticate(deps.Authenticate)
		return httpapi.NewServer(deps, s.Routes())
	}
	byAPI := exchangeapi.HideToken(withCache(api))
	byAdmin := withCache(admin)

	for i := range routes {
		if routes[i].handler = byAPI; routes[i].admin {
			routes[i].handler = byAdmin
		}
	}

	return routes
}

type authenticate = func(context.Context, *http.Request) (access.Principal, error)

// cachedAuthenticate caches the results of fn by credential. It calls fn with a context that is not cancelled.
func (c *routeWalk) cachedAuthenticate(fn authenticate) authenticate {
	known := map[string]access.Principal{}
	return func(ctx context.Context, r *http.Request) (access.Principal, error) {
		gate := strings.HasPrefix(r.URL.Path, "/v2/sync-gate")
		credential := fmt.Sprint(r.Header.Get("Authorization"), r.Header.Get("Cookie"), gate)
		if p, ok := known[credential]; ok {
			return p, nil
		}
		p, err := fn(context.WithoutCancel(ctx), r)
		if err == nil {
			known[credential] = p
		}
		return p, err
	}
}

// cachePrincipal makes the server cache the principal of a request before the request is sent.
func (c *routeWalk) cachePrincipal(route walkedRoute) {
	c.t.Helper()
	probe := route.request()
	probe.Method = http.MethodGet
	probe.Body = nil
	probe.ContentLength = 0
	if probe.URL.Path = "/v2/store"; route.admin {
		probe.URL.Path = "/api/me"
	}
	if strings.HasPrefix(route.Path, "/v2/sync-gate") {
		probe.URL.Path = "/v2/sync-gate/" + c.Exchange + "/runs"
	}
	route.handler.ServeHTTP(httptest.NewRecorder(), probe)
}

// outcome is the result of a request: a response, or a connection that is closed without one.
type outcome struct {
	aborted bool // the handler panicked with http.ErrAbortHandler: net/http closes the connection
	wrote   bool // a status was written
	status  int
	body    string
	header  http.Header
}

func (o outcome) succeeded() bool { return !o.aborted && o.wrote && o.status < 400 }

// dump returns a dump of the database if a request to the route changes it, and nil otherwise.
func (c *routeWalk) dump(route walkedRoute) apitest.Dump {
	c.t.Helper()
	if !route.changesDB {
		return nil
	}
	return c.Dump()
}

// statusRecorder is a ResponseWriter that records whether a status was written.
type statusRecorder struct {
	*httptest.ResponseRecorder
	wrote bool
}

func (w *statusRecorder) WriteHeader(status int) {
	w.wrote = true
	w.ResponseRecorder.WriteHeader(status)
}

func (w *statusRecorder) Write(b []byte) (int, error) {
	w.wrote = true
	return w.ResponseRecorder.Write(b)
}

// healthyOutcome returns the outcome of a GET request while nothing fails. It does not send other requests.
func (c *routeWalk) healthyOutcome(route walkedRoute) outcome {
	c.t.Helper()
	if route.Method != http.MethodGet {
		return outcome{}
	}
	return c.do(route, c.t.Context())
}

// do passes a request to the handler of its listener.
func (c *routeWalk) do(route walkedRoute, ctx context.Context) (o outcome) {
	c.t.Helper()
	w := &statusRecorder{ResponseRecorder: httptest.NewRecorder()}
	request := route.request().WithContext(ctx)
	defer func() {
		if p := recover(); p != nil {
			if err, ok := p.(error); !ok || !errors.Is(err, http.ErrAbortHandler) {
				panic(p)
			}
			o.aborted = true
		}
		o.wrote, o.status, o.body, o.header = w.wrote, w.Code, w.Body.String(), w.Header()
	}()
	route.handler.ServeHTTP(w, request)
	return o
}

// checkOutcome fails the test if a request got no response or a false success. want is the outcome of a GET request
// while nothing fails.
func (c *routeWalk) checkOutcome(when string, route walkedRoute, o, want outcome) {
	c.t.Helper()
	fail := func(format string, args ...any) {
		c.t.Helper()
		c.t.Errorf("%s: %s: %s (%d %.300q)", route.name, when, fmt.Sprintf(format, args...), o.status, o.body)
	}

	switch {
	case o.aborted && o.wrote:
		fail("the connection is closed after a status was written")
	case o.aborted:
	case !o.wrote:
		fail("the handler returned without a response, which net/http turns into an empty 200")
	case o.status >= 500 && o.status != http.StatusServiceUnavailable:
		fail("a failing dependency is reported as an internal error")
	case o.status >= 400:
		if o.body == "" {
			fail("the error response is empty")
		}
	case route.Method == http.MethodGet:
		if o.status != want.status || o.body != want.body && !isVolatile(route.Path) {
			fail("the response differs from that of a healthy server, %d %.300q", want.status, want.body)
		}
	case o.status == http.StatusNoContent || o.status == http.StatusSeeOther:
		if o.status == http.StatusSeeOther && o.header.Get("Location") == "" {
			fail("the redirect has no Location")
		}
	case o.body == "":
		fail("the successful response is empty")
	}
}

// isVolatile reports whether responses of a path differ each time.
func isVolatile(path string) bool {
	return path == "/metrics" || strings.HasPrefix(path, "/debug/pprof/")
}
