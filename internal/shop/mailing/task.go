package mailing

import (
	"context"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/inquiry"
	"vitrine/internal/shop/notify"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

const (
	// jobKind is the kind of the jobs. Each store has its own lane.
	jobKind = "mail.event"
	// taskPurpose is the vault's purpose for jobs, which have addresses of those who work in the shop.
	taskPurpose = "mail about an event"
	// attemptTimeout is longer than the timeout of the mail client.
	attemptTimeout = 45 * time.Second
	ownerRole      = access.Owner
)

// task is the payload of a job: what one mail tells of, and to whom.
type task struct {
	StoreID   store.ID
	Kind      Kind
	MessageID notify.MessageID
	// EventID is what the mail tells of; zero in the jobs of programs that did not write it.
	EventID event.ID
	// To is the recipient; "" is the customer of the order.
	To string
	// One of these is what the mail tells of.
	OrderID     order.ID
	InquiryKind inquiry.Kind
	InquiryID   inquiry.ID
	Failure     Failure
}

// Kind describes the jobs, for the queue.
func (s *Service) Kind() queue.Kind[task, queue.NoOutput] {
	return queue.Kind[task, queue.NoOutput]{
		Name: jobKind, LaneSlots: 2, NodeSlots: 16, Timeout: attemptTimeout,
		Decode: s.decode, Run: s.attempt, OnDead: s.giveUp, Light: true, WarnOfRetries: true,
		Owner: func(t task) string { return t.StoreID.String() },
		Retries: []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour,
			6 * time.Hour},
	}
}

func (s *Service) decode(payload []byte) (t task, err error) {
	text, err := s.Vault.Open(taskPurpose, payload)
	if err != nil {
		return t, fmt.Errorf("decrypt a job: %w", err)
	}
	err = json.Unmarshal(text, &t)
	return t, err
}

// attempt writes a mail and sends it. Nothing is sent if the kind was switched off meanwhile, if what it tells of
// was erased or deleted, or if the order has left the state that it tells of.
func (s *Service) attempt(ctx context.Context, job *queue.TaskOf[task, queue.NoOutput]) error {
	t := job.Payload
	m, err := s.compose(ctx, t)
	if fault.KindOf(err) == fault.NotFound || err == nil && m.To == "" {
		return nil
	}
	if err != nil {
		return err
	}

	limit, window := t.Kind.limit()
	once := notify.Once{ID: t.MessageID, Message: m, Class: string(t.Kind), Limit: limit, Window: window}
	if t.aboutOrder() {
		once.Record = func(ctx context.Context, tx store.Tx) error {
			return order.RecordMail(ctx, tx, t.OrderID, t.record(m.To, s.Now(), false))
		}
		once.Forget = func(ctx context.Context, tx store.Tx) error {
			return order.ForgetMail(ctx, tx, t.OrderID, id.Of[order.Mail](t.MessageID))
		}
	}
	return s.Notify.SendOnce(ctx, job.Task, t.StoreID, once)
}

// giveUp records a mail about an order that is not tried any more.
func (s *Service) giveUp(
	ctx context.Context, q database.Querier, job *queue.TaskOf[task, queue.NoOutput], _ error,
) error {
	t := job.Payload
	if !t.aboutOrder() {
		return nil
	}
	return order.RecordMail(ctx, store.In(q, t.StoreID), t.OrderID, t.record(t.To, s.Now(), true))
}

func (t *task) aboutOrder() bool { return !t.OrderID.IsZero() }

// record returns what the history of the order has of the mail.
func (t *task) record(to string, at time.Time, failed bool) order.Mail {
	return order.Mail{ID: id.Of[order.Mail](t.MessageID), Kind: string(t.Kind), To: to, At: at, Failed: failed}
}

// compose returns the mail of a task. It has no recipient if nothing is to be sent.
func (s *Service) compose(ctx context.Context, t task) (m notify.Message, err error) {
	defer fault.AddContext(&err, "write mail %s of store %s", t.MessageID, t.StoreID)

	err = s.DB.Snapshot(ctx, func(q database.Querier) (err error) {
		tx := store.In(q, t.StoreID)
		shop, err := s.Stores.FindIn(ctx, tx)
		if err != nil {
			return err
		}
		settings, err := s.Settings(ctx, tx)
		if err != nil || !settings.On(t.Kind) || !settings.wants(t.Kind, t.To) {
			return err
		}

		m, err = s.write(ctx, tx, shop, settings, t)
		return err
	})

	return m, err
}

// write fills the template of a task.
func (s *Service) write(
	ctx context.Context, tx store.Tx, shop store.Store, settings Settings, t task,
) (m notify.Message, err error) {
	w := newWriter(shop, s.links(settings))
	to := t.To
	var values map[string]value

	switch t.Kind {
	case OrderReceived, OrderConfirmed, OrderCompleted, OrderCancelled, NewOrder:
		o, err := s.Orders.Order(ctx, tx, shop, t.OrderID, order.Caller{AllOrders: true})
		if err != nil {
			return m, err
		}
		if t.isPast(&o) {
			return m, nil
		}
		if t.Kind.ToCustomer() {
			to = o.Contact.Email
		} else if o.Contact.Name == order.ErasedName {
			to = ""
		}
		values = w.order(&o, t.Kind.ToCustomer())
	case NewInquiry:
		if values, err = s.inquiryValues(ctx, tx, w, t); err != nil {
			return m, err
		}
	case ExchangeFailed:
		values = w.failure(t.Failure, s.Now())
	}

	if to == "" {
		return m, nil
	}
	unsubscribe, err := s.unsubscribeURL(Link{t.StoreID, t.Kind, to})
	if err != nil {
		return m, err
	}
	if unsubscribe != "" {
		values[placeUnsubscribe] = link(unsubscribe)
	}

	m = w.message(to, settings.Template(t.Kind, shop.Language()), values)
	m.Unsubscribe = unsubscribe
	return m, nil
}

// isPast reports whether the mail tells of a state that is not the newest one any more: an operator has returned the
// order from it, or the order has got another one while the mail waited. The mails about a submission do not wait.
func (t *task) isPast(o *order.Order) bool {
	state := t.Kind.state()
	return !t.EventID.IsZero() && (o.Events[state] != t.EventID || state != order.Submitted && o.State != state)
}

func (s *Service) inquiryValues(
	ctx context.Context, tx store.Tx, w *writer, t task,
) (map[string]value, error) {
	if t.InquiryKind == inquiry.KindCallback {
		c, err := s.Inquiries.Callback(ctx, tx, inquiry.CallbackID(t.InquiryID))
		return w.inquiry(inquiryTexts{KindPath: "callbacks", ID: c.ID.String(), Name: c.Name, Phone: c.Phone,
			Message: c.Comment, PreferredTime: c.PreferredTime, CreatedAt: c.CreatedAt}), err
	}
	f, err := s.Inquiries.Feedback(ctx, tx, inquiry.FeedbackID(t.InquiryID))
	return w.inquiry(inquiryTexts{KindPath: "feedback", ID: f.ID.String(), Name: f.Name, Phone: f.Phone,
		Email: f.Email, Message: f.Message, CreatedAt: f.CreatedAt}), err
}
