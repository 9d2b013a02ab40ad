// Package access owns who may do what: keys and exchange tokens, operators and their sessions, scopes and roles.
// It turns a token into a Principal. It does not know routes, headers or cookies, and it owns no customer's login.
package access

import (
	"crypto/rand"
	"log/slog"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// Deps is what the service works with.
type Deps struct {
	DB     *database.DB
	Stores *store.Service
	Now    func() time.Time
	// Log gets what the worker could not do; nil discards it.
	Log *slog.Logger
}

// Service is what can be done about access. It is safe for concurrent use.
type Service struct {
	db     *database.DB
	stores *store.Service
	now    func() time.Time
	log    *slog.Logger
	// hashSlots has a place for every hash of a password under way.
	hashSlots chan struct{}
	// usedKeys and seenSessions wait for Run to write them.
	usedKeys        usageBuffer[KeyID]
	seenSessions    usageBuffer[tokenHash]
	unknownAccounts unknownAccounts
}

// NewService makes the service. Times of last use are recorded only while Run runs beside it.
func NewService(d Deps) *Service {
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{db: d.DB, stores: d.Stores, now: d.Now, log: d.Log, hashSlots: make(chan struct{}, maxConcurrentHashes)}
}

// moment is now in the precision of the database.
func (s *Service) moment() time.Time { return s.now().UTC().Truncate(time.Microsecond) }

// randomBits returns 256 bits that nobody can guess. The functions that make something of them are pure.
func randomBits() [32]byte {
	var bits [32]byte
	_, _ = rand.Read(bits[:]) // never fails: it ends the program instead
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
