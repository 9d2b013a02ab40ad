package searchlog

import (
	"slices"
	"time"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

const (
	// maxBufferBytes limits what is counted between two flushes. What exceeds it is not counted.
	maxBufferBytes = 8 << 20
	// entryBytes estimates the memory of an entry without its texts and ids.
	entryBytes = 120
	// maxOrderProducts is how many products of an order are looked at.
	maxOrderProducts = 200
)

// queryKey identifies a query of a day in a store.
type queryKey struct {
	storeID store.ID
	day     int64
	query   string
}

func newQueryKey(shop store.Store, folded string, now time.Time) queryKey {
	return queryKey{shop.ID, dayOf(shop, now), folded}
}

// searches are the searches with one query.
type searches struct {
	count int64
	found int64 // by the last one
	at    int64 // the time of the last one, in microseconds
}

type clickKey struct {
	queryKey
	productID catalog.ProductID
}

// clicks are the clicks on one product in the results of one query.
type clicks struct {
	count int64
	at    time.Time // of the first one
}

type submittedOrder struct {
	storeID  store.ID
	day      int64
	products []catalog.ProductID
	at       time.Time
}

// buffer has what is counted and not yet stored.
type buffer struct {
	searches map[queryKey]searches
	clicks   map[clickKey]clicks
	orders   []submittedOrder // the oldest first
	bytes    int
}

func newBuffer() buffer {
	return buffer{searches: map[queryKey]searches{}, clicks: map[clickKey]clicks{}}
}

// take reports whether there is room for an entry with bytes of texts and ids, and uses the room.
func (b *buffer) take(bytes int) bool {
	if b.bytes+entryBytes+bytes > maxBufferBytes {
		return false
	}
	b.bytes += entryBytes + bytes
	return true
}

func (b *buffer) free(bytes int) { b.bytes -= entryBytes + bytes }

func (b *buffer) addSearch(key queryKey, found, at int64) { b.putSearches(key, searches{1, found, at}) }

// putSearches adds searches to those with the same query.
func (b *buffer) putSearches(key queryKey, added searches) {
	s, known := b.searches[key]
	if !known && !b.take(len(key.query)) {
		return
	}
	s.count += added.count
	if added.at >= s.at {
		s.found = added.found
		s.at = added.at
	}
	b.searches[key] = s
}

func (b *buffer) addClick(key clickKey, at time.Time) { b.putClicks(key, clicks{1, at}) }

// putClicks adds clicks to those on the same product in the results of the same query.
func (b *buffer) putClicks(key clickKey, added clicks) {
	c, known := b.clicks[key]
	if !known && !b.take(len(key.query)) {
		return
	}
	c.count += added.count
	if !known || added.at.Before(c.at) {
		c.at = added.at
	}
	b.clicks[key] = c
}

func (b *buffer) addOrder(o submittedOrder) {
	o.products = o.products[:min(len(o.products), maxOrderProducts)]
	if b.take(len(o.products) * len(catalog.ProductID{})) {
		b.orders = append(b.orders, o)
	}
}

// limits are how many entries of each kind one transaction stores.
const (
	chunkSearches = 1000
	chunkClicks   = 1000
	chunkOrders   = 100
)

// takeChunk moves entries of one kind into a chunk: searches, else clicks up to one time, else orders up to another. So
// clicks are stored after all searches, and orders after all clicks, which count only for queries that are known.
// takeChunk returns an empty chunk if there are no entries.
func (b *buffer) takeChunk(clicksUntil, ordersUntil time.Time) buffer {
	chunk := newBuffer()
	for key, s := range b.searches {
		chunk.searches[key] = s
		delete(b.searches, key)
		b.free(len(key.query))
		if len(chunk.searches) == chunkSearches {
			break
		}
	}
	if !chunk.isEmpty() {
		return chunk
	}

	for key, c := range b.clicks {
		if c.at.After(clicksUntil) {
			continue
		}
		chunk.clicks[key] = c
		delete(b.clicks, key)
		b.free(len(key.query))
		if len(chunk.clicks) == chunkClicks {
			break
		}
	}
	if !chunk.isEmpty() {
		return chunk
	}

	for len(b.orders) > 0 && len(chunk.orders) < chunkOrders && !b.orders[0].at.After(ordersUntil) {
		chunk.orders = append(chunk.orders, b.orders[0])
		b.free(len(b.orders[0].products) * len(catalog.ProductID{}))
		b.orders = b.orders[1:]
	}

	return chunk
}

// putBack adds the entries of a chunk that could not be stored.
func (b *buffer) putBack(chunk buffer) {
	for key, s := range chunk.searches {
		b.putSearches(key, s)
	}
	for key, c := range chunk.clicks {
		b.putClicks(key, c)
	}

	orders := slices.Concat(chunk.orders, b.orders)
	for _, o := range b.orders {
		b.free(len(o.products) * len(catalog.ProductID{}))
	}
	b.orders = nil
	for _, o := range orders {
		b.addOrder(o)
	}
}

func (b *buffer) isEmpty() bool { return len(b.searches)+len(b.clicks)+len(b.orders) == 0 }
