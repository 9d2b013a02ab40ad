package webhook_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/outbound"
	"vitrine/internal/kit/queue"
	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
	"vitrine/internal/testkit/databasetest"
)

// rig is a store on a database, with nodes that send its events.
type rig struct {
	*testing.T
	db    *database.DB
	store store.ID
	// ahead is how far the nodes' clock is ahead of the true one.
	ahead  *atomic.Int64
	alerts *ledger
	// guard and attemptTimeout are those of the nodes; without a time it is the usual one.
	guard       *outbound.Guard
	attemptTime time.Duration
	*webhook.Service
	stop func()
}

// ledger is a list that goroutines write to.
type ledger struct {
	mu   sync.Mutex
	list []string
}

func (l *ledger) note(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, text)
}

func (l *ledger) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.list...)
}

// each runs fn on each engine, with one node at work, which prepare may make a special one.
func each(t *testing.T, fn func(r *rig), prepare ...func(r *rig)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		t.Parallel()
		r := newRig(t, db)
		for _, change := range prepare {
			change(r)
		}
		r.Service, r.stop = r.node()
		fn(r)
	})
}

// newRig is a rig without a node.
func newRig(t *testing.T, db *database.DB) *rig {
	t.Helper()
	r := &rig{T: t, db: db, store: newStore(t, db).ID, ahead: &atomic.Int64{}, alerts: &ledger{}}
	r.guard = outbound.New(outbound.Config{AllowHTTP: true, AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Now: r.now})
	return r
}

func newStore(t *testing.T, db *database.DB) (one store.Store) {
	t.Helper()
	stores := store.NewService(db, time.Now)
	err := db.Write(t.Context(), func(q database.Querier) (err error) {
		one, err = stores.Create(t.Context(), q, store.Edit{})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return one
}

func (r *rig) now() time.Time { return time.Now().Add(time.Duration(r.ahead.Load())) }

// pass moves the clock on, and has what is due then done.
func (r *rig) pass(d time.Duration) {
	r.ahead.Add(int64(d))
	r.Queue.Wake()
}

// node starts a node, until stop is called or the test ends.
func (r *rig) node() (s *webhook.Service, stop func()) {
	s = r.idle()
	ctx, cancel := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	ended.Go(func() { _ = s.Queue.Run(ctx) })
	ended.Go(func() { _ = s.Run(ctx) })
	stop = sync.OnceFunc(func() {
		cancel()
		ended.Wait()
		s.CloseIdleConnections()
	})
	r.Cleanup(stop)
	return s, stop
}

// idle is a node that answers requests and leaves all work to others.
func (r *rig) idle() *webhook.Service {
	secrets, err := vault.ParseKey(hex.EncodeToString(make([]byte, vault.KeySize)))
	if err != nil {
		r.Fatal(err)
	}
	jobs := queue.New(queue.Deps{DB: r.db, Now: r.now, Random: func() float64 { return 0.5 }})
	s := webhook.NewService(webhook.Deps{
		DB: r.db, Vault: secrets, Queue: jobs, Now: r.now, Retention: 30 * 24 * time.Hour,
		Guard: r.guard,
		Alert: func(_ context.Context, _ store.Tx, w webhook.Receiver) error {
			r.alerts.note(*w.DisabledReason)
			return nil
		},
	})
	if r.attemptTime > 0 {
		s.SetAttemptTimeout(r.attemptTime)
	}
	jobs.Register(s.Kind())
	return s
}

func (r *rig) write(fn func(q database.Querier) error) {
	r.Helper()
	if err := r.db.Write(r.Context(), fn); err != nil {
		r.Fatal(err)
	}
}

// emitterOf emits events that the node makes deliveries of.
func emitterOf(node *webhook.Service) *event.Emitter {
	return event.NewEmitter(node.Now, node.Wake)
}

// emit commits n events of a type; the payload of each says which one it is.
func (r *rig) emit(eventType string, n int) {
	r.Helper()
	r.write(func(q database.Querier) error {
		for i := range n {
			if err := emitterOf(r.Service).Emit(r.Context(), store.In(q, r.store), eventType, fmt.Appendf(nil, `{"n": %d}`, i+1)); err != nil {
				return err
			}
		}
		return nil
	})
}

func (r *rig) until(what string, ok func() bool) {
	r.Helper()
	for deadline := time.Now().Add(30 * time.Second); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			r.Fatalf("in vain waited until %s", what)
		}
	}
}

