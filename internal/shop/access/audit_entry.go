package access

import (
	"context"
	"time"

	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/store"
)

// record records a change of the key in the log. The token and its hash are not part of it.
func (k Key) record(ctx context.Context, tx store.Tx, action audit.Action) error {
	group, err := GroupName(ctx, tx, k.GroupID)
	if err != nil {
		return err
	}

	changes := []audit.Change{{Field: "kind", To: string(k.Kind)}, {Field: "scopes", To: k.Scopes.Text()}}
	if k.ExpiresAt != nil {
		changes = append(changes, audit.Change{Field: "expires_at", To: k.ExpiresAt.UTC().Format(time.RFC3339)})
	}
	if k.Members != 0 {
		changes = append(changes, audit.Change{Field: "members", To: k.Members.String()})
	}
	if k.GroupID != nil {
		changes = append(changes, audit.Change{Field: "group_id", To: group})
	}

	return audit.Record(ctx, tx, audit.Entry{Action: action,
		Object: audit.Object{Kind: "key", ID: k.ID.String(), Label: k.Name}, Changes: changes})
}
