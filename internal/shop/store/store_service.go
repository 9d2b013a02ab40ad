package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
)

// Service implements the operations on stores. It is safe for concurrent use.
type Service struct {
	db  *database.DB
	now func() time.Time
	// zones caches *time.Location by name. Every request needs the timezone of its store, and loading one reads a file.
	zones sync.Map
}

// NewService returns a service on db. now is the clock.
func NewService(db *database.DB, now func() time.Time) *Service { return &Service{db: db, now: now} }

// Create creates a store in the caller's transaction. Fields that are nil in e get defaults: "My shop", UTC, en, USD.
// It returns an Invalid fault with every invalid field.
func (s *Service) Create(ctx context.Context, q database.Querier, e Edit) (Store, error) {
	now := s.moment()
	created, err := e.apply(Store{
		ID: id.New[Store](), Name: defaultName, Timezone: defaultTimezone, Locale: defaultLocale, Currency: defaultCurrency,
		CORSOrigins: []string{}, Version: 1, CreatedAt: now, UpdatedAt: now,
	})
	if err != nil {
		return Store{}, err
	}
	if err := insertStore(ctx, In(q, created.ID), created); err != nil {
		return Store{}, fmt.Errorf("create a store: %w", err)
	}
	return s.withZone(created), nil
}

// List returns all stores, oldest first.
func (s *Service) List(ctx context.Context) ([]Store, error) {
	var list []Store
	err := s.db.Read(ctx, func(q database.Querier) error {
		rows, err := selectStores(ctx, q)
		list = rows
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the stores: %w", err)
	}
	for i := range list {
		list[i] = s.withZone(list[i])
	}
	return list, nil
}

// Find returns a store, or a NotFound fault.
func (s *Service) Find(ctx context.Context, storeID ID) (Store, error) {
	var found Store
	err := s.db.Read(ctx, func(q database.Querier) (err error) {
		found, err = s.FindIn(ctx, In(q, storeID))
		return err
	})
	return found, err
}

// FindIn is Find in the caller's transaction.
func (s *Service) FindIn(ctx context.Context, tx Tx) (Store, error) {
	found, err := selectStore(ctx, tx)
	if err != nil {
		return Store{}, wrapSelectError(err, tx.StoreID())
	}
	return s.withZone(found), nil
}

// Update changes a store in the caller's transaction and locks its row until the end. If ifVersion is not nil and the
// store has another version, it returns a Stale fault. Every update increments the version and moves UpdatedAt forward.
func (s *Service) Update(ctx context.Context, tx Tx, e Edit, ifVersion *int64) (Store, error) {
	old, err := lockStore(ctx, tx)
	if err != nil {
		return Store{}, wrapSelectError(err, tx.StoreID())
	}
	if ifVersion != nil && *ifVersion != old.Version {
		return Store{}, fault.New(fault.Stale, "precondition_failed",
			"The store was changed by someone else meanwhile; read it again and repeat the change.")
	}
	changed, err := e.apply(old)
	if err != nil {
		return Store{}, err
	}
	changed.Version++
	changed.UpdatedAt = s.moment()
	if !changed.UpdatedAt.After(old.UpdatedAt) {
		changed.UpdatedAt = old.UpdatedAt.Add(time.Microsecond)
	}
	if err := updateStore(ctx, In(tx.Unscoped(), changed.ID), changed); err != nil {
		return Store{}, fmt.Errorf("update store %s: %w", tx.StoreID(), err)
	}
	return s.withZone(changed), nil
}

// Count returns the number of stores.
func (s *Service) Count(ctx context.Context) (int64, error) {
	var n int64
	err := s.db.Read(ctx, func(q database.Querier) (err error) {
		n, err = countStores(ctx, q)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("count the stores: %w", err)
	}
	return n, nil
}

// FromRow returns the store of a row that a query of another package has filled; see Row.
func (s *Service) FromRow(r *Row) Store { return s.withZone(r.store()) }

// withZone sets the timezone, from the cache if possible.
func (s *Service) withZone(one Store) Store {
	if zone, ok := s.zones.Load(one.Timezone); ok {
		one.zone = zone.(*time.Location)
		return one
	}
	one.zone = zoneOrUTC(one.Timezone)
	s.zones.Store(one.Timezone, one.zone)
	return one
}

// moment returns the current time in the precision of the database.
func (s *Service) moment() time.Time { return s.now().UTC().Truncate(time.Microsecond) }

// wrapSelectError maps ErrNoRows to the NotFound fault and wraps other errors.
func wrapSelectError(err error, storeID ID) error {
	if errors.Is(err, database.ErrNoRows) {
		return Missing()
	}
	return fmt.Errorf("store %s: %w", storeID, err)
}

// Missing returns the NotFound fault for a store that does not exist.
func Missing() error { return fault.New(fault.NotFound, "not_found", "There is no such store.") }
