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
	// secretPurpose names what the vault's key is used for.
	secretPurpose = "captcha secret"
)

// Service keeps how stores protect their public operations, and protects them. It is safe for concurrent use.
type Service struct{ Deps }

// Deps is what the protection needs.
type Deps struct {
	DB     *database.DB
	Stores *store.Service
	Vault  *vault.Vault
	Client *captcha.Client
	Now    func() time.Time
	Log    *slog.Logger
	// Observe is told of every decision; nil is told nothing.
	Observe func(Decision)
}

// NewService makes the protection of all stores.
func NewService(deps Deps) *Service { return &Service{deps} }

// Settings returns how a store protects its operations.
func (s *Service) Settings(ctx context.Context, tx store.Tx) (Settings, error) {
	settings, err := selectSettings(ctx, tx)
	if err != nil {
		return Settings{}, fmt.Errorf("read the captcha settings of store %s: %w", tx.StoreID(), err)
	}
	return settings, nil
}

// Update changes a store and how it is protected, in the caller's transaction, as store.Service.Update does. Both are judged together: a store whose
// protection relies on its site's address cannot lose it.
func (s *Service) Update(ctx context.Context, tx store.Tx, e store.Edit, ce Edit, ifVersion *int64) (store.Store, Settings, error) {
	changed, err := s.Stores.Update(ctx, tx, e, ifVersion)
	if err != nil {
		return store.Store{}, Settings{}, err
	}
	old, err := s.Settings(ctx, tx)
	if err != nil {
		return store.Store{}, Settings{}, err
	}
	settings, broken := ce.apply(old, changed.SiteURL, s.seal)
	if err := fault.Fields(broken); err != nil {
		return store.Store{}, Settings{}, err
	}
	if ce == (Edit{}) {
		return changed, settings, nil
	}
	if err := upsertSettings(ctx, tx, settings); err != nil {
		return store.Store{}, Settings{}, fmt.Errorf("update the captcha settings of store %s: %w", tx.StoreID(), err)
	}
	return changed, settings, nil
}

func (s *Service) seal(secret string) []byte { return s.Vault.Seal(secretPurpose, []byte(secret)) }

// Run forgets used tokens past their time until ctx ends.
func (s *Service) Run(ctx context.Context) error {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if err := s.Prune(ctx); err != nil && !errors.Is(err, context.Canceled) {
			s.Log.Warn("used captcha tokens were not pruned", "error", err)
		}
	}
}

// Prune forgets all tokens that were used more than 10 minutes ago.
func (s *Service) Prune(ctx context.Context) error {
	const round = 500
	for n := int64(round); n == round; {
		err := s.DB.Write(ctx, func(q database.Querier) (err error) {
			n, err = pruneTokens(ctx, q, s.Now().Add(-rememberTokens), round)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
