package webhook

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

const selectReceiversSQL = `
SELECT key, id, url, types, enabled, disabled_reason, secret, old_secret, old_secret_until, failing_since, version, created_at, updated_at
FROM receivers
WHERE store_id = $1`

const selectReceiverSQL = selectReceiversSQL + `
  AND id = $2`

const selectAllReceiversSQL = selectReceiversSQL + `
ORDER BY key`

const selectReceiverPageSQL = selectAllReceiversSQL + `
LIMIT $2 OFFSET $3`

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
INSERT INTO receivers (store_id, id, url, types, enabled, disabled_reason, secret, old_secret, old_secret_until, failing_since, version, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
RETURNING key`

const updateReceiverSQL = `
UPDATE receivers
SET url = $3, types = $4, enabled = $5, disabled_reason = $6, secret = $7, old_secret = $8, old_secret_until = $9, failing_since = $10, version = $11,
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

// lockReceivers locks the receivers of a store and returns how many there are. The lock serializes concurrent inserts,
// so that two transactions cannot both add the last receiver that the limit allows.
func lockReceivers(ctx context.Context, tx store.Tx) (n int64, err error) {
	err = database.QueryEach(ctx, tx, receiverKeysSQL+tx.Dialect().ForUpdate, nil, func(rows database.Rows) error {
		var key int64
		return rows.Scan(&key)
	})
	if err == nil {
		err = database.QueryRow(ctx, tx, countReceiversSQL, nil, &n)
	}
	return n, err
}

func insertReceiver(ctx context.Context, tx store.Tx, r *Receiver) error {
	types, err := json.Marshal(r.Types)
	if err != nil {
		return err
	}
	return database.QueryRow(ctx, tx, insertReceiverSQL, []any{
		r.ID, r.URL, string(types), r.Enabled, r.DisabledReason, r.secret, r.oldSecret,
		microsOrNull(r.oldUntil), microsOrNull(r.FailingSince), r.Version, r.CreatedAt.UnixMicro(), r.UpdatedAt.UnixMicro(),
	}, &r.Key)
}

func updateReceiver(ctx context.Context, tx store.Tx, r *Receiver) error {
	types, err := json.Marshal(r.Types)
	if err != nil {
		return err
	}
	return database.Exec(ctx, tx, updateReceiverSQL, r.Key, r.URL, string(types), r.Enabled, r.DisabledReason, r.secret,
		r.oldSecret, microsOrNull(r.oldUntil), microsOrNull(r.FailingSince), r.Version, r.UpdatedAt.UnixMicro())
}

// deleteReceiver deletes a receiver with its deliveries and attempts. Lock order: recordOutcomes locks jobs before
// deliveries, so the caller deletes the receiver's jobs first.
func deleteReceiver(ctx context.Context, tx store.Tx, key int64) error {
	if _, err := tx.Exec(ctx, deleteReceiverAttemptsSQL, key); err != nil {
		return err
	}
	return database.Exec(ctx, tx, deleteReceiverSQL, key)
}

// selectReceiver returns a receiver or fault.NotFound. lock is a locking clause of the dialect, or empty.
func selectReceiver(ctx context.Context, tx store.Tx, receiverID ReceiverID, lock string) (Receiver, error) {
	list, err := readReceivers(ctx, tx.Unscoped(), selectReceiverSQL+lock, tx.StoreID(), receiverID)
	if err != nil {
		return Receiver{}, err
	}
	if len(list) == 0 {
		return Receiver{}, fault.Missing("receiver")
	}
	return list[0], nil
}

func selectReceivers(ctx context.Context, tx store.Tx) ([]Receiver, error) {
	return readReceivers(ctx, tx.Unscoped(), selectAllReceiversSQL, tx.StoreID())
}

func selectReceiverPage(
	ctx context.Context, tx store.Tx, limit, offset int64,
) (list []Receiver, total int64, err error) {
	if err := database.QueryRow(ctx, tx, countReceiversSQL, nil, &total); err != nil || offset >= total {
		return nil, total, err
	}
	list, err = readReceivers(ctx, tx.Unscoped(), selectReceiverPageSQL, tx.StoreID(), limit, offset)
	return list, total, err
}

func readReceivers(ctx context.Context, q database.Querier, sql string, args ...any) (list []Receiver, err error) {
	err = database.QueryEach(ctx, q, sql, args, func(rows database.Rows) error {
		r, err := scanReceiver(rows)
		list = append(list, r)
		return err
	})
	return list, err
}

func scanReceiver(rows database.Rows) (r Receiver, err error) {
	var types string
	var created, updated int64
	var oldUntil, failing *int64
	err = rows.Scan(&r.Key, &r.ID, &r.URL, &types, &r.Enabled, &r.DisabledReason, &r.secret, &r.oldSecret, &oldUntil,
		&failing, &r.Version, &created, &updated)
	if err != nil {
		return r, err
	}
	r.CreatedAt, r.UpdatedAt = time.UnixMicro(created).UTC(), time.UnixMicro(updated).UTC()
	r.oldUntil, r.FailingSince = optionalTime(oldUntil), optionalTime(failing)
	return r, json.Unmarshal([]byte(types), &r.Types)
}

func optionalTime(micros *int64) *time.Time {
	if micros == nil {
		return nil
	}
	return new(time.UnixMicro(*micros).UTC())
}

func microsOrNull(at *time.Time) any {
	if at == nil {
		return nil
	}
	return at.UnixMicro()
}
