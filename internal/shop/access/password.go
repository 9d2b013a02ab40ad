package access

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"vitrine/internal/kit/fault"
)

// Passwords are long rather than adorned: there are no rules about digits or signs. In characters.
const (
	minPasswordLen       = 8
	maxPasswordLen       = 128
	generatedPasswordLen = 20
)

// maxConcurrentHashes bounds how many passwords are hashed at the same time: each takes 19 MiB, and without a bound a flood of
// logins is an attack on memory.
const maxConcurrentHashes = 2

const (
	saltSize = 16
	tagSize  = 32
)

// readableAlphabet is the alphabet of generated passwords: 32 characters, none of which looks like another.
const readableAlphabet = "abcdefghijkmnpqrstuvwxyz23456789"

// hashCost is how much work one hash is.
type hashCost struct {
	memory  uint32 // KiB
	time    uint32
	threads uint8
}

// currentCost is OWASP's floor for argon2id. Hashes of another cost are renewed at the next login.
func currentCost() hashCost { return hashCost{memory: 19456, time: 2, threads: 1} }

func (c hashCost) String() string { return fmt.Sprintf("m=%d,t=%d,p=%d", c.memory, c.time, c.threads) }

// The bounds of a stored hash: beyond them it is damaged, and must not take the program down with it.
func (c hashCost) valid() bool {
	return c.time >= 1 && c.time <= 64 && c.threads >= 1 && c.memory >= 8*uint32(c.threads) && c.memory <= 1<<20
}

// GeneratePassword returns 20 random characters (100 bits) that are easy to read out and to type.
func GeneratePassword() string { return readableText(randomBits(), generatedPasswordLen) }

// readableText writes the low five bits of each byte, at most 32 characters.
func readableText(bits [32]byte, n int) string {
	text := make([]byte, n)
	for i := range text {
		text[i] = readableAlphabet[bits[i]%byte(len(readableAlphabet))]
	}
	return string(text)
}

// checkPassword returns what is wrong with a new password; nil if nothing is.
func checkPassword(password string) *fault.Field {
	switch n := utf8.RuneCountInString(password); {
	case !utf8.ValidString(password):
		return &fault.Field{Field: "password", Code: "invalid_characters", Message: "The password is not valid UTF-8 text."}
	case n < minPasswordLen:
		return &fault.Field{Field: "password", Code: "too_short", Message: fmt.Sprintf("The password is too short; use %d to %d characters.", minPasswordLen, maxPasswordLen)}
	case n > maxPasswordLen:
		return &fault.Field{Field: "password", Code: "too_long", Message: fmt.Sprintf("The password is too long; use %d to %d characters.", minPasswordLen, maxPasswordLen)}
	}
	return nil
}

// hashPassword returns the argon2id hash as a PHC string.
func hashPassword(password string, c hashCost, salt [saltSize]byte) string {
	tag := argon2.IDKey([]byte(password), salt[:], c.time, c.memory, c.threads, tagSize)
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$%s$%s$%s", argon2.Version, c, b64.EncodeToString(salt[:]), b64.EncodeToString(tag))
}

// verifyPassword reports whether the hash is that of the password, and what it cost. An error means that the hash is damaged.
func verifyPassword(password, hash string) (right bool, c hashCost, err error) {
	c, salt, tag, err := parseHash(hash)
	if err != nil {
		return false, hashCost{}, err
	}
	got := argon2.IDKey([]byte(password), salt, c.time, c.memory, c.threads, uint32(len(tag)))
	return subtle.ConstantTimeCompare(got, tag) == 1, c, nil
}

var errDamagedHash = errors.New("the stored password hash is damaged")

func parseHash(hash string) (c hashCost, salt, tag []byte, err error) {
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return hashCost{}, nil, nil, errDamagedHash
	}
	// Sscanf does not mind what follows; the second comparison does.
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &c.memory, &c.time, &c.threads); err != nil || parts[3] != c.String() || !c.valid() {
		return hashCost{}, nil, nil, errDamagedHash
	}
	salt, saltErr := base64.RawStdEncoding.DecodeString(parts[4])
	tag, tagErr := base64.RawStdEncoding.DecodeString(parts[5])
	if saltErr != nil || tagErr != nil || len(salt) < 8 || len(tag) < 16 {
		return hashCost{}, nil, nil, errDamagedHash
	}
	return c, salt, tag, nil
}

// hash hashes a password with a new salt as soon as there is a place for it.
func (s *Service) hash(ctx context.Context, password string) (string, error) {
	if err := s.acquireHashSlot(ctx); err != nil {
		return "", err
	}
	defer s.releaseHashSlot()
	bits := randomBits()
	return hashPassword(password, currentCost(), [saltSize]byte(bits[:])), nil
}

// verify is verifyPassword as soon as there is a place for it. outdated says that a right password should be hashed anew.
func (s *Service) verify(ctx context.Context, password, hash string) (right, outdated bool, err error) {
	if err := s.acquireHashSlot(ctx); err != nil {
		return false, false, err
	}
	defer s.releaseHashSlot()
	right, c, err := verifyPassword(password, hash)
	return right, c != currentCost(), err
}

func (s *Service) acquireHashSlot(ctx context.Context) error {
	select {
	case s.hashSlots <- struct{}{}:
		return nil
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.Canceled) {
			return ctx.Err()
		}
		return fault.New(fault.Unavailable, "sign_in_busy", "Too many people are signing in right now; try again shortly.").
			After(time.Second).Because(ctx.Err())
	}
}

func (s *Service) releaseHashSlot() { <-s.hashSlots }
