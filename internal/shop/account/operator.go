package account

import (
	"log/slog"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
)

// maxEmailBytes is the maximum length of an address in SMTP.
const maxEmailBytes = 254

// Member is an operator with what the other operators of the store see of them.
type Member struct {
	access.Operator
	// SignedInAt is the last time that the person signed in to the store; nil if never.
	SignedInAt *time.Time
	// Sessions is the number of open sessions in the store.
	Sessions int64
	// InvitedUntil is when the invitation expires; nil for an operator without one.
	InvitedUntil *time.Time
}

// NewOperator describes an operator to create.
type NewOperator struct {
	Email    string
	Role     access.Role
	Password string
	// JoinExisting lets a person who has an account join the store at once. Otherwise they are invited: nobody knows
	// whose account it is until it has accepted.
	JoinExisting bool
}

// String returns a text without the password, so that messages do not contain it.
func (n NewOperator) String() string { return "new " + string(n.Role) }

// LogValue returns the text of String, so that logs do not contain the password.
func (n NewOperator) LogValue() slog.Value { return slog.StringValue(n.String()) }

// check returns n with a normalized e-mail address, or fault.Invalid with one field per problem.
func (n NewOperator) check() (NewOperator, error) {
	n.Email = normalizeOperatorEmail(n.Email)
	var problems []fault.Field
	for _, problem := range []*fault.Field{
		checkOperatorEmail(n.Email), checkRole(n.Role), checkPassword(n.Password),
	} {
		if problem != nil {
			problems = append(problems, *problem)
		}
	}
	return n, fault.Fields(problems)
}

// checkOperatorEmail returns why a normalized e-mail address is not acceptable, or nil.
func checkOperatorEmail(email string) *fault.Field {
	if isOperatorEmail(email) {
		return nil
	}
	return new(fault.NewField("email", "invalid_email",
		"This is not an e-mail address; write one such as anna@shop.example, without blanks, of at most %d characters.",
		maxEmailBytes))
}

// checkRole returns a problem if there is no such role, or nil.
func checkRole(role access.Role) *fault.Field {
	switch role {
	case access.Owner, access.Manager, access.Viewer:
		return nil
	}
	return new(fault.NewField("role", "unknown_role", "Use one of %s, %s, %s.", access.Owner, access.Manager,
		access.Viewer))
}

// OperatorEdit is a change of an operator. Members that are nil stay.
type OperatorEdit struct {
	Role    *access.Role
	Enabled *bool
}

// apply returns the operator after the edit.
func (e OperatorEdit) apply(o access.Operator, now time.Time) (access.Operator, error) {
	if e.Role != nil {
		if problem := checkRole(*e.Role); problem != nil {
			return access.Operator{}, fault.Fields([]fault.Field{*problem})
		}
		o.Role = *e.Role
	}
	switch {
	case e.Enabled == nil:
	case *e.Enabled:
		o.DisabledAt = nil
	case o.DisabledAt == nil:
		o.DisabledAt = &now
	}
	return o, nil
}

// normalizeOperatorEmail returns the form in which addresses are stored and compared.
func normalizeOperatorEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

func isOperatorEmail(email string) bool {
	local, domain, ok := strings.Cut(email, "@")
	return ok && local != "" && domain != "" && !strings.Contains(domain, "@") && len(email) <= maxEmailBytes &&
		utf8.ValidString(email) &&
		!strings.ContainsFunc(email, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
}
