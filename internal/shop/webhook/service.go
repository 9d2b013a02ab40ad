package webhook

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/memory"
	"vitrine/internal/kit/outbound"
	"vitrine/internal/kit/queue"
	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/store"
)

// deliveryKind is the kind of the jobs that send events. Each receiver has its own lane, named by its id, so that a
// slow receiver does not delay the others.
const deliveryKind = "webhook.deliver"

// Deps holds the dependencies of the service.
type Deps struct {
	DB    *database.DB
	Vault *vault.Vault
	Queue *queue.Queue
	// Guard blocks requests to internal networks.
	Guard *outbound.Guard
	Now   func() time.Time
	// Log receives the failures of the workers; nil discards them.
	Log *slog.Logger
	// Retention is how long events and their deliveries are stored; 0 means for ever.
	Retention time.Duration
	// Alert notifies the owners of a store, in the caller's transaction, that a receiver was disabled automatically. It
	// may be nil.
	Alert func(ctx context.Context, tx store.Tx, r Receiver) error
	// Observe is called after every attempt, to measure it. It may be nil.
	Observe func(a Attempt)
	// Cache is the memory for the payloads of events. If it is nil, the cache has eventCacheSize.
	Cache *memory.Share
}

// Service implements the operations on receivers and deliveries. It is safe for concurrent use.
type Service struct {
	Deps
	receiverCache *receiverCache
	fanout        *fanout
	sender        *sender
}

// New returns a service. The caller must register the service's Kind with the queue.
func New(d Deps) *Service {
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	receivers := &receiverCache{Deps: d, stores: map[store.ID]cachedReceivers{}}

	return &Service{Deps: d, receiverCache: receivers, fanout: newFanout(d), sender: newSender(d, receivers)}
}

// Kind describes the jobs that send events, for the queue.
func (s *Service) Kind() queue.Kind[deliveryJob, *attemptResult] {
	return queue.Kind[deliveryJob, *attemptResult]{
		Name: deliveryKind, LaneSlots: receiverSlots, NodeSlots: nodeSlots, Prefetch: 32, Timeout: s.sender.timeout,
		Retries: deliveryRetrySchedule(), Decode: parseDeliveryJob, Run: s.sender.attempt, OnResults: s.recordOutcomes,
		// An attempt holds an event of bounded size and 4 KB of the response.
		Light: true, Owner: func(j deliveryJob) string { return j.storeID.String() },
		OnPark: s.parkDelivery, OnUnpark: s.unparkDelivery,
	}
}

// Run creates deliveries for new events, and deletes expired events and deliveries, until ctx ends. Then it returns
// nil. The deliveries are sent by jobs, which the queue runs.
func (s *Service) Run(ctx context.Context) error {
	var workers sync.WaitGroup
	workers.Go(func() { s.fanout.run(ctx) })
	workers.Go(func() { s.runPrune(ctx) })
	workers.Wait()
	return nil
}

// CloseIdleConnections closes the idle keep-alive connections to receivers.
func (s *Service) CloseIdleConnections() {
	if s.sender.client != nil {
		s.sender.client.CloseIdleConnections()
	}
}
