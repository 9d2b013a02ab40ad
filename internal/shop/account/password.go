package account

import (
	"context"
	"crypto/rand"
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

// Passwords must be long; there are no rules about digits or punctuation. The lengths are in characters.
const (
	minPasswordLen       = 8
	maxPasswordLen       = 128
	generatedPasswordLen = 20
)

// maxConcurrentHashes limits concurrent password hashes. Each takes 19 MiB, so an unlimited flood of logins would
// exhaust the memory.
const maxConcurrentHashes = 2

const (
	saltSize = 16
	tagSize  = 32
)

// readableAlphabet is the alphabet of generated passwords: 32 characters without look-alikes.
const readableAlphabet = "abcdefghijkmnpqrstuvwxyz23456789"

// hashCost holds the cost parameters of argon2id.
type hashCost struct {
	memory  uint32 // KiB
	time    uint32
	threads uint8
}

// currentCost is the minimum that OWASP recommends for argon2id. A login rehashes passwords that were hashed with
// another cost.
func currentCost() hashCost { return hashCost{memory: 19456, time: 2, threads: 1} }

// hashCost returns the cost of new hashes.
func (s *core) hashCost() hashCost {
	if s.WeakHashes {
		return hashCost{memory: 64, time: 1, threads: 1}
	}
	return currentCost()
}

func (c hashCost) String() string { return fmt.Sprintf("m=%d,t=%d,p=%d", c.memory, c.time, c.threads) }

// valid reports whether the parameters of a stored hash are plausible. A damaged hash must not exhaust memory or CPU.
func (c hashCost) valid() bool {
	return c.time >= 1 && c.time <= 64 && c.threads >= 1 && c.memory >= 8*uint32(c.threads) && c.memory <= 1<<20
}

// GeneratePassword returns 20 random characters (100 bits) that are easy to read aloud and to type.
func GeneratePassword() string { return readableText(randomBits(), generatedPasswordLen) }

// randomBits returns 256 random bits from crypto/rand. The functions that turn the bits into text and hashes are pure.
func randomBits() [32]byte {
	var bits [32]byte
	_, _ = rand.Read(bits[:]) // never returns an error: it ends the program instead
	return bits
}

// readableText encodes the low five bits of each of the first n bytes as one character. n is at most 32.
func readableText(bits [32]byte, n int) string {
	text := make([]byte, n)
	for i := range text {
		text[i] = readableAlphabet[bits[i]%byte(len(readableAlphabet))]
	}
	return string(text)
}

// checkPassword returns why a new password is not acceptable, or nil.
func checkPassword(password string) *fault.Field {
	switch n := utf8.RuneCountInString(password); {
	case !utf8.ValidString(password):
		return new(fault.NewField("password", "invalid_characters", "The password is not valid UTF-8 text."))
	case n < minPasswordLen:
		return new(fault.NewField("password", "too_short",
			"The password is too short; use %d to %d characters.", minPasswordLen, maxPasswordLen))
	case n > maxPasswordLen:
		return new(fault.NewField("password", "too_long",
			"The password is too long; use %d to %d characters.", minPasswordLen, maxPasswordLen))
	}
	return nil
}

// hashPassword returns the argon2id hash as a PHC string.
func hashPassword(password string, c hashCost, salt [saltSize]byte) string {
	tag := argon2.IDKey([]byte(password), salt[:], c.time, c.memory, c.threads, tagSize)
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$%s$%s$%s", argon2.Version, c, b64.EncodeToString(salt[:]),
		b64.EncodeToString(tag))
}

// verifyPassword reports whether the hash belongs to the password, and returns the cost of the hash. It returns
// errDamagedHash if it cannot parse the hash.
func verifyPassword(password, hash string) (right bool, c hashCost, err error) {
	c, salt, tag, err := parsePasswordHash(hash)
	if err != nil {
		return false, hashCost{}, err
	}
	got := argon2.IDKey([]byte(password), salt, c.time, c.memory, c.threads, uint32(len(tag)))
	return subtle.ConstantTimeCompare(got, tag) == 1, c, nil
}

var errDamagedHash = errors.New("the stored password hash is damaged")

func parsePasswordHash(hash string) (c hashCost, salt, tag []byte, err error) {
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return hashCost{}, nil, nil, errDamagedHash
	}
	// Sscanf ignores trailing text; the comparison with c.String does not.
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &c.memory, &c.time, &c.threads); err != nil ||
		parts[3] != c.String() || !c.valid() {
		return hashCost{}, nil, nil, errDamagedHash
	}
	salt, saltErr := base64.RawStdEncoding.DecodeString(parts[4])
	tag, tagErr := base64.RawStdEncoding.DecodeString(parts[5])
	if saltErr != nil || tagErr != nil || len(salt) < 8 || len(tag) < 16 {
		return hashCost{}, nil, nil, errDamagedHash
	}
	return c, salt, tag, nil
}

// hash hashes a password with a new salt. It waits for a hash slot.
func (s *core) hash(ctx context.Context, password string) (string, error) {
	if err := s.acquireHashSlot(ctx); err != nil {
		return "", err
	}
	defer s.releaseHashSlot()
	bits := randomBits()
	return hashPassword(password, s.hashCost(), [saltSize]byte(bits[:])), nil
}

// verify calls verifyPassword in a hash slot. outdated reports that the hash has another cost than new ones.
func (s *core) verify(ctx context.Context, password, hash string) (right, outdated bool, err error) {
	if err := s.acquireHashSlot(ctx); err != nil {
		return false, false, err
	}
	defer s.releaseHashSlot()
	right, c, err := verifyPassword(password, hash)
	return right, c != s.hashCost(), err
}

func (s *core) acquireHashSlot(ctx context.Context) error {
	select {
	case s.hashSlots <- struct{}{}:
		return nil
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.Canceled) {
			return ctx.Err()
		}
		return fault.New(fault.Unavailable, "sign_in_busy",
			"Too many people are signing in right now; try again shortly.").
			After(time.Second).Because(ctx.Err())
	}
}

func (s *core) releaseHashSlot() { <-s.hashSlots }
