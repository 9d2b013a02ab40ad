package account

import (
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/audit"
)

// roleChange returns the role of a new operator for the log.
func roleChange(o access.Operator) audit.Change {
	return audit.Change{Field: "role", To: string(o.Role)}
}

// operatorEditEntry returns what the log says about an edit of an operator. The entry has no action if nothing changed.
func operatorEditEntry(before, after access.Operator) audit.Entry {
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
