package customer

import (
	"context"
	"slices"
	"strings"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

// Contact is the contact of an order that was submitted without signing in, with the time of the submission. The
// addresses are empty or in the form that package contact returns.
type Contact struct {
	Name, Email, Phone string
	At                 time.Time
}

// orGuest returns err, or fault.NotFound for a guest: the API knows only customers who sign in.
func (c *Customer) orGuest(err error) error {
	if err == nil && c.Guest {
		return fault.Missing("customer")
	}
	return err
}

// WithKey returns the customer or guest with a row key, or fault.NotFound.
func WithKey(ctx context.Context, tx store.Tx, key int64) (Customer, error) {
	return selectCustomerByKey(ctx, tx, key)
}

// KeysOfContacts returns the row key of the person of each contact, as the administration shows people, or 0 for a
// contact without addresses. It is that of the customer who signs in with the e-mail address, or else with the phone
// number. Otherwise it is that of the guest with the e-mail address, or if the contact has none with the phone number;
// two e-mail addresses are two people even if they share a phone. KeysOfContacts creates the guests that are missing.
// None of this is proven: the keys must not give access to anything.
//
// The caller must see to it that no other transaction calls it, or RemoveGuests, for the same store.
func KeysOfContacts(ctx context.Context, tx store.Tx, contacts []Contact) (keys []int64, err error) {
	defer fault.AddContext(&err, "find the people of contacts in store %s", tx.StoreID())

	f := newContactFinder(contacts)
	if err := f.find(ctx, tx); err != nil {
		return nil, err
	}

	// Guests with an e-mail address come first: contacts with their phone number alone belong to them.
	for _, identity := range []func(Contact) string{emailOf, phoneOf} {
		missing := f.missing(contacts, identity)
		if len(missing) == 0 {
			continue
		}
		if err := insertGuests(ctx, tx, missing); err != nil {
			return nil, err
		}
		if err := f.find(ctx, tx); err != nil {
			return nil, err
		}
	}

	keys = make([]int64, len(contacts))
	for i := range contacts {
		keys[i] = f.keyOf(contacts[i])
	}
	return keys, nil
}

func emailOf(c Contact) string { return foldCase(c.Email) }

// phoneOf returns the phone number of a contact without an e-mail address.
func phoneOf(c Contact) string {
	if c.Email != "" {
		return ""
	}
	return barePhone(c.Phone)
}

// barePhone returns the form in which phone numbers are compared: without the plus.
func barePhone(phone string) string { return strings.TrimPrefix(phone, "+") }

// contactFinder finds people by the addresses of contacts.
type contactFinder struct {
	emails, phones []string
	// These are the row keys of the customers who sign in with an address, and of the guests who have it.
	logins, guests map[string]int64
}

func newContactFinder(contacts []Contact) *contactFinder {
	f := &contactFinder{}
	for _, c := range contacts {
		if c.Email != "" {
			f.emails = append(f.emails, foldCase(c.Email))
		}
		if c.Phone != "" {
			f.phones = append(f.phones, barePhone(c.Phone), "+"+barePhone(c.Phone))
		}
	}
	for _, list := range []*[]string{&f.emails, &f.phones} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return f
}

// find reads who has the addresses.
func (f *contactFinder) find(ctx context.Context, tx store.Tx) error {
	f.logins, f.guests = map[string]int64{}, map[string]int64{}
	return f.selectKeys(ctx, tx)
}

// keyOf returns the row key of the person of a contact, or 0.
func (f *contactFinder) keyOf(c Contact) int64 {
	email, phone := foldCase(c.Email), barePhone(c.Phone)
	switch {
	case email != "" && f.logins[email] != 0:
		return f.logins[email]
	case phone != "" && f.logins[phone] != 0:
		return f.logins[phone]
	case email != "":
		return f.guests[email]
	}
	return f.guests[phone]
}

// missing returns the guests to create for the contacts that have an identity and no person.
func (f *contactFinder) missing(contacts []Contact, identity func(Contact) string) (guests []Customer) {
	seen := map[string]bool{}
	for _, c := range contacts {
		who := identity(c)
		if who == "" || seen[who] || f.keyOf(c) != 0 {
			continue
		}
		seen[who] = true
		guests = append(guests, Customer{ID: id.New[access.Customer](), Name: c.Name, Email: nilIfEmpty(c.Email),
			Phone: nilIfEmpty(c.Phone), Guest: true, Version: 1, CreatedAt: c.At, UpdatedAt: c.At})
	}
	return guests
}

// RemoveGuests deletes those of the customers with these row keys who are guests, and returns them. No order may be
// shown under them any more.
func RemoveGuests(ctx context.Context, tx store.Tx, keys []int64) (guests []Customer, err error) {
	defer fault.AddContext(&err, "remove guests of store %s", tx.StoreID())
	if guests, err = selectGuestsByKeys(ctx, tx, keys); err != nil || len(guests) == 0 {
		return nil, err
	}
	return guests, deleteGuests(ctx, tx, guests)
}

// GuestsWith returns the guests who have one of the addresses.
func GuestsWith(ctx context.Context, tx store.Tx, addresses []string) (list []Customer, err error) {
	defer fault.AddContext(&err, "find guests of store %s by address", tx.StoreID())
	return selectGuestsByAddress(ctx, tx, addresses)
}

// AddNotes appends the notes on guests to the note on the customer they turned out to be, whose row must be locked.
func AddNotes(ctx context.Context, tx store.Tx, c *Customer, guests []Customer, now time.Time) error {
	note := c.Note
	for i := range guests {
		if guests[i].Note != "" {
			note = joinNotes(note, guests[i].Note)
		}
	}
	if note == c.Note {
		return nil
	}

	words := c.searchText()
	c.Note = note
	c.bumpVersion(now)
	if err := setNote(ctx, tx, c); err != nil {
		return err
	}
	return updateCustomer(ctx, tx, c, words)
}
