package customer

import (
	"context"
	"slices"
	"strings"
	"time"

	"vitrine/internal/kit/contact"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// Label returns the name of the customer, or an address.
func (c *Customer) Label() string {
	for _, text := range append([]string{c.Name}, c.Addresses()...) {
		if text != "" {
			return text
		}
	}
	return ""
}

// Absorb adds to the customer what the shop knows of another one, who is deleted with the sessions. Both rows must be
// locked, and no order may belong to the other one any more. The customer keeps the own name, addresses and group; a
// guest gets what is missing. The note has what is left of the name and the addresses of the other one: a customer who
// signs in would see them elsewhere. Login addresses do not move: only their owner may sign in with them.
func (c *Customer) Absorb(ctx context.Context, tx store.Tx, other Customer, now time.Time) (err error) {
	defer fault.AddContext(&err, "join two customers of store %s", tx.StoreID())

	if err := deleteCustomer(ctx, tx, &other); err != nil {
		return err
	}

	words := c.searchText()
	if c.Guest {
		c.fillFrom(&other)
	}
	left := slices.DeleteFunc(append([]string{other.Name}, other.Addresses()...), func(text string) bool {
		return text == "" || text == c.Name || slices.Contains(c.Addresses(), text)
	})
	note := strings.TrimSpace(strings.Join(left, " · ") + "\n" + other.Note)
	c.Note = joinNotes(c.Note, note)

	if c.GroupID == nil && other.GroupID != nil {
		if err := setGroup(ctx, tx, c, *other.GroupID); err != nil {
			return err
		}
	}
	c.bumpVersion(now)
	if err := setNote(ctx, tx, c); err != nil {
		return err
	}
	return updateCustomer(ctx, tx, c, words)
}

// fillFrom sets the name and the contact addresses that the customer has not.
func (c *Customer) fillFrom(other *Customer) {
	if c.Name == "" {
		c.Name = other.Name
	}
	if c.Email == nil {
		c.Email = other.Email
	}
	if c.Phone == nil {
		c.Phone = other.Phone
	}
}

// joinNotes returns two notes as one, of at most MaxNote characters.
func joinNotes(a, b string) string {
	text := []rune(strings.TrimSpace(a + "\n\n" + b))
	return string(text[:min(len(text), MaxNote)])
}

// maxDuplicates is how many customers Duplicates returns.
const maxDuplicates = 5

// Duplicates returns up to maxDuplicates other customers and guests with an address of the customer, the oldest first.
func Duplicates(ctx context.Context, tx store.Tx, c *Customer) (_ []Customer, err error) {
	defer fault.AddContext(&err, "find duplicates of customer %s", c.ID)

	addresses := contact.SetOf(c.Addresses()...)
	list, err := selectByLogin(ctx, tx, addresses)
	if err != nil {
		return nil, err
	}
	more, err := selectSameContact(ctx, tx, addresses, c.Key)
	if err != nil {
		return nil, err
	}

	list = slices.DeleteFunc(append(list, more...), func(other Customer) bool { return other.Key == c.Key })
	slices.SortFunc(list, func(a, b Customer) int { return int(a.Key - b.Key) })
	list = slices.CompactFunc(list, func(a, b Customer) bool { return a.Key == b.Key })
	return list[:min(len(list), maxDuplicates)], nil
}
