// Package notify owns what the program writes to people: mail, and text messages to phones. It owns the way out, from the queue to whoever carries
// a message on, and the mailbox where messages land that nobody is there to carry. What is written, and why, is its callers' business.
package notify

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/mail"
	"vitrine/internal/kit/queue"
	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/store"
)

// LetterID names a letter.
type LetterID = id.Of[Letter]

// Letter is one message to one person.
type Letter struct {
	// To is an e-mail address or a phone number, as package contact returns them.
	To string
	// From is the name beside the sender's address; a phone does not see it.
	From    string
	Subject string // nor this
	Text    string
	// UsefulUntil is when it is not worth sending any more; the zero time is never.
	UsefulUntil time.Time
}

// toPhone reports whether the letter goes to a phone.
func (l Letter) toPhone() bool { return !strings.Contains(l.To, "@") }

// Deps is what the service works with.
type Deps struct {
	DB    *database.DB
	Queue *queue.Queue
	Vault *vault.Vault
	Now   func() time.Time
	// Log gets what the worker could not do; nil discards it.
	Log *slog.Logger
	// Mail carries mail, Texts messages to phones. What has nobody to carry it lands in the mailbox.
	Mail  mail.Sender
	Texts Texter
}

// Service sends letters and keeps the mailbox. It is safe for concurrent use.
type Service struct{ Deps }

// NewService makes the service. Its Kind is to be registered at the queue.
func NewService(d Deps) *Service {
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{d}
}

// Send has a letter sent in the name of a store: it is on its way if and only if the caller's transaction commits. Without anybody to carry it,
// it is in the mailbox then.
func (s *Service) Send(ctx context.Context, tx store.Tx, l Letter) error {
	job := parcel{ID: id.New[Letter](), StoreID: tx.StoreID(), Letter: l}
	if !s.carried(l) {
		return s.keep(ctx, tx.Unscoped(), job)
	}
	payload, err := s.seal(job)
	if err != nil {
		return err
	}
	return s.Queue.Add(ctx, tx.Unscoped(), queue.Job{Kind: sendKind, Lane: tx.StoreID().String(), Payload: payload})
}

// CloseIdleConnections closes the connections that are kept for the next letter.
func (s *Service) CloseIdleConnections() {
	if s.Texts != nil {
		s.Texts.CloseIdleConnections()
	}
}

// carried reports whether there is somebody to carry the letter.
func (s *Service) carried(l Letter) bool {
	if l.toPhone() {
		return s.Texts != nil
	}
	return s.Mail != nil
}
