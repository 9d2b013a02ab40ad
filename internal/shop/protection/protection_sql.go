package protection

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const selectCaptchaSettingsSQL = `
SELECT active, provider, public_key, secret, site_url, extra_hosts, on_provider_error, actions
FROM captcha_settings
WHERE store_id = $1`

const upsertCaptchaSettingsSQL = `
INSERT INTO captcha_settings (store_id, active, provider, public_key, secret, site_url, extra_hosts,
	on_provider_error, actions)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (store_id) DO UPDATE
SET active = excluded.active, provider = excluded.provider, public_key = excluded.public_key,
	secret = excluded.secret, site_url = excluded.site_url,
	extra_hosts = excluded.extra_hosts, on_provider_error = excluded.on_provider_error, actions = excluded.actions`

// The condition allows the use of a token whose row has expired, but was not deleted by Prune yet.
const useCaptchaTokenSQL = `
INSERT INTO captcha_tokens (store_id, hash, used_at)
VALUES ($1, $2, $3)
ON CONFLICT (store_id, hash) DO UPDATE
SET used_at = excluded.used_at
WHERE captcha_tokens.used_at < $4`

const pruneCaptchaTokensSQL = `
DELETE FROM captcha_tokens
WHERE (store_id, hash) IN (
	SELECT store_id, hash
	FROM captcha_tokens
	WHERE used_at < $1
	ORDER BY used_at, store_id, hash
	LIMIT $2)`

// selectCaptchaSettings returns the settings of a store, or the default settings if it has none.
func selectCaptchaSettings(ctx context.Context, tx store.Tx) (Settings, error) {
	s := defaultSettings()
	var hosts, actions string
	err := database.QueryRow(ctx, tx, selectCaptchaSettingsSQL, nil,
		&s.Active, (*string)(&s.Provider), &s.PublicKey, &s.secret, &s.SiteURL, &hosts, (*string)(&s.OnProviderError),
		&actions)
	if errors.Is(err, database.ErrNoRows) {
		return defaultSettings(), nil
	}
	if err != nil {
		return Settings{}, err
	}
	s.ExtraHosts = strings.Fields(hosts)
	err = json.Unmarshal([]byte(actions), &s.Actions)
	return s, err
}

// upsertCaptchaSettings stores the settings of a store. Hosts are stored one per line, because they contain no line
// breaks.
func upsertCaptchaSettings(ctx context.Context, tx store.Tx, s Settings) error {
	actions, err := json.Marshal(s.Actions)
	if err != nil {
		return err
	}
	return database.Exec(ctx, tx, upsertCaptchaSettingsSQL, s.Active, string(s.Provider), s.PublicKey, s.secret,
		s.SiteURL, strings.Join(s.ExtraHosts, "\n"), string(s.OnProviderError), string(actions))
}

// useCaptchaToken records that a token is used now, at the time at, and returns true. If the last use of the token was
// at the time since or later, useCaptchaToken records nothing and returns false.
func useCaptchaToken(ctx context.Context, tx store.Tx, hash []byte, at, since time.Time) (bool, error) {
	n, err := tx.Exec(ctx, useCaptchaTokenSQL, hash, at.UnixMicro(), since.UnixMicro())
	return n == 1, err
}

// pruneCaptchaTokens deletes up to limit tokens that were used before a time, and returns how many it deleted.
func pruneCaptchaTokens(ctx context.Context, q database.Querier, before time.Time, limit int) (int64, error) {
	return q.Exec(ctx, pruneCaptchaTokensSQL, before.UnixMicro(), limit)
}
