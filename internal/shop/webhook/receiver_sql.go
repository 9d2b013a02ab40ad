package webhook

import (
	"context"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/store"
)

const selectReceiversSQL = `
SELECT key, id, url, types, enabled, disabled_reason, secret, old_secret, old_secret_until, failing_since, version,
	created_at, updated_at
FROM receivers
WHERE store_id = $1`

const selectReceiverSQL = selectReceiversSQL + `
  AND id = $2`

const selectAllReceiversSQL = selectReceiversSQL + `
ORDER BY key`

const countReceiversSQL = `
SELECT COUNT(*)
FROM receivers
WHERE store_id = $1`

const receiverKeysSQL = `
SELECT key
FROM receivers
WHERE store_id = $1
ORDER BY key`

const insertReceiverSQL = `
INSERT INTO receivers (store_id, id, url, types, enabled, disabled_reason, secret, old_secret, old_secret_until,
	failing_since, version, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
RETURNING key`

const updateReceiverSQL = `
UPDATE receivers
SET url = $3, types = $4, enabled = $5, disabled_reason = $6, secret = $7, old_secret = $8, old_secret_until = $9,
	failing_since = $10, version = $11,
	updated_at = $12
WHERE store_id = $1
  AND key = $2`

const deleteReceiverAttemptsSQL = `
DELETE FROM attempts
WHERE store_id = $1
  AND delivery_key IN (SELECT d.key FROM deliveries d WHERE d.store_id = $1 AND d.receiver_key = $2)`

const deleteReceiverSQL = `
DELETE FROM receivers
WHERE store_id = $1
  AND key = $2`

// lockReceivers locks the receivers of a store and then counts them. Concurrent inserts wait for the lock and count the
// receiver that was committed before, so two transactions cannot both add the last receiver that the limit allows.
func lockReceivers(ctx context.Context, tx store.Tx) (n int64, err error) {
	var keys []int64
	err = database.QueryEach(ctx, tx, receiverKeysSQL+tx.Dialect().ForUpdate, nil, database.AppendColumn(&keys))
	if err == nil {
		err = database.QueryRow(ctx, tx, countReceiversSQL, nil, &n)
	}
	return n, err
}

func insertReceiver(ctx context.Context, tx store.Tx, r *Receiver) error {
	return database.QueryRow(ctx, tx, insertReceiverSQL, []any{
		r.ID, r.URL, encodeEventTypes(r.Types), r.Enabled, r.DisabledReason, r.secret, r.oldSecret,
		database.MicrosOrNull(r.oldUntil), database.MicrosOrNull(r.FailingSince), r.Version, r.CreatedAt.UnixMicro(),
		r.UpdatedAt.UnixMicro(),
	}, &r.Key)
}

func updateReceiver(ctx context.Context, tx store.Tx, r *Receiver) error {
	return database.Exec(ctx, tx, updateReceiverSQL, r.Key, r.URL, encodeEventTypes(r.Types), r.Enabled,
		r.DisabledReason, r.secret, r.oldSecret, database.MicrosOrNull(r.oldUntil),
		database.MicrosOrNull(r.FailingSince), r.Version, r.UpdatedAt.UnixMicro())
}

// deleteReceiver deletes a receiver with its deliveries and attempts. Lock order: recordOutcomes locks jobs before
// deliveries, so the caller deletes the receiver's jobs first.
func deleteReceiver(ctx context.Context, tx store.Tx, key int64) error {
	if err := database.Exec(ctx, tx, deleteReceiverAttemptsSQL, key); err != nil {
		return err
	}
	return database.Exec(ctx, tx, deleteReceiverSQL, key)
}

// selectReceiver returns a receiver or fault.NotFound. lock is a locking clause of the dialect, or empty.
func selectReceiver(ctx context.Context, tx store.Tx, receiverID ReceiverID, lock string) (Receiver, error) {
	return store.SelectOne(ctx, tx, selectReceiverSQL+lock, []any{receiverID}, "receiver", scanReceiver)
}

// selectReceivers returns all receivers of a store, including disabled ones.
func selectReceivers(ctx context.Context, tx store.Tx) (list []Receiver, err error) {
	err = database.QueryEach(ctx, tx, selectAllReceiversSQL, nil, database.AppendScanned(&list, scanReceiver))
	return list, err
}

func selectReceiverPage(ctx context.Context, tx store.Tx, limit, offset int64) ([]Receiver, int64, error) {
	list := store.ListSQL{Select: selectReceiversSQL, Count: countReceiversSQL, OrderBy: "key"}
	return store.SelectPage(ctx, tx, list, store.NewConditions(), limit, offset, scanReceiver)
}

func scanReceiver(rows database.Rows) (r Receiver, err error) {
	var types string
	err = rows.Scan(&r.Key, &r.ID, &r.URL, &types, &r.Enabled, &r.DisabledReason, &r.secret, &r.oldSecret,
		database.NullTime(&r.oldUntil), database.NullTime(&r.FailingSince), &r.Version, database.Time(&r.CreatedAt),
		database.Time(&r.UpdatedAt))
	if err == nil {
		err = json.Unmarshal([]byte(types), &r.Types)
	}
	return r, err
}

func encodeEventTypes(types []string) string { return string(wire.AppendJSON(nil, types)) }
