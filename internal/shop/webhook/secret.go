package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/kit/vault"
)

const (
	// secretPrefix and secretBytes follow Standard Webhooks: a secret is the prefix, followed by 24 to 64 random bytes
	// in base64.
	secretPrefix = "whsec_"
	secretBytes  = 32
	// secretOverlap is how long the previous secret also signs after a rotation.
	secretOverlap = 24 * time.Hour
	// secretPurpose is the vault's purpose for these secrets.
	secretPurpose = "webhook secret"
)

// newSigningSecret returns a random secret in its text form.
func newSigningSecret() string {
	var key [secretBytes]byte
	_, _ = rand.Read(key[:]) // never returns an error: crypto/rand crashes the program instead
	return secretPrefix + base64.StdEncoding.EncodeToString(key[:])
}

// sealSecret encrypts a secret for storage.
func (s *Service) sealSecret(secret string) []byte {
	return s.Vault.Seal(secretPurpose, []byte(secret))
}

// signingKeys returns the keys that sign requests to the receiver: the key of the current secret and, during the
// overlap, the key of the previous one.
func (r *Receiver) signingKeys(secrets *vault.Vault, now time.Time) ([][]byte, error) {
	sealed := [][]byte{r.secret}
	if r.oldUntil != nil && now.Before(*r.oldUntil) {
		sealed = append(sealed, r.oldSecret)
	}
	keys := make([][]byte, len(sealed))
	for i := range sealed {
		text, err := secrets.Open(secretPurpose, sealed[i])
		if err != nil {
			return nil, fmt.Errorf("decrypt a secret of receiver %s: %w", r.ID, err)
		}
		if keys[i], err = base64.StdEncoding.DecodeString(strings.TrimPrefix(string(text), secretPrefix)); err != nil {
			return nil, fmt.Errorf("decode a secret of receiver %s: %w", r.ID, err)
		}
	}
	return keys, nil
}

// signDelivery returns a signature as Standard Webhooks defines it: an HMAC over the event's id, the time of the
// attempt in Unix seconds, and the body.
func signDelivery(secret []byte, id string, timestamp int64, body []byte) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(id + "." + strconv.FormatInt(timestamp, 10) + "."))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
