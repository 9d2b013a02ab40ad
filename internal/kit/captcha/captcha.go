// Package captcha verifies captcha tokens with a provider and judges the provider's verdict. It owns the protocol of
// each provider, and decides which responses are valid and which verdicts are accepted. The caller decides which
// actions are protected, rejects tokens that were used before, and reports rejections.
//
// Verifying and judging are separate: Verifier.Verify calls the provider and decides nothing; Judge decides and makes
// no requests.
package captcha

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
)

// Provider is the name of a captcha provider.
type Provider string

// The supported providers.
const (
	RecaptchaV3  Provider = "recaptcha_v3"
	Turnstile    Provider = "turnstile"
	HCaptcha     Provider = "hcaptcha"
	SmartCaptcha Provider = "smartcaptcha"
)

// Providers returns all providers, the most common one first.
func Providers() []Provider {
	return []Provider{RecaptchaV3, Turnstile, HCaptcha, SmartCaptcha}
}

// Verifier verifies tokens with one provider. It is safe for concurrent use.
type Verifier struct {
	client *Client
	protocol
}

// Verifier returns the verifier for p. It returns an error if p is not one of Providers.
func (c *Client) Verifier(p Provider) (Verifier, error) {
	known, ok := protocols[p]
	if !ok {
		return Verifier{}, fmt.Errorf("there is no captcha provider %q", p)
	}
	return Verifier{c, known}, nil
}

// Verify sends a token to the provider and returns its verdict. Every error is an *Unavailable, which means that there
// is no verdict. The provider processes at most one request, and the call takes at most 3 s. A call may use up the
// token. Neither the verdict nor the error contains the token, the secret or the provider's response.
func (v Verifier) Verify(ctx context.Context, r Request) (Verdict, error) {
	if v.client.cfg.TestTokens {
		return testVerdict(r)
	}
	body, err := v.client.postWithRetry(ctx, v.url, v.form(r))
	if err != nil {
		return Verdict{}, err
	}
	return v.parse(body)
}

// Request holds the parameters of a verification. Secret and Token must not be empty.
type Request struct {
	Secret string
	Token  string
	// RemoteIP is the address of the client that sent the token. The zero Addr is not sent.
	RemoteIP netip.Addr
	// SiteKey is the public key that the token must belong to. It is sent only to hCaptcha, unless it is empty.
	SiteKey string
	// SiteHost is the host of the site. It is not sent: the built-in provider returns it.
	SiteHost string
}

// String returns a constant, so that neither the secret nor the token is printed.
func (r Request) String() string { return "captcha request" }

// GoString returns the same constant as String, for %#v.
func (r Request) GoString() string { return r.String() }

// LogValue returns the same constant as String, for slog.
func (r Request) LogValue() slog.Value { return slog.StringValue(r.String()) }

// Verdict is a provider's statement about a token, in the same form for all providers. Judge interprets it.
type Verdict struct {
	// OK reports that the token is valid, belongs to the site and was not used before.
	OK bool
	// Score is the probability that the user is human, from 0 to 1; higher is better for every provider. It is nil if
	// the provider sent no score. It may be out of range if the provider violates its documentation.
	Score *float64
	// Action is the action that the page requested the token for; nil if the provider sent no action.
	Action *string
	// Host is the host of the page that created the token, as the provider wrote it; empty if the provider sent none.
	Host string
	// Codes are the provider's error codes: at most 8, each at most 64 printable ASCII characters.
	Codes []string
}
