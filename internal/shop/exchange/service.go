package exchange

import (
	"context"
	"log/slog"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/store"
)

// Deps is what the gate needs.
type Deps struct {
	DB      *database.DB
	Catalog *catalog.Service
	Access  *access.Service
	Stores  *store.Service
	// Events tells others that a run is over.
	Events *event.Emitter
	// Queue takes what is done in the background. It is made of the kinds that Kinds gives.
	Queue *queue.Queue
	Now   func() time.Time
	Log   *slog.Logger
	// Retention is how long runs are kept.
	Retention time.Duration
	// SpoolDir holds pushes that are read whole before they are applied.
	SpoolDir string
}

// Service is the gate's use-cases. It is safe for concurrent use.
type Service struct {
	Deps
	handlers map[string]entityHandler
	// running are the pushes that this node is at, for their sign of life.
	running running
}

// NewService makes it. The caller runs Run beside it.
func NewService(deps Deps) *Service {
	c := deps.Catalog.Pushes
	return &Service{Deps: deps, handlers: map[string]entityHandler{
		Products:       productEntity(c),
		VariantOptions: attributeEntity(c, item.Option(), catalog.Option),
		Features:       attributeEntity(c, item.Feature(), catalog.Feature),
		Categories:     newEntity(item.Category(), c.ApplyCategories),
		Stocks:         newEntity(item.Stock(), c.ApplyStocks),
		Remainders:     byVariant(newEntity(item.Remainder(), c.ApplyRemainders)),
		Prices:         byVariant(newEntity(item.Price(), c.ApplyPrices)),
	}}
}

// now is the present time as it is stored.
func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Microsecond) }

// checkToken returns a fault if the credential of a push does not work any more.
func (s *Service) checkToken(ctx context.Context, tx store.Tx, keyID access.KeyID) error {
	active, err := s.Access.KeyActive(ctx, tx, keyID)
	if err == nil && !active {
		err = fault.New(fault.Unauthenticated, "invalid_exchange_token", "The exchange token was revoked or has expired while the push was on its way.")
	}
	return err
}
