package access

import (
	"log/slog"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/store"
)

// maxEmailBytes is the maximum length of an address in SMTP.
const maxEmailBytes = 254

// OperatorID identifies an operator.
type OperatorID = id.Of[Operator]

// Operator is a person who administers a store.
type Operator struct {
	ID        OperatorID
	StoreID   store.ID
	Email     string
	Role      Role
	CreatedAt time.Time
	UpdatedAt time.Time
}

// NewOperator describes an operator to create.
type NewOperator struct {
	Email    string
	Role     Role
	Password string
}

// String returns a text without the password, so that messages do not contain it.
func (n NewOperator) String() string { return "new " + string(n.Role) }

// LogValue returns the text of String, so that logs do not contain the password.
func (n NewOperator) LogValue() slog.Value { return slog.StringValue(n.String()) }

// check returns n with a normalized e-mail address, or fault.Invalid with one field per problem.
func (n NewOperator) check() (NewOperator, error) {
	var problems []fault.Field
	n.Email = normalizeOperatorEmail(n.Email)
	if !isOperatorEmail(n.Email) {
		problems = append(problems, fault.NewField("email", "invalid_email",
			"This is not an e-mail address; write one such as anna@shop.example, without blanks, of at most %d characters.",
			maxEmailBytes))
	}
	switch n.Role {
	case Owner, Manager, Viewer:
	default:
		problems = append(problems, fault.NewField("role", "unknown_role",
			"Use one of %s, %s, %s.", Owner, Manager, Viewer))
	}
	if problem := checkPassword(n.Password); problem != nil {
		problems = append(problems, *problem)
	}
	return n, fault.Fields(problems)
}

// normalizeOperatorEmail returns the form in which addresses are stored and compared.
func normalizeOperatorEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

func isOperatorEmail(email string) bool {
	local, domain, ok := strings.Cut(email, "@")
	return ok && local != "" && domain != "" && !strings.Contains(domain, "@") && len(email) <= maxEmailBytes &&
		utf8.ValidString(email) &&
		!strings.ContainsFunc(email, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
}
