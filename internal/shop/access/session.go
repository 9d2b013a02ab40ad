package access

import (
	"crypto/sha256"
	"sync"
	"time"

	"vitrine/internal/kit/fault"
)

// A session expires after sessionIdleTimeout without a request, and sessionLifetime after the login in any case.
const (
	sessionIdleTimeout = 12 * time.Hour
	sessionLifetime    = 7 * 24 * time.Hour
)

// A failed login locks the account: for minLockout the first time, then for twice as long each time, up to maxLockout.
// The lock is always temporary; otherwise anyone could lock out an operator for good.
const (
	minLockout = time.Second
	maxLockout = 15 * time.Minute
)

func sessionExpired(createdAt, lastSeenAt, now time.Time) bool {
	return now.Sub(lastSeenAt) >= sessionIdleTimeout || now.Sub(createdAt) >= sessionLifetime
}

// loginLockout is the state of an account after failed logins. A successful login resets it.
type loginLockout struct {
	failures    int64
	lockedUntil time.Time
}

// check returns fault.TooMany while the account is locked.
func (l loginLockout) check(now time.Time) error {
	wait := l.lockedUntil.Sub(now)
	if wait <= 0 {
		return nil
	}
	wait = (wait + time.Second - 1).Truncate(time.Second)
	return fault.New(fault.TooMany, "too_many_attempts",
		"The last attempts to sign in failed; wait %d seconds, then try again.", int(wait.Seconds())).After(wait)
}

// afterFailure returns the lockout after one more failed login.
func (l loginLockout) afterFailure(now time.Time) loginLockout {
	delay := maxLockout
	if l.failures < 10 { // 2¹⁰ seconds exceed maxLockout
		delay = min(minLockout<<l.failures, maxLockout)
	}
	return loginLockout{failures: l.failures + 1, lockedUntil: now.Add(delay)}
}

// maxUnknownAccounts is the maximum number of lockouts in unknownAccounts, which then need about a megabyte.
const maxUnknownAccounts = 10_000

// unknownAccounts holds the lockouts of e-mail addresses without an account. They are locked like accounts; otherwise
// the missing lockout would reveal that there is no account. The lockouts are lost at a restart, and arbitrary ones are
// dropped when the map is full. The zero value is ready to use.
type unknownAccounts struct {
	mu       sync.Mutex
	lockouts map[[sha256.Size]byte]loginLockout
}

func (u *unknownAccounts) get(email string) loginLockout {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.lockouts[sha256.Sum256([]byte(email))]
}

// addFailure records a failed login. It returns fault.TooMany if a concurrent failure has locked the address.
func (u *unknownAccounts) addFailure(email string, now time.Time) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	key := sha256.Sum256([]byte(email))
	current := u.lockouts[key]
	if err := current.check(now); err != nil {
		return err
	}
	if u.lockouts == nil {
		u.lockouts = map[[sha256.Size]byte]loginLockout{}
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
