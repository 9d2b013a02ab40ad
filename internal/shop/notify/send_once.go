package notify

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/mail"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/store"
)

// sentRetention is how long it is remembered that a message was sent once. Jobs that are older are given up.
const sentRetention = 30 * 24 * time.Hour

// maxOnceAge is the age at which a job of SendOnce is given up, long before its record would be deleted.
const maxOnceAge = 7 * 24 * time.Hour

// recipientPurpose is the vault's purpose for the recipients in sent_mails, which are no personal data that way.
const recipientPurpose = "recipient of a message"

// Once is a mail that is handed over at most once, whatever happens to the process meanwhile.
type Once struct {
	// ID is the same in all attempts, and in all jobs for the same event.
	ID      MessageID
	Message Message
	// Class names the kind of the message. Limit is how many messages of the class an address gets in Window at most.
	Class  string
	Limit  int
	Window time.Duration
	// Record, if it is not nil, is called in the transaction that records that the message is sent, and Forget in the
	// one that takes this back because the server has refused the message.
	Record, Forget func(ctx context.Context, tx store.Tx) error
}

var (
	errSentBefore = errors.New("the message was handed over before")
	errLimit      = errors.New("the recipient got as many messages of this kind as the limit allows")
)

// SendOnce makes one attempt at a mail for a job of another package, and returns what the job's Run returns. The mail
// is recorded in the database right before its content is sent; a later attempt finds the record and sends nothing. So
// if the process dies or the connection breaks between this and the reply of the server, the mail may be lost, but it
// does not arrive twice. A mail over the limit is dropped. Without a sender the mail is stored in the mailbox.
func (s *Service) SendOnce(ctx context.Context, t *queue.Task, storeID store.ID, m Once) error {
	if s.Now().Sub(t.AddedAt) > maxOnceAge {
		return queue.Abort(fmt.Errorf("message %s is too old to be sent", m.ID))
	}

	sender, err := s.mailSender(ctx, storeID, m.Message)
	if err != nil {
		return err
	}
	if sender == nil {
		return s.DB.Write(ctx, func(q database.Querier) error {
			err := s.recordSent(ctx, store.In(q, storeID), m)
			if err == nil {
				err = s.storeMessage(ctx, q, outgoingMessage{ID: m.ID, StoreID: storeID, Message: m.Message})
			}
			if err != nil && !errors.Is(err, errSentBefore) && !errors.Is(err, errLimit) {
				return err
			}
			return t.Complete(ctx, q)
		})
	}

	recorded := false
	var refused error
	out := m.Message.mail(m.ID)
	out.BeforeContent = func(ctx context.Context) error {
		refused = s.DB.Write(ctx, func(q database.Querier) error {
			if err := t.Fence(ctx, q); err != nil {
				return err
			}
			return s.recordSent(ctx, store.In(q, storeID), m)
		})
		recorded = refused == nil
		return refused
	}

	err = sender.Send(ctx, out)
	switch {
	case errors.Is(refused, errSentBefore), errors.Is(refused, errLimit):
		s.Log.WarnContext(ctx, "a message is not sent", "message", m.ID, "store", storeID, "reason", refused)
		return nil
	case err == nil || !recorded:
		return mailRetryError(err)
	}

	if failed, ok := errors.AsType[*mail.Error](err); ok && failed.OutcomeUnknown() {
		return queue.Abort(fmt.Errorf("message %s may have been sent, so it is not sent again: %w", m.ID, err))
	}

	return errors.Join(mailRetryError(err), s.forgetSent(ctx, storeID, m))
}

// recordSent records that a message is sent now. It returns errSentBefore, or errLimit.
func (s *Service) recordSent(ctx context.Context, tx store.Tx, m Once) error {
	recipient := s.Vault.MAC(recipientPurpose, []byte(tx.StoreID().String()+" "+m.Class+" "+mailbox(m.Message.To)))
	now := s.Now()
	if m.Limit > 0 {
		n, err := countSentMails(ctx, tx, recipient, now.Add(-m.Window), m.ID)
		if err != nil {
			return err
		}
		if n >= int64(m.Limit) {
			return errLimit
		}
	}

	inserted, err := insertSentMail(ctx, tx, m.ID, recipient, now)
	if err == nil && !inserted {
		err = errSentBefore
	}
	if err != nil || m.Record == nil {
		return err
	}
	return m.Record(ctx, tx)
}

// mailbox returns what is the same for addresses that usually lead to one mailbox: those that differ in case, and in
// what follows a plus.
func mailbox(address string) string {
	local, domain, _ := strings.Cut(strings.ToLower(address), "@")
	local, _, _ = strings.Cut(local, "+")
	return local + "@" + domain
}

// forgetSent deletes the record of a message that the server has refused. If the context of the attempt has ended, it
// has a short time of its own.
func (s *Service) forgetSent(ctx context.Context, storeID store.ID, m Once) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), forgetTimeout)
	defer cancel()
	return s.DB.Write(ctx, func(q database.Querier) error {
		tx := store.In(q, storeID)
		if err := deleteSentMail(ctx, tx, m.ID); err != nil || m.Forget == nil {
			return err
		}
		return m.Forget(ctx, tx)
	})
}

const forgetTimeout = 5 * time.Second
