// Package notify sends e-mail and text messages to people. It owns the queue of outgoing messages, and the mailbox, in
// which messages are stored when no sender is configured for them. The callers write the texts and decide when to send
// them.
package notify

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/mail"
	"vitrine/internal/kit/outbound"
	"vitrine/internal/kit/queue"
	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/store"
)

// MessageID is the public id of a message.
type MessageID = id.Of[Message]

// Message is one message to one person.
type Message struct {
	// To is an e-mail address or a phone number, in the form that package contact returns.
	To string
	// From is the display name of the sender. Text messages have none.
	From    string
	Subject string // not used in text messages
	Text    string
	// HTML is an optional alternative to Text in e-mail.
	HTML string
	// Unsubscribe is the address of a page on which the recipient ends mails of this kind; it may be empty.
	Unsubscribe string
	// ServerOnly keeps the mail from the mail servers of stores: it proves who somebody is to all stores of the server,
	// and an owner could read what passes through a mail server of their own.
	ServerOnly bool
	// UsefulUntil is the time after which the message is not sent any more; zero means no limit.
	UsefulUntil time.Time
}

// toPhone reports whether m is a text message.
func (m Message) toPhone() bool { return !strings.Contains(m.To, "@") }

// Deps holds the dependencies of the service.
type Deps struct {
	DB    *database.DB
	Queue *queue.Queue
	Vault *vault.Vault
	Now   func() time.Time
	// Log receives the failures of the worker; nil discards them.
	Log *slog.Logger
	// Mail sends the e-mail of all stores, whatever they have set. If it is nil, a store has the mail server that its
	// owner has set. TextSender sends text messages. What nothing sends is stored in the mailbox.
	Mail       mail.Sender
	TextSender TextSender
	// Outbound connects to the mail servers of stores. It may be nil if no store has one.
	Outbound *outbound.Guard
	// Development says that the mailbox stands for the mail of the people who are written to.
	Development bool
}

// Service sends messages and stores the mailbox. It is safe for concurrent use.
type Service struct{ Deps }

// New returns a service. The caller must register the service's Kind with the queue.
func New(d Deps) *Service {
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{d}
}

// Send enqueues a message of a store in the caller's transaction, so it is sent only if the transaction commits. If no
// sender is configured, Send stores the message in the mailbox instead.
func (s *Service) Send(ctx context.Context, tx store.Tx, m Message) (err error) {
	defer fault.AddContext(&err, "send a message of store %s", tx.StoreID())
	job := outgoingMessage{ID: id.New[Message](), StoreID: tx.StoreID(), Message: m}
	has, err := s.hasSender(ctx, tx, m)
	if err != nil {
		return err
	}
	if !has {
		return s.storeMessage(ctx, tx.Unscoped(), job)
	}

	payload, err := s.sealMessage(job)
	if err != nil {
		return err
	}
	return s.Queue.Add(ctx, tx.Unscoped(), queue.Job{Kind: sendKind, Lane: tx.StoreID().String(), Payload: payload})
}

// CloseIdleConnections closes the idle keep-alive connections of the text message sender.
func (s *Service) CloseIdleConnections() {
	if s.TextSender != nil {
		s.TextSender.CloseIdleConnections()
	}
}

// hasSender reports whether there is a sender for a message of the store.
func (s *Service) hasSender(ctx context.Context, tx store.Tx, m Message) (bool, error) {
	switch {
	case m.toPhone():
		return s.TextSender != nil, nil
	case m.ServerOnly:
		return s.Mail != nil, nil
	}
	return s.SendsMail(ctx, tx)
}

// mailSender returns what sends an e-mail of the store now, or nil. It must not be called inside a transaction.
func (s *Service) mailSender(ctx context.Context, storeID store.ID, m Message) (mail.Sender, error) {
	if s.Mail != nil || m.ServerOnly || m.toPhone() {
		return s.Mail, nil
	}

	own, err := database.Read(ctx, s.DB, func(q database.Querier) (MailServer, error) {
		return s.MailServer(ctx, store.In(q, storeID))
	})
	if err != nil || !own.IsSet() {
		return nil, err
	}
	return s.smtp(own)
}