// deliveries returns the deliveries to a receiver, the first made first, each as "status attempts".
func (r *rig) deliveries(to webhook.ReceiverID) (list []string) {
	r.Helper()
	for _, d := range r.deliveriesTo(to) {
		list = append([]string{fmt.Sprintf("%s %d", d.Status, d.Attempts)}, list...)
	}
	return list
}

func (r *rig) deliveriesTo(to webhook.ReceiverID) (list []webhook.Delivery) {
	r.Helper()
	err := r.db.Read(r.Context(), func(q database.Querier) (err error) {
		list, _, err = r.Deliveries(r.Context(), store.In(q, r.store), webhook.DeliveryFilter{ReceiverID: &to}, 0, 1000)
		return err
	})
	if err != nil {
		r.Fatal(err)
	}
	return list
}

// untilDeliveries waits until the deliveries to a receiver are these.
func (r *rig) untilDeliveries(to webhook.ReceiverID, want ...string) {
	r.Helper()
	var got []string
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		if got = r.deliveries(to); fmt.Sprint(got) == fmt.Sprint(want) {
			return
		}
		if time.Now().After(deadline) {
			r.Fatalf("the deliveries are %q, want %q", got, want)
		}
	}
}

// sink is a receiver on loopback. It answers by its handler, and keeps what was sent to it.
type sink struct {
	rig     *rig
	ID      webhook.ReceiverID
	url     string
	secrets []string
	mu      sync.Mutex
	got     []received
	handler http.HandlerFunc
}

type received struct {
	id, body string
	header   http.Header
}

// receiver starts a receiver that answers by handler, 204 without one, and registers it.
func (r *rig) receiver(handler http.HandlerFunc, types ...string) *sink {
	r.Helper()
	k := &sink{rig: r, handler: handler}
	server := httptest.NewServer(http.HandlerFunc(k.serve))
	r.Cleanup(server.Close)
	r.Cleanup(server.CloseClientConnections)
	r.register(k, server.URL+"/hook", types...)
	return k
}

// register makes a receiver of an address, for all types where none are named.
func (r *rig) register(k *sink, url string, types ...string) {
	r.Helper()
	k.url = url
	if len(types) == 0 {
		types = []string{"*"}
	}
	r.write(func(q database.Querier) error {
		made, secret, err := r.CreateReceiver(r.Context(), store.In(q, r.store), webhook.ReceiverEdit{URL: &k.url, Types: &types})
		k.ID, k.secrets = made.ID, []string{secret}
		return err
	})
}

func (k *sink) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	k.mu.Lock()
	k.got = append(k.got, received{r.Header.Get("webhook-id"), string(body), r.Header.Clone()})
	handler, secrets := k.handler, k.secrets
	k.mu.Unlock()
	for _, secret := range secrets {
		standard, err := standardwebhooks.NewWebhook(secret)
		if err == nil {
			err = standard.VerifyIgnoringTimestamp(body, r.Header)
		}
		if err != nil {
			k.rig.Errorf("the signature is not right: %v", err)
		}
	}
	if handler != nil {
		handler(w, r)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// answer has the receiver answer otherwise from now on.
func (k *sink) answer(handler http.HandlerFunc) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.handler = handler
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// requests returns what was sent.
func (k *sink) requests() []received {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]received(nil), k.got...)
}
