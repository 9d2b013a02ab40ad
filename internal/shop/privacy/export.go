package privacy

import (
	"context"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/inquiry"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

// Export is all that a store has about a person, as JSON.
type Export struct {
	ExportedAt time.Time        `json:"exported_at"`
	StoreID    store.ID         `json:"store_id"`
	Store      string           `json:"store"`
	Customers  []customerExport `json:"customers"`
	// Orders are orders and carts, as the API shows them.
	Orders    []jsontext.Value `json:"orders"`
	Inquiries []inquiryExport  `json:"inquiries"`
	// OrderNotes are what the shop has noted on the orders for itself.
	OrderNotes []orderNoteExport `json:"order_notes"`
	// LoginCodes are when codes were sent to the addresses during the last hour. Messages are the messages of the
	// mailbox.
	LoginCodes []loginExport   `json:"login_codes"`
	Messages   []messageExport `json:"messages"`
}

type customerExport struct {
	ID         customer.ID        `json:"id"`
	Name       string             `json:"name"`
	Email      *string            `json:"email"`
	Phone      *string            `json:"phone"`
	LoginEmail *string            `json:"login_email"`
	LoginPhone *string            `json:"login_phone"`
	Note       string             `json:"note"`
	Guest      bool               `json:"guest"`
	CreatedAt  time.Time          `json:"created_at"`
	UpdatedAt  time.Time          `json:"updated_at"`
	Sessions   []customer.Visited `json:"sessions"`
}

// orderNoteExport is what the shop has noted on an order for itself.
type orderNoteExport struct {
	OrderID order.ID `json:"order_id"`
	Note    string   `json:"note"`
	Tags    []string `json:"tags"`
}

// inquiryExport is an inquiry with what the shop has added to it.
type inquiryExport struct {
	Kind  inquiry.Kind   `json:"kind"`
	Sent  jsontext.Value `json:"sent"`
	State inquiry.State  `json:"state"`
	Note  string         `json:"note"`
}

type loginExport struct {
	Address string    `json:"address"`
	SentAt  time.Time `json:"sent_at"`
}

type messageExport struct {
	To      string    `json:"to"`
	Subject string    `json:"subject"`
	Text    string    `json:"text"`
	SentAt  time.Time `json:"sent_at"`
}

// Export returns all that the store has about a person. The transaction should be a snapshot. It returns fault.NotFound
// if the subject's customer does not exist.
func (s *Service) Export(ctx context.Context, tx store.Tx, shop store.Store, subject Subject) (e Export, err error) {
	defer fault.AddContext(&err, "export a person of store %s", tx.StoreID())

	p, err := find(ctx, tx, subject, customer.Find)
	if err != nil {
		return Export{}, err
	}

	dates := locale.NewDates(shop.Language(), shop.Zone(), s.Now())
	e = Export{ExportedAt: s.Now().UTC(), StoreID: shop.ID, Store: shop.Name, Customers: []customerExport{},
		Orders: []jsontext.Value{}, OrderNotes: []orderNoteExport{}, Inquiries: []inquiryExport{},
		LoginCodes: []loginExport{}, Messages: []messageExport{}}
	for _, c := range p.customers {
		sessions, err := customer.Sessions(ctx, tx, c.Key)
		if err != nil {
			return Export{}, err
		}
		e.Customers = append(e.Customers, customerExport{c.ID, c.Name, c.Email, c.Phone, c.LoginEmail, c.LoginPhone,
			c.Note, c.Guest, c.CreatedAt, c.UpdatedAt, sessions})
	}

	err = p.eachOrder(ctx, tx, func(o *order.Order) {
		e.Orders = append(e.Orders, o.AppendJSON(nil, dates))
		if o.Note != "" || len(o.Tags) > 0 {
			e.OrderNotes = append(e.OrderNotes, orderNoteExport{o.ID, o.Note, append([]string{}, o.Tags...)})
		}
	})
	if err != nil {
		return Export{}, err
	}
	inquiries, err := inquiry.OfPerson(ctx, tx, p.addresses, maxInquiries)
	if err != nil {
		return Export{}, err
	}

	for i := range inquiries {
		q := &inquiries[i]
		e.Inquiries = append(e.Inquiries, inquiryExport{q.Kind, q.JSON(dates), q.State, q.Note})
	}

	logins, err := customer.Logins(ctx, tx, p.addresses)
	if err != nil {
		return Export{}, err
	}

	for _, l := range logins {
		e.LoginCodes = append(e.LoginCodes, loginExport{l.Address, l.At})
	}

	messages, err := s.Notify.MessagesTo(ctx, tx, p.addresses)
	for _, m := range messages {
		e.Messages = append(e.Messages, messageExport{m.To, m.Subject, m.Text, m.CreatedAt})
	}

	return e, err
}
