package search

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"vitrine/internal/kit/database"
)

const (
	// followEvery is how often columns that nobody asks are brought up to date, so that the next who asks has little to wait for.
	followEvery = 500 * time.Millisecond
	forgetEvery = time.Minute
	// refuseFor is how long a store that is too large for the memory is left to SQL before it is tried again, restFor one that had to make
	// room for others or could not be read.
	refuseFor = 10 * time.Minute
	restFor   = 30 * time.Second
	// buildTime is how long a build may take.
	buildTime = 10 * time.Minute
	// A store of which more than this many products and a part of them changed is built anew rather than followed.
	followMost, followPart = 100_000, 4
)

// Run builds the columns that are asked for, keeps all of them current and within their memory, until ctx ends.
func (s *Service) Run(ctx context.Context) error {
	var group errgroup.Group
	group.Go(func() error { return s.builds(ctx) })
	group.Go(func() error { return s.follows(ctx) })
	return group.Wait()
}

func (s *Service) all() []*shelf {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]*shelf, 0, len(s.shelves))
	for _, sh := range s.shelves {
		list = append(list, sh)
	}
	return list
}

// builds makes columns, one store at a time.
func (s *Service) builds(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.wake:
		}
		for _, sh := range s.all() {
			if sh.wanted.Load() && s.Memory > 0 && time.Now().Unix() >= sh.refused.Load() && ctx.Err() == nil {
				s.build(ctx, sh)
			}
		}
	}
}

// build makes the columns of one store while those that it has go on answering.
func (s *Service) build(ctx context.Context, sh *shelf) {
	limited, cancel := context.WithTimeout(ctx, buildTime)
	defer cancel()
	began := time.Now()
	var built *columns
	err := s.DB.Snapshot(limited, func(q database.Querier) (err error) {
		built, err = build(&loader{limited, q, sh.storeID}, s.Memory)
		return err
	})
	switch {
	case errors.Is(err, errTooLarge):
		s.Log.Warn("a store is too large to be kept in memory for searching; SQL answers. More memory can be given with --search-memory",
			"store", sh.storeID, "memory", s.Memory)
		sh.refuse(refuseFor)
		sh.drop()
		return
	case err != nil:
		if ctx.Err() == nil {
			s.Log.Warn("a store could not be read for searching; SQL answers", "store", sh.storeID, "took", time.Since(began), "error", err)
		}
		sh.refuse(restFor)
		return
	}
	s.counters.builds.Add(1)
	filters, words := built.size()
	s.Log.Debug("read a store for searching", "store", sh.storeID, "products", built.rows(), "bytes", filters+words, "took", time.Since(began))
	sh.mu.Lock()
	sh.cols = built
	sh.weigh()
	sh.mu.Unlock()
	sh.wanted.Store(false)
	s.shrink(sh)
}

// shrink drops the columns that were least used until the others fit into the memory; keep, which alone fits, is not among them.
func (s *Service) shrink(keep *shelf) {
	list := s.all()
	slices.SortFunc(list, func(a, b *shelf) int { return cmp.Compare(a.used.Load(), b.used.Load()) })
	total := func() (n int64) {
		for _, sh := range list {
			n += sh.bytes()
		}
		return n
	}
	for _, sh := range list {
		if sh != keep && sh.bytes() > 0 && total() > s.Memory {
			sh.refuse(restFor) // two that do not fit together would otherwise be built in turn
			sh.drop()
		}
	}
	filters, words := int64(0), int64(0)
	for _, sh := range list {
		filters, words = filters+sh.filters.Load(), words+sh.words.Load()
	}
	s.counters.filters.Store(filters)
	s.counters.words.Store(words)
}

// bytes is what the columns take.
func (sh *shelf) bytes() int64 { return sh.filters.Load() + sh.words.Load() }

// weigh notes what the columns take; the caller holds the lock.
func (sh *shelf) weigh() {
	filters, words := sh.cols.size()
	sh.filters.Store(int64(filters))
	sh.words.Store(int64(words))
}

// refuse leaves the store to SQL for a while.
func (sh *shelf) refuse(d time.Duration) { sh.refused.Store(time.Now().Add(d).Unix()) }

// drop frees the columns.
func (sh *shelf) drop() {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.forget()
}

// forget is drop for who holds the lock.
func (sh *shelf) forget() {
	sh.cols = nil
	sh.filters.Store(0)
	sh.words.Store(0)
}

// follows keeps columns current that others change, and forgets changes that everybody has seen.
func (s *Service) follows(ctx context.Context) error {
	follow, forget := time.NewTicker(followEvery), time.NewTicker(forgetEvery)
	defer follow.Stop()
	defer forget.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return nil
		case <-follow.C:
			for _, sh := range s.all() {
				err = errors.Join(err, s.follow(ctx, sh))
			}
			s.shrink(nil)
		case <-forget.C:
			err = s.Catalog.ForgetChanges(ctx, s.DB)
		}
		if err != nil && ctx.Err() == nil {
			s.Log.Warn("the columns for searching could not be kept current; they will be later", "error", err)
		}
	}
}

// follow brings the columns of one store up to date, however much has changed, and has them built anew where that is better.
func (s *Service) follow(ctx context.Context, sh *shelf) error {
	sh.mu.RLock()
	if sh.cols == nil {
		sh.mu.RUnlock()
		return nil
	}
	at, rows := sh.cols.at, sh.cols.rows()
	sh.mu.RUnlock()
	err := s.DB.Snapshot(ctx, func(q database.Querier) error {
		now, err := readVersions(ctx, q, sh.storeID)
		if err != nil || now.same(at) {
			return err
		}
		keys, err := changedProducts(ctx, q, sh.storeID, at.products, now.products, followAtOnce+1)
		if err != nil {
			return err
		}
		if len(keys) > followAtOnce { // too long to wait for
			sh.busy.Store(true)
			defer sh.busy.Store(false)
		}
		err = sh.follow(ctx, q, now, max(followMost, rows/followPart))
		if errors.Is(err, errNotReady) {
			sh.wanted.Store(true)
			return nil
		}
		return err
	})
	if err != nil {
		return err
	}
	sh.mu.RLock()
	if sh.cols != nil {
		sh.weigh()
		if sh.cols.wasteful() {
			sh.wanted.Store(true)
		}
	}
	sh.mu.RUnlock()
	if sh.wanted.Load() {
		s.nudge()
	}
	return nil
}
