// Package privacy erases and exports what a store has about a person, and erases what a retention has ended for. It
// knows which packages store personal data; each of them owns its tables and statements.
package privacy

import (
	"errors"
	"log/slog"
	"strconv"
	"time"

	"vitrine/internal/kit/contact"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/notify"
)

// Deps are the dependencies of the service.
type Deps struct {
	DB     *database.DB
	Notify *notify.Service
	Audit  *audit.Service
	Now    func() time.Time
	// Log receives what Run has erased, and its failures; nil discards them.
	Log *slog.Logger
	// The retentions are how long Run keeps inquiries, customers who neither sign in nor order, and the personal data
	// of finished orders. 0 keeps them for ever.
	InquiryRetention, CustomerRetention, OrderRetention time.Duration
}

// Service implements the use cases of the package. It is safe for concurrent use.
type Service struct{ Deps }

// New returns a service.
func New(d Deps) *Service {
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{d}
}

// Subject says which person is meant: a customer, or anybody with an e-mail address or a phone number. With several
// members it is the person with any of them.
type Subject struct {
	CustomerID   customer.ID // zero for nobody
	Email, Phone string      // "" for none
}

// Check returns the subject with normalized addresses, or fault.Invalid.
func (s Subject) Check() (Subject, error) {
	if s.CustomerID.IsZero() && s.Email == "" && s.Phone == "" {
		return s, fault.New(fault.Invalid, "subject_required", "Give a customer, an e-mail address or a phone number.")
	}

	var problems []fault.Field
	for _, a := range []struct {
		name  string
		value *string
		check func(string) (string, error)
	}{{"email", &s.Email, contact.CheckEmail}, {"phone", &s.Phone, contact.CheckPhone}} {
		if *a.value == "" {
			continue
		}
		normalized, err := a.check(*a.value)
		if f, ok := errors.AsType[*fault.Error](err); ok {
			problems = append(problems, fault.NewField(a.name, f.Code, "%s", f.Message))
		}
		*a.value = normalized
	}

	return s, fault.Fields(problems)
}

// Report counts what is stored about a person, or what was erased.
type Report struct {
	Customers int `json:"customers"`
	Orders    int `json:"orders"`
	// OpenOrders is the number of Orders that are submitted or confirmed.
	OpenOrders int `json:"open_orders"`
	Carts      int `json:"carts"`
	Inquiries  int `json:"inquiries"`
	Messages   int `json:"messages"`
	// Profiles are other customers who have named an address of the person as their contact.
	Profiles int `json:"profiles"`
	// Addresses are further addresses in the contact data. Nobody has proven that they belong to the person. They may
	// be in other orders and inquiries, too. Only Preview sets them.
	Addresses []string `json:"other_addresses,omitempty"`
}

// IsEmpty reports whether nothing is stored.
func (r Report) IsEmpty() bool {
	return r.Customers+r.Orders+r.Carts+r.Inquiries+r.Messages+r.Profiles == 0
}

func (r *Report) add(other Report) {
	r.Customers += other.Customers
	r.Orders += other.Orders
	r.OpenOrders += other.OpenOrders
	r.Carts += other.Carts
	r.Inquiries += other.Inquiries
	r.Messages += other.Messages
	r.Profiles += other.Profiles
}

// changes returns the counts for the log, which gets nothing else of the person.
func (r Report) changes() (list []audit.Change) {
	for _, c := range []struct {
		field string
		n     int
	}{{"customers", r.Customers}, {"orders", r.Orders}, {"carts", r.Carts}, {"inquiries", r.Inquiries},
		{"messages", r.Messages}, {"profiles", r.Profiles}} {
		if c.n > 0 {
			list = append(list, audit.Change{Field: c.field, To: strconv.Itoa(c.n)})
		}
	}
	return list
}
