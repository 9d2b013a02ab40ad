package kill

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/storetest"
)

const (
	// proxiedClients share a reverse proxy, which has upstreamConns connections to the program.
	proxiedClients, upstreamConns = 6, 4
	// productsPerPush is how many products a client has. Each of its pushes gives all of them the same new price. A
	// push of fewer items may be one transaction; the run of this one is committed first.
	productsPerPush = 21
	// wrongShown is how many wrong responses are reported in full.
	wrongShown = 10
)

// restartLoad is a set of clients that use a shop while its database is restarted. Each client sends its requests one
// after the other. It has its own products, feature and orders, so that it knows what the shop must contain.
type restartLoad struct {
	t       *testing.T
	shop    *apitest.Server
	clients []*loadClient // the first has a connection of its own
	direct  *apitest.Conn

	// round counts the calls of waitUntilClean.
	round    atomic.Int64
	stopping atomic.Bool
	wait     sync.WaitGroup

	wrong, empty           atomic.Int64 // wrong responses; empty counts the wrong ones that are 2xx without a body
	refused, broken, acked atomic.Int64 // 503 responses, connections that broke, successes
}

// loadClient is one client of a load. It runs in a goroutine of its own.
type loadClient struct {
	load *restartLoad
	name string
	try  func(method, path string, body any, options ...apitest.RequestOption) (*apitest.Response, error)

	products []string // paths
	variant  string   // of one of them
	feature  string   // path

	price, title writtenValue
	orders       []*loadOrder // the last may be unfinished

	failedPushes atomic.Int64 // pushes that failed after their run was created
	clean        atomic.Int64 // restartLoad.round at the start of the last turn without a failed request
}

// writtenValue is a number that a client increases with each write.
type writtenValue struct{ sent, acknowledged int }

// allows reports whether the stored value may be n: the last acknowledged value, or a later one of unknown outcome.
func (w writtenValue) allows(n string) bool {
	got, err := strconv.Atoi(n)
	return err == nil && got >= w.acknowledged && got <= w.sent
}

func (w writtenValue) String() string {
	return fmt.Sprintf("%d, which was acknowledged, to %d, which was sent", w.acknowledged, w.sent)
}

// loadOrder is an order of a client. id and number are empty until they were acknowledged.
type loadOrder struct{ key, id, number string }

// newLoad creates the clients with their products and features. run starts them.
func newLoad(t *testing.T, shop *apitest.Server) *restartLoad {
	t.Helper()
	l := &restartLoad{t: t, shop: shop, direct: shop.NewConn()}
	l.newClient("direct").try = l.direct.Try
	proxied := shop.WithTB(t)
	proxied.URL = reverseProxy(t, shop.URL)
	for i := range proxiedClients {
		l.newClient(fmt.Sprintf("proxied%d", i)).try = proxied.Try
	}
	return l
}

// reverseProxy starts a reverse proxy in front of the program. When its connection to the program breaks during a
// request, it closes the connection to the client.
func reverseProxy(t *testing.T, target string) string {
	t.Helper()
	address, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}

	pool := &http.Transport{
		MaxConnsPerHost: upstreamConns, MaxIdleConnsPerHost: upstreamConns, DisableCompression: true,
	}
	server := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:      func(r *httputil.ProxyRequest) { r.SetURL(address) },
		Transport:    pool,
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		ErrorLog:     log.New(io.Discard, "", 0),
	})
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		pool.CloseIdleConnections()
	})

	return server.URL
}

func (l *restartLoad) newClient(name string) *loadClient {
	l.t.Helper()
	c := &loadClient{load: l, name: name}
	l.clients = append(l.clients, c)
	c.price.sent = 1
	l.shop.OK(200, "POST", "/v2/sync-gate/products", c.payload(), apitest.As(l.shop.Exchange))
	c.price.acknowledged = 1

	r := l.shop.Get("/v2/products?with=variants&per_page=250")
	for i, id := range r.Texts("data", "external_id") {
		if strings.HasPrefix(id, name+"-") {
			c.products = append(c.products, "/v2/products/"+r.Text(fmt.Sprintf("data.%d.id", i)))
			c.variant = r.Text(fmt.Sprintf("data.%d.variants.0.id", i))
		}
	}

	if len(c.products) != productsPerPush {
		l.t.Fatalf("%s has %d products: %s", name, len(c.products), r.Body)
	}

	c.feature = "/v2/features/" + l.shop.OK(201, "POST", "/v2/features", `{"name": "0"}`).Text("data.id")
	return c
}

