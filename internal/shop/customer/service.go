package customer

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/periodic"
	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/notify"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

// Deps are the dependencies of the service.
type Deps struct {
	DB     *database.DB
	Stores *store.Service
	Notify *notify.Service
	Vault  *vault.Vault
	Now    func() time.Time
	// Log receives the failures of Run; nil discards them.
	Log *slog.Logger
	// CodesPerHour limits the codes that one person may request per hour; 0 means no limit.
	CodesPerHour int
	// CodesPerStore limits the codes that a store sends per hour, and CodesPerCountry those to the phone numbers of one
	// country; 0 means no limit.
	CodesPerStore, CodesPerCountry int
}

// Service implements the use cases of the package. It is safe for concurrent use.
type Service struct {
	Deps
	// wrongCodes is the result of WrongCodes.
	wrongCodes atomic.Int64
	// refusedByStore and refusedByCountry are the results of RefusedCodes.
	refusedByStore, refusedByCountry atomic.Int64
}

// New returns a service.
func New(d Deps) *Service {
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{Deps: d}
}

// moment returns the current time in the precision of the database.
func (s *Service) moment() time.Time { return database.Moment(s.Now()) }

// cleanupEvery is the interval at which Run deletes expired codes and sessions.
const cleanupEvery = 10 * time.Minute

// Run deletes expired codes and sessions until ctx ends. Then it returns nil. It logs failures and retries.
func (s *Service) Run(ctx context.Context) error {
	return periodic.Run(ctx, s.Log, periodic.Task{
		Name: "delete expired login codes and sessions", Every: cleanupEvery, Do: s.deleteExpired,
	})
}

// deleteExpired deletes expired sessions, and codes older than rateWindow, which checkCodeRate does not count any more.
func (s *Service) deleteExpired(ctx context.Context) error {
	now := s.moment()
	return s.DB.Write(ctx, func(q database.Querier) error {
		if err := deleteOldLogins(ctx, q, now.Add(-rateWindow)); err != nil {
			return err
		}
		return deleteExpiredCustomerSessions(ctx, q, now)
	})
}

// People are kinds of customers.
type People int

// The kinds of customers of a list.
const (
	Everybody People = iota
	SignedIn
	Guests
)

// Filter restricts a list of customers.
type Filter struct {
	// Search, if not empty, must match the name, the e-mail address or the phone number.
	Search string
	// PhoneEnds also selects the customers whose phone numbers end in a word of Search with four to nine digits.
	// Tolerant does so, too, and corrects the words that no customer has: see store.Reading.
	PhoneEnds, Tolerant bool
	// From and Before bound the time of creation: From is inclusive, Before exclusive. A zero time is no bound.
	From, Before time.Time
	// People restricts the list to customers who sign in, or to guests.
	People People
	// Group, if not nil, is the group that the customers are in.
	Group *access.GroupID
}

// Customers returns one page of a store's customers, newest first, and the total number of matching customers.
func (s *Service) Customers(
	ctx context.Context, tx store.Tx, f Filter, limit, offset int64,
) (_ []Customer, total int64, err error) {
	defer fault.AddContext(&err, "list the customers of store %s", tx.StoreID())
	return selectCustomers(ctx, tx, f, limit, offset)
}

// Part is a part of a list of customers. Newer and Older are the positions of the adjacent parts; nil if there are
// none.
type Part struct {
	Customers    []Customer
	Newer, Older *Position
}

// Position is a place in a list: next to the customer with this key. Newer selects the customers before it.
type Position struct {
	Key   int64
	Newer bool
}

// List returns up to limit customers that match the filter, newest first, from a position on; nil is the beginning.
// Unlike Customers it does not count them.
func (s *Service) List(ctx context.Context, tx store.Tx, f Filter, at *Position, limit int) (p Part, err error) {
	defer fault.AddContext(&err, "list the customers of store %s", tx.StoreID())

	list, err := selectCustomersFrom(ctx, tx, f, at, limit+1)
	if err != nil {
		return Part{}, err
	}

	backwards := at != nil && at.Newer
	p.Customers, p.Newer, p.Older = store.Window(list, limit, at, backwards, (*Customer).position)
	return p, nil
}

// position returns the position next to the customer.
func (c *Customer) position(newer bool) *Position { return &Position{Key: c.Key, Newer: newer} }

// Customer returns one customer who signs in, or fault.NotFound.
func (s *Service) Customer(ctx context.Context, tx store.Tx, customerID ID) (_ Customer, err error) {
	defer fault.AddContext(&err, "read customer %s", customerID)
	c, err := selectCustomer(ctx, tx, customerID, "")
	return c, c.orGuest(err)
}

// EditCustomer applies an edit to a customer who signs in. It returns fault.NotFound or fault.Stale.
func (s *Service) EditCustomer(
	ctx context.Context, tx store.Tx, customerID ID, e Edit, pre fault.Precondition,
) (_ Customer, err error) {
	defer fault.AddContext(&err, "edit customer %s", customerID)
	c, err := selectCustomer(ctx, tx, customerID, tx.Dialect().ForUpdate)
	if err := c.orGuest(err); err != nil {
		return Customer{}, err
	}
	if err := pre.Check(c.Version); err != nil {
		return Customer{}, err
	}

	was := c
	words := c.searchText()
	c.apply(e)
	c.bumpVersion(s.moment())

	if e.GroupID != nil {
		if err := setGroup(ctx, tx, &c, *e.GroupID); err != nil {
			return Customer{}, err
		}
		if err := c.recordGroup(ctx, tx, &was); err != nil {
			return Customer{}, err
		}
	}

	err = updateCustomer(ctx, tx, &c, words)
	return c, err
}

// SetNote replaces the note that the shop has on a customer. It returns fault.NotFound, fault.Stale, or fault.Invalid
// if the note is too long.
func (s *Service) SetNote(
	ctx context.Context, tx store.Tx, customerID ID, note string, pre fault.Precondition,
) (_ Customer, err error) {
	defer fault.AddContext(&err, "note on customer %s", customerID)

	note = strings.TrimSpace(note)
	var broken rule.Violations
	broken.Check("", "note", rule.Length(note, MaxNote))
	if err := broken.Fault(); err != nil {
		return Customer{}, err
	}

	c, err := selectCustomer(ctx, tx, customerID, tx.Dialect().ForUpdate)
	if err != nil {
		return Customer{}, err
	}
	if err := pre.Check(c.Version); err != nil {
		return Customer{}, err
	}
	if c.Note == note {
		return c, nil
	}

	was := c.Note
	words := c.searchText()
	c.Note = note
	c.bumpVersion(s.moment())
	if err := setNote(ctx, tx, &c); err != nil {
		return Customer{}, err
	}
	if err := updateCustomer(ctx, tx, &c, words); err != nil {
		return Customer{}, err
	}
	return c, audit.Record(ctx, tx, audit.Entry{Action: audit.CustomerNoted,
		Object:  audit.Object{Kind: "customer", ID: c.ID.String(), Label: c.Name},
		Changes: []audit.Change{{Field: "note", From: was, To: note}}})
}
