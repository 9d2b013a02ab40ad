package webhook

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"strings"
	"time"
)

const (
	// secretPrefix and secretBytes are how Standard Webhooks writes a secret: the prefix, and 24 to 64 random bytes in base64.
	secretPrefix = "whsec_"
	secretBytes  = 32
	// secretOverlap is how long the secret before the present one signs along.
	secretOverlap = 24 * time.Hour
	// secretSeal names what the vault's key is used for.
	secretSeal = "webhook secret"
)

// newSecret makes a secret as it is shown, once.
func newSecret() string {
	var bits [secretBytes]byte
	_, _ = rand.Read(bits[:]) // never fails: it ends the program instead
	return secretPrefix + base64.StdEncoding.EncodeToString(bits[:])
}

// seal is how a secret is stored.
func (s *Service) seal(secret string) []byte { return s.Vault.Seal(secretSeal, []byte(secret)) }

// signingKeys are the bytes that sign what is sent to a receiver: those of its secret, then those of the one before while that signs along.
func (s *Service) signingKeys(r *Receiver, now time.Time) ([][]byte, error) {
	sealed := [][]byte{r.secret}
	if r.oldUntil != nil && now.Before(*r.oldUntil) {
		sealed = append(sealed, r.oldSecret)
	}
	keys := make([][]byte, len(sealed))
	for i := range sealed {
		text, err := s.Vault.Open(secretSeal, sealed[i])
		if err != nil {
			return nil, fmt.Errorf("open a secret of receiver %s: %w", r.ID, err)
		}
		if keys[i], err = base64.StdEncoding.DecodeString(strings.TrimPrefix(string(text), secretPrefix)); err != nil {
			return nil, fmt.Errorf("read a secret of receiver %s: %w", r.ID, err)
		}
	}
	return keys, nil
}
