package searchlog

import (
	"context"
	"log/slog"
	"sync"
	"time"
	"unicode/utf8"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/language"
	"vitrine/internal/kit/periodic"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

const (
	// MaxQuery is how many characters a query may have when it is folded. Longer ones are not kept: nobody types them.
	MaxQuery = 200
	// maxSent is how many bytes of a query are looked at.
	maxSent = 1024

	flushInterval = 3 * time.Second
	// A click is stored after the search that it follows, and an order after the click, although other nodes may have
	// handled these: each waits until they are stored.
	clickDelay = 5 * time.Second
	orderDelay = 12 * time.Second
	// lastFlushTimeout limits the last flush, when the node stops.
	lastFlushTimeout = 3 * time.Second
)

// Log counts searches, clicks and orders in memory and adds them to the database every few seconds. A node that is
// killed loses what it has counted since. The methods that count never block and return no errors; those of a nil Log
// count nothing. A Log is safe for concurrent use.
type Log struct {
	db  *database.DB
	now func() time.Time
	log *slog.Logger

	mu     sync.Mutex
	buffer buffer
	// flushing is held by Flush, since two flushes at a time could store an order before its clicks.
	flushing sync.Mutex
}

// Deps are the dependencies of a Log.
type Deps struct {
	DB  *database.DB
	Now func() time.Time
	Log *slog.Logger
}

// New returns a Log. The caller must also call Run, in a goroutine.
func New(d Deps) *Log { return &Log{db: d.DB, now: d.Now, log: d.Log, buffer: newBuffer()} }

// Record counts a search of a visitor, and notes how many products it found. It is for first pages only. Queries
// without words, very long ones and those with an e-mail address or a phone number are not counted.
func (l *Log) Record(shop store.Store, query string, found int64) {
	if l == nil {
		return
	}
	if folded, ok := keptQuery(query); ok {
		now := l.now()
		l.mu.Lock()
		defer l.mu.Unlock()
		l.buffer.addSearch(newQueryKey(shop, folded, now), found, now.UnixMicro())
	}
}

// Click counts a click on a product in the results of a query. It counts for the query of the present day; if nobody
// has asked it on this day, or the store does not have the product, it is ignored.
func (l *Log) Click(shop store.Store, query string, productID catalog.ProductID) {
	if l == nil {
		return
	}
	if folded, ok := keptQuery(query); ok {
		now := l.now()
		l.mu.Lock()
		defer l.mu.Unlock()
		l.buffer.addClick(clickKey{newQueryKey(shop, folded, now), productID}, now)
	}
}

// Order counts a submitted order with these products for each query of the present day in whose results one of them was
// clicked before. The click and the order may be of two visitors, since visitors are not followed.
func (l *Log) Order(shop store.Store, products []catalog.ProductID) {
	if l == nil || len(products) == 0 {
		return
	}
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.buffer.addOrder(submittedOrder{storeID: shop.ID, day: dayOf(shop, now), products: products, at: now})
}

// keptQuery returns a folded query, and whether it is counted.
func keptQuery(query string) (folded string, ok bool) {
	if len(query) > maxSent || isPersonal(query) {
		return "", false
	}
	folded = language.FoldQuery(query)
	return folded, folded != "" && utf8.RuneCountInString(folded) <= MaxQuery
}

// Today returns the number of the present day in the timezone of the store.
func (l *Log) Today(shop store.Store) int64 { return dayOf(shop, l.now()) }

// dayOf returns the number of the day of a time in the timezone of the store.
func dayOf(shop store.Store, t time.Time) int64 { return store.DayNumber(t.In(shop.Zone())) }

// Run adds what is counted to the database every few seconds, and all of it when ctx ends. Then it returns nil.
func (l *Log) Run(ctx context.Context) error {
	_ = periodic.Run(ctx, l.log, periodic.Task{ // Run always returns nil
		Name: "store searches", Every: flushInterval, Do: l.Flush,
	})

	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastFlushTimeout)
	defer cancel()
	if err := l.flushAll(ctx); err != nil {
		l.log.WarnContext(ctx, "the last searches, clicks and orders are not counted", "error", err)
	}

	return nil
}
