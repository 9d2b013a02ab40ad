// Package webhook owns receivers and deliveries: the addresses that a store's events are sent to, and the state of each
// event at each of them. The events themselves are package event's.
package webhook

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/outbound"
	"vitrine/internal/kit/queue"
	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
)

// deliverKind is the sort of background work that sends events. A lane is a receiver, by its id: one that hangs delays no other.
const deliverKind = "webhook.deliver"

// Deps is what the service works with.
type Deps struct {
	DB    *database.DB
	Vault *vault.Vault
	Queue *queue.Queue
	// Guard keeps requests from what is not for strangers to reach.
	Guard *outbound.Guard
	Now   func() time.Time
	// Log gets what the workers could not do; nil discards it.
	Log *slog.Logger
	// Retention is how long events and their deliveries are kept; 0 keeps them for ever.
	Retention time.Duration
	// Alert tells the owner of a store, in the caller's transaction, that the program has disabled a receiver; nil tells nobody.
	Alert func(ctx context.Context, tx store.Tx, r Receiver) error
	// Observe is told of every attempt; nil is told nothing.
	Observe func(a Attempt)
}

// Service is what can be done with receivers and deliveries. It is safe for concurrent use.
type Service struct {
	Deps
	client *http.Client
	// attemptTime bounds a request from the lookup to the last byte that is read.
	attemptTime time.Duration
	emitted     emitted
	book        book
	shelf       shelf
	breakers    breakers
}

// NewService makes the service. Its Kind is to be registered at the queue.
func NewService(d Deps) *Service {
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	s := &Service{Deps: d, attemptTime: usualAttemptTime}
	s.emitted = emitted{stores: map[store.ID]bool{}, wake: make(chan struct{}, 1)}
	s.book.stores = map[store.ID]page{}
	s.shelf = shelf{known: map[shelfMark]*event.Event{}, loading: map[store.ID]chan struct{}{}}
	s.breakers.failures = map[string]int{}
	if d.Guard != nil {
		s.client = s.newClient()
	}
	return s
}

// newClient makes the client of all attempts. How long they may take is said by their contexts, which the queue makes.
func (s *Service) newClient() *http.Client {
	return s.Guard.Client(outbound.ClientConfig{HeaderTimeout: s.attemptTime, IdlePerHost: 4 * slots, Idle: totalSlots})
}

// Kind is the sort of background work that sending events is.
func (s *Service) Kind() queue.Kind {
	return queue.Kind{
		Name: deliverKind, LaneSlots: slots, NodeSlots: totalSlots, Prefetch: 32, Timeout: s.attemptTime, Retries: schedule(), Run: s.attempt, OnResults: s.settle,
	}
}

// Run makes deliveries of events and removes those past their time, until ctx ends; then it returns nil. Sending is the queue's.
func (s *Service) Run(ctx context.Context) error {
	var workers sync.WaitGroup
	workers.Go(func() { s.fanOutAll(ctx) })
	workers.Go(func() { s.prune(ctx) })
	workers.Wait()
	return nil
}

// CloseIdleConnections closes the connections that are kept for the next request.
func (s *Service) CloseIdleConnections() {
	if s.client != nil {
		s.client.CloseIdleConnections()
	}
}
