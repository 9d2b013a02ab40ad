package notify

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const insertMessageSQL = `
INSERT INTO mailbox (store_id, id, recipient, subject, text, created_at)
VALUES ($1, $2, $3, $4, $5, $6)`

const countMailboxSQL = `
SELECT COUNT(*)
FROM mailbox
WHERE store_id = $1`

const listMailboxSQL = `
SELECT id, recipient, subject, text, created_at
FROM mailbox
WHERE store_id = $1`

const deleteMessagesSQL = `
DELETE FROM mailbox
WHERE created_at <= $1`

// mailboxRow is a row of the mailbox, whose text is encrypted.
type mailboxRow struct {
	StoredMessage
	sealed []byte
}

func insertMessage(ctx context.Context, q database.Querier, m outgoingMessage, sealed []byte, now time.Time) error {
	return database.Exec(ctx, q, insertMessageSQL, m.StoreID, m.ID, m.Message.To, m.Message.Subject, sealed,
		now.UnixMicro())
}

func selectMailboxPage(ctx context.Context, tx store.Tx, limit, offset int64) ([]mailboxRow, int64, error) {
	list := store.ListSQL{Select: listMailboxSQL, Count: countMailboxSQL, OrderBy: "key DESC"}
	return store.SelectPage(ctx, tx, list, store.NewConditions(), limit, offset, scanMailboxRow)
}

func scanMailboxRow(rows database.Rows) (row mailboxRow, err error) {
	err = rows.Scan(&row.ID, &row.To, &row.Subject, &row.sealed, database.Time(&row.CreatedAt))
	return row, err
}

// deleteMessages deletes the messages of all stores that were created at or before a time.
func deleteMessages(ctx context.Context, q database.Querier, before time.Time) error {
	return database.Exec(ctx, q, deleteMessagesSQL, before.UnixMicro())
}
