package protection

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"vitrine/internal/kit/captcha"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

const (
	// maxToken is the maximum length of a token in bytes. Tokens of the providers have up to about 2 KiB.
	maxToken = 8 << 10
	// databaseTimeout is the timeout of each database access. Without it a hanging database would block clients.
	databaseTimeout = 30 * time.Second
)

// These are the reasons of decisions that are made without the provider. Other reasons come from captcha.Judge and
// captcha.Unavailable.
const (
	TokenMissing = "token_missing"
	TokenTooLong = "token_too_long"
	TokenInvalid = "token_invalid"
	TokenUsed    = "token_used"
)

// RefusedCount begins the names of the daily counts of refused requests. The action follows.
const RefusedCount = "captcha.refused."

// Decision is the outcome of the captcha check of one request for a protected action.
type Decision struct {
	Action Action
	Reason string
	Result Result
	// Score is the score that the provider returned, or nil.
	Score *float64
	// Took is how long the request to the provider took; 0 if there was none.
	Took time.Duration

	codes []string // error codes of the provider
	cause error    // why the provider gave no verdict
}

// NoVerdict reports whether the provider was asked and gave no verdict. Reason says why.
func (d Decision) NoVerdict() bool { return d.cause != nil }

// Result says whether a request was allowed.
type Result string

// The results. A spared request failed the check but was allowed: the action is in shadow mode, or the provider was
// unavailable and the store's OnProviderError allows requests in that case.
const (
	Admitted Result = "admitted"
	Refused  Result = "refused"
	Spared   Result = "spared"
)

// Guard is the protection of an action in a store. A nil Guard admits every request.
type Guard struct {
	service  *Service
	shop     store.Store
	settings Settings
	action   ProtectedAction
}

// GuardOf returns the protection of an action. It returns nil if the store does not protect the action. The settings
// are at least as new as shop.
func (s *Service) GuardOf(ctx context.Context, shop store.Store, a Action) (g *Guard, err error) {
	defer fault.AddContext(&err, "load the protection of %s in store %s", a, shop.ID)
	settings, err := s.loadSettings(ctx, shop)
	if err != nil {
		return nil, err
	}
	p, ok := settings.protects(a)
	if !ok {
		return nil, nil
	}
	return &Guard{s, shop, settings, p}, nil
}

// Admit returns nil if a request for the action is allowed, otherwise an Unauthenticated fault: captcha_required,
// captcha_failed or captcha_unavailable. A token that is passed to the provider cannot be used again, on any node.
// Admit must not be called inside a transaction: the provider may take 3 s.
//
// admitWrite waits for permission to write to the database; the function that it returns ends the write. Admit calls it
// for the write alone, not while it waits for the provider.
func (g *Guard) Admit(
	ctx context.Context, token *string, admitWrite func(context.Context) (release func(), err error),
) (err error) {
	if g == nil {
		return nil
	}
	defer fault.AddContext(&err, "admit %s in store %s", g.action.Action, g.shop.ID)
	decision, err := g.service.decide(ctx, g.shop, g.settings, g.action, token, admitWrite)
	if err != nil {
		return err
	}
	g.service.report(ctx, g.shop.ID, decision)

	if decision.Result == Refused {
		g.service.Counts.Add(g.shop, RefusedCount+string(decision.Action))
		return decision.refusal()
	}
	return nil
}

// loadSettings returns the settings of a store, from the cache if it has them for the store's version. The caller must
// not change them.
func (s *Service) loadSettings(ctx context.Context, shop store.Store) (Settings, error) {
	key := settingsKey{shop.ID, shop.Version, shop.UpdatedAt.UnixMicro()}
	if settings, ok := s.settings.Get(key); ok {
		return settings, nil
	}
	ctx, cancel := context.WithTimeout(ctx, databaseTimeout)
	defer cancel()
	settings, err := database.ReadShort(ctx, s.DB, func(q database.Querier) (Settings, error) {
		return selectCaptchaSettings(ctx, store.In(q, shop.ID))
	})
	if err == nil {
		s.settings.Put(key, settings)
	}
	return settings, err
}

// decide checks the token, verifies it with the provider, and returns the decision.
func (s *Service) decide(
	ctx context.Context, shop store.Store, settings Settings, p ProtectedAction, token *string,
	admitWrite func(context.Context) (release func(), err error),
) (Decision, error) {
	d := Decision{Action: p.Action, Result: Refused}
	text := ""
	if token != nil {
		text = strings.TrimSpace(*token)
	}

	switch {
	case text == "":
		d.Reason = TokenMissing
	case len(text) > maxToken:
		d.Reason = TokenTooLong
	case !wellFormed(text):
		d.Reason = TokenInvalid

	default:
		if !s.Client.Reusable(text) {
			release, err := admitWrite(ctx)
			if err != nil {
				return d, err
			}

			unused, err := s.markUsed(ctx, shop.ID, text)
			release()
			if err != nil {
				return d, err
			}

			if !unused {
				d.Reason = TokenUsed
				break
			}
		}

		if err := s.verify(ctx, shop, settings, p, text, &d); err != nil {
			return d, err
		}
	}

	if d.Result == Refused && p.Shadow {
		d.Result = Spared
	}

	return d, nil
}

