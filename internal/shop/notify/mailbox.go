package notify

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const (
	// keepFor is how long a message stays in the mailbox.
	keepFor = 30 * 24 * time.Hour
	// cleanEvery is the interval of deleting older ones.
	cleanEvery = time.Hour
	// mailboxSeal is the vault's purpose for the mailbox. Messages are encrypted because they may contain login codes.
	mailboxSeal = "mailbox"
)

// Kept is a message in the mailbox.
type Kept struct {
	ID                LetterID
	To, Subject, Text string
	CreatedAt         time.Time
}

// Mailbox returns one page of the stored messages of a store, newest first, and the total number.
func (s *Service) Mailbox(ctx context.Context, tx store.Tx, limit, offset int64) ([]Kept, int64, error) {
	letters, total, err := pageOfMailbox(ctx, tx, limit, offset)
	if err != nil {
		return nil, 0, fmt.Errorf("read the mailbox of store %s: %w", tx.StoreID(), err)
	}
	list := make([]Kept, len(letters))
	for i, l := range letters {
		text, err := s.Vault.Open(mailboxSeal, l.sealed)
		if err != nil {
			return nil, 0, fmt.Errorf("open letter %s: %w", l.ID, err)
		}
		list[i] = l.Kept
		list[i].Text = string(text)
	}
	return list, total, nil
}

// keep inserts a message into the mailbox.
func (s *Service) keep(ctx context.Context, q database.Querier, p parcel) error {
	sealed := s.Vault.Seal(mailboxSeal, []byte(p.Letter.Text))
	if err := insertLetter(ctx, q, p, sealed, s.Now()); err != nil {
		return fmt.Errorf("keep a letter: %w", err)
	}
	return nil
}

// Run deletes messages older than 30 days from the mailbox, until ctx ends; then it returns nil.
func (s *Service) Run(ctx context.Context) error {
	tick := time.NewTicker(cleanEvery)
	defer tick.Stop()
	for {
		err := s.DB.Write(ctx, func(q database.Querier) error { return deleteLetters(ctx, q, s.Now().Add(-keepFor)) })
		if err != nil && !errors.Is(err, context.Canceled) {
			s.Log.WarnContext(ctx, "old letters were not removed from the mailbox; trying again", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}
