package access

import (
	"crypto/rand"
	"log/slog"
	"sync/atomic"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/store"
)

// Deps are the dependencies of the service.
type Deps struct {
	DB     *database.DB
	Stores *store.Service
	// Vault seals the secrets from which the codes of the second step are computed, and logins between both steps.
	Vault *vault.Vault
	Now   func() time.Time
	// Log receives the failures of Run; nil discards them.
	Log *slog.Logger
	// WeakHashes makes passwords cheap to hash, and to guess. It is for tests only.
	WeakHashes bool
}

// Service implements the use cases of the package. It is safe for concurrent use.
type Service struct {
	Deps
	// hashSlots limits concurrent password hashing: each computation occupies one slot.
	hashSlots chan struct{}
	// usedKeys and seenSessions buffer times of last use until Run writes them.
	usedKeys        usageBuffer[KeyID]
	seenSessions    usageBuffer[tokenHash]
	unknownAccounts unknownAccounts
	lookups         sharedLookups
	// failedSignIns and lockedSignIns are the results of SignInFailures.
	failedSignIns, lockedSignIns atomic.Int64
}

// New returns a service. Times of last use are written only while Run is running.
func New(d Deps) *Service {
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{Deps: d, hashSlots: make(chan struct{}, maxConcurrentHashes),
		lookups: sharedLookups{byCredential: map[tokenHash]*credentialLookups{}}}
}

// moment returns the current time in the precision of the database.
func (s *Service) moment() time.Time { return database.Moment(s.Now()) }

// randomBits returns 256 random bits from crypto/rand. The functions that turn them into tokens and passwords are pure.
func randomBits() [32]byte {
	var bits [32]byte
	_, _ = rand.Read(bits[:]) // never returns an error: it ends the program instead
	return bits
}
