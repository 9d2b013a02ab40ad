package access

import (
	"crypto/sha256"
	"errors"
	"hash/crc32"
	"math/big"
	"strings"
)

// Kind says what a token is good for. It is what the database keeps.
type Kind string

// The kinds of credentials. A new one needs a prefix, a place in kinds and an answer in Principal.May.
const (
	PublishableKey  Kind = "publishable"
	SecretKey       Kind = "secret"
	ExchangeToken   Kind = "exchange"
	CustomerToken   Kind = "customer"
	OperatorSession Kind = "operator"
)

// A token is a prefix, 256 random bits and a checksum. Prefixes let secret scanners find leaked tokens; the checksum
// turns a typo away without a query.
const (
	prefixLen   = 3
	bodyLen     = 43 // 62⁴³ > 2²⁵⁶
	checksumLen = 6  // 62⁶ > 2³²
	tokenLen    = prefixLen + bodyLen + checksumLen
	hintLen     = 4
)

// base62Alphabet is that of big.Int.Text(62).
const base62Alphabet = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// ErrToken is returned by ParseToken for what cannot be a token. It does not repeat the text.
var ErrToken = errors.New("this is not a token: its prefix, length, characters or checksum are wrong")

// tokenHash is what is stored of a token: with 256 random bits in it, a plain SHA-256 cannot be turned back.
type tokenHash [sha256.Size]byte

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
	case OperatorSession:
		return "os_"
	}
	return ""
}

// tokenKinds are all kinds that have tokens.
func tokenKinds() [5]Kind {
	return [...]Kind{PublishableKey, SecretKey, ExchangeToken, CustomerToken, OperatorSession}
}

// ParseToken returns the kind of a token that is well formed, or ErrToken. It does not know whether the token was ever given out.
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
	if checksum(body) != sum {
		return "", ErrToken
	}
	for _, k := range tokenKinds() {
		if token[:prefixLen] == k.prefix() {
			return k, nil
		}
	}
	return "", ErrToken
}

// newToken writes 256 bits as a token.
func newToken(k Kind, bits [32]byte) string {
	digits := new(big.Int).SetBytes(bits[:]).Text(len(base62Alphabet))
	body := k.prefix() + strings.Repeat("0", bodyLen-len(digits)) + digits
	return body + checksum(body)
}

// checksum is the CRC-32 of text in base 62, the most significant digit first.
func checksum(text string) string {
	sum := crc32.ChecksumIEEE([]byte(text))
	var digits [checksumLen]byte
	for i := checksumLen - 1; i >= 0; i-- {
		digits[i] = base62Alphabet[sum%uint32(len(base62Alphabet))]
		sum /= uint32(len(base62Alphabet))
	}
	return string(digits[:])
}

func hashToken(token string) tokenHash { return sha256.Sum256([]byte(token)) }

// NewCustomerToken makes the token of a customer's session. Package customer keeps HashToken of it, and nobody the token.
func NewCustomerToken() string { return newToken(CustomerToken, randomBits()) }

// HashToken is what is stored of a token.
func HashToken(token string) [sha256.Size]byte { return hashToken(token) }

// hint is what people recognise a token by when they see it no more.
func hint(token string) string { return token[:prefixLen] + token[len(token)-hintLen:] }
