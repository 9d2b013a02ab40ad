package order

import (
	"context"
	"log/slog"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
)

// Deps is what the service works with.
type Deps struct {
	DB      *database.DB
	Catalog *catalog.Service
	Events  *event.Emitter
	Now     func() time.Time
	// Log gets what the worker could not do; nil discards it.
	Log *slog.Logger
	// DraftRetention is how long a draft is kept that nobody changes; 0 keeps it for ever.
	DraftRetention time.Duration
}

// Service is the use-cases of orders, and the worker that ends drafts. Those that change something take the caller's transaction.
type Service struct {
	db             *database.DB
	catalog        *catalog.Service
	events         *event.Emitter
	now            func() time.Time
	log            *slog.Logger
	draftRetention time.Duration
}

// NewService makes the service.
func NewService(d Deps) *Service {
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{db: d.DB, catalog: d.Catalog, events: d.Events, now: d.Now, log: d.Log, draftRetention: d.DraftRetention}
}

// Filter says which orders of a store are meant; what is zero leaves all.
type Filter struct {
	Search   string
	State    State
	Customer int64     // the key of whom they belong to
	From     time.Time // when they were made, at the earliest
	Before   time.Time // when they were made, exclusively
}

// Orders returns one page of a store's orders without their items, the newest first, and how many there are in all.
func (s *Service) Orders(ctx context.Context, q database.Querier, shop store.Store, f Filter, limit, offset int64) ([]Order, int64, error) {
	return listOrders(ctx, q, shop.ID, f, limit, offset)
}

// Order returns an order with its items, or fault.NotFound. Several statements are run, so q should be on a snapshot.
func (s *Service) Order(ctx context.Context, q database.Querier, shop store.Store, orderID ID, caller Caller) (Order, error) {
	o, err := s.authorizedOrder(ctx, q, shop, orderID, caller, "")
	if err != nil {
		return Order{}, err
	}
	orders := []Order{o}
	err = s.FillItems(ctx, q, shop, orders)
	return orders[0], err
}

// FillItems reads the items of orders with one query for all of them, and for those of drafts what the catalogue says of them now. Their
// prices are in the store's present currency.
func (s *Service) FillItems(ctx context.Context, q database.Querier, shop store.Store, orders []Order) error {
	if err := selectItemsOfOrders(ctx, q, shop.ID, orders); err != nil {
		return err
	}
	var ids []catalog.VariantID
	for i := range orders {
		if orders[i].State == Draft {
			orders[i].Currency = shop.Currency
			ids = append(ids, variantIDs(orders[i].Items)...)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	offers, err := s.catalog.Products.Offers(ctx, q, shop.ID, ids)
	if err != nil {
		return err
	}
	for i := range orders {
		if o := &orders[i]; o.State == Draft {
			o.applyOffers(offers)
		}
	}
	return nil
}

// applyOffers brings the items of a draft to what the catalogue says. What it does not have any more stays as it was last seen.
func (o *Order) applyOffers(offers map[catalog.VariantID]*catalog.Offer) {
	for i := range o.Items {
		if offer := offers[o.Items[i].VariantID]; offer != nil {
			o.Items[i].setOffer(offer)
		}
	}
	o.Total, _ = sumItems(o.Items)
}

func variantIDs(items []Item) []catalog.VariantID {
	ids := make([]catalog.VariantID, len(items))
	for i := range items {
		ids[i] = items[i].VariantID
	}
	return ids
}

// authorizedOrder reads an order that the caller may reach, without its items, or returns fault.NotFound; lock is a clause of the dialect.
func (s *Service) authorizedOrder(ctx context.Context, q database.Querier, shop store.Store, orderID ID, caller Caller, lock string) (Order, error) {
	o, found, err := selectOrder(ctx, q, shop.ID, orderID, lock)
	if err == nil && (!found || !caller.mayAccess(&o)) {
		err = fault.Missing("order")
	}
	return o, err
}

// raiseVersion gives the order its next version.
func (s *Service) raiseVersion(o *Order) {
	o.Version++
	o.UpdatedAt = s.now().UTC().Truncate(time.Microsecond)
}
