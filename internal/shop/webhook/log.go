package webhook

import (
	"slices"
	"strings"

	"vitrine/internal/shop/audit"
)

// entry returns what the log says about a change of the receiver. Secrets are not part of it.
func (r *Receiver) entry(action audit.Action, changes ...audit.Change) audit.Entry {
	return audit.Entry{Action: action, Object: audit.Object{Kind: "receiver", ID: r.ID.String(), Label: r.URL},
		Changes: changes}
}

// editEntry returns what the log says about an edit of the receiver.
func (r *Receiver) editEntry(before *Receiver) audit.Entry {
	var changes []audit.Change
	if before.URL != r.URL {
		changes = append(changes, audit.Change{Field: "url", From: before.URL, To: r.URL})
	}

	if !slices.Equal(before.Types, r.Types) {
		changes = append(changes, audit.Change{Field: "webhook_types", From: strings.Join(before.Types, ", "),
			To: strings.Join(r.Types, ", ")})
	}

	switch {
	case r.Enabled && !before.Enabled:
		return r.entry(audit.ReceiverEnabled, changes...)
	case before.Enabled && !r.Enabled:
		return r.entry(audit.ReceiverDisabled, changes...)
	}

	return r.entry(audit.ReceiverEdited, changes...)
}
