package access

import (
	"crypto/sha256"
	"sync"
	"time"

	"vitrine/internal/kit/fault"
)

// A session ends after so long without a request, and so long after the login in any case.
const (
	sessionIdleTimeout = 12 * time.Hour
	sessionLifetime    = 7 * 24 * time.Hour
)

// After a failed login the account waits: the first time a second, then twice as long each time, at most a quarter of an hour.
// It is never locked for good, or anyone could lock out anyone.
const (
	minLockout = time.Second
	maxLockout = 15 * time.Minute
)

func sessionExpired(createdAt, lastSeenAt, now time.Time) bool {
	return now.Sub(lastSeenAt) >= sessionIdleTimeout || now.Sub(createdAt) >= sessionLifetime
}

// lockout are the failed logins of an account since its last good one.
type lockout struct {
	failures    int64
	lockedUntil time.Time
}

// check returns a TooMany fault while the account waits.
func (l lockout) check(now time.Time) error {
	wait := l.lockedUntil.Sub(now)
	if wait <= 0 {
		return nil
	}
	wait = (wait + time.Second - 1).Truncate(time.Second)
	return fault.New(fault.TooMany, "too_many_attempts", "The last attempts to sign in failed; wait %d seconds, then try again.", int(wait.Seconds())).After(wait)
}

// afterFailure adds a failure.
func (l lockout) afterFailure(now time.Time) lockout {
	delay := maxLockout
	if l.failures < 10 { // 2¹⁰ seconds are more than a quarter of an hour
		delay = min(minLockout<<l.failures, maxLockout)
	}
	return lockout{failures: l.failures + 1, lockedUntil: now.Add(delay)}
}

// maxUnknownAccounts bounds the memory that made-up addresses can take: about a megabyte.
const maxUnknownAccounts = 10_000

// unknownAccounts keeps the attempts of addresses that belong to nobody, so that a login is delayed whether the account exists
// or not: otherwise the delay would tell. It forgets at a restart, and at random when it is full. The zero value is ready.
type unknownAccounts struct {
	mu       sync.Mutex
	lockouts map[[sha256.Size]byte]lockout
}

func (u *unknownAccounts) get(email string) lockout {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.lockouts[sha256.Sum256([]byte(email))]
}

// addFailure adds a failure, unless one that came meanwhile makes this one too early.
func (u *unknownAccounts) addFailure(email string, now time.Time) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	key := sha256.Sum256([]byte(email))
	current := u.lockouts[key]
	if err := current.check(now); err != nil {
		return err
	}
	if u.lockouts == nil {
		u.lockouts = map[[sha256.Size]byte]lockout{}
	}
	for other := range u.lockouts {
		if len(u.lockouts) < maxUnknownAccounts {
			break
		}
		delete(u.lockouts, other)
	}
	u.lockouts[key] = current.afterFailure(now)
	return nil
}
