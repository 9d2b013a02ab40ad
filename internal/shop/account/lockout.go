package account

import (
	"crypto/sha256"
	"encoding/hex"
	"sync"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
)

// A failed login locks its source out of the account: for minLockout the first time, then for twice as long each time,
// up to maxLockout. The source is a known device, a session, or a network, so no other client can lock an operator
// out of a device that signed in before.
//
// The failures from all unknown networks together are counted as well, since an attacker may have many networks. After
// freeFailures of them the account is locked for unknown networks, up to maxAccountLockout.
const (
	minLockout        = time.Second
	maxLockout        = 15 * time.Minute
	freeFailures      = 10
	maxAccountLockout = time.Minute
)

// tooManyAttempts is the code of the fault during a lockout.
const tooManyAttempts = "too_many_attempts"

// lockoutMemory is how long the failures of a source are remembered after the last one.
const lockoutMemory = 24 * time.Hour

// loginLockout is the state of a source or an account after failed logins. A successful login resets it.
type loginLockout struct {
	failures    int64
	lockedUntil time.Time
}

// check returns fault.TooMany until the lockout ends.
func (l loginLockout) check(now time.Time) error {
	wait := l.lockedUntil.Sub(now)
	if wait <= 0 {
		return nil
	}
	wait = (wait + time.Second - 1).Truncate(time.Second)
	return fault.New(fault.TooMany, tooManyAttempts,
		"The last attempts to sign in failed; wait %d seconds, then try again.", int(wait.Seconds())).After(wait)
}

// afterFailure returns the lockout after one more failed login. The first failures, as many as free, do not lock.
func (l loginLockout) afterFailure(now time.Time, free int64, longest time.Duration) loginLockout {
	next := loginLockout{failures: l.failures + 1}
	switch n := l.failures - free; {
	case n >= 10: // 2¹⁰ seconds exceed maxLockout
		next.lockedUntil = now.Add(longest)
	case n >= 0:
		next.lockedUntil = now.Add(min(minLockout<<n, longest))
	}
	return next
}

// loginLockouts are the lockouts that apply to one login.
type loginLockouts struct {
	source  loginLockout
	account loginLockout
	// known is true for a device, session or network from which the operator has signed in. The lockout of the account
	// does not apply to it, and its failures do not count there.
	known bool
}

func (l loginLockouts) check(now time.Time) error {
	if err := l.source.check(now); err != nil || l.known {
		return err
	}
	return l.account.check(now)
}

func (l loginLockouts) afterFailure(now time.Time) loginLockouts {
	l.source = l.source.afterFailure(now, 0, maxLockout)
	if !l.known {
		l.account = l.account.afterFailure(now, freeFailures, maxAccountLockout)
	}
	return l
}

// The sources of logins, as they are stored.
func deviceSource(hash access.TokenHash) string  { return "device " + hex.EncodeToString(hash[:]) }
func sessionSource(hash access.TokenHash) string { return "session " + hex.EncodeToString(hash[:]) }
func networkSource(network string) string        { return "network " + network }

// Wrong codes of the second step are counted apart from wrong passwords, since a right password resets those.
// allCodeSources counts the wrong codes from all unknown networks together.
func codeSource(source string) string { return "code " + source }

const allCodeSources = "code"

// maxUnknownAccounts is the maximum number of lockouts in unknownAccounts, which then need about a megabyte.
const maxUnknownAccounts = 10_000

// unknownAccounts holds the lockouts of e-mail addresses without an account. They are locked like accounts; otherwise
// the missing lockout would reveal that there is no account. The lockouts are lost at a restart, and arbitrary ones are
// dropped when the map is full. The zero value is ready to use.
type unknownAccounts struct {
	mu       sync.Mutex
	lockouts map[[sha256.Size]byte]loginLockout
}

// unknownAccountKeys returns the keys of an address's lockouts: of the source, and of the account.
func unknownAccountKeys(email, network string) (source, account [sha256.Size]byte) {
	return sha256.Sum256([]byte(email + "\n" + networkSource(network))), sha256.Sum256([]byte(email))
}

func (u *unknownAccounts) get(email, network string) loginLockouts {
	u.mu.Lock()
	defer u.mu.Unlock()
	source, account := unknownAccountKeys(email, network)
	return loginLockouts{source: u.lockouts[source], account: u.lockouts[account]}
}

// addFailure records a failed login. It returns fault.TooMany if a concurrent failure has locked the address.
func (u *unknownAccounts) addFailure(email, network string, now time.Time) error {
	u.mu.Lock()
	defer u.mu.Unlock()

	source, account := unknownAccountKeys(email, network)
	current := loginLockouts{source: u.lockouts[source], account: u.lockouts[account]}
	if err := current.check(now); err != nil {
		return err
	}

	if u.lockouts == nil {
		u.lockouts = map[[sha256.Size]byte]loginLockout{}
	}

	for other := range u.lockouts {
		if len(u.lockouts) < maxUnknownAccounts-1 {
			break
		}
		delete(u.lockouts, other)
	}

	next := current.afterFailure(now)
	u.lockouts[source], u.lockouts[account] = next.source, next.account
	return nil
}
