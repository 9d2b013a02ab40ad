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
	// sendTime is the timeout of an attempt. The SMTP client has its own timeout of 30 s, the text message sender one
	// of 15 s.
	sendTime = 45 * time.Second
	// sealPurpose is the vault's purpose for queued messages. They are encrypted because they may contain login codes.
	sealPurpose = "letter"
	// waitAtMost is the longest Retry-After of the text message sender that is honoured.
	waitAtMost = time.Hour
)

// parcel is the payload of a job: a message with its store. Its id stays the same on every attempt.
type parcel struct {
	ID      LetterID
	StoreID store.ID
	Letter  Letter `json:"Letter"` // the stored name of the member: jobs outlive an upgrade of the program
}

// Kind describes the jobs that send messages, for the queue.
func (s *Service) Kind() queue.Kind {
	return queue.Kind{
		Name: sendKind, LaneSlots: 4, NodeSlots: 16, Timeout: sendTime, Run: s.attempt,
		Retries: []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour},
	}
}

func (s *Service) seal(p parcel) ([]byte, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("write a letter down: %w", err)
	}
	return s.Vault.Seal(sealPurpose, text), nil
}

func (s *Service) open(payload []byte) (p parcel, err error) {
	text, err := s.Vault.Open(sealPurpose, payload)
	if err != nil {
		return p, fmt.Errorf("open a letter: %w", err)
	}
	return p, json.Unmarshal(text, &p)
}

// attempt sends one message. It stores the message in the mailbox if its sender is not configured any more.
func (s *Service) attempt(ctx context.Context, t *queue.Task) error {
	p, err := s.open(t.Payload)
	if err != nil {
		return queue.Abort(err)
	}
	if useful := p.Letter.UsefulUntil; !useful.IsZero() && !useful.After(s.Now()) {
		return queue.Abort(fmt.Errorf("letter %s has come to be of no use before it could be sent", p.ID))
	}
	if !s.carried(p.Letter) {
		return s.DB.Write(ctx, func(q database.Querier) error {
			if err := s.keep(ctx, q, p); err != nil {
				return err
			}
			return t.Complete(ctx, q)
		})
	}
	if p.Letter.toPhone() {
		return afterText(s.Texts.Send(ctx, Text{ID: p.ID.String(), To: p.Letter.To, Text: p.Letter.Text}))
	}
	return afterMail(s.Mail.Send(ctx, mail.Message{
		ID: p.ID.String(), FromName: p.Letter.From, To: p.Letter.To, Subject: p.Letter.Subject, Text: p.Letter.Text,
	}))
}

// afterMail decides whether failed mail is retried: a permanent error aborts the job.
func afterMail(err error) error {
	var failed *mail.Error
	if errors.As(err, &failed) && !failed.Retry {
		return queue.Abort(err)
	}
	return err
}

// afterText decides whether and when a failed text message is retried.
func afterText(err error) error {
	var failed *outbound.Error
	switch {
	case !errors.As(err, &failed):
		return err
	case !failed.Retry:
		return queue.Abort(err)
	case failed.RetryAfter > 0:
		return queue.RetryAfter(min(failed.RetryAfter, waitAtMost), err)
	}
	return err
}