// payload returns the body of a push that sets the price of all products of the client to c.price.sent.
func (c *loadClient) payload() string {
	items := make([]string, productsPerPush)
	for i := range items {
		items[i] = fmt.Sprintf(`{"id": "%s-%d", "name": "Thing", "single_variant": true, "variant_price": %d}`,
			c.name, i, c.price.sent)
	}
	return `{"payload": [` + strings.Join(items, ",") + `]}`
}

// run starts the clients. They end with stop, or with the test.
func (l *restartLoad) run() {
	l.t.Cleanup(l.stop)
	for _, c := range l.clients {
		l.wait.Go(func() {
			for !l.stopping.Load() {
				if round := l.round.Load(); c.turn() {
					c.clean.Store(round)
				}
			}
		})
	}
}

// stop waits until the clients have received the responses to their last requests.
func (l *restartLoad) stop() {
	l.stopping.Store(true)
	l.wait.Wait()
}

// waitUntil waits until ok returns true, at most a minute. It returns false at once if a response was wrong: the test
// has failed then, and ok may never return true.
func (l *restartLoad) waitUntil(what string, ok func() bool) bool {
	l.t.Helper()
	reached := false
	storetest.Eventually(l.t, what, func() bool {
		reached = ok()
		return reached || l.wrong.Load() > 0 || l.t.Failed()
	})
	return reached
}

// waitUntilClean waits until every client has had a turn that began after the call and in which all requests succeeded.
func (l *restartLoad) waitUntilClean() bool {
	l.t.Helper()
	round := l.round.Add(1)
	return l.waitUntil("every request of every client succeeds", func() bool {
		return !slices.ContainsFunc(l.clients, func(c *loadClient) bool { return c.clean.Load() < round })
	})
}

func (l *restartLoad) failedPushes() (direct, proxied int64) {
	for _, c := range l.clients[1:] {
		proxied += c.failedPushes.Load()
	}
	return l.clients[0].failedPushes.Load(), proxied
}

// reportWrong reports a response that is wrong.
func (l *restartLoad) reportWrong(format string, args ...any) {
	l.t.Helper()
	if l.wrong.Add(1) <= wrongShown {
		l.t.Errorf(format, args...)
	}
}

// turn sends one request of each kind, each right after a push, and reports whether all of them succeeded.
func (c *loadClient) turn() bool {
	all := true
	for _, step := range []func() bool{c.readStore, c.createOrder, c.edit, c.submitOrder, c.readList, c.readProduct} {
		if c.load.stopping.Load() {
			return false
		}
		pushed := c.push()
		all = step() && pushed && all
	}
	return all
}

// send sends a request and returns its response if that is a success with this status. It returns nil if the request
// failed in a way that clients must expect while a database is restarted. Anything else is a wrong response.
func (c *loadClient) send(
	status int, method, path string, body any, options ...apitest.RequestOption,
) *apitest.Response {
	l := c.load
	r, err := c.try(method, path, body, options...)
	switch {
	case err != nil:
		l.broken.Add(1)
	case r.Status == http.StatusServiceUnavailable: // apitest has checked the problem and Retry-After
		l.refused.Add(1)
		if strings.HasPrefix(path, "/v2/sync-gate/") && r.Has("run.id") {
			c.failedPushes.Add(1)
		}
	case r.Status == http.StatusConflict && r.Problem() == "409 idempotency_in_progress":
	case r.Status != status || !json.Valid(r.Body) || !r.Has("data"):
		if len(r.Body) == 0 && r.Status < 300 {
			l.empty.Add(1)
		}
		l.reportWrong("%s: %s %s: got %d with %d bytes, want %d with data: %.300s",
			c.name, method, path, r.Status, len(r.Body), status, r.Body)
	default:
		l.acked.Add(1)
		return r
	}

	time.Sleep(20 * time.Millisecond) // the back-off of a client; the restart needs the CPU, too
	return nil
}

