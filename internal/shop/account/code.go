package account

import (
	"crypto/sha256"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"

	"vitrine/internal/kit/fault"
)

// A code is a time-based one-time password of RFC 6238, as authenticator apps compute it: six digits, SHA-1, a new one
// every codePeriod. The code before and the one after the current one are accepted as well, since clocks differ.
const (
	codePeriod = 30 * time.Second
	codeSkew   = 1
)

const (
	// recoveryCodeCount is how many recovery codes a person gets.
	recoveryCodeCount = 10
	// recoveryCodeLen is the length of a recovery code without its dashes: 80 bits, which cannot be found by trying
	// even by somebody who has the hashes.
	recoveryCodeLen   = 16
	recoveryCodeGroup = 4
)

// codeSecretBytes is the length of the secret of the codes; RFC 4226 recommends 160 bits.
const codeSecretBytes = 20

// newCodeKey returns the secret of the codes of an account, with the URI that authenticator apps read.
func newCodeKey(issuer, email string) (*otp.Key, error) {
	return totp.Generate(totp.GenerateOpts{Issuer: issuer, AccountName: email, SecretSize: codeSecretBytes})
}

// codeStep returns the time step of a code that is right at the given time, or false. A step up to the one that was
// last used does not count, so that nobody who has read a code over a shoulder can use it once more.
func codeStep(secret, code string, now time.Time, lastStep int64) (step int64, ok bool) {
	current := now.Unix() / int64(codePeriod.Seconds())
	for step := current - codeSkew; step <= current+codeSkew; step++ {
		if step <= lastStep || step < 0 {
			continue
		}
		right, err := hotp.ValidateCustom(code, uint64(step), secret,
			hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1})
		if err == nil && right {
			return step, true
		}
	}
	return 0, false
}

// newRecoveryCode returns a recovery code as it is shown, such as abcd-efgh-jkmn-pqrs.
func newRecoveryCode() string {
	text := readableText(randomBits(), recoveryCodeLen)
	var groups []string
	for start := 0; start < len(text); start += recoveryCodeGroup {
		groups = append(groups, text[start:start+recoveryCodeGroup])
	}
	return strings.Join(groups, "-")
}

// normalizeCode returns a code or recovery code as it is compared: in lower case, without blanks and dashes.
func normalizeCode(text string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if r == '-' || r == ' ' || r == '\u00a0' {
			return -1
		}
		return r
	}, text))
}

func hashRecoveryCode(normalized string) [sha256.Size]byte { return sha256.Sum256([]byte(normalized)) }

func errWrongCode() error {
	return fault.OneField("code", "wrong_code",
		"This code is wrong or was used already; type the one that the app shows now.")
}
