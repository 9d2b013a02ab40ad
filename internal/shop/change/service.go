package change

import (
	"context"
	"log/slog"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
)

// maxCollects is how many transactions of Collect a reader waits for at most. What they have not collected yet is part
// of a later version.
const maxCollects = 5

// Deps are the dependencies of a Service.
type Deps struct {
	DB       *database.DB
	Events   *event.Emitter
	Webhooks *webhook.Service
	Now      func() time.Time
	Log      *slog.Logger
}

// Service keeps the changes that clients see. It is safe for concurrent use, on several nodes too.
type Service struct {
	Deps
	// maxLogged is the number of rows of the log of products that one transaction takes. Tests lower it.
	maxLogged int
}

// New returns a service. The caller must also call Run, in a goroutine.
func New(d Deps) *Service { return &Service{Deps: d, maxLogged: maxLogged} }

// Refresh makes the present version include all changes that were committed before, unless they are very many.
func (s *Service) Refresh(ctx context.Context, storeID store.ID) (err error) {
	defer fault.AddContext(&err, "collect the changes of store %s", storeID)
	for range maxCollects {
		behind, err := database.ReadShort(ctx, s.DB, func(q database.Querier) (bool, error) {
			st, err := readState(ctx, store.In(q, storeID))
			return st.stale(), err
		})
		if err != nil || !behind {
			return err
		}

		err = s.DB.WriteAlone(ctx, func(q database.Querier) error {
			_, err := s.collect(ctx, store.In(q, storeID))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
