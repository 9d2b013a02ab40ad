// Package access owns authentication and authorization: keys and exchange tokens, operators and their sessions, scopes
// and roles. It turns a token into a Principal. It knows nothing of routes, headers or cookies. The logins of customers
// belong to package customer.
package access

import (
	"crypto/rand"
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

// Service implements the use cases of the package. It is safe for concurrent use.
type Service struct {
	db     *database.DB
	stores *store.Service
	now    func() time.Time
	log    *slog.Logger
	// hashSlots limits the concurrent password hashes: each holds one slot.
	hashSlots chan struct{}
	// usedKeys and seenSessions buffer times of last use until Run writes them.
	usedKeys        usageBuffer[KeyID]
	seenSessions    usageBuffer[tokenHash]
	unknownAccounts unknownAccounts
}

// NewService returns the service. Times of last use are written only while Run is running.
func NewService(d Deps) *Service {
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{db: d.DB, stores: d.Stores, now: d.Now, log: d.Log,
		hashSlots: make(chan struct{}, maxConcurrentHashes)}
}

// moment returns the current time in the precision of the database.
func (s *Service) moment() time.Time { return s.now().UTC().Truncate(time.Microsecond) }

// randomBits returns 256 random bits from crypto/rand. The functions that turn them into tokens and passwords are pure.
func randomBits() [32]byte {
	var bits [32]byte
	_, _ = rand.Read(bits[:]) // never returns an error: it ends the program instead
	return bits
}

func fromMicros(at int64) time.Time { return time.UnixMicro(at).UTC() }

func fromOptionalMicros(at *int64) *time.Time {
	if at == nil {
		return nil
	}
	return new(fromMicros(*at))
}

func optionalMicros(at *time.Time) *int64 {
	if at == nil {
		return nil
	}
	return new(at.UnixMicro())
}
