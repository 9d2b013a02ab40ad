package order

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/searchlog"
	"vitrine/internal/shop/store"
)

// Deps are the dependencies and settings of the service.
type Deps struct {
	DB *database.DB
	// Stores is needed by Run if there is a ReservationTimeout.
	Stores  *store.Service
	Catalog *catalog.Service
	Events  *event.Emitter
	Now     func() time.Time
	// Log receives the failures of the worker. It may be nil.
	Log *slog.Logger
	// DraftRetention is how long a draft is kept after its last change; 0 means for ever. An empty draft of a guest is
	// kept for at most a day, unless it is 0.
	DraftRetention time.Duration
	// MaxGuestDrafts limits the drafts of guests in a store; 0 means no limit. At the limit a new draft replaces old
	// ones.
	MaxGuestDrafts int
	// MaxLinePieces limits the quantity of an item for callers without access to all orders; 0 means no limit.
	MaxLinePieces int
	// ReservationTimeout is how long a guest's submitted order waits to be confirmed before it is cancelled; 0 means
	// for ever.
	ReservationTimeout time.Duration
	// PublicURL is the base URL of image files in events. Without it, the base URL of the request is used.
	PublicURL string
	// Counts counts the carts of each day. It may be nil.
	Counts *store.DailyCounts
	// Announce is called in the transaction that changes the state of an order. It may be nil.
	Announce func(ctx context.Context, tx store.Tx, t Transition) error
	// Searches counts submitted orders for the searches that led to their products. It may be nil.
	Searches *searchlog.Log
}

// Transition is a change of the state of an order, with the event that announces it.
type Transition struct {
	OrderID ID
	To      State
	EventID event.ID
}

// Service implements the use-cases of orders, and the worker that deletes expired drafts and cancels expired
// reservations. The use-cases run in the caller's transaction; those that change data need a write transaction.
type Service struct {
	Deps
	guestDrafts draftCounter
	// maxCandidates is store.MaxCandidates, unless a test changes it.
	maxCandidates int64
	counter       popularityCounter
}

// New returns a service.
func New(d Deps) *Service {
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{Deps: d, maxCandidates: store.MaxCandidates,
		counter: popularityCounter{d.DB, d.Now, ordersPerPopularityBatch}}
}

// Order returns an order with its items, or fault.NotFound. It runs several statements, so tx should be a snapshot or a
// write transaction.
func (s *Service) Order(
	ctx context.Context, tx store.Tx, shop store.Store, orderID ID, caller Caller,
) (_ Order, err error) {
	defer fault.AddContext(&err, "read order %s", orderID)
	return s.readOrder(ctx, tx, shop, orderID, caller)
}

// readOrder implements Order, but does not add context to errors.
func (s *Service) readOrder(
	ctx context.Context, tx store.Tx, shop store.Store, orderID ID, caller Caller,
) (Order, error) {
	o, err := s.authorizedOrder(ctx, tx, orderID, caller, "")
	if err != nil {
		return Order{}, err
	}
	orders := []Order{o}
	if err := s.fillItems(ctx, tx, shop, orders); err != nil {
		return Order{}, err
	}
	err = fillLinks(ctx, tx, orders)
	return orders[0], err
}

// FillItems sets the Items of the orders with their slugs and thumbnails, with the same queries for all of them. In
// drafts it also sets names, SKUs, options, modifiers, prices and availability from the catalogue, the Total, and the
// store's current Currency.
func (s *Service) FillItems(ctx context.Context, tx store.Tx, shop store.Store, orders []Order) (err error) {
	defer fault.AddContext(&err, "read items of orders of store %s", shop.ID)
	if err := s.fillItems(ctx, tx, shop, orders); err != nil {
		return err
	}
	return fillLinks(ctx, tx, orders)
}

// fillItems implements FillItems without slugs and thumbnails, and does not add context to errors.
func (s *Service) fillItems(ctx context.Context, tx store.Tx, shop store.Store, orders []Order) error {
	if err := selectItemsOfOrders(ctx, tx, orders); err != nil {
		return err
	}

	var ids []catalog.VariantID
	for i := range orders {
		if orders[i].State == Draft {
			orders[i].endPrices(s.Now())
			orders[i].Currency = shop.Currency
			ids = append(ids, variantIDsOfItems(orders[i].Items)...)
		}
	}

	if len(ids) == 0 {
		return nil
	}

	offers, err := s.Catalog.Products.Offers(ctx, tx, ids)
	if err != nil {
		return err
	}

	for i := range orders {
		if o := &orders[i]; o.State == Draft {
			o.applyOffers(offers)
		}
	}

	if err := applyItemPrices(ctx, tx, orders, offers); err != nil {
		return err
	}
	return modifierReader{s.Catalog.Products}.follow(ctx, tx, orders, offers)
}

// fillLinks sets the Slug and the ThumbnailPath of all items of the orders: that of the first image of the variant,
// else of the product.
func fillLinks(ctx context.Context, tx store.Tx, orders []Order) error {
	var ids []catalog.ProductID
	var variants []catalog.VariantID
	for i := range orders {
		for j := range orders[i].Items {
			ids = append(ids, orders[i].Items[j].ProductID)
			variants = append(variants, orders[i].Items[j].VariantID)
		}
	}

	if len(ids) == 0 {
		return nil
	}

	slugs, err := view.Slugs(ctx, tx, ids)
	if err != nil {
		return err
	}
	first, err := view.FirstImages(ctx, tx, ids)
	if err != nil {
		return err
	}
	ofVariants, err := view.FirstImagesOfVariants(ctx, tx, variants)
	if err != nil {
		return err
	}

	for i := range orders {
		for j := range orders[i].Items {
			item := &orders[i].Items[j]
			item.Slug = slugs[item.ProductID]
			if im := cmp.Or(ofVariants[item.VariantID], first[item.ProductID]); im != nil {
				item.ThumbnailPath = string(im.AppendPath(nil, tx.StoreID(), imagefile.Small))
			}
		}
	}

	return nil
}

// fillLinksOf is fillLinks for one order.
func fillLinksOf(ctx context.Context, tx store.Tx, o *Order) error {
	orders := []Order{*o}
	err := fillLinks(ctx, tx, orders)
	*o = orders[0]
	return err
}

// applyOffers updates the items of a draft from the catalogue. Items whose variant was deleted keep their other members
// and are not available.
func (o *Order) applyOffers(offers map[catalog.VariantID]*catalog.Offer) {
	for i := range o.Items {
		offer := offers[o.Items[i].VariantID]
		if offer != nil {
			o.Items[i].setOffer(offer)
		}
		o.Items[i].setAvailable(offer)
	}
}

func variantIDsOfItems(items []Item) []catalog.VariantID {
	ids := make([]catalog.VariantID, len(items))
	for i := range items {
		ids[i] = items[i].VariantID
	}
	return ids
}

// authorizedOrder returns an order without its items. It returns fault.NotFound if the order does not exist or the
// caller may not access it. lock is empty or a locking clause of the dialect.
func (s *Service) authorizedOrder(
	ctx context.Context, tx store.Tx, orderID ID, caller Caller, lock string,
) (Order, error) {
	o, err := selectOrder(ctx, tx, orderID, lock)
	if err == nil && !caller.mayAccess(&o) {
		err = fault.Missing("order")
	}
	o.endPrices(s.Now())
	return o, err
}

// raiseVersion increments the version and sets UpdatedAt. It does not write to the database.
func (s *Service) raiseVersion(o *Order) {
	o.Version++
	o.UpdatedAt = database.Moment(s.Now())
}
