package account

import "time"

// A session expires after sessionIdleTimeout without a request, and sessionLifetime after the login in any case.
const (
	sessionIdleTimeout = 12 * time.Hour
	sessionLifetime    = 7 * 24 * time.Hour
)

func sessionExpired(createdAt, lastSeenAt, now time.Time) bool {
	return now.Sub(lastSeenAt) >= sessionIdleTimeout || now.Sub(createdAt) >= sessionLifetime
}

// A device is a browser in which an operator has signed in. It is forgotten DeviceLifetime after the last login there,
// or when the operator has signed in on maxDevices others.
const (
	DeviceLifetime = 180 * 24 * time.Hour
	maxDevices     = 20
)
