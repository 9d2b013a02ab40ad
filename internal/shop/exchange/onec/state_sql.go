package onec

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/exchange/commerceml"
	"vitrine/internal/shop/store"
)

const selectStoreStateSQL = `
SELECT settings, memory, report, sales_cursor, contact
FROM commerceml_stores
WHERE store_id = $1`

const insertStoreStateSQL = `
INSERT INTO commerceml_stores (store_id)
VALUES ($1)
ON CONFLICT (store_id) DO NOTHING`

const setStoreSettingsSQL = `
UPDATE commerceml_stores
SET settings = $2
WHERE store_id = $1`

const setStoreMemorySQL = `
UPDATE commerceml_stores
SET memory = $2, report = $3
WHERE store_id = $1`

const setStoreContactSQL = `
INSERT INTO commerceml_stores (store_id, contact)
VALUES ($1, $2)
ON CONFLICT (store_id) DO UPDATE
SET contact = excluded.contact`

const raiseSalesCursorSQL = `
UPDATE commerceml_stores
SET sales_cursor = $2
WHERE store_id = $1
  AND sales_cursor < $2`

// storeState is what a store has of the exchange with 1C.
type storeState struct {
	settings    Settings
	memory      []byte
	report      Report
	salesCursor int64
	contact     Contact
}

// selectStoreState reads the state of the exchange with 1C. A store that has none has the zero state.
func selectStoreState(ctx context.Context, tx store.Tx) (s storeState, err error) {
	var settings, memory, report, contact string
	err = database.QueryRow(ctx, tx, selectStoreStateSQL, nil, &settings, &memory, &report, &s.salesCursor, &contact)
	if errors.Is(err, database.ErrNoRows) {
		settings, memory, report, contact = "{}", "{}", "{}", "{}"
	} else if err != nil {
		return s, err
	}

	s.memory = []byte(memory)
	if err := json.Unmarshal([]byte(settings), &s.settings); err != nil {
		return s, err
	}
	if err := json.Unmarshal([]byte(contact), &s.contact); err != nil {
		return s, err
	}
	err = json.Unmarshal([]byte(report), &s.report)
	return s, err
}

const pictureDigestsSQL = `
SELECT digest
FROM commerceml_pictures
WHERE store_id = $1
  AND path = $2`

const pictureByDigestSQL = `
SELECT path, session_key
FROM commerceml_pictures
WHERE store_id = $1
  AND digest = $2
ORDER BY session_key DESC
LIMIT 1`

const upsertPicturesSQL = `
WITH r(path, digest) AS (ROWS)
INSERT INTO commerceml_pictures (store_id, path, digest, session_key)
SELECT $1, path, digest, $2
FROM r
WHERE TRUE
ON CONFLICT (store_id, path) DO UPDATE
SET digest = excluded.digest, session_key = excluded.session_key`

// upsertPictures stores which session has the bytes of images, by path.
func upsertPictures(ctx context.Context, tx store.Tx, sessionKey int64, digests map[string][]byte) error {
	batch := database.NewBatch(database.Text, database.Bytes)
	for _, path := range slices.Sorted(maps.Keys(digests)) {
		batch.Add(path, digests[path])
	}
	_, err := tx.ExecRows(ctx, upsertPicturesSQL, batch, sessionKey)
	return err
}

// insertStoreState makes sure that the store has a row.
func insertStoreState(ctx context.Context, tx store.Tx) error {
	return database.Exec(ctx, tx, insertStoreStateSQL)
}

func setStoreSettings(ctx context.Context, tx store.Tx, o Settings) error {
	return database.Exec(ctx, tx, setStoreSettingsSQL, string(wire.AppendJSON(nil, o)))
}

func setStoreMemory(ctx context.Context, tx store.Tx, m commerceml.Memory, r Report) error {
	return database.Exec(ctx, tx, setStoreMemorySQL, string(wire.AppendJSON(nil, m)), string(wire.AppendJSON(nil, r)))
}

func setStoreContact(ctx context.Context, tx store.Tx, c Contact) error {
	return database.Exec(ctx, tx, setStoreContactSQL, string(wire.AppendJSON(nil, c)))
}

// raiseSalesCursor records that 1C has the orders of all events up to a sequence.
func raiseSalesCursor(ctx context.Context, tx store.Tx, sequence int64) error {
	return database.Exec(ctx, tx, raiseSalesCursorSQL, sequence)
}

// pictureDigest returns the digest of the image that last came with a path, or database.ErrNoRows.
func pictureDigest(ctx context.Context, tx store.Tx, path string) (digest []byte, err error) {
	err = database.QueryRow(ctx, tx, pictureDigestsSQL, []any{path}, &digest)
	return digest, err
}

// pictureByDigest returns the session whose package has the image with this digest, and the path in the package. It
// returns database.ErrNoRows if there is none.
func pictureByDigest(ctx context.Context, tx store.Tx, digest []byte) (path string, sessionKey int64, err error) {
	err = database.QueryRow(ctx, tx, pictureByDigestSQL, []any{digest}, &path, &sessionKey)
	return path, sessionKey, err
}
