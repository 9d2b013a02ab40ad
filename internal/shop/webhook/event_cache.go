package webhook

import (
	"context"
	"time"

	"golang.org/x/sync/singleflight"

	"vitrine/internal/kit/cache"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/memory"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
)

const (
	// eventCacheSize is the default limit of the size of the cached events of all stores, in bytes.
	eventCacheSize = 16 << 20
	// readAheadEvents is the maximum number of events loaded at once. A load also ends when the payloads exceed
	// readAheadBytes.
	readAheadEvents = 128
	readAheadBytes  = 2 << 20
	// eventCacheLifetime is how long a cached event is sent. Then it is read again, since its personal data may have
	// been erased in the meantime, also by another node.
	eventCacheLifetime = time.Minute
	// envelopeOverhead is about how many bytes an envelope has besides the payload.
	envelopeOverhead = 256
)

// eventCache caches events for deliveries. Several receivers get the same event, and usually get the next events soon
// after it, so a load reads ahead. It is safe for concurrent use.
type eventCache struct {
	Deps
	events *cache.Cache[eventKey, *envelope]
	loads  singleflight.Group
}

// envelope is an event as it is sent. It is immutable.
type envelope struct {
	eventID, eventType string
	forOneReceiver     bool // see event.Event
	body               []byte
}

// eventKey identifies a cached event. period counts spans of eventCacheLifetime: an event that was read in an earlier
// one is not found any more.
type eventKey struct {
	storeID  store.ID
	sequence int64
	period   int64
}

// period returns the current period of eventKey.
func (c *eventCache) period() int64 { return c.Now().UnixMicro() / eventCacheLifetime.Microseconds() }

func newEventCache(d Deps) *eventCache {
	share := d.Cache
	if share == nil {
		share = memory.NewShare("event_cache", "events", eventCacheSize)
	}
	return &eventCache{Deps: d, events: cache.NewShared(share,
		func(_ eventKey, e *envelope) int { return len(e.body) },
		func(key eventKey) cache.Owner { return key.storeID.Bytes() })}
}

// find returns an event of a store by its sequence, or fault.NotFound.
func (c *eventCache) find(ctx context.Context, storeID store.ID, sequence int64) (*envelope, error) {
	for ctx.Err() == nil {
		if e, ok := c.events.Get(eventKey{storeID, sequence, c.period()}); ok {
			return e, nil
		}

		// A store has one load at a time, because its read-ahead often includes the events that other attempts wait
		// for. The result has sequence 0 if ctx ended or the load panicked.
		load := func(ctx context.Context) (loadedEvent, error) {
			e, err := c.load(ctx, storeID, sequence)
			return loadedEvent{sequence, e}, err
		}
		l, err := shareLoad(ctx, &c.loads, storeID, load)
		if l.sequence == sequence || l.sequence == 0 {
			return l.event, err
		}
	}

	return nil, ctx.Err()
}

// loadedEvent is the result of a load that was requested for one sequence. event is nil if the load failed.
type loadedEvent struct {
	sequence int64
	event    *envelope
}

// load returns an event or fault.NotFound. It reads the events that follow, too, and caches all of them.
func (c *eventCache) load(ctx context.Context, storeID store.ID, sequence int64) (*envelope, error) {
	period := c.period()
	if e, ok := c.events.Get(eventKey{storeID, sequence, period}); ok {
		return e, nil // another load has cached the event since the caller's lookup
	}

	ctx, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()

	events, err := database.Read(ctx, c.DB, func(q database.Querier) ([]*event.Event, error) {
		return event.ListFrom(ctx, store.In(q, storeID), sequence, readAheadEvents, readAheadBytes)
	})
	if err != nil {
		return nil, err
	}
	if len(events) == 0 || events[0].Sequence != sequence {
		return nil, fault.Missing("event")
	}

	var first *envelope
	for i, e := range events {
		sent := &envelope{eventID: e.ID.String(), eventType: e.Type, forOneReceiver: e.ForOneReceiver,
			body: e.AppendEnvelope(make([]byte, 0, len(e.Payload)+envelopeOverhead), storeID)}
		c.events.Put(eventKey{storeID, e.Sequence, period}, sent)
		if i == 0 {
			first = sent
		}
	}

	return first, nil
}
