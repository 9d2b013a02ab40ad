package mailing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const selectSwitchesSQL = `
SELECT switches, version
FROM mail_settings
WHERE store_id = $1`

const selectSettingsSQL = `
SELECT switches, version, templates
FROM mail_settings
WHERE store_id = $1`

const lockStoreSQL = `
SELECT id
FROM stores
WHERE id = $1`

const upsertSettingsSQL = `
INSERT INTO mail_settings (store_id, switches, templates, version, updated_at)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (store_id) DO UPDATE
SET switches = excluded.switches, templates = excluded.templates, version = excluded.version,
	updated_at = excluded.updated_at`

// lockSettings locks out others who change the settings of the store until the commit.
func lockSettings(ctx context.Context, tx store.Tx) error {
	var storeID store.ID
	err := database.QueryRow(ctx, tx, lockStoreSQL+tx.Dialect().ForUpdate, nil, &storeID)
	if errors.Is(err, database.ErrNoRows) {
		return store.Missing()
	}
	return err
}

// selectSwitches returns the settings of a store without the texts.
func (s *Service) selectSwitches(ctx context.Context, tx store.Tx) (settings Settings, err error) {
	var switches string
	err = database.QueryRow(ctx, tx, selectSwitchesSQL, nil, &switches, &settings.Version)
	if errors.Is(err, database.ErrNoRows) {
		settings.Switches, err = s.newStoreSwitches(ctx, tx)
		return settings, err
	}
	return decodeSettings(settings, switches, "{}", err)
}

// selectSettings returns the settings of a store. lock is a locking clause of the dialect, or "".
func (s *Service) selectSettings(ctx context.Context, tx store.Tx, lock string) (settings Settings, err error) {
	var switches, templates string
	err = database.QueryRow(ctx, tx, selectSettingsSQL+lock, nil, &switches, &settings.Version, &templates)
	if errors.Is(err, database.ErrNoRows) {
		settings.Switches, err = s.newStoreSwitches(ctx, tx)
		return settings, err
	}
	return decodeSettings(settings, switches, templates, err)
}

func decodeSettings(settings Settings, switches, templates string, err error) (Settings, error) {
	if err == nil {
		err = json.Unmarshal([]byte(switches), &settings.Switches)
	}
	if err == nil {
		err = json.Unmarshal([]byte(templates), &settings.Templates)
	}
	if err != nil {
		return Settings{}, fmt.Errorf("read the mail settings: %w", err)
	}
	return settings, nil
}

func saveSettings(ctx context.Context, tx store.Tx, settings Settings, now time.Time) error {
	switches, err := json.Marshal(settings.Switches, json.Deterministic(true))
	if err != nil {
		return err
	}
	if settings.Templates == nil {
		settings.Templates = map[Kind]Template{}
	}
	templates, err := json.Marshal(settings.Templates, json.Deterministic(true))
	if err != nil {
		return err
	}
	return database.Exec(ctx, tx, upsertSettingsSQL, string(switches), string(templates), settings.Version,
		now.UnixMicro())
}
