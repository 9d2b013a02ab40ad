package access

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"hash/crc32"
	"math/big"
	"strings"
)

// Kind is the kind of a token, as stored in the database.
type Kind string

// The kinds of tokens. A new kind needs a prefix, an entry in tokenKinds and a case in Principal.May.
const (
	PublishableKey Kind = "publishable"
	SecretKey      Kind = "secret"
	ExchangeToken  Kind = "exchange"
	CustomerToken  Kind = "customer"
	// FeedKey is the key of a feed, which stands in its address: see package feed.
	FeedKey         Kind = "feed"
	OperatorSession Kind = "operator"
	// OperatorDevice and OperatorInvitation are no credentials of requests: see Login and AcceptInvitation.
	OperatorDevice     Kind = "device"
	OperatorInvitation Kind = "invitation"
	// OperatorEmail is the token of the link that proves a new e-mail address: see ConfirmEmail.
	OperatorEmail Kind = "email"
	// OperatorPassword is the token of the link that sets a forgotten password: see SetForgottenPassword.
	OperatorPassword Kind = "password"
)

// A token is a prefix, 256 random bits and a checksum. Secret scanners find leaked tokens by the prefix. The checksum
// detects typing errors without a query.
const (
	prefixLen   = 3
	bodyLen     = 43 // 62⁴³ > 2²⁵⁶
	checksumLen = 6  // 62⁶ > 2³²
	tokenLen    = prefixLen + bodyLen + checksumLen
	hintLen     = 4
)

// base62Alphabet is the alphabet of big.Int.Text(62).
const base62Alphabet = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// ErrToken is the error of ParseToken for a malformed token. It does not repeat the token.
var ErrToken = errors.New("this is not a token: its prefix, length, characters or checksum are wrong")

// TokenHash is the stored form of a token. A plain SHA-256 suffices: 256 random bits cannot be guessed.
type TokenHash [sha256.Size]byte

func (k Kind) prefix() string {
	switch k {
	case PublishableKey:
		return "pk_"
	case SecretKey:
		return "sk_"
	case ExchangeToken:
		return "xt_"
	case CustomerToken:
		return "ct_"
	case FeedKey:
		return "fk_"
	case OperatorSession:
		return "os_"
	case OperatorDevice:
		return "od_"
	case OperatorInvitation:
		return "oi_"
	case OperatorEmail:
		return "oe_"
	case OperatorPassword:
		return "op_"
	}

	return ""
}

// tokenKinds returns all kinds of tokens.
func tokenKinds() [10]Kind {
	return [...]Kind{PublishableKey, SecretKey, ExchangeToken, CustomerToken, FeedKey, OperatorSession, OperatorDevice,
		OperatorInvitation, OperatorEmail, OperatorPassword}
}

// ParseToken returns the kind of a well-formed token, or ErrToken. It does not check whether the token exists.
func ParseToken(token string) (Kind, error) {
	if len(token) != tokenLen {
		return "", ErrToken
	}

	for _, c := range []byte(token[prefixLen:]) {
		if strings.IndexByte(base62Alphabet, c) < 0 {
			return "", ErrToken
		}
	}

	body, sum := token[:prefixLen+bodyLen], token[prefixLen+bodyLen:]
	if tokenChecksum(body) != sum {
		return "", ErrToken
	}

	for _, k := range tokenKinds() {
		if token[:prefixLen] == k.prefix() {
			return k, nil
		}
	}

	return "", ErrToken
}

// NewToken returns a new random token.
func NewToken(k Kind) string {
	var bits [32]byte
	_, _ = rand.Read(bits[:]) // never returns an error: it ends the program instead
	return encodeToken(k, bits)
}

// encodeToken encodes 256 bits as a token.
func encodeToken(k Kind, bits [32]byte) string {
	digits := new(big.Int).SetBytes(bits[:]).Text(len(base62Alphabet))
	body := k.prefix() + strings.Repeat("0", bodyLen-len(digits)) + digits
	return body + tokenChecksum(body)
}

// tokenChecksum returns the CRC-32 of text in base 62, most significant digit first.
func tokenChecksum(text string) string {
	sum := crc32.ChecksumIEEE([]byte(text))
	var digits [checksumLen]byte
	for i := checksumLen - 1; i >= 0; i-- {
		digits[i] = base62Alphabet[sum%uint32(len(base62Alphabet))]
		sum /= uint32(len(base62Alphabet))
	}
	return string(digits[:])
}

// HashToken returns the stored form of a token.
func HashToken(token string) TokenHash { return sha256.Sum256([]byte(token)) }

// tokenHint returns the prefix and the last characters of a token, by which people recognize its key.
func tokenHint(token string) string { return token[:prefixLen] + token[len(token)-hintLen:] }
