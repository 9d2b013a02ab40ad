package webhook

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/event"
)

// allTypes is the pattern that matches every type, including those of later versions.
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
		missing = append(missing, fault.Field{Field: "url", Code: "required",
			Message: "A receiver needs an address, such as https://shop.example/webhooks."})
	}
	if e.Types == nil {
		missing = append(missing, fault.Field{Field: "webhook_types", Code: "required",
			Message: "A receiver needs the types of events that it is sent. " + describeTypes()})
	}
	return missing
}

// apply changes r by the edit and returns the invalid fields. checkURL validates the URL.
func (e ReceiverEdit) apply(r *Receiver, checkURL func(string) (*url.URL, error)) (broken []fault.Field) {
	if e.URL != nil {
		address, bad := checkReceiverURL(*e.URL, checkURL)
		if bad != nil {
			broken = append(broken, *bad)
		}
		if address != r.URL {
			r.URL, r.FailingSince = address, nil // the failures were those of the old URL
		}
	}
	if e.Types != nil {
		types, bad := checkTypes(*e.Types)
		broken = append(broken, bad...)
		r.Types = types
	}
	if e.Enabled != nil && *e.Enabled != r.Enabled {
		r.Enabled, r.DisabledReason, r.FailingSince = *e.Enabled, nil, nil
	}
	return broken
}

func checkReceiverURL(address string, checkURL func(string) (*url.URL, error)) (string, *fault.Field) {
	u, err := checkURL(strings.TrimSpace(address))
	if err == nil {
		return u.String(), nil
	}
	bad := &fault.Field{Field: "url", Code: "invalid_url",
		Message: "This is not an address that events can be sent to: write one such as https://shop.example/webhooks."}
	var f *fault.Error
	if errors.As(err, &f) {
		bad.Code, bad.Message = f.Code, f.Message
	}
	return "", bad
}

// checkTypes validates the patterns and removes duplicates, preserving the order. If one of them is *, it is returned
// alone.
func checkTypes(patterns []string) (types []string, broken []fault.Field) {
	if len(patterns) == 0 {
		return nil, []fault.Field{{Field: "webhook_types", Code: "required",
			Message: "The list is empty, so nothing would ever be sent. " + describeTypes()}}
	}
	for i, pattern := range patterns {
		switch {
		case !slices.ContainsFunc(event.TypeIDs(), func(id string) bool { return matches(pattern, id) }):
			broken = append(broken, fault.Field{Field: fmt.Sprintf("webhook_types[%d]", i), Code: "unknown_type",
				Message: "There is no such type of events. " + describeTypes()})
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

// rotate replaces the current secret. The previous one also signs until the overlap is over; an older one is dropped.
func (r *Receiver) rotate(sealed []byte, now time.Time) {
	r.oldSecret, r.oldUntil = r.secret, new(now.Add(secretOverlap))
	r.secret = sealed
}
