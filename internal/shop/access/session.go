package access

import (
	"crypto/sha256"
	"sync"
	"time"

	"vitrine/internal/kit/fault"
)

// A session ends after so long without a request, and so long after the login in any case.
const (
	sessionIdle     = 12 * time.Hour
	sessionAbsolute = 7 * 24 * time.Hour
)

// After a failed login the account waits: the first time a second, then twice as long each time, at most a quarter of an hour.
// It is never locked for good, or anyone could lock out anyone.
const (
	firstDelay = time.Second
	lastDelay  = 15 * time.Minute
)

func sessionEnded(createdAt, lastSeenAt, now time.Time) bool {
	return now.Sub(lastSeenAt) >= sessionIdle || now.Sub(createdAt) >= sessionAbsolute
}

// attempts are the failed logins of an account since its last good one.
type attempts struct {
	failures    int64
	lockedUntil time.Time
}

// tooEarly returns a TooMany fault while the account waits.
func (a attempts) tooEarly(now time.Time) error {
	wait := a.lockedUntil.Sub(now)
	if wait <= 0 {
		return nil
	}
	wait = (wait + time.Second - 1).Truncate(time.Second)
	return fault.New(fault.TooMany, "too_many_attempts", "The last attempts to sign in failed; wait %d seconds, then try again.", int(wait.Seconds())).After(wait)
}

// failed adds a failure.
func (a attempts) failed(now time.Time) attempts {
	delay := lastDelay
	if a.failures < 10 { // 2¹⁰ seconds are more than a quarter of an hour
		delay = min(firstDelay<<a.failures, lastDelay)
	}
	return attempts{failures: a.failures + 1, lockedUntil: now.Add(delay)}
}

// maxStrangers bounds the memory that made-up addresses can take: about a megabyte.
const maxStrangers = 10_000

// strangers keeps the attempts of addresses that belong to nobody, so that a login is delayed whether the account exists
// or not: otherwise the delay would tell. It forgets at a restart, and at random when it is full. The zero value is ready.
type strangers struct {
	mu       sync.Mutex
	attempts map[[sha256.Size]byte]attempts
}

func (s *strangers) of(email string) attempts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.attempts[sha256.Sum256([]byte(email))]
}

// fail adds a failure, unless one that came meanwhile makes this one too early.
func (s *strangers) fail(email string, now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := sha256.Sum256([]byte(email))
	a := s.attempts[key]
	if err := a.tooEarly(now); err != nil {
		return err
	}
	if s.attempts == nil {
		s.attempts = map[[sha256.Size]byte]attempts{}
	}
	for other := range s.attempts {
		if len(s.attempts) < maxStrangers {
			break
		}
		delete(s.attempts, other)
	}
	s.attempts[key] = a.failed(now)
	return nil
}
