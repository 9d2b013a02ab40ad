// Package protection owns the captcha protection of public operations: the settings of each store, the decision about
// each request, the used tokens, and how often each score occurs. Requests to the captcha providers belong to package
// captcha.
package protection

import (
	"context"
	"log/slog"
	"time"

	"vitrine/internal/kit/cache"
	"vitrine/internal/kit/captcha"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/periodic"
	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/store"
)

const (
	// tokenRetention is how long a used token is rejected. The tokens of the providers expire after 2 to 5 minutes.
	tokenRetention = 10 * time.Minute
	// secretPurpose is the vault's purpose for captcha secrets.
	secretPurpose = "captcha secret"
	// cachedSettingsBytes limits the settings in memory. Those of a store take about 500 bytes.
	cachedSettingsBytes = 2 << 20
)

// Service stores the captcha settings of stores and checks requests. It is safe for concurrent use.
type Service struct {
	Deps
	settings *cache.Cache[settingsKey, Settings]
	scores   scoreBuffer
}

// settingsKey identifies the settings of a store at a time. Each change of them raises the version of the store. After
// a backup was restored a version may come again, but with another time.
type settingsKey struct {
	storeID   store.ID
	version   int64
	updatedAt int64 // in microseconds
}

// Deps holds the dependencies of the service.
type Deps struct {
	DB     *database.DB
	Stores *store.Service
	Vault  *vault.Vault
	Client *captcha.Client
	Now    func() time.Time
	Log    *slog.Logger
	// Observe is called after every decision. It may be nil.
	Observe func(Decision)
	// LogRefusals logs the reason of every refusal, for development. In production bots would fill the log.
	LogRefusals bool
	// Counts counts the refused requests of each day. It may be nil.
	Counts *store.DailyCounts
}

// New returns a service for all stores.
func New(deps Deps) *Service {
	return &Service{Deps: deps, settings: cache.New(cachedSettingsBytes, func(_ settingsKey, s Settings) int {
		size := 300 + len(s.PublicKey) + len(s.SiteURL) + len(s.secret) + 64*len(s.Actions)
		for _, host := range s.ExtraHosts {
			size += 16 + len(host)
		}
		return size
	})}
}

// Settings returns the captcha settings of a store.
func (s *Service) Settings(ctx context.Context, tx store.Tx) (_ Settings, err error) {
	defer fault.AddContext(&err, "read the captcha settings of store %s", tx.StoreID())
	return selectCaptchaSettings(ctx, tx)
}

// Updated is the result of Update.
type Updated struct {
	Store    store.Store
	Settings Settings
	// StoreBefore and SettingsBefore are those before the change.
	StoreBefore    store.Store
	SettingsBefore Settings
	// Entry is what the log says about the change. It has no action if nothing changed.
	Entry audit.Entry
}

// EntryWith returns the entry of the log with further changes of the settings.
func (u Updated) EntryWith(changes []audit.Change) audit.Entry {
	e := u.Entry
	if len(changes) > 0 {
		e.Action = audit.SettingsChanged
		e.Object = audit.Object{Kind: "settings", Label: u.Store.Name}
		e.Changes = append(e.Changes, changes...)
	}
	return e
}

// Update changes a store like store.Service.Update, and its captcha settings, in the caller's transaction. Both are
// validated together: an active captcha may need the site URL of the store, which then cannot be removed.
func (s *Service) Update(
	ctx context.Context, tx store.Tx, e store.Edit, ce Edit, ifVersion *int64,
) (Updated, error) {
	before, err := s.Stores.FindIn(ctx, tx)
	if err != nil {
		return Updated{}, err
	}
	captchaBefore, err := s.Settings(ctx, tx)
	if err != nil {
		return Updated{}, err
	}

	changed, err := s.Stores.Update(ctx, tx, e, ifVersion)
	if err != nil {
		return Updated{}, err
	}
	settings, err := s.updateSettings(ctx, tx, ce, changed.SiteURL)
	if err != nil {
		return Updated{}, err
	}

	return Updated{Store: changed, Settings: settings, StoreBefore: before, SettingsBefore: captchaBefore,
		Entry: settingsEntry(before, changed, captchaBefore, settings)}, nil
}

// updateSettings changes the captcha settings of the store. They are validated against siteURL, the site URL of the
// store.
func (s *Service) updateSettings(ctx context.Context, tx store.Tx, e Edit, siteURL string) (_ Settings, err error) {
	defer fault.AddContext(&err, "update the captcha settings of store %s", tx.StoreID())
	settings, err := selectCaptchaSettings(ctx, tx)
	if err != nil {
		return Settings{}, err
	}
	settings, broken := e.apply(settings, siteURL, s.seal)
	if err := fault.Fields(broken); err != nil || e == (Edit{}) {
		return settings, err
	}
	return settings, upsertCaptchaSettings(ctx, tx, settings)
}

func (s *Service) seal(secret string) []byte { return s.Vault.Seal(secretPurpose, []byte(secret)) }

// Run deletes expired tokens and writes the counts of scores periodically until ctx ends. Then it writes the remaining
// counts and returns nil.
func (s *Service) Run(ctx context.Context) error {
	err := periodic.Run(ctx, s.Log,
		periodic.Task{Name: "delete expired captcha tokens", Every: time.Minute, Do: s.Prune},
		periodic.Task{Name: "store captcha scores", Every: flushScoresEvery, Do: s.flushScores},
		periodic.Task{Name: "delete old captcha scores", Every: time.Hour, Do: func(ctx context.Context) error {
			return s.DB.Write(ctx, func(q database.Querier) error {
				return pruneScores(ctx, q, s.Now().Add(-scoreRetention))
			})
		}})
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), finalFlushTimeout)
	defer cancel()
	if flushErr := s.flushScores(last); flushErr != nil {
		s.Log.WarnContext(last, "cannot store captcha scores at shutdown", "error", flushErr)
	}
	return err
}

// Prune deletes all tokens that were used more than 10 minutes ago.
func (s *Service) Prune(ctx context.Context) error {
	const batch = 500
	for {
		n, err := database.Write(ctx, s.DB, func(q database.Querier) (int64, error) {
			return pruneCaptchaTokens(ctx, q, s.Now().Add(-tokenRetention), batch)
		})
		if err != nil || n < batch {
			return err
		}
	}
}
