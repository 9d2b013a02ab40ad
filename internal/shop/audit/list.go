package audit

import (
	"context"
	"log/slog"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/periodic"
	"vitrine/internal/shop/store"
)

// Filter selects entries of the log. Members that are zero do not restrict the selection.
type Filter struct {
	// By is the author; its Name does not matter.
	By store.Actor
	// ObjectKinds are the kinds of the changed objects.
	ObjectKinds []string
	// From is the first instant, and Until the first one after the period.
	From, Until time.Time
	// Before selects the entries before a position: the position of the last entry of the page before.
	Before Position
}

// Position is a place in the log, which is ordered by time and sequence.
type Position struct {
	At       time.Time
	Sequence int64
}

// Position returns the place of the record.
func (r StoredEntry) Position() Position { return Position{r.At, r.Sequence} }

// List returns up to limit entries of a store, newest first, and reports whether there are more.
func (s *Service) List(
	ctx context.Context, tx store.Tx, f Filter, limit int,
) (list []StoredEntry, more bool, err error) {
	defer fault.AddContext(&err, "read the log of store %s", tx.StoreID())
	list, err = selectRecords(ctx, tx, f, limit+1)
	if len(list) > limit {
		return list[:limit], true, err
	}
	return list, false, err
}

const (
	// pruneInterval is the interval between two deletions of expired entries; pruneBatch is the maximum number of
	// entries that one transaction deletes.
	pruneInterval = time.Hour
	pruneBatch    = 500
)

// RunRetention deletes entries older than the retention periodically until ctx ends; then it returns nil. A retention
// of 0 keeps all entries.
func (s *Service) RunRetention(
	ctx context.Context, db *database.DB, retention time.Duration, log *slog.Logger,
) error {
	if retention <= 0 {
		return nil
	}
	return periodic.Run(ctx, log, periodic.Task{Name: "delete old entries of the log", Every: pruneInterval,
		Do: func(ctx context.Context) error { return s.Prune(ctx, db, retention) }})
}

// Prune deletes the entries that are older than the retention.
func (s *Service) Prune(ctx context.Context, db *database.DB, retention time.Duration) error {
	before := s.Now().Add(-retention)
	for {
		n, err := database.Write(ctx, db, func(q database.Querier) (int64, error) {
			return deleteOldestRecords(ctx, q, before, pruneBatch)
		})
		if err != nil || n < pruneBatch {
			return err
		}
	}
}
