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

// allTypes is the pattern that means every type, those of later versions too.
const allTypes = "*"

// ReceiverEdit says what to change about a receiver; what is nil stays. A new one needs an URL and types, and is enabled unless it says otherwise.
type ReceiverEdit struct {
	URL     *string
	Types   *[]string
	Enabled *bool
}

// complete names what a new receiver lacks.
func (e ReceiverEdit) complete() (missing []fault.Field) {
	if e.URL == nil {
		missing = append(missing, fault.Field{Field: "url", Code: "required", Message: "A receiver needs an address, such as https://shop.example/webhooks."})
	}
	if e.Types == nil {
		missing = append(missing, fault.Field{Field: "webhook_types", Code: "required", Message: "A receiver needs the types of events that it is sent. " + offerTypes()})
	}
	return missing
}

// apply brings the edit into a receiver, whose address checkURL judges, and returns what of it breaks a rule.
func (e ReceiverEdit) apply(r *Receiver, checkURL func(string) (*url.URL, error)) (broken []fault.Field) {
	if e.URL != nil {
		address, bad := checkAddress(*e.URL, checkURL)
		if bad != nil {
			broken = append(broken, *bad)
		}
		if address != r.URL {
			r.URL, r.FailingSince = address, nil // how the old one failed says nothing of the new one
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

func checkAddress(address string, checkURL func(string) (*url.URL, error)) (string, *fault.Field) {
	u, err := checkURL(strings.TrimSpace(address))
	if err == nil {
		return u.String(), nil
	}
	bad := &fault.Field{Field: "url", Code: "invalid_url", Message: "This is not an address that events can be sent to: write one such as https://shop.example/webhooks."}
	var f *fault.Error
	if errors.As(err, &f) {
		bad.Code, bad.Message = f.Code, f.Message
	}
	return "", bad
}

// checkTypes returns the patterns, each once, in the order in which they were sent; the one that means all stands alone.
func checkTypes(patterns []string) (types []string, broken []fault.Field) {
	if len(patterns) == 0 {
		return nil, []fault.Field{{Field: "webhook_types", Code: "required", Message: "The list is empty, so nothing would ever be sent. " + offerTypes()}}
	}
	for i, pattern := range patterns {
		switch {
		case !slices.ContainsFunc(event.TypeIDs(), func(id string) bool { return matches(pattern, id) }):
			broken = append(broken, fault.Field{Field: fmt.Sprintf("webhook_types[%d]", i), Code: "unknown_type", Message: "There is no such type of events. " + offerTypes()})
		case !slices.Contains(types, pattern):
			types = append(types, pattern)
		}
	}
	if slices.Contains(types, allTypes) {
		types = []string{allTypes}
	}
	return types, broken
}

// offerTypes says what can stand in the list.
func offerTypes() string {
	return "Use some of " + strings.Join(event.TypeIDs(), ", ") + `; a prefix such as order.*; or ["*"] for all.`
}

// rotate puts a new secret in the place of the present one, which signs along until the overlap is over; one before that is gone.
func (r *Receiver) rotate(sealed []byte, now time.Time) {
	r.oldSecret, r.oldUntil = r.secret, new(now.Add(secretOverlap))
	r.secret = sealed
}
