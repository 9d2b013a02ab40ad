package captcha

import (
	"context"
	"slices"
	"strings"
)

// SecretError is the error of CheckSecret for a secret key that the provider does not know, or that does not belong to
// the public key.
type SecretError struct {
	// Code is what the provider says, such as invalid-input-secret.
	Code string
}

func (e *SecretError) Error() string { return "the captcha provider refuses the secret key: " + e.Code }

// checkToken is a token that no provider has issued.
const checkToken = "vitrine-checks-the-secret-key"

// CheckSecret asks the provider about a token that it has not issued. A provider refuses either the secret key, and
// then the error is an *SecretError, or only the token, and then the error is nil. An *Unavailable means that nothing
// is known about the key. Only hCaptcha tells whether the public key belongs to the secret key.
func (v Verifier) CheckSecret(ctx context.Context, secret, siteKey string) error {
	if v.client.cfg.TestTokens {
		return nil
	}

	verdict, err := v.Verify(ctx, Request{Secret: secret, Token: checkToken, SiteKey: siteKey})
	if err != nil {
		return err
	}

	i := slices.IndexFunc(verdict.Codes, func(code string) bool {
		code = strings.ToLower(code)
		return strings.Contains(code, "secret") || strings.Contains(code, "sitekey") ||
			strings.Contains(code, "authentication")
	})
	if i >= 0 {
		return &SecretError{Code: verdict.Codes[i]}
	}

	return nil
}
