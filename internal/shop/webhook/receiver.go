package webhook

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/event"
)

// ReceiverID is the public id of a receiver.
type ReceiverID = id.Of[Receiver]

// Receiver is a registered URL that events of a store are sent to.
type Receiver struct {
	Key int64
	ID  ReceiverID
	URL string
	// Types are patterns of event types, at least one: a type id, a prefix such as order.*, or * alone for all types.
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

	// secret is the current signing secret. oldSecret is the previous one, which also signs until oldUntil, or nil.
	// Both are encrypted by the vault.
	secret, oldSecret []byte
	oldUntil          *time.Time
}

// Reasons why a receiver is disabled automatically.
const (
	DisabledGone    = "gone"    // it responded with 410 Gone
	DisabledFailing = "failing" // every attempt failed for disableAfter
)

// Wants reports whether events of this type are sent to the receiver.
func (r *Receiver) Wants(eventType string) bool {
	return slices.ContainsFunc(r.Types, func(pattern string) bool { return matchesEventType(pattern, eventType) })
}

// wantsEvent reports whether the event is sent to the receiver.
func (r *Receiver) wantsEvent(e *envelope) bool { return e.forOneReceiver || r.Wants(e.eventType) }

// matchesEventType reports whether a pattern matches an event type. A pattern is a type id, a prefix such as order.*,
// or *.
func matchesEventType(pattern, eventType string) bool {
	if pattern == "*" || pattern == eventType {
		return true
	}
	prefix, found := strings.CutSuffix(pattern, "*")
	return found && strings.HasSuffix(prefix, ".") && strings.HasPrefix(eventType, prefix)
}

// allTypes is the pattern that matches every type, including types that later versions add.
const allTypes = "*"

// ReceiverEdit is a partial update of a receiver: nil fields stay unchanged. A new receiver needs URL and Types, and is
// enabled by default.
type ReceiverEdit struct {
	URL     *string
	Types   *[]string
	Enabled *bool
}

// missingFields returns an error for each field that a new receiver needs and the edit lacks.
func (e ReceiverEdit) missingFields() (missing []fault.Field) {
	if e.URL == nil {
		missing = append(missing, fault.NewField("url", "required",
			"A receiver needs an address, such as https://shop.example/webhooks."))
	}
	if e.Types == nil {
		missing = append(missing, fault.NewField("webhook_types", "required",
			"A receiver needs the types of events that it is sent. %s", describeTypes()))
	}
	return missing
}

// apply applies the edit to r and returns the invalid fields. checkURL validates the URL.
func (e ReceiverEdit) apply(r *Receiver, checkURL func(string) (*url.URL, error)) (broken []fault.Field) {
	if e.URL != nil {
		address, bad := checkReceiverURL(*e.URL, checkURL)
		if bad != nil {
			broken = append(broken, *bad)
		}
		if address != r.URL {
			r.URL = address
			r.FailingSince = nil // the old URL failed, not this one
		}
	}

	if e.Types != nil {
		types, bad := checkEventTypes(*e.Types)
		broken = append(broken, bad...)
		r.Types = types
	}

	if e.Enabled != nil && *e.Enabled != r.Enabled {
		r.Enabled = *e.Enabled
		r.DisabledReason = nil
		r.FailingSince = nil
	}

	return broken
}

func checkReceiverURL(address string, checkURL func(string) (*url.URL, error)) (string, *fault.Field) {
	u, err := checkURL(strings.TrimSpace(address))
	if err == nil {
		return u.String(), nil
	}
	bad := new(fault.NewField("url", "invalid_url",
		"This is not an address that events can be sent to: write one such as https://shop.example/webhooks."))
	var f *fault.Error
	if errors.As(err, &f) {
		bad.Code, bad.Message = f.Code, f.Message
	}
	return "", bad
}

// checkEventTypes validates the patterns and removes duplicates, preserving the order. If one of them is *, it is
// returned alone.
func checkEventTypes(patterns []string) (types []string, broken []fault.Field) {
	if len(patterns) == 0 {
		return nil, []fault.Field{{Field: "webhook_types", Code: "required",
			Message: "The list is empty, so nothing would ever be sent. " + describeTypes()}}
	}

	for i, pattern := range patterns {
		switch {
		case !slices.ContainsFunc(event.TypeIDs(), func(id string) bool { return matchesEventType(pattern, id) }):
			broken = append(broken, fault.NewField(fmt.Sprintf("webhook_types[%d]", i), "unknown_type",
				"There is no such type of events. %s", describeTypes()))
		case !slices.Contains(types, pattern):
			types = append(types, pattern)
		}
	}

	if slices.Contains(types, allTypes) {
		types = []string{allTypes}
	}

	return types, broken
}

// describeTypes lists the valid patterns for an error message.
func describeTypes() string {
	return "Use some of " + strings.Join(event.TypeIDs(), ", ") + `; a prefix such as order.*; or ["*"] for all.`
}

// rotate replaces the current secret. The previous secret also signs during the overlap; an older one is dropped.
func (r *Receiver) rotate(sealed []byte, now time.Time) {
	r.oldSecret, r.oldUntil = r.secret, new(now.Add(secretOverlap))
	r.secret = sealed
}