// checkText reports a wrong response unless the value at the path is want.
func (c *loadClient) checkText(r *apitest.Response, path, want string) bool {
	if got, ok := r.At(path); !ok || fmt.Sprint(got) != want {
		c.load.reportWrong("%s: %s is %v, want %s: %.300s", c.name, path, got, want, r.Body)
		return false
	}
	return true
}

func (c *loadClient) push() bool {
	c.price.sent++
	r := c.send(200, "POST", "/v2/sync-gate/products", c.payload(), apitest.As(c.load.shop.Exchange))
	if r == nil || !c.checkText(r, "data.status", "completed") || !c.checkText(r, "data.failed", "0") ||
		!c.checkText(r, "data.received", strconv.Itoa(productsPerPush)) {
		return false
	}
	c.price.acknowledged = c.price.sent
	return true
}

func (c *loadClient) edit() bool {
	c.title.sent++
	title := strconv.Itoa(c.title.sent)
	r := c.send(200, "PUT", c.feature, `{"name": "`+title+`"}`)
	if r == nil || !c.checkText(r, "data.name", title) {
		return false
	}
	c.title.acknowledged = c.title.sent
	return true
}

// createOrder creates an order, unless the last one is yet to be submitted. If the last creation was not acknowledged,
// it repeats the request with the same Idempotency-Key.
func (c *loadClient) createOrder() bool {
	if n := len(c.orders); n == 0 || c.orders[n-1].number != "" {
		c.orders = append(c.orders, &loadOrder{key: fmt.Sprintf("%s-%d", c.name, n)})
	}
	o := c.orders[len(c.orders)-1]
	if o.id != "" {
		return true
	}
	body := fmt.Sprintf(`{"items": [{"variant_id": %q, "quantity": 1}], "comment": %q}`, c.variant, o.key)
	r := c.send(201, "POST", "/v2/orders", body, apitest.Header("Idempotency-Key", o.key))
	if r == nil || !c.checkText(r, "data.comment", o.key) {
		return false
	}
	id, _ := r.At("data.id")
	o.id = fmt.Sprint(id)
	return true
}

func (c *loadClient) submitOrder() bool {
	o := c.orders[len(c.orders)-1]
	if o.id == "" {
		return false
	}
	const body = `{"contact": {"name": "Anna", "phone": "+49 30 1234567"}}`
	r := c.send(200, "POST", "/v2/orders/"+o.id+"/submit", body, apitest.Header("Idempotency-Key", o.key))
	if r == nil || !c.checkText(r, "data.id", o.id) || !c.checkText(r, "data.state", "submitted") {
		return false
	}
	number, _ := r.At("data.number")
	o.number = fmt.Sprint(number)
	return true
}

func (c *loadClient) readStore() bool {
	r := c.send(200, "GET", "/v2/store", nil)
	return r != nil && c.checkText(r, "data.id", c.load.shop.StoreID.String())
}

func (c *loadClient) readList() bool {
	r := c.send(200, "GET", "/v2/products?per_page=2", nil)
	return r != nil && c.checkText(r, "meta.total", strconv.Itoa(len(c.load.clients)*productsPerPush))
}

// readProduct reads a product. Its price must not be older than the last acknowledged one.
func (c *loadClient) readProduct() bool {
	r := c.send(200, "GET", c.products[0], nil)
	if r == nil {
		return false
	}
	price, _ := r.At("data.variants.0.price")
	if !c.price.allows(fmt.Sprint(price)) {
		c.load.reportWrong("%s: a price is %v, want %s", c.name, price, c.price)
		return false
	}
	return true
}
