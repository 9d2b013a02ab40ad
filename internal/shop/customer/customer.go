// Package customer owns the customers of a store: their profiles, the codes by which they sign in without a password,
// and their sessions. It knows nothing of orders.
package customer

import (
	"context"
	"slices"
	"strings"
	"time"

	"vitrine/internal/shop/access"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/store"
)

// ID identifies a customer.
type ID = access.CustomerID

// Customer is a person who has signed in at a store, or a guest.
type Customer struct {
	Key  int64
	ID   ID
	Name string // "" until the customer enters it
	// Email and Phone are the contact addresses, in the form that package contact returns. They are not verified, so
	// they do not identify the customer.
	Email, Phone *string
	// LoginEmail, in lower case, and LoginPhone are the addresses that the customer signs in with. They are verified: a
	// code sent there was confirmed. A customer who is no guest has at least one of them. They are unique in the store.
	LoginEmail, LoginPhone *string
	// GroupID is the group whose prices the customer gets; nil if the customer is in no group.
	GroupID *access.GroupID
	// Note is what the shop has noted for itself. Customers do not see it.
	Note string
	// Version increases with every write of the customer.
	Version int64
	// Guest says that the person has ordered without signing in. A guest has the contact of the first order, which
	// proves nothing, and no login address, group and session.
	Guest     bool
	CreatedAt time.Time
	UpdatedAt time.Time
}

// MaxNote is the maximum length of a note, in characters.
const MaxNote = 10_000

// Edit is a change of a customer's profile. Nil fields stay as they are; an empty e-mail address or phone number is
// removed.
type Edit struct {
	Name         *string
	Email, Phone *string
	GroupID      *access.GroupID // the zero id takes the customer out of the group
}

// apply changes the fields that the edit sets. It does not change the login addresses.
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

// setLoginAddress sets the login address and the contact address of the same kind, e-mail or phone.
func (c *Customer) setLoginAddress(address string) {
	if isPhone(address) {
		c.Phone, c.LoginPhone = &address, &address
	} else {
		c.Email, c.LoginEmail = &address, new(foldCase(address))
	}
}

// signsInWith reports whether the address is a login address of the customer.
func (c *Customer) signsInWith(address string) bool {
	if isPhone(address) {
		return valueOrEmpty(c.LoginPhone) == address
	}
	return valueOrEmpty(c.LoginEmail) == foldCase(address)
}

// bumpVersion increments the version and sets UpdatedAt. UpdatedAt increases even if the clock does not.
func (c *Customer) bumpVersion(now time.Time) {
	c.Version++
	if !now.After(c.UpdatedAt) {
		now = c.UpdatedAt.Add(time.Microsecond)
	}
	c.UpdatedAt = now
}

// Addresses returns the distinct contact and login addresses of the customer.
func (c *Customer) Addresses() (list []string) {
	for _, address := range []*string{c.Email, c.Phone, c.LoginEmail, c.LoginPhone} {
		if address != nil && !slices.Contains(list, *address) {
			list = append(list, *address)
		}
	}
	return list
}

// searchText returns the text that a search matches: the name and all addresses.
func (c *Customer) searchText() string {
	return store.PersonText([]string{c.Name, valueOrEmpty(c.Email), valueOrEmpty(c.LoginEmail)},
		valueOrEmpty(c.Phone), valueOrEmpty(c.LoginPhone))
}

// recordGroup records a change of the group in the log, by the names of the groups, unless the group stays.
func (c *Customer) recordGroup(ctx context.Context, tx store.Tx, was *Customer) error {
	if was.GroupID == c.GroupID || was.GroupID != nil && c.GroupID != nil && *was.GroupID == *c.GroupID {
		return nil
	}
	from, err := access.GroupName(ctx, tx, was.GroupID)
	if err != nil {
		return err
	}
	to, err := access.GroupName(ctx, tx, c.GroupID)
	if err != nil {
		return err
	}

	return audit.Record(ctx, tx, audit.Entry{Action: audit.CustomerMoved,
		Object:  audit.Object{Kind: "customer", ID: c.ID.String(), Label: c.Name},
		Changes: []audit.Change{{Field: "group", From: from, To: to}}})
}

// isPhone distinguishes phone numbers from e-mail addresses, both in the form that package contact returns.
func isPhone(address string) bool { return !strings.Contains(address, "@") }

// foldCase returns the form in which addresses are compared. E-mail addresses that differ only in case belong to one
// person.
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
