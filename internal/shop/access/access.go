package access

import (
	"context"
	"log/slog"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// Deps are the dependencies of the service.
type Deps struct {
	DB     *database.DB
	Stores *store.Service
	Now    func() time.Time
	// Log receives the failures of Run; nil discards them.
	Log *slog.Logger
}

// Service has the use cases of keys and exchange tokens. It is safe for concurrent use.
type Service struct {
	Deps
	// usedKeys buffers times of last use until Run writes them.
	usedKeys *UsageBuffer[KeyID]
	lookups  sharedLookups
}

// New returns a service. Times of last use are written only while Run is running.
func New(d Deps) *Service {
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{Deps: d, usedKeys: NewUsageBuffer(d.DB, updateLastUsed),
		lookups: sharedLookups{byCredential: map[TokenHash]*credentialLookups{}}}
}

// Run writes the times of last use of keys until ctx ends, and those that are left after it. It logs failed writes and
// retries them. One Run per process suffices.
func (s *Service) Run(ctx context.Context) error { return s.usedKeys.Run(ctx, s.Log, "keys") }

// moment returns the current time in the precision of the database.
func (s *Service) moment() time.Time { return database.Moment(s.Now()) }
