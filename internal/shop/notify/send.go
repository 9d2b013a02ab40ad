package notify

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/mail"
	"vitrine/internal/kit/outbound"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/store"
)

const (
	// sendKind is the kind of the jobs that send messages. Each store has its own lane, so that a store with many
	// messages does not delay the others.
	sendKind = "mail.send"
	// sendTimeout is the timeout of an attempt. The SMTP client has its own timeout of 30 s, the text message sender
	// one of 15 s.
	sendTimeout = 45 * time.Second
	// queuePurpose is the vault's purpose for queued messages. They are encrypted because they may contain login codes.
	queuePurpose = "queued message"
	// maxRetryAfter is the longest Retry-After of the text message sender that is honoured.
	maxRetryAfter = time.Hour
)

// outgoingMessage is the payload of a job: a message with its store. Its id stays the same on every attempt.
type outgoingMessage struct {
	ID      MessageID
	StoreID store.ID
	Message Message
}

// Kind describes the jobs that send messages, for the queue.
func (s *Service) Kind() queue.Kind[outgoingMessage, queue.NoOutput] {
	return queue.Kind[outgoingMessage, queue.NoOutput]{
		Name: sendKind, LaneSlots: 4, NodeSlots: 16, Timeout: sendTimeout,
		Decode: s.openMessage, Run: s.attempt,
		// An attempt holds one message of bounded size.
		Light: true, WarnOfRetries: true, Owner: func(m outgoingMessage) string { return m.StoreID.String() },
		Retries: []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour,
			6 * time.Hour},
	}
}

func (s *Service) sealMessage(m outgoingMessage) ([]byte, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("encode a message: %w", err)
	}
	return s.Vault.Seal(queuePurpose, text), nil
}

func (s *Service) openMessage(payload []byte) (m outgoingMessage, err error) {
	text, err := s.Vault.Open(queuePurpose, payload)
	if err != nil {
		return m, fmt.Errorf("decrypt a message: %w", err)
	}
	err = json.Unmarshal(text, &m)
	return m, err
}

// attempt sends one message. It stores the message in the mailbox if its sender is not configured any more.
func (s *Service) attempt(ctx context.Context, t *queue.TaskOf[outgoingMessage, queue.NoOutput]) error {
	m := t.Payload
	if until := m.Message.UsefulUntil; !until.IsZero() && !until.After(s.Now()) {
		return queue.Abort(fmt.Errorf("message %s expired before it was sent", m.ID))
	}

	sender, err := s.mailSender(ctx, m.StoreID, m.Message)
	if err != nil {
		return err
	}
	if m.Message.toPhone() && s.TextSender == nil || !m.Message.toPhone() && sender == nil {
		return s.DB.Write(ctx, func(q database.Querier) error {
			if err := s.storeMessage(ctx, q, m); err != nil {
				return err
			}
			return t.Complete(ctx, q)
		})
	}

	if m.Message.toPhone() {
		text := TextMessage{ID: m.ID.String(), To: m.Message.To, Text: m.Message.Text}
		return textMessageRetryError(s.TextSender.Send(ctx, text))
	}

	return mailRetryError(sender.Send(ctx, m.Message.mail(m.ID)))
}

// mail returns the message as e-mail.
func (m Message) mail(messageID MessageID) mail.Message {
	return mail.Message{ID: messageID.String(), FromName: m.From, To: m.To, Subject: m.Subject, Text: m.Text,
		HTML: m.HTML, Unsubscribe: m.Unsubscribe}
}

// mailRetryError decides whether failed mail is retried: a permanent error aborts the job.
func mailRetryError(err error) error {
	var failed *mail.Error
	if errors.As(err, &failed) && !failed.Retry {
		return queue.Abort(err)
	}
	return err
}

// textMessageRetryError decides whether and when a failed text message is retried.
func textMessageRetryError(err error) error {
	var failed *outbound.Failure
	switch {
	case !errors.As(err, &failed):
		return err
	case !failed.Retry:
		return queue.Abort(err)
	case failed.RetryAfter > 0:
		return queue.RetryAfter(min(failed.RetryAfter, maxRetryAfter), err)
	}
	return err
}
