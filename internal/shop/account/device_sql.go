package account

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
)

const countDevicesSQL = `
SELECT COUNT(*)
FROM account_devices
WHERE account_id = $1 AND hash = $2 AND last_seen_at > $3`

const countDevicesInNetworkSQL = `
SELECT COUNT(*)
FROM account_devices
WHERE account_id = $1 AND network = $2 AND last_seen_at > $3`

const upsertDeviceSQL = `
INSERT INTO account_devices (account_id, hash, network, last_seen_at)
VALUES ($1, $2, $3, $4)
ON CONFLICT (hash) DO UPDATE
SET network = excluded.network, last_seen_at = excluded.last_seen_at`

const deleteOldestDevicesSQL = `
DELETE FROM account_devices
WHERE account_id = $1 AND hash IN (
	SELECT d.hash
	FROM account_devices AS d
	WHERE d.account_id = $1
	ORDER BY d.last_seen_at DESC, d.hash
	LIMIT 1000 OFFSET $2
)`

const deleteDevicesSQL = `
DELETE FROM account_devices
WHERE account_id = $1`

const deleteExpiredDevicesSQL = `
DELETE FROM account_devices
WHERE last_seen_at <= $1`

// deviceExists reports whether the person has signed in on the device within DeviceLifetime.
func deviceExists(
	ctx context.Context, q database.Querier, accountID access.AccountID, hash access.TokenHash, now time.Time,
) (bool, error) {
	var n int64
	err := database.QueryRow(ctx, q, countDevicesSQL,
		[]any{accountID, hash[:], now.Add(-DeviceLifetime).UnixMicro()}, &n)
	return n > 0, err
}

// deviceInNetworkExists reports whether one of the person's devices last signed in from the network.
func deviceInNetworkExists(
	ctx context.Context, q database.Querier, accountID access.AccountID, network string, now time.Time,
) (bool, error) {
	var n int64
	err := database.QueryRow(ctx, q, countDevicesInNetworkSQL,
		[]any{accountID, network, now.Add(-DeviceLifetime).UnixMicro()}, &n)
	return n > 0, err
}

// saveDevice inserts or renews a device of the person, and deletes the oldest ones past maxDevices.
func saveDevice(
	ctx context.Context, q database.Querier, accountID access.AccountID, hash access.TokenHash, network string,
	now time.Time,
) error {
	err := database.Exec(ctx, q, upsertDeviceSQL, accountID, hash[:], network, now.UnixMicro())
	if err != nil {
		return err
	}
	return database.Exec(ctx, q, deleteOldestDevicesSQL, accountID, maxDevices)
}

func deleteDevices(ctx context.Context, q database.Querier, accountID access.AccountID) error {
	return database.Exec(ctx, q, deleteDevicesSQL, accountID)
}

func deleteExpiredDevices(ctx context.Context, q database.Querier, now time.Time) error {
	return database.Exec(ctx, q, deleteExpiredDevicesSQL, now.Add(-DeviceLifetime).UnixMicro())
}
