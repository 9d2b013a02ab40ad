package store

import (
	"context"
	"errors"
	"sync"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
)

// Deps are the dependencies of the service.
type Deps struct {
	DB  *database.DB
	Now func() time.Time
}

// Service implements the operations on stores. It is safe for concurrent use.
type Service struct {
	Deps
	// zones caches *time.Location by name. Every request needs the timezone of its store, and loading one reads a file.
	zones sync.Map
}

// New returns a service.
func New(d Deps) *Service { return &Service{Deps: d} }

// Create creates a store in the caller's transaction. Fields that are nil in e get defaults: "My shop", UTC, en, USD.
// It returns an Invalid fault with every invalid field.
func (s *Service) Create(ctx context.Context, q database.Querier, e Edit) (_ Store, err error) {
	defer fault.AddContext(&err, "create a store")
	now := database.Moment(s.Now())
	created, err := e.apply(Store{
		ID: id.New[Store](), Name: defaultName, Timezone: defaultTimezone, Locale: defaultLocale,
		Currency:    defaultCurrency,
		Paths:       DefaultPaths(),
		CORSOrigins: []string{}, Version: 1, CreatedAt: now, UpdatedAt: now,
	})
	if err != nil {
		return Store{}, err
	}
	return s.withZone(created), insertStore(ctx, In(q, created.ID), created)
}

// List returns all stores, oldest first.
func (s *Service) List(ctx context.Context) (list []Store, err error) {
	defer fault.AddContext(&err, "list the stores")
	list, err = database.Read(ctx, s.DB, func(q database.Querier) ([]Store, error) { return selectStores(ctx, q) })
	for i := range list {
		list[i] = s.withZone(list[i])
	}
	return list, err
}

// Find returns a store, or a NotFound fault.
func (s *Service) Find(ctx context.Context, storeID ID) (Store, error) {
	return database.Read(ctx, s.DB, func(q database.Querier) (Store, error) { return s.FindIn(ctx, In(q, storeID)) })
}

// FindIn returns the store of tx, or a NotFound fault.
func (s *Service) FindIn(ctx context.Context, tx Tx) (_ Store, err error) {
	defer fault.AddContext(&err, "find store %s", tx.StoreID())
	return s.find(ctx, tx, "")
}

// find returns a store with its timezone, or a NotFound fault. lock is a locking clause of the dialect, or empty.
func (s *Service) find(ctx context.Context, tx Tx, lock string) (Store, error) {
	found, err := selectStore(ctx, tx, lock)
	if errors.Is(err, database.ErrNoRows) {
		err = Missing()
	}
	return s.withZone(found), err
}

// Update changes a store in the caller's transaction and locks its row until the transaction ends. If ifVersion is not
// nil and the store has another version, it returns a Stale fault. Every update increments the version and moves
// UpdatedAt forward.
func (s *Service) Update(ctx context.Context, tx Tx, e Edit, ifVersion *int64) (_ Store, err error) {
	defer fault.AddContext(&err, "update store %s", tx.StoreID())

	old, err := s.find(ctx, tx, tx.Dialect().ForUpdate)
	if err != nil {
		return Store{}, err
	}

	if ifVersion != nil && *ifVersion != old.Version {
		return Store{}, fault.New(fault.Stale, "precondition_failed",
			"The store was changed by someone else meanwhile; read it again and repeat the change.")
	}

	changed, err := e.apply(old)
	if err != nil {
		return Store{}, err
	}

	if err := checkPriceLists(ctx, tx, old, changed); err != nil {
		return Store{}, err
	}

	changed.Version++
	changed.UpdatedAt = database.Moment(s.Now())
	if !changed.UpdatedAt.After(old.UpdatedAt) {
		changed.UpdatedAt = old.UpdatedAt.Add(time.Microsecond)
	}

	if err := updateStore(ctx, tx, changed); err != nil {
		return Store{}, err
	}
	if err := keepFormerPaths(ctx, tx, old, changed); err != nil {
		return Store{}, err
	}
	if changed.Paths != old.Paths || changed.SiteURL != old.SiteURL {
		if err := touchPaths(ctx, tx); err != nil {
			return Store{}, err
		}
	}
	if changed.Locale != old.Locale { // searches find the forms of words in the language of the store
		if _, err := RaiseSearchVersion(ctx, tx); err != nil {
			return Store{}, err
		}
	}

	return s.withZone(changed), nil
}

// checkPriceLists checks a change of the currency or of the list of old prices: customers never see prices of two
// currencies. The caller has locked the store.
func checkPriceLists(ctx context.Context, tx Tx, old, changed Store) error {
	if changed.Currency != old.Currency {
		used, err := groupsHaveLists(ctx, tx)
		if err != nil {
			return err
		}
		if used || old.OldPriceList != nil && changed.OldPriceList != nil {
			return errListsInUse()
		}
	}

	if changed.OldPriceList == nil || old.OldPriceList != nil && *changed.OldPriceList == *old.OldPriceList {
		return nil
	}
	currency, err := listCurrency(ctx, tx, *changed.OldPriceList)
	if err != nil {
		return err
	}
	if broken := CheckPriceList(currency, changed.Currency); broken != nil {
		return fault.Fields([]fault.Field{broken.At("old_price_list")})
	}
	return nil
}

// Count returns the number of stores.
func (s *Service) Count(ctx context.Context) (_ int64, err error) {
	defer fault.AddContext(&err, "count the stores")
	return database.Read(ctx, s.DB, func(q database.Querier) (int64, error) { return countStores(ctx, q) })
}

// ClaimFirst reports, in the caller's transaction, whether the caller must create the first store. At most one
// transaction that commits gets true, whatever the number of nodes. After a rollback another one can get true.
func (s *Service) ClaimFirst(ctx context.Context, q database.Querier) (bool, error) {
	claimed, err := insertFirstClaim(ctx, q)
	if err != nil || !claimed {
		return false, err
	}
	n, err := countStores(ctx, q)
	return n == 0, err
}

// FromRow returns the store of a row that a query of another package has filled; see Row.
func (s *Service) FromRow(r *Row) Store { return s.withZone(r.store()) }

// withZone sets the timezone, from the cache if possible.
func (s *Service) withZone(one Store) Store {
	zone, ok := s.zones.Load(one.Timezone)
	if !ok {
		zone, _ = s.zones.LoadOrStore(one.Timezone, zoneOrUTC(one.Timezone))
	}
	one.zone = zone.(*time.Location)
	return one
}

// Missing returns the NotFound fault for a store that does not exist.
func Missing() error { return fault.New(fault.NotFound, "not_found", "There is no such store.") }
