package notify

import (
	"context"
	"fmt"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/periodic"
	"vitrine/internal/shop/store"
)

const (
	// mailboxRetention is how long a message stays in the mailbox.
	mailboxRetention = 30 * 24 * time.Hour
	// pruneInterval is the interval between two deletions of expired messages.
	pruneInterval = time.Hour
	// mailboxPurpose is the vault's purpose for the mailbox. Messages are encrypted because they may contain login
	// codes.
	mailboxPurpose = "mailbox"
)

// StoredMessage is a message in the mailbox.
type StoredMessage struct {
	ID                MessageID
	To, Subject, Text string
	CreatedAt         time.Time
}

// Mailbox returns one page of the stored messages of a store, newest first, and the total number.
func (s *Service) Mailbox(
	ctx context.Context, tx store.Tx, limit, offset int64,
) (list []StoredMessage, total int64, err error) {
	defer fault.AddContext(&err, "read the mailbox of store %s", tx.StoreID())
	rows, total, err := selectMailboxPage(ctx, tx, limit, offset)
	for _, row := range rows {
		text, err := s.Vault.Open(mailboxPurpose, row.sealed)
		if err != nil {
			return nil, 0, fmt.Errorf("decrypt message %s: %w", row.ID, err)
		}
		row.Text = string(text)
		list = append(list, row.StoredMessage)
	}
	return list, total, err
}

// storeMessage inserts a message into the mailbox.
func (s *Service) storeMessage(ctx context.Context, q database.Querier, m outgoingMessage) error {
	return insertMessage(ctx, q, m, s.Vault.Seal(mailboxPurpose, []byte(m.Message.Text)), s.Now())
}

// Run deletes messages older than 30 days from the mailbox, until ctx ends; then it returns nil.
func (s *Service) Run(ctx context.Context) error {
	return periodic.Run(ctx, s.Log, periodic.Task{
		Name: "delete old messages from the mailbox", Every: pruneInterval, Do: func(ctx context.Context) error {
			return s.DB.Write(ctx, func(q database.Querier) error {
				if err := deleteSentMails(ctx, q, s.Now().Add(-sentRetention)); err != nil {
					return err
				}
				return deleteMessages(ctx, q, s.Now().Add(-mailboxRetention))
			})
		},
	})
}
