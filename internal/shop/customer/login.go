package customer

import (
	"crypto/rand"
	"fmt"
	"math/big"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/store"
)

const (
	// codeLifetime is how long a code works; the letters say so too.
	codeLifetime = 10 * time.Minute
	// maxAttempts is how often one code may be guessed at. With five codes an hour that is one chance in 1,600 a day.
	maxAttempts = 5
	// rateWindow is how long a code counts against its person.
	rateWindow = time.Hour
	// macPurpose names what the vault's key is used for.
	macPurpose = "login code"
)

// LoginID names a login.
type LoginID = id.Of[Login]

// Login is a code that somebody asked for.
type Login struct {
	ID        LoginID
	ExpiresAt time.Time
}

// Proof is a code that was right. It can be turned into a session once.
type Proof struct {
	login   LoginID
	address string // that the code was sent to
}

// newCode returns six digits that nobody can guess.
func newCode() string {
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
	if err != nil {
		panic("customer: " + err.Error()) // crypto/rand ends the program before it fails
	}
	return fmt.Sprintf("%06d", n)
}

// codeMAC is what is kept of a code: a bare hash of six digits would be turned back in a second.
func (s *Service) codeMAC(storeID store.ID, loginID LoginID, code string) []byte {
	return s.Vault.MAC(macPurpose, []byte(storeID.String()+"|"+loginID.String()+"|"+code))
}

// errInvalidCode is the one answer for a code that is wrong, used or expired, and for a login that never was.
func errInvalidCode() error {
	return fault.New(fault.Unauthenticated, "invalid_code", "The code is wrong, used or expired. Check it, or ask for a new one.")
}

func errTooManyCodes(wait time.Duration) error {
	return fault.New(fault.TooMany, "too_many_codes", "Too many codes were asked for with this address or number. Use the last one, or wait.").After(wait)
}
