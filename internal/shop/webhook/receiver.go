package webhook

import (
	"slices"
	"strings"
	"time"

	"vitrine/internal/kit/id"
)

// ReceiverID is the public id of a receiver.
type ReceiverID = id.Of[Receiver]

// Receiver is a registered URL that events of a store are sent to.
type Receiver struct {
	Key int64
	ID  ReceiverID
	URL string
	// Types are patterns of event types: a type id, a prefix such as order.*, or * alone for all types. Never empty.
	Types   []string
	Enabled bool
	// DisabledReason says why the receiver was disabled automatically: DisabledGone or DisabledFailing. It is nil if
	// the receiver is enabled or was disabled by an operator.
	DisabledReason *string
	// FailingSince is the time of the first failed attempt since the last successful one; nil if the last attempt
	// succeeded.
	FailingSince *time.Time
	// Version grows with every edit by an operator, and when the receiver is disabled automatically.
	Version              int64
	CreatedAt, UpdatedAt time.Time

	// secret is the current signing secret. oldSecret is the one before it, or nil; it also signs until oldUntil. Both
	// are encrypted by the vault.
	secret, oldSecret []byte
	oldUntil          *time.Time
}

// Reasons why a receiver is disabled automatically.
const (
	DisabledGone    = "gone"    // it responded with 410 Gone
	DisabledFailing = "failing" // every attempt failed for disableAfter
)

// wants reports whether events of that type are sent to the receiver.
func (r *Receiver) wants(eventType string) bool {
	return slices.ContainsFunc(r.Types, func(pattern string) bool { return matches(pattern, eventType) })
}

// matches reports whether a pattern matches an event type: the pattern is the type's id, a prefix such as order.*, or
// *.
func matches(pattern, eventType string) bool {
	if pattern == "*" || pattern == eventType {
		return true
	}
	prefix, found := strings.CutSuffix(pattern, "*")
	return found && strings.HasSuffix(prefix, ".") && strings.HasPrefix(eventType, prefix)
}
