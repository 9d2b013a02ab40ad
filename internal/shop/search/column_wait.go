package search

import (
	"cmp"
	"context"
	"errors"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/trace"
)

// errColumnsReady reports that the columns became ready while a query waited.
var errColumnsReady = errors.New("the search columns became ready")

func errSearchBusy() error {
	return fault.New(fault.Unavailable, "search_busy",
		"The products of this store are being read into memory. Try again in a few seconds.").After(busyRetryAfter)
}

// columnWait is the wait of one query for columns that were not ready.
type columnWait struct {
	service *Service
	missing *columnsMissing  // the error of the last lookup
	timeout <-chan time.Time // ends all waits of the query; nil before the first one
}

// insteadOfSQL waits for the columns if they are being made and the query is expensive in SQL. It returns
// errColumnsReady when they are there, a fault if they are not in time, and nil if the query should use SQL.
func (w *columnWait) insteadOfSQL(ctx context.Context) error {
	if w.missing.cheap {
		return nil
	}
	soon := w.service.columnsSoon(w.missing.index) // before isClosed: the workers end with both, in the other order
	if !w.service.running.Load() || (!soon && !isClosed(w.missing.changed)) {
		return nil
	}
	return w.forColumns(ctx, errSearchBusy())
}

// unlessReady returns an Admit that calls admit. It returns errColumnsReady if the columns change while the query
// waits, and also if they change within MaxWait after admit has refused the query.
func (w *columnWait) unlessReady(admit Admit) Admit {
	return func(ctx context.Context) (release func(), err error) {
		waiting, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)

		changed := w.missing.changed // the next lookup may replace it before the goroutine runs
		go func() {
			select {
			case <-changed:
				cancel(errColumnsReady)
			case <-waiting.Done():
			}
		}()

		release, err = admit(waiting)
		// before isClosed: buildIndex and buildChain end with both, in the other order
		soon := w.service.buildsSoon(w.missing.index) || w.missing.index.addsChain()
		switch {
		case err == nil:
			return release, nil
		case errors.Is(context.Cause(waiting), errColumnsReady) || isClosed(changed):
			return nil, errColumnsReady
		case ctx.Err() != nil || !soon:
			return nil, err
		}

		return nil, w.forColumns(ctx, err)
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// forColumns waits for columns that are being built and returns errColumnsReady. If they are not ready in time, or if
// too many queries wait for columns of this or other stores, it returns refusal.
func (w *columnWait) forColumns(ctx context.Context, refusal error) error {
	index := w.missing.index
	defer index.waiting.Add(-1)

	if index.waiting.Add(1) > maxStoreWaiters {
		return refusal
	}
	defer w.service.waiting.Add(-1)

	if w.service.waiting.Add(1) > maxColumnWaiters {
		return refusal
	}

	if w.timeout == nil {
		w.timeout = time.After(cmp.Or(w.service.MaxWait, defaultMaxWait))
	}

	wait := trace.Current(ctx).StartInterval()
	defer func() { wait.End("wait for the search columns") }()

	select {
	case <-w.missing.changed:
		return errColumnsReady
	case <-ctx.Done():
		return ctx.Err()
	case <-w.timeout:
		return refusal
	}
}
