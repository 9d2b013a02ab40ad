// Package protection owns how stores protect their public operations by a captcha: the settings of each store, the
// decision about each request, and the tokens that were used. Requests to the providers are the captcha kit's.
package protection

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"vitrine/internal/kit/captcha"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/store"
)

const (
	// rememberTokens is how long a token that was used is refused. The providers forget theirs after 2 to 5 minutes.
	rememberTokens = 10 * time.Minute
	// captchaSecret names what the vault's key is used for.
	captchaSecret = "captcha secret"
)

// Captcha keeps how stores protect their public operations, and protects them. It is safe for concurrent use.
type Captcha struct{ CaptchaDeps }

// CaptchaDeps is what the protection needs.
type CaptchaDeps struct {
	DB     *database.DB
	Stores *store.Service
	Vault  *vault.Vault
	Client *captcha.Client
	Now    func() time.Time
	Log    *slog.Logger
	// Observe is told of every decision; nil is told nothing.
	Observe func(CaptchaDecision)
}

// NewCaptcha makes the protection of all stores.
func NewCaptcha(deps CaptchaDeps) *Captcha { return &Captcha{deps} }

// Settings returns how a store protects its operations.
func (c *Captcha) Settings(ctx context.Context, q database.Querier, storeID store.ID) (CaptchaSettings, error) {
	s, err := selectCaptcha(ctx, q, storeID)
	if err != nil {
		return CaptchaSettings{}, fmt.Errorf("read the captcha settings of store %s: %w", storeID, err)
	}
	return s, nil
}

// Update changes a store and how it is protected, in the caller's transaction, as store.Service.Update does. Both are judged together: a store whose
// protection relies on its site's address cannot lose it.
func (c *Captcha) Update(ctx context.Context, q database.Querier, storeID store.ID, e store.Edit, ce CaptchaEdit, ifVersion *int64) (store.Store, CaptchaSettings, error) {
	changed, err := c.Stores.Update(ctx, q, storeID, e, ifVersion)
	if err != nil {
		return store.Store{}, CaptchaSettings{}, err
	}
	old, err := c.Settings(ctx, q, storeID)
	if err != nil {
		return store.Store{}, CaptchaSettings{}, err
	}
	settings, broken := ce.apply(old, changed.SiteURL, c.seal)
	if err := fault.Fields(broken); err != nil {
		return store.Store{}, CaptchaSettings{}, err
	}
	if ce == (CaptchaEdit{}) {
		return changed, settings, nil
	}
	if err := upsertCaptcha(ctx, q, storeID, settings); err != nil {
		return store.Store{}, CaptchaSettings{}, fmt.Errorf("update the captcha settings of store %s: %w", storeID, err)
	}
	return changed, settings, nil
}

func (c *Captcha) seal(secret string) []byte { return c.Vault.Seal(captchaSecret, []byte(secret)) }

// Run forgets used tokens past their time until ctx ends.
func (c *Captcha) Run(ctx context.Context) error {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if err := c.Prune(ctx); err != nil && !errors.Is(err, context.Canceled) {
			c.Log.Warn("used captcha tokens were not pruned", "error", err)
		}
	}
}

// Prune forgets all tokens that were used more than 10 minutes ago.
func (c *Captcha) Prune(ctx context.Context) error {
	const round = 500
	for n := int64(round); n == round; {
		err := c.DB.Write(ctx, func(q database.Querier) (err error) {
			n, err = pruneTokens(ctx, q, c.Now().Add(-rememberTokens), round)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
