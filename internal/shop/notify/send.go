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
	// sendKind is the sort of background work that sends letters. A lane is a store: one that writes a great deal delays no other.
	sendKind = "mail.send"
	// sendTime bounds an attempt: a mail server has 30 s of its own, and a sender of text messages less.
	sendTime = 45 * time.Second
	// sealPurpose names what the vault's key is used for: a letter may hold a login code.
	sealPurpose = "letter"
	// waitAtMost is the longest that a sender of text messages can put one off.
	waitAtMost = time.Hour
)

// parcel is a letter with whose it is. Its id stays the same on every attempt.
type parcel struct {
	ID      LetterID
	StoreID store.ID
	Letter  Letter
}

// Kind is the sort of background work that sending letters is.
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

// attempt hands one letter over. Whoever carried it may be gone since it was written: then it lands in the mailbox.
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

// afterMail says whether mail that was not taken is sent again.
func afterMail(err error) error {
	var failed *mail.Error
	if errors.As(err, &failed) && !failed.Retry {
		return queue.Abort(err)
	}
	return err
}

// afterText says whether and when a text message that was not taken is sent again.
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
