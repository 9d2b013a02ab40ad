package customer

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/notify"
	"vitrine/internal/shop/store"
)

// Deps is what the service works with.
type Deps struct {
	DB     *database.DB
	Stores *store.Service
	Notify *notify.Service
	Vault  *vault.Vault
	Now    func() time.Time
	// Log gets what the worker could not do; nil discards it.
	Log *slog.Logger
	// CodesPerHour is how many codes one person may ask for in an hour; 0 is any number.
	CodesPerHour int
}

// Service is what can be done about customers. It is safe for concurrent use.
type Service struct{ Deps }

// NewService makes the service.
func NewService(d Deps) *Service {
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{d}
}

// moment is now in the precision of the database.
func (s *Service) moment() time.Time { return s.Now().UTC().Truncate(time.Microsecond) }

// cleanupEvery is how often codes and sessions that have ended are looked for.
const cleanupEvery = 10 * time.Minute

// Run deletes codes and sessions that have ended, until ctx ends; then it returns nil. What could not be deleted is logged and tried again.
func (s *Service) Run(ctx context.Context) error {
	tick := time.NewTicker(cleanupEvery)
	defer tick.Stop()
	for {
		if err := s.deleteExpired(ctx); err != nil && !errors.Is(err, context.Canceled) {
			s.Log.WarnContext(ctx, "cannot delete expired login codes and sessions; retrying", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// deleteExpired keeps codes as long as they count against their person.
func (s *Service) deleteExpired(ctx context.Context) error {
	now := s.moment()
	return s.DB.Write(ctx, func(q database.Querier) error {
		if err := deleteOldLogins(ctx, q, now.Add(-rateWindow)); err != nil {
			return err
		}
		return deleteExpiredSessions(ctx, q, now)
	})
}
