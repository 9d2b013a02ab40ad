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

// Deps are the dependencies of a Service.
type Deps struct {
	DB      *database.DB
	Catalog *catalog.Service
	Access  *access.Service
	Stores  *store.Service
	// Events emits exchange.completed.
	Events *event.Emitter
	// Queue has the pushes that are applied in the background. The caller registers Kinds at it.
	Queue *queue.Queue
	Now   func() time.Time
	Log   *slog.Logger
	// Retention is how long runs are kept; 0 keeps them for ever.
	Retention time.Duration
	// SpoolDir is the directory for the temporary files of pushes that are applied in one transaction.
	SpoolDir string
}

// Service applies pushes and reads runs. It is safe for concurrent use.
type Service struct {
	Deps
	handlers map[string]entityHandler
	// running has the runs for which this node writes heartbeats.
	running runSet
}

// New returns a Service. The caller must also call Run, in a goroutine.
func New(deps Deps) *Service {
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

// now returns the current time with the precision of the database: microseconds.
func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Microsecond) }

// checkToken returns fault.Unauthenticated if the exchange token of a push was revoked or has expired.
func (s *Service) checkToken(ctx context.Context, tx store.Tx, keyID access.KeyID) error {
	active, err := s.Access.KeyActive(ctx, tx, keyID)
	if err == nil && !active {
		err = fault.New(fault.Unauthenticated, "invalid_exchange_token",
			"The exchange token was revoked or has expired while the push was on its way.")
	}
	return err
}
