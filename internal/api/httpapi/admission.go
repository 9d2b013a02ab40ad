package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"vitrine/internal/kit/admission"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/trace"
)

// Class is a class of work. The server bounds the requests of each class that are in progress at once, so that a class
// that is overloaded does not slow the others down. The number of waiting requests and their time are bounded, too.
type Class string

// The classes of work.
const (
	// ClassShort is for credentials and single resources: reads of a few rows by an index. The credential of every
	// request waits for one of its slots, so pages, lists and searches have other classes. A store has only some of its
	// slots.
	ClassShort Class = "short"
	// ClassList is for pages of lists, and for the pages of the administration.
	ClassList Class = "list"
	// ClassHeavy is for reads that may take seconds: long lists in one response, pages far down a list, lists of
	// products that SQL must compute, and searches and files of the administration. A store and an address have only
	// some of its slots.
	ClassHeavy Class = "heavy"
	// ClassExport is for exports, which may take minutes. It has few slots. The slots of ClassHeavy stay free for
	// visitors.
	ClassExport Class = "export"
	// ClassFeed is for product feeds, which may take a minute. It has few slots, of which a store has one.
	ClassFeed Class = "feed"
	// ClassWrite is for changes.
	ClassWrite Class = "write"
	// ClassGate is for pushes. A push holds its slot while its body arrives. A store has only some of its slots.
	ClassGate Class = "gate"
	// ClassImage is for decoding and storing uploaded images, ClassLargeImage for those that take much memory, of which
	// one is decoded at a time. A store and an address have only some of their slots.
	ClassImage      Class = "image"
	ClassLargeImage Class = "large_image"
	// ClassLong is for long edits. Such an edit has a slot of this class and one of ClassWrite. A store has one slot.
	ClassLong Class = "long"
)

// Admission has the limits of all classes. All surfaces of a process share one. A nil Admission admits everything.
type Admission map[Class]*admission.Class

// WorkClass returns the class of a route's work.
func (r Route) WorkClass() Class {
	read := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case r.Class != "":
		return r.Class
	case r.Exchange && !read:
		return ClassGate
	case !read:
		return ClassWrite
	case r.Paged || r.CursorPaged:
		return ClassList
	}
	return ClassShort
}

// Work is the work of a request: its class, and the slots of the server's Admission that the request has.
type Work struct {
	request  *Request
	class    Class  // the class of the route, or of the slot that the request has
	admitted bool   // the request has a slot of the class
	leave    func() // releases the slot of the last Admit, unless it is released; nil before
	freeLong func() // releases the slots of a long edit; nil if the request has none
}

// deepOffset is the number of elements before a page from which on a list is heavy: the database reads and skips them.
const deepOffset = 10_000

// errHeavy makes Read start again in the class ClassHeavy.
var errHeavy = errors.New("the read is heavy")

// Heavy is called by the function that Read calls, before a part of its work that may take seconds. A read of another
// class then ends with the error that Heavy returns, and Read calls the function again in the class ClassHeavy, in
// which Heavy returns nil. Heavy also returns nil in a write.
func (w *Work) Heavy() error {
	if w.class == ClassShort || w.class == ClassList {
		return errHeavy
	}
	return nil
}

// errFeed makes Read start again in the class ClassFeed.
var errFeed = errors.New("the read is a feed")

// Feed is like Heavy, for the class ClassFeed.
func (w *Work) Feed() error {
	if w.class != ClassFeed {
		return errFeed
	}
	return nil
}

// HeavyAfter calls Heavy if more than deepOffset elements come before the page.
func (w *Work) HeavyAfter(p Page) error {
	if p.Number-1 > deepOffset/p.PerPage {
		return w.Heavy()
	}
	return nil
}

// Admit waits for a slot of the class, in which the request then works until release is called. It does nothing if the
// request has a slot. A handler holds a slot only while the server works, not while it waits for the client or for
// another server; before a response is sent, the slot is released in any case. Read, ReadTx, Write and Replay call
// Admit themselves. If there is no slot in time, the error is fault.Unavailable, or fault.TooMany if the store or the
// address has as many slots as it can have.
func (w *Work) Admit(ctx context.Context, c Class) (release func(), err error) {
	if w.admitted {
		return func() {}, nil
	}

	wait := trace.Current(ctx).StartInterval()
	free, err := w.request.server.Admission[c].Acquire(ctx, w.key())
	wait.End("wait for a slot")
	if err != nil {
		if fault.KindOf(err) == fault.Unavailable {
			w.request.server.logOverload(w.request.Context(), c)
		}
		return nil, err
	}

	before := w.class
	released := false
	w.class = c
	w.admitted = true
	w.leave = func() {
		if !released {
			released = true
			w.class = before
			w.admitted = false
			free()
		}
	}

	return w.leave, nil
}

// key says on whose behalf the request works. Before the credential is checked the store is not known, and the address
// takes its place: otherwise all credentials together would have the share of one store.
func (w *Work) key() admission.Key {
	if w.request.Principal.Store.ID.IsZero() {
		return admission.Key{Tenant: "address " + w.request.Address(), Client: w.request.Address()}
	}
	return admission.Key{Tenant: string(w.request.Principal.Store.ID[:]), Client: w.request.Address()}
}

// AdmitWrite calls Admit for the class ClassWrite. Services that write to the database in the middle of longer work,
// such as hashing a password, get it as an argument.
func (w *Work) AdmitWrite(ctx context.Context) (release func(), err error) {
	return w.Admit(ctx, ClassWrite)
}

// precheck refuses the request, before its credential is checked, if its class is overloaded for long. Routes without a
// credential are not checked: most of them do no work of a class.
func (w *Work) precheck(route Route) error {
	if route.Needs == "" {
		return nil
	}
	err := w.request.server.Admission[w.class].Precheck(w.request.Address())
	if err != nil {
		w.request.server.logOverload(w.request.Context(), w.class)
	}
	return err
}

// Class returns the class of the route, or of the slot that the request has.
func (w *Work) Class() Class { return w.class }

// Priority returns the priority of the request's reads in the database, which follows from its slot. A read of lower
// priority would hold the slot while it waits behind others, and so delay the requests for which both are reserved.
func (w *Work) Priority() database.Priority {
	switch w.class {
	case ClassShort:
		return database.Short
	case ClassHeavy, ClassExport, ClassFeed:
		return database.Long
	}
	return database.Normal
}

// overloadLogEvery is the interval at which an overload is logged. The metrics count each refused request.
const overloadLogEvery = 10 * time.Second

// overloadLog has the time of the last message about an overload, in Unix nanoseconds.
type overloadLog struct{ last atomic.Int64 }

// due reports whether it is time for a message.
func (l *overloadLog) due(now time.Time) bool {
	last := l.last.Load()
	return now.UnixNano()-last >= int64(overloadLogEvery) && l.last.CompareAndSwap(last, now.UnixNano())
}

// logOverload logs that requests of the class are refused, from time to time.
func (s *Server) logOverload(ctx context.Context, c Class) {
	if s.overload.due(time.Now()) {
		stats := s.Admission[c].Stats()
		s.log.LogAttrs(ctx, slog.LevelWarn, "overloaded: requests are refused", slog.String("class", string(c)),
			slog.Int("slots", stats.Slots), slog.Int("waiting", stats.Waiting),
			slog.Int64("refused", stats.RefusedByLoad))
	}
}
