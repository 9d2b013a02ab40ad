package account

import (
	"context"
	"log/slog"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/periodic"
	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

// Deps are the dependencies of the use cases.
type Deps struct {
	DB     *database.DB
	Stores *store.Service
	// Keys makes the keys of a new store.
	Keys *access.Service
	// Vault seals the secrets from which the codes of the second step are computed, and logins between both steps.
	Vault *vault.Vault
	Now   func() time.Time
	// Log receives the failures of Run; nil discards them.
	Log *slog.Logger
	// WeakHashes makes passwords cheap to hash, and to guess. It is for tests only.
	WeakHashes bool
}

// Service has the use cases of accounts, grouped by subject. All are safe for concurrent use.
type Service struct {
	Sessions  *Sessions
	Operators *Operators
	Profiles  *Profiles

	*core
}

// core is what the groups of use cases share.
type core struct {
	Deps
	// hashSlots limits concurrent password hashing: each computation occupies one slot.
	hashSlots chan struct{}
}

// New returns the use cases. Times of last use are written only while Run is running.
func New(d Deps) *Service {
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	c := &core{Deps: d, hashSlots: make(chan struct{}, maxConcurrentHashes)}
	return &Service{Sessions: &Sessions{core: c, seen: access.NewUsageBuffer(d.DB, updateLastSeen)},
		Operators: &Operators{c}, Profiles: &Profiles{c}, core: c}
}

const cleanupEvery = 10 * time.Minute

// Run writes the times of last use of sessions and deletes expired sessions until ctx ends. Then it writes the
// remaining times and returns nil. It logs failed writes and retries them. One Run per process suffices.
func (s *Service) Run(ctx context.Context) error {
	return s.Sessions.seen.Run(ctx, s.Log, "sessions",
		periodic.Task{Name: "delete expired sessions, devices and lockouts", Every: cleanupEvery, Do: s.deleteExpired})
}

func (s *Service) deleteExpired(ctx context.Context) error {
	now := s.moment()
	return s.DB.Write(ctx, func(q database.Querier) error {
		for _, deleteRows := range []func(context.Context, database.Querier, time.Time) error{
			deleteExpiredOperatorSessions, deleteExpiredDevices, deleteOldLockouts, deleteOldEmailChanges,
			deleteOldPasswordResets,
		} {
			if err := deleteRows(ctx, q, now); err != nil {
				return err
			}
		}
		return nil
	})
}

// PreparedPassword is the hash of a valid password.
type PreparedPassword struct{ hash string }

// PreparePassword validates and hashes a password for ResetPassword, AcceptInvitation and
// Profiles.Edit. Hashing is too slow for a transaction.
func (s *Service) PreparePassword(ctx context.Context, password string) (PreparedPassword, error) {
	if problem := checkPassword(password); problem != nil {
		return PreparedPassword{}, fault.Fields([]fault.Field{*problem})
	}
	hash, err := s.hash(ctx, password)
	return PreparedPassword{hash: hash}, err
}

// setPassword stores a new password and revokes what was granted by the old one: the sessions except one, the known
// devices, a pending e-mail address, the link of a forgotten password and the lockouts.
func (s *core) setPassword(
	ctx context.Context, q database.Querier, accountID access.AccountID, p PreparedPassword, except access.TokenHash,
) error {
	now := s.moment()
	if err := updatePassword(ctx, q, accountID, p.hash, now); err != nil {
		return err
	}
	if err := updateAccountOperators(ctx, q, accountID, now); err != nil {
		return err
	}
	if err := deleteAccountSessions(ctx, q, accountID, except); err != nil {
		return err
	}

	if err := deleteDevices(ctx, q, accountID); err != nil {
		return err
	}
	if _, err := endEmailChange(ctx, q, accountID); err != nil {
		return err
	}
	if err := endPasswordReset(ctx, q, accountID); err != nil {
		return err
	}

	return deleteLockouts(ctx, q, accountID)
}

// moment returns the current time in the precision of the database.
func (c *core) moment() time.Time { return database.Moment(c.Now()) }
