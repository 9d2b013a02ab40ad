// Package mailing owns the mails that a store sends about its orders to customers, and about orders, inquiries and the
// exchange to those who work in the shop: which of them are on, to whom they go, and their texts. The jobs hold ids
// instead of texts, so a mail says what the order is when it is sent, and an erased order is told to nobody. Package
// notify hands the mails to the mail server.
package mailing

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/queue"
	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/account"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/inquiry"
	"vitrine/internal/shop/notify"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

// Kind is a kind of mail.
type Kind string

// The kinds. The first four go to the customer of an order, the others to those who work in the shop.
const (
	OrderReceived  Kind = "order_received"
	OrderConfirmed Kind = "order_confirmed"
	OrderCompleted Kind = "order_completed"
	OrderCancelled Kind = "order_cancelled"
	NewOrder       Kind = "new_order"
	NewInquiry     Kind = "new_inquiry"
	ExchangeFailed Kind = "exchange_failed"
)

// Kinds returns all kinds, those to customers first.
func Kinds() []Kind {
	return []Kind{OrderReceived, OrderConfirmed, OrderCompleted, OrderCancelled, NewOrder, NewInquiry, ExchangeFailed}
}

// ToCustomer reports whether mails of the kind go to the customer of an order.
func (k Kind) ToCustomer() bool {
	switch k {
	case OrderReceived, OrderConfirmed, OrderCompleted, OrderCancelled:
		return true
	case NewOrder, NewInquiry, ExchangeFailed:
	}
	return false
}

// The bounds of mails of one kind to one address. Anybody can write any address into an order, so these are what a
// stranger can make a shop send to it; a captcha guards orders and inquiries besides.
const (
	maxToCustomer = 10 // in a day
	maxToShop     = 60 // in an hour
	day           = 24 * time.Hour
)

// limit returns how many mails of the kind an address gets in which time.
func (k Kind) limit() (n int, window time.Duration) {
	switch {
	case k.ToCustomer():
		return maxToCustomer, day
	case k == ExchangeFailed:
		return 1, day / 2
	}
	return maxToShop, time.Hour
}

// Deps are the dependencies of the service.
type Deps struct {
	DB     *database.DB
	Queue  *queue.Queue
	Vault  *vault.Vault
	Stores *store.Service
	Notify *notify.Service
	// Orders, Inquiries and Operators are what the mails tell about, and who works in the shop.
	Orders    *order.Service
	Inquiries *inquiry.Service
	Operators *account.Operators
	Now       func() time.Time
	// AdminURL is the URL of the administration without a trailing slash, for links; "" if it is not known.
	AdminURL string
	// ImagesURL is what stands before the paths of images, for pictures; "" if the address of the server is not known.
	ImagesURL string
}

// Service announces events by mail. It is safe for concurrent use.
type Service struct{ Deps }

// undoTime is how long a mail about a state waits that an operator can undo.
const undoTime = time.Minute

// state returns the state of an order that mails of the kind tell of, or "".
func (k Kind) state() order.State {
	switch k {
	case OrderReceived, NewOrder:
		return order.Submitted
	case OrderConfirmed:
		return order.Confirmed
	case OrderCompleted:
		return order.Completed
	case OrderCancelled:
		return order.Cancelled
	case NewInquiry, ExchangeFailed:
	}
	return ""
}

// New returns a service. The caller must register its Kind with the queue.
func New(d Deps) *Service { return &Service{d} }

// OrderChanged adds the jobs that tell of the new state of an order, in the transaction that changes the order. A mail
// about a state that can be undone is sent after undoTime, unless the order has left the state by then: only the newest
// state is told.
func (s *Service) OrderChanged(ctx context.Context, tx store.Tx, t order.Transition) error {
	kinds := map[order.State][]Kind{order.Submitted: {OrderReceived, NewOrder}, order.Confirmed: {OrderConfirmed},
		order.Completed: {OrderCompleted}, order.Cancelled: {OrderCancelled}}[t.To]
	var due time.Time
	if t.To != order.Submitted {
		due = s.Now().Add(undoTime)
	}
	return s.add(ctx, tx, task{EventID: t.EventID, OrderID: t.OrderID}, due, kinds...)
}

// InquirySubmitted adds the jobs that tell of a new inquiry, in the transaction that stores it.
func (s *Service) InquirySubmitted(ctx context.Context, tx store.Tx, kind inquiry.Kind, inquiryID inquiry.ID) error {
	return s.add(ctx, tx, task{EventID: event.ID(inquiryID), InquiryKind: kind, InquiryID: inquiryID}, time.Time{},
		NewInquiry)
}

// Failure is a push that failed.
type Failure struct {
	RunID           [16]byte
	Entity, Problem string
}

// RunFailed adds the jobs that tell of a failed push, in the transaction that ends it.
func (s *Service) RunFailed(ctx context.Context, tx store.Tx, f Failure) error {
	return s.add(ctx, tx, task{EventID: event.ID(f.RunID), Failure: f}, time.Time{}, ExchangeFailed)
}

// add adds a job for each recipient of the kinds that are on, to be run at a time; the zero time is now. A mail to one
// address about one event has the same id, whatever is added again.
func (s *Service) add(ctx context.Context, tx store.Tx, t task, due time.Time, kinds ...Kind) (err error) {
	if len(kinds) == 0 {
		return nil
	}
	defer fault.AddContext(&err, "announce an event of store %s by mail", tx.StoreID())

	settings, err := s.switches(ctx, tx)
	if err != nil {
		return err
	}

	t.StoreID = tx.StoreID()
	var jobs []queue.Job
	for _, kind := range kinds {
		if !settings.On(kind) {
			continue
		}

		recipients := []string{""} // the customer of the order, who is read when the mail is sent
		if !kind.ToCustomer() {
			if recipients, err = s.staff(ctx, tx, settings); err != nil {
				return err
			}
		}

		for _, to := range recipients {
			if !settings.wants(kind, to) {
				continue
			}
			t.Kind = kind
			t.To = to
			t.MessageID = messageID(t.EventID, kind, to)
			payload, err := json.Marshal(t)
			if err != nil {
				return fmt.Errorf("encode a job: %w", err)
			}
			jobs = append(jobs, queue.Job{Kind: jobKind, Lane: tx.StoreID().String(), UniqueName: t.MessageID.String(),
				Payload: s.Vault.Seal(taskPurpose, payload), DueAt: due})
		}
	}

	if jobs == nil {
		return nil
	}
	return s.Queue.Add(ctx, tx.Unscoped(), jobs...)
}

// messageID returns the id of the mail to an address about an event.
func messageID(eventID event.ID, kind Kind, to string) notify.MessageID {
	sum := sha256.Sum256([]byte(eventID.String() + " " + string(kind) + " " + to))
	return notify.MessageID(sum[:16])
}

// staff returns the addresses of those who work in the shop: the configured ones, or else those of the owners.
func (s *Service) staff(ctx context.Context, tx store.Tx, settings Settings) (addresses []string, err error) {
	if len(settings.Recipients) > 0 {
		return settings.Recipients, nil
	}

	operators, err := s.Operators.List(ctx, tx)
	for _, o := range operators {
		if o.Role == ownerRole && o.Active() && len(addresses) < MaxRecipients {
			addresses = append(addresses, strings.ToLower(o.Email))
		}
	}
	return addresses, err
}
