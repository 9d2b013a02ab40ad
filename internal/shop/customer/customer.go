// Package customer owns the people who buy: what is known of them, the codes by which they sign in without a password, and their sessions. It
// knows nothing of what they buy.
package customer

import (
	"strings"
	"time"

	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/access"
)

// ID names a customer.
type ID = access.CustomerID

// Customer is somebody who has signed in at a shop.
type Customer struct {
	Key  int64
	ID   ID
	Name string // "" until they tell
	// Email and Phone are how the customer wants to be reached, as package contact returns them. Nobody has proven them, so they identify nobody.
	Email, Phone *string
	// LoginEmail, folded, and LoginPhone are what the customer signs in with: codes that were sent there have come back. There is always one of
	// them, and no other customer of the store has it.
	LoginEmail, LoginPhone *string
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

// apply changes what the edit names. What the customer signs in with stays.
func (c *Customer) apply(e Edit) {
	if e.Name != nil {
		c.Name = *e.Name
	}
	if e.Email != nil {
		c.Email = nilIfEmpty(*e.Email)
	}
	if e.Phone != nil {
		c.Phone = nilIfEmpty(*e.Phone)
	}
}

// setLoginAddress makes an address one that the customer signs in with and is reached by, in place of the one of its kind.
func (c *Customer) setLoginAddress(address string) {
	if isPhone(address) {
		c.Phone, c.LoginPhone = &address, &address
	} else {
		c.Email, c.LoginEmail = &address, new(foldCase(address))
	}
}

// signsInWith reports whether the customer has proven the address.
func (c *Customer) signsInWith(address string) bool {
	if isPhone(address) {
		return valueOrEmpty(c.LoginPhone) == address
	}
	return valueOrEmpty(c.LoginEmail) == foldCase(address)
}

// bumpVersion gives the customer the next version. Its time is later than the last, whatever the clock says.
func (c *Customer) bumpVersion(now time.Time) {
	c.Version++
	if !now.After(c.UpdatedAt) {
		now = c.UpdatedAt.Add(time.Microsecond)
	}
	c.UpdatedAt = now
}

// searchText is what a customer is found by: also what they sign in with. A phone number is found with its + and without.
func (c *Customer) searchText() string {
	words := []string{c.Name, valueOrEmpty(c.Email), valueOrEmpty(c.LoginEmail)}
	for _, phone := range []string{valueOrEmpty(c.Phone), valueOrEmpty(c.LoginPhone)} {
		words = append(words, phone, strings.TrimPrefix(phone, "+"))
	}
	return locale.SearchText(words...)
}

// isPhone tells a phone number from an e-mail address, both as package contact returns them.
func isPhone(address string) bool { return !strings.Contains(address, "@") }

// foldCase is the form in which addresses are compared: nobody means another person by another case.
func foldCase(address string) string { return strings.ToLower(address) }

func nilIfEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func valueOrEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