// wellFormed reports whether a token consists of visible ASCII characters, as the tokens of all providers do. Otherwise
// a used token with added blanks or control characters would count as new, and a provider that ignores them would
// accept it.
func wellFormed(token string) bool {
	return !strings.ContainsFunc(token, func(c rune) bool { return c <= ' ' || c >= 0x7f })
}

// markUsed marks the token as used and reports whether it was unused. It commits before the provider is called, so that
// only one of two concurrent requests with the same token succeeds.
func (s *Service) markUsed(ctx context.Context, storeID store.ID, token string) (unused bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, databaseTimeout)
	defer cancel()
	hash := sha256.Sum256([]byte(token))
	return database.Write(ctx, s.DB, func(q database.Querier) (bool, error) {
		now := s.Now()
		return useCaptchaToken(ctx, store.In(q, storeID), hash[:], now, now.Add(-tokenRetention))
	})
}

// verify asks the provider to verify the token, and sets the members of d that follow from the response.
func (s *Service) verify(
	ctx context.Context, shop store.Store, settings Settings, p ProtectedAction, token string, d *Decision,
) error {
	secret, err := s.Vault.Open(secretPurpose, settings.secret)
	if err != nil {
		return fmt.Errorf("decrypt the captcha secret of store %s: %w", shop.ID, err)
	}
	verifier, err := s.Client.Verifier(settings.Provider)
	if err != nil {
		return err
	}

	request := captcha.Request{Secret: string(secret), Token: token, SiteKey: settings.PublicKey}
	hosts := settings.Hosts(shop.SiteURL)
	if len(hosts) > 0 {
		request.SiteHost = hosts[0]
	}

	start := time.Now()
	verdict, err := verifier.Verify(ctx, request)
	d.Took = time.Since(start)
	var unavailable *captcha.Unavailable

	switch {
	case ctx.Err() != nil:
		return ctx.Err() // the client has disconnected
	case errors.As(err, &unavailable):
		d.Reason = unavailable.Reason
		d.cause = unavailable
		if unavailable.Transient && settings.OnProviderError == AllowOnError {
			d.Result = Spared
		}
		return nil
	case err != nil:
		return err
	}

	judgement := captcha.Judge(verdict, captcha.Policy{
		Provider: settings.Provider, Action: string(p.Action), Threshold: p.Threshold, Hosts: hosts,
	})
	d.Reason = judgement.Reason
	d.Score = verdict.Score
	d.codes = verdict.Codes

	if judgement.Accepted {
		d.Result = Admitted
	}

	return nil
}

// report counts the score of a decision, reports it to Observe, and logs failures that the operator may have to fix. It
// never logs the token.
func (s *Service) report(ctx context.Context, storeID store.ID, d Decision) {
	s.countScore(storeID, d)
	if s.Observe != nil {
		s.Observe(d)
	}

	attrs := []slog.Attr{slog.String("store_id", storeID.String()), slog.String("action", string(d.Action)),
		slog.String("reason", d.Reason)}
	switch {
	case d.cause != nil:
		s.Log.LogAttrs(ctx, slog.LevelWarn, "captcha provider gave no verdict",
			append(attrs, slog.Any("error", d.cause))...)
	case len(d.codes) > 0:
		level := slog.LevelInfo // most error codes mean a bad token, such as bots send
		if d.Reason == captcha.ErrorCodes {
			level = slog.LevelWarn
		}
		s.Log.LogAttrs(ctx, level, "captcha provider returned error codes",
			append(attrs, slog.Any("codes", d.codes))...)

	case s.LogRefusals && d.Result != Admitted:
		attrs = append(attrs, slog.String("result", string(d.Result)))
		if d.Score != nil {
			attrs = append(attrs, slog.Float64("score", *d.Score))
		}
		s.Log.LogAttrs(ctx, slog.LevelInfo, "captcha refused", attrs...)
	}
}

// refusal returns the fault for a refused request. It does not say why a token failed, because that would help
// attackers.
func (d Decision) refusal() error {
	switch {
	case d.Reason == TokenMissing:
		return fault.New(fault.Unauthenticated, "captcha_required",
			"This operation is protected by a captcha: send recaptcha.token, "+
				"a token made for the action %s with the public key of GET /v2/store?with=settings.",
			d.Action)

	case d.cause != nil:
		return fault.New(fault.Unauthenticated, "captcha_unavailable",
			"The captcha provider gave no verdict, so nothing was done. Get a new token for the action %s and send "+
				"the request again in a while.",
			d.Action)
	default:
		return fault.New(fault.Unauthenticated, "captcha_failed",
			"The captcha token was not accepted, so nothing was done. Get a new one for the action %s and send the "+
				"request again; a token works once.",
			d.Action)
	}
}
