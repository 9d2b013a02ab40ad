// Package captcha asks a provider whether a person is behind a token, and judges what it says. It owns how each provider is asked, which
// answers are verdicts, and which verdicts are accepted. Which actions are protected and how strictly, which tokens were used before and what a
// refusal looks like is its callers' business.
//
// Asking and judging are apart: Verifier.Verify talks to the provider and decides nothing, Judge decides and talks to nobody.
package captcha

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"time"
)

// Provider is one of those that can be asked.
type Provider string

// The providers.
const (
	RecaptchaV3  Provider = "recaptcha_v3"
	Turnstile    Provider = "turnstile"
	HCaptcha     Provider = "hcaptcha"
	SmartCaptcha Provider = "smartcaptcha"
)

// Providers lists all of them, the usual one first.
func Providers() []Provider {
	return []Provider{RecaptchaV3, Turnstile, HCaptcha, SmartCaptcha}
}

// Verifier asks one provider. It is safe for concurrent use.
type Verifier interface {
	// Verify returns what the provider says of a token. Every error is an *Unavailable: there is no verdict. The provider is asked once, for
	// 3 s at most, and whatever comes back, the token is used up. Neither a verdict nor an error tells the token, the secret or the
	// provider's answer.
	Verify(ctx context.Context, r Request) (Verdict, error)
}

// Request is what a provider is asked. Secret and Token must not be empty.
type Request struct {
	Secret string
	Token  string
	// RemoteIP is the address of whoever sent the token; the zero Addr is not told.
	RemoteIP netip.Addr
	// SiteKey is the public key that the token must have been made with; only hCaptcha takes it, and empty it is not told.
	SiteKey string
}

// String tells neither the secret nor the token.
func (r Request) String() string { return "captcha request" }

// GoString keeps them out of %#v.
func (r Request) GoString() string { return r.String() }

// LogValue keeps them out of logs.
func (r Request) LogValue() slog.Value { return slog.StringValue(r.String()) }

// Verdict is what a provider says of a token, in one form for all of them. What it means is for Judge.
type Verdict struct {
	// OK tells that the token is a valid one of this site, used for the first time.
	OK bool
	// Score is how likely a person is, from 0 to 1 if the provider keeps to its word: higher is better, whoever says it. Nil if none was given.
	Score *float64
	// Action is what the page said that the token is for; nil if the provider did not tell.
	Action *string
	// Host is where the token was made, as the provider wrote it; empty if it did not tell.
	Host string
	// At is when the challenge was loaded or solved; the zero Time if the provider did not tell, or not in the form it documents.
	At time.Time
	// Codes are what the provider complains of: at most 8, each at most 64 visible ASCII characters.
	Codes []string
}

// Verifier returns the one that asks p, which must be among Providers.
func (c *Client) Verifier(p Provider) (Verifier, error) {
	switch p {
	case RecaptchaV3:
		return recaptcha{c}, nil
	case Turnstile:
		return turnstile{c}, nil
	case HCaptcha:
		return hcaptcha{c}, nil
	case SmartCaptcha:
		return smartcaptcha{c}, nil
	default:
		return nil, fmt.Errorf("there is no captcha provider %q", p)
	}
}
