package notify

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const insertSentMailSQL = `
INSERT INTO sent_mails (store_id, id, recipient, sent_at)
VALUES ($1, $2, $3, $4)
ON CONFLICT (store_id, id) DO NOTHING`

const countSentMailsSQL = `
SELECT COUNT(*)
FROM sent_mails
WHERE store_id = $1
  AND recipient = $2
  AND sent_at > $3
  AND id <> $4`

const deleteSentMailSQL = `
DELETE FROM sent_mails
WHERE store_id = $1
  AND id = $2`

const deleteSentMailsSQL = `
DELETE FROM sent_mails
WHERE sent_at <= $1`

// insertSentMail inserts the record of a message, and returns false if there is one.
func insertSentMail(
	ctx context.Context, tx store.Tx, messageID MessageID, recipient []byte, now time.Time,
) (bool, error) {
	n, err := tx.Exec(ctx, insertSentMailSQL, messageID, recipient, now.UnixMicro())
	return n == 1, err
}

// countSentMails counts the messages to a recipient since a time, without one message.
func countSentMails(
	ctx context.Context, tx store.Tx, recipient []byte, since time.Time, without MessageID,
) (n int64, err error) {
	err = database.QueryRow(ctx, tx, countSentMailsSQL, []any{recipient, since.UnixMicro(), without}, &n)
	return n, err
}

func deleteSentMail(ctx context.Context, tx store.Tx, messageID MessageID) error {
	return database.Exec(ctx, tx, deleteSentMailSQL, messageID)
}

// deleteSentMails deletes the records of all stores up to a time.
func deleteSentMails(ctx context.Context, q database.Querier, before time.Time) error {
	return database.Exec(ctx, q, deleteSentMailsSQL, before.UnixMicro())
}
