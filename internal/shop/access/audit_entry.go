package access

import (
	"time"

	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/store"
)

// Actor returns the operator as the author of changes.
func (o Operator) Actor() store.Actor {
	return store.Actor{Kind: store.ByOperator, ID: o.ID.String(), Name: o.Email}
}

// Entry returns what the log says about a change of the operator.
func (o Operator) Entry(action audit.Action, changes ...audit.Change) audit.Entry {
	return audit.Entry{Action: action, Object: audit.Object{Kind: "operator", ID: o.ID.String(), Label: o.Email},
		Changes: changes}
}

// AccountEntry returns what the log says about a change that a person has made to their own account.
func (o Operator) AccountEntry(action audit.Action, changes ...audit.Change) audit.Entry {
	return audit.Entry{Action: action, Object: audit.Object{Kind: "account", ID: o.ID.String(), Label: o.Email},
		Changes: changes}
}

// roleChange returns the role of a new operator for the log.
func (o Operator) roleChange() audit.Change { return audit.Change{Field: "role", To: string(o.Role)} }

// operatorEditEntry returns what the log says about an edit of an operator. The entry has no action if nothing changed.
func operatorEditEntry(before, after Operator) audit.Entry {
	var changes []audit.Change
	if before.Role != after.Role {
		changes = append(changes, audit.Change{Field: "role", From: string(before.Role), To: string(after.Role)})
	}
	switch disabled := after.DisabledAt != nil; {
	case disabled != (before.DisabledAt != nil) && disabled:
		return after.Entry(audit.OperatorDisabled, changes...)
	case disabled != (before.DisabledAt != nil):
		return after.Entry(audit.OperatorEnabled, changes...)
	case changes == nil:
		return audit.Entry{}
	}
	return after.Entry(audit.OperatorChanged, changes...)
}

// profileEditEntry returns what the log says about an edit of a person's own account. The entry has no action if
// nothing changed.
func profileEditEntry(before, after Operator, edit ProfileEdit) audit.Entry {
	var changes []audit.Change
	if before.Language != after.Language {
		changes = append(changes, audit.Change{Field: "language", From: before.Language, To: after.Language})
	}
	switch {
	case edit.Password != nil:
		return after.AccountEntry(audit.AccountPasswordChanged, changes...)
	case changes == nil:
		return audit.Entry{}
	}
	return after.AccountEntry(audit.AccountChanged, changes...)
}

// entry returns what the log says about a change of the key. The token and its hash are not part of it.
func (k Key) entry(action audit.Action) audit.Entry {
	changes := []audit.Change{{Field: "kind", To: string(k.Kind)}, {Field: "scopes", To: k.Scopes.Text()}}
	if k.ExpiresAt != nil {
		changes = append(changes, audit.Change{Field: "expires_at", To: k.ExpiresAt.UTC().Format(time.RFC3339)})
	}
	if k.Members != 0 {
		changes = append(changes, audit.Change{Field: "members", To: k.Members.String()})
	}
	return audit.Entry{Action: action, Object: audit.Object{Kind: "key", ID: k.ID.String(), Label: k.Name},
		Changes: changes}
}
