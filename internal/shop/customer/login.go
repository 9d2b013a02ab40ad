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
	// codeLifetime is how long a code is valid. The message texts state it, too.
	codeLifetime = 10 * time.Minute
	// maxAttempts limits the guesses per code. With five codes an hour an attacker has 5 × 5 × 24 = 600 guesses a
	// day. There are a million codes, so the chance of a right guess is about 1 in 1,700 a day.
	maxAttempts = 5
	// rateWindow is the period in which the codes of a person are counted.
	rateWindow = time.Hour
	// macPurpose is the purpose for which the vault derives the MAC key.
	macPurpose = "login code"
)

// LoginID identifies a login.
type LoginID = id.Of[Login]

// Login is a request to sign in, for which a code was sent.
type Login struct {
	ID        LoginID
	ExpiresAt time.Time
}

// Proof shows that a code was right. It can be exchanged for a session once.
type Proof struct {
	login   LoginID
	address string // the address that the code was sent to
}

// newLoginCode returns six random digits.
func newLoginCode() string {
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
	if err != nil {
		panic("customer: " + err.Error()) // unreachable: crypto/rand ends the program instead of returning an error
	}
	return fmt.Sprintf("%06d", n)
}

// codeMAC returns the stored form of a code. It is keyed: a plain hash of six digits could be reversed by brute force
// in a second.
func (s *Service) codeMAC(storeID store.ID, loginID LoginID, code string) []byte {
	return s.Vault.MAC(macPurpose, []byte(storeID.String()+"|"+loginID.String()+"|"+code))
}

// errInvalidLoginCode is the fault for a code that is wrong, used or expired, and for an unknown login. Clients cannot
// tell these cases apart.
func errInvalidLoginCode() error {
	return fault.New(fault.Unauthenticated, "invalid_code",
		"The code is wrong, used or expired. Check it, or ask for a new one.")
}

func errTooManyCodes(wait time.Duration) error {
	return fault.New(fault.TooMany, "too_many_codes",
		"Too many codes were asked for with this address or number. Use the last one, or wait.").After(wait)
}
