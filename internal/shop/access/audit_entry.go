package access

import (
	"time"

	"vitrine/internal/shop/audit"
)

// entry returns what the log says about a change of the key. The token and its hash are not part of it.
func (k Key) entry(action audit.Action) audit.Entry {
	changes := []audit.Change{{Field: "kind", To: string(k.Kind)}, {Field: "scopes", To: k.Scopes.Text()}}
	if k.ExpiresAt != nil {
		changes = append(changes, audit.Change{Field: "expires_at", To: k.ExpiresAt.UTC().Format(time.RFC3339)})
	}
	if k.Members != 0 {
		changes = append(changes, audit.Change{Field: "members", To: k.Members.String()})
	}
	if k.GroupID != nil {
		changes = append(changes, audit.Change{Field: "group_id", To: k.GroupID.String()})
	}
	return audit.Entry{Action: action, Object: audit.Object{Kind: "key", ID: k.ID.String(), Label: k.Name},
		Changes: changes}
}
