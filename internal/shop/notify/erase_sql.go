package notify

import (
	"context"
	"fmt"

	"vitrine/internal/kit/contact"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

const messagesToSQL = `
WITH r(recipient) AS (ROWS)
SELECT m.id, m.recipient, m.subject, m.text, m.created_at
FROM mailbox m
WHERE m.store_id = $1
  AND LOWER(m.recipient) IN (SELECT recipient FROM r)
ORDER BY m.key`

const deleteMessagesToSQL = `
WITH r(recipient) AS (ROWS)
DELETE FROM mailbox
WHERE store_id = $1
  AND LOWER(recipient) IN (SELECT recipient FROM r)`

// MessagesTo returns the messages in the mailbox of a store to one of the addresses, oldest first.
func (s *Service) MessagesTo(
	ctx context.Context, tx store.Tx, addresses contact.Set,
) (list []StoredMessage, err error) {
	defer fault.AddContext(&err, "read the messages to a person in store %s", tx.StoreID())

	var rows []mailboxRow
	err = tx.QueryRows(ctx, messagesToSQL, database.BatchOf(database.Text, addresses.All()),
		database.AppendScanned(&rows, scanMailboxRow))
	if err != nil {
		return nil, err
	}

	for _, row := range rows {
		text, err := s.Vault.Open(mailboxPurpose, row.sealed)
		if err != nil {
			return nil, fmt.Errorf("decrypt message %s: %w", row.ID, err)
		}
		row.Text = string(text)
		list = append(list, row.StoredMessage)
	}

	return list, nil
}

// DeleteMessagesTo deletes the messages in the mailbox of a store to one of the addresses and returns their number.
func (s *Service) DeleteMessagesTo(ctx context.Context, tx store.Tx, addresses contact.Set) (n int64, err error) {
	defer fault.AddContext(&err, "delete the messages to a person in store %s", tx.StoreID())
	return tx.ExecRows(ctx, deleteMessagesToSQL, database.BatchOf(database.Text, addresses.All()))
}
