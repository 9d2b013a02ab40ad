package access

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

const (
	// maxLookupWait is how long requests wait for the end of another request's lookup before they start their own. It
	// matters only if a connection to the database hangs.
	maxLookupWait = 100 * time.Millisecond
	// lookupTimeout limits a lookup that several requests wait for. Each of them has a deadline of its own as well.
	lookupTimeout = 30 * time.Second
)

// sharedLookups lets concurrent requests with the same credential share queries: while a lookup of the credential is
// running, further requests wait for the one that follows it. Every request gets the result of a lookup that began
// after the request arrived, so it sees all writes that were acknowledged before.
//
// Most requests of a storefront have the same publishable key, and for many of them the lookup is the only query.
type sharedLookups struct {
	mu           sync.Mutex
	byCredential map[TokenHash]*credentialLookups
}

// credentialLookups are the lookups of one credential.
type credentialLookups struct {
	running int
	next    *lookup // nil if no request waits
}

// lookup is a query that at least one request waits for. The results are set before done is closed.
type lookup struct {
	find      func() (Principal, error)
	overdue   *time.Timer
	done      chan struct{}
	principal Principal
	err       error
}

// do returns the result of find, which concurrent calls may share. The result must not be modified.
func (s *sharedLookups) do(
	ctx context.Context, hash TokenHash, find func(context.Context) (Principal, error),
) (Principal, error) {
	s.mu.Lock()
	all := s.byCredential[hash]
	if all == nil {
		all = &credentialLookups{running: 1}
		s.byCredential[hash] = all
		s.mu.Unlock()
		defer s.end(hash, all)
		return find(ctx)
	}

	if all.next == nil {
		all.next = s.newLookup(ctx, hash, all, find)
	}

	l := all.next
	s.mu.Unlock()
	select {
	case <-l.done:
		return l.principal, l.err
	case <-ctx.Done():
		return Principal{}, ctx.Err()
	}
}

// newLookup returns a lookup that begins after maxLookupWait, unless end begins it before. It does not end with ctx,
// since other requests may wait for it.
func (s *sharedLookups) newLookup(
	ctx context.Context, hash TokenHash, all *credentialLookups, find func(context.Context) (Principal, error),
) *lookup {
	l := &lookup{done: make(chan struct{})}
	l.find = func() (Principal, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookupTimeout)
		defer cancel()
		return find(ctx)
	}
	l.overdue = time.AfterFunc(maxLookupWait, func() { s.begin(hash, all, l) })
	return l
}

// begin runs a lookup, unless it was begun before.
func (s *sharedLookups) begin(hash TokenHash, all *credentialLookups, l *lookup) {
	s.mu.Lock()
	waiting := all.next == l
	if waiting {
		all.next = nil // later requests wait for another lookup
		all.running++
	}

	s.mu.Unlock()
	if !waiting {
		return
	}

	l.overdue.Stop()
	defer s.end(hash, all)
	defer close(l.done)
	defer func() {
		if p := recover(); p != nil { // in this goroutine a panic would end the process
			l.err = fmt.Errorf("look up a credential: panic: %v\n%s", p, debug.Stack())
		}
	}()

	l.principal, l.err = l.find()
}

// end is called at the end of a lookup. It begins the next one.
func (s *sharedLookups) end(hash TokenHash, all *credentialLookups) {
	s.mu.Lock()
	all.running--
	next := all.next
	if next == nil && all.running == 0 {
		delete(s.byCredential, hash)
	}
	s.mu.Unlock()
	if next != nil {
		go s.begin(hash, all, next)
	}
}
