package webhook_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"vitrine/internal/kit/outbound"
	"vitrine/internal/kit/queue"
	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
	"vitrine/internal/testkit/storetest"
)

// fixture is a store with running nodes that send its events. Its clock follows the real time.
type fixture struct {
	*storetest.Fixture
	alerts *safeList
	// guard, attemptTimeout and log configure new nodes. An attemptTimeout of 0 means the default, a nil log discards
	// everything.
	guard          *outbound.Guard
	attemptTimeout time.Duration
	log            *slog.Logger
	*webhook.Service
	stop func()
}

// safeList is a list of strings. It is safe for concurrent use.
type safeList struct {
	mu   sync.Mutex
	list []string
}

func (l *safeList) add(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, text)
}

// Write implements io.Writer. It adds the bytes as one string.
func (l *safeList) Write(b []byte) (int, error) {
	l.add(string(b))
	return len(b), nil
}

func (l *safeList) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.list...)
}

// eachEngine runs fn on each database engine with one running node. prepare changes the fixture before the node starts.
func eachEngine(t *testing.T, fn func(r *fixture), prepare ...func(r *fixture)) {
	t.Helper()
	storetest.Each(t, func(f *storetest.Fixture) {
		r := newFixture(f)
		for _, change := range prepare {
			change(r)
		}
		r.Service, r.stop = r.startNode()
		fn(r)
	})
}

// newFixture returns a fixture without nodes.
func newFixture(f *storetest.Fixture) *fixture {
	f.Clock.FollowRealTime()
	return &fixture{Fixture: f, alerts: &safeList{}, guard: outbound.New(outbound.Config{AllowHTTP: true,
		AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Now: f.Clock.Now})}
}

// advance moves the clock forward and wakes the queue.
func (r *fixture) advance(d time.Duration) {
	r.Clock.Advance(d)
	r.Queue.Wake()
}

// startNode starts a node that runs until stop is called or the test ends.
func (r *fixture) startNode() (s *webhook.Service, stop func()) {
	s = r.newNode()
	r.Cleanup(s.CloseIdleConnections)
	stopQueue := r.Start(s.Queue.Run)
	stopFanOut := r.Start(s.Run)
	return s, func() {
		stopQueue()
		stopFanOut()
		s.CloseIdleConnections()
	}
}

// newNode returns a node whose workers are not running.
func (r *fixture) newNode() *webhook.Service {
	secrets, err := vault.ParseKey(hex.EncodeToString(make([]byte, vault.KeySize)))
	if err != nil {
		r.Fatal(err)
	}

	jobs := queue.New(queue.Deps{DB: r.DB, Now: r.Clock.Now, Random: func() float64 { return 0.5 }})
	s := webhook.New(webhook.Deps{
		DB: r.DB, Vault: secrets, Queue: jobs, Now: r.Clock.Now, Retention: 30 * 24 * time.Hour,
		Guard: r.guard, Log: r.log,
		Alert: func(_ context.Context, _ store.Tx, w webhook.Receiver) error {
			r.alerts.add(*w.DisabledReason)
			return nil
		},
	})
	if r.attemptTimeout > 0 {
		s.SetAttemptTimeout(r.attemptTimeout)
	}

	jobs.Register(s.Kind())
	return s
}

// emitterOn returns an emitter that wakes the fan-out of the node.
func emitterOn(node *webhook.Service) *event.Emitter {
	return event.New(event.Deps{Now: node.Now, Wake: node.Wake})
}

// emit commits n events of a type in one transaction. Their payloads have the numbers from 1 to n.
func (r *fixture) emit(eventType string, n int) {
	r.Helper()
	r.Write(func(tx store.Tx) error {
		for i := range n {
			if err := emitterOn(r.Service).Emit(r.Context(), tx, eventType,
				fmt.Appendf(nil, `{"n": %d}`, i+1)); err != nil {
				return err
			}
		}
		return nil
	})
}

// deliverySummaries returns the deliveries to a receiver, oldest first, each as "status attempts".
func (r *fixture) deliverySummaries(to webhook.ReceiverID) (list []string) {
	r.Helper()
	for _, d := range r.deliveries(to) {
		list = append([]string{fmt.Sprintf("%s %d", d.Status, d.Attempts)}, list...)
	}
	return list
}

func (r *fixture) deliveries(to webhook.ReceiverID) (list []webhook.Delivery) {
	r.Helper()
	r.Read(func(tx store.Tx) (err error) {
		list, _, err = r.Deliveries(r.Context(), tx, webhook.DeliveryFilter{ReceiverID: &to}, 0, 1000)
		return err
	})
	return list
}

// waitForDeliveries waits until the summaries of the deliveries to a receiver equal want.
func (r *fixture) waitForDeliveries(to webhook.ReceiverID, want ...string) {
	r.Helper()
	storetest.EventuallyEqual(r.TB, "the deliveries are", want, func() []string { return r.deliverySummaries(to) })
}

// testReceiver is a receiver on a loopback port. It responds with its handler and records the requests.
type testReceiver struct {
	fixture  *fixture
	ID       webhook.ReceiverID
	url      string
	secrets  []string
	mu       sync.Mutex
	received []request
	handler  http.HandlerFunc
}

type request struct {
	id, body string
	header   http.Header
}

// newReceiver starts and registers a receiver, for all types if none are given. A nil handler responds with 204.
func (r *fixture) newReceiver(handler http.HandlerFunc, types ...string) *testReceiver {
	r.Helper()
	k := &testReceiver{fixture: r, handler: handler}
	server := httptest.NewServer(http.HandlerFunc(k.serve))
	r.Cleanup(server.Close)
	r.Cleanup(server.CloseClientConnections)
	r.register(k, server.URL+"/hook", types...)
	return k
}

// register registers the receiver k with a URL, for all types if none are given.
func (r *fixture) register(k *testReceiver, url string, types ...string) {
	r.Helper()
	k.url = url
	if len(types) == 0 {
		types = []string{"*"}
	}
	r.Write(func(tx store.Tx) error {
		made, secret, err := r.CreateReceiver(r.Context(), tx,
			webhook.ReceiverEdit{URL: &k.url, Types: &types})
		k.ID = made.ID
		k.secrets = []string{secret}
		return err
	})
}

func (k *testReceiver) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}

	k.mu.Lock()
	k.received = append(k.received, request{r.Header.Get("webhook-id"), string(body), r.Header.Clone()})
	handler, secrets := k.handler, k.secrets
	k.mu.Unlock()
	for _, secret := range secrets {
		standard, err := standardwebhooks.NewWebhook(secret)
		if err == nil {
			err = standard.VerifyIgnoringTimestamp(body, r.Header)
		}
		if err != nil {
			k.fixture.Errorf("signature is invalid: %v", err)
		}
	}

	if handler != nil {
		handler(w, r)
		return
	}

	w.WriteHeader(http.StatusNoContent)
}

// respondWith replaces the handler. A nil handler responds with 204.
func (k *testReceiver) respondWith(handler http.HandlerFunc) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.handler = handler
}

func respondStatus(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// requests returns the requests received so far.
func (k *testReceiver) requests() []request {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]request(nil), k.received...)
}
