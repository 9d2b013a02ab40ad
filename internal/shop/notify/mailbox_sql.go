package notify

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const insertLetterSQL = `
INSERT INTO mailbox (store_id, id, recipient, subject, text, created_at)
VALUES ($1, $2, $3, $4, $5, $6)`

const countMailboxSQL = `
SELECT COUNT(*)
FROM mailbox
WHERE store_id = $1`

const listMailboxSQL = `
SELECT id, recipient, subject, text, created_at
FROM mailbox
WHERE store_id = $1
ORDER BY key DESC
LIMIT $2 OFFSET $3`

const deleteLettersSQL = `
DELETE FROM mailbox
WHERE created_at <= $1`

// letterRow is a row of the mailbox, whose text is encrypted.
type letterRow struct {
	Kept
	sealed []byte
}

func insertLetter(ctx context.Context, q database.Querier, p parcel, sealed []byte, now time.Time) error {
	_, err := q.Exec(ctx, insertLetterSQL, p.StoreID, p.ID, p.Letter.To, p.Letter.Subject, sealed, now.UnixMicro())
	return err
}

func pageOfMailbox(ctx context.Context, tx store.Tx, limit, offset int64) (list []letterRow, total int64, err error) {
	if err := database.QueryRow(ctx, tx, countMailboxSQL, nil, &total); err != nil {
		return nil, 0, err
	}
	err = database.QueryEach(ctx, tx, listMailboxSQL, []any{limit, offset}, func(rows database.Rows) error {
		var l letterRow
		var createdAt int64
		if err := rows.Scan(&l.ID, &l.To, &l.Subject, &l.sealed, &createdAt); err != nil {
			return err
		}
		l.CreatedAt = time.UnixMicro(createdAt).UTC()
		list = append(list, l)
		return nil
	})
	return list, total, err
}

// deleteLetters deletes the messages of all stores that were created at or before a time.
func deleteLetters(ctx context.Context, q database.Querier, before time.Time) error {
	_, err := q.Exec(ctx, deleteLettersSQL, before.UnixMicro())
	return err
}
