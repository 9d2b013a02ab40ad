// Package customer owns the people who buy: what is known of them, the codes by which they sign in without a password, and their sessions. It
// knows nothing of what they buy.
package customer

import (
	"strings"
	"time"

	"vitrine/internal/access"
	"vitrine/internal/fault"
	"vitrine/internal/locale"
)

// ID names a customer.
type ID = access.CustomerID

// Customer is somebody who has signed in at a shop. They are reached by mail or by phone, or by both.
type Customer struct {
	Key   int64
	ID    ID
	Name  string  // "" until they tell
	Email *string // as package contact returns it
	Phone *string // likewise
	// Version grows with every write of the customer.
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Edit is what a request says of a customer. Members that are nil stay as they are; an e-mail address or phone number that is "" is taken away.
type Edit struct {
	Name         *string
	Email, Phone *string
}

// apply changes what the edit names. Whoever could be reached in no way could not sign in again: that is an Invalid fault.
func (c *Customer) apply(e Edit) error {
	if e.Name != nil {
		c.Name = *e.Name
	}
	if e.Email != nil {
		c.Email = orNone(*e.Email)
	}
	if e.Phone != nil {
		c.Phone = orNone(*e.Phone)
	}
	if c.Email == nil && c.Phone == nil {
		field := "email"
		if e.Email == nil {
			field = "phone"
		}
		return fault.OneField(field, "required", "An e-mail address or a phone number must stay: without either nobody can sign in.")
	}
	return nil
}

// words is what a customer is found by. A phone number is found with its + and without.
func (c *Customer) words() string {
	phone := orEmpty(c.Phone)
	return locale.SearchText(c.Name, orEmpty(c.Email), phone, strings.TrimPrefix(phone, "+"))
}

// Precondition judges the version of a customer that is about to be changed; nil takes any.
type Precondition func(version int64) bool

func (p Precondition) check(version int64) error {
	if p == nil || p(version) {
		return nil
	}
	return fault.New(fault.Stale, "precondition_failed", "This has changed since you read it: If-Match does not name its present ETag. Read it again and repeat the change on that.")
}

// isPhone tells a phone number from an e-mail address, both as package contact returns them.
func isPhone(address string) bool { return !strings.Contains(address, "@") }

// fold is the form in which addresses are compared: nobody means another person by another case.
func fold(address string) string { return strings.ToLower(address) }

func orNone(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
