package webhook

import (
	"slices"
	"strings"
	"time"

	"vitrine/internal/kit/id"
)

// ReceiverID names a receiver.
type ReceiverID = id.Of[Receiver]

// Receiver is an address that a store's events are sent to.
type Receiver struct {
	Key int64
	ID  ReceiverID
	URL string
	// Types are ids of types, prefixes such as order.*, or * alone for all. Never empty.
	Types   []string
	Enabled bool
	// DisabledReason says why the program disabled it: DisabledGone, DisabledFailing; nil for one that is enabled, or was disabled by hand.
	DisabledReason *string
	// FailingSince is the first attempt that failed since one succeeded; nil if the last one did.
	FailingSince *time.Time
	// Version grows with every write by hand, and when the program disables it.
	Version              int64
	CreatedAt, UpdatedAt time.Time

	// secret signs; oldSecret, if there is one, signs along until oldUntil. Both are sealed.
	secret, oldSecret []byte
	oldUntil          *time.Time
}

// Why the program disables a receiver.
const (
	DisabledGone    = "gone"    // it answered 410
	DisabledFailing = "failing" // nothing but failures for days
)

// wants reports whether the receiver is to be told of events of that type.
func (r *Receiver) wants(eventType string) bool {
	return slices.ContainsFunc(r.Types, func(pattern string) bool { return matches(pattern, eventType) })
}

// matches reports whether a type is meant by its id, by a prefix such as order.*, or by *.
func matches(pattern, eventType string) bool {
	if pattern == "*" || pattern == eventType {
		return true
	}
	prefix, found := strings.CutSuffix(pattern, "*")
	return found && strings.HasSuffix(prefix, ".") && strings.HasPrefix(eventType, prefix)
}
