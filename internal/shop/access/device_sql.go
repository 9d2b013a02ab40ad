package access

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const countDevicesSQL = `
SELECT COUNT(*)
FROM operator_devices
WHERE store_id = $1 AND operator_id = $2 AND hash = $3 AND last_seen_at > $4`

const countDevicesInNetworkSQL = `
SELECT COUNT(*)
FROM operator_devices
WHERE store_id = $1 AND operator_id = $2 AND network = $3 AND last_seen_at > $4`

const upsertDeviceSQL = `
INSERT INTO operator_devices (store_id, operator_id, hash, network, last_seen_at)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (hash) DO UPDATE
SET network = excluded.network, last_seen_at = excluded.last_seen_at`

const deleteOldestDevicesSQL = `
DELETE FROM operator_devices
WHERE store_id = $1 AND operator_id = $2 AND hash IN (
	SELECT d.hash
	FROM operator_devices AS d
	WHERE d.store_id = $1 AND d.operator_id = $2
	ORDER BY d.last_seen_at DESC, d.hash
	LIMIT 1000 OFFSET $3
)`

const deleteDevicesSQL = `
DELETE FROM operator_devices
WHERE store_id = $1 AND operator_id = $2`

const deleteExpiredDevicesSQL = `
DELETE FROM operator_devices
WHERE last_seen_at <= $1`

// deviceExists reports whether the operator has signed in on the device within DeviceLifetime.
func deviceExists(
	ctx context.Context, tx store.Tx, operatorID OperatorID, hash tokenHash, now time.Time,
) (bool, error) {
	var n int64
	err := database.QueryRow(ctx, tx, countDevicesSQL,
		[]any{operatorID, hash[:], now.Add(-DeviceLifetime).UnixMicro()}, &n)
	return n > 0, err
}

// deviceInNetworkExists reports whether one of the operator's devices last signed in from the network.
func deviceInNetworkExists(
	ctx context.Context, tx store.Tx, operatorID OperatorID, network string, now time.Time,
) (bool, error) {
	var n int64
	err := database.QueryRow(ctx, tx, countDevicesInNetworkSQL,
		[]any{operatorID, network, now.Add(-DeviceLifetime).UnixMicro()}, &n)
	return n > 0, err
}

// saveDevice inserts or renews a device of the operator, and deletes the oldest ones past maxDevices.
func saveDevice(
	ctx context.Context, tx store.Tx, operatorID OperatorID, hash tokenHash, network string, now time.Time,
) error {
	err := database.Exec(ctx, tx, upsertDeviceSQL, operatorID, hash[:], network, now.UnixMicro())
	if err != nil {
		return err
	}
	return database.Exec(ctx, tx, deleteOldestDevicesSQL, operatorID, maxDevices)
}

func deleteDevices(ctx context.Context, tx store.Tx, operatorID OperatorID) error {
	return database.Exec(ctx, tx, deleteDevicesSQL, operatorID)
}

func deleteExpiredDevices(ctx context.Context, q database.Querier, now time.Time) error {
	return database.Exec(ctx, q, deleteExpiredDevicesSQL, now.Add(-DeviceLifetime).UnixMicro())
}
