package order

import (
	"context"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/store"
)

const upsertMailSQL = `
INSERT INTO order_mails (store_id, order_key, id, kind, recipient, at, failed)
SELECT $1, o.key, $3, $4, COALESCE(NULLIF($5, ''), o.email), $6, $7
FROM orders o
WHERE o.store_id = $1
  AND o.id = $2
  AND o.erased_at IS NULL
ON CONFLICT (store_id, order_key, id) DO UPDATE
SET at = excluded.at, failed = excluded.failed`

const deleteMailSQL = `
DELETE FROM order_mails
WHERE store_id = $1
  AND order_key = (SELECT o.key FROM orders o WHERE o.store_id = $1 AND o.id = $2)
  AND id = $3`

const selectMailsSQL = `
SELECT id, kind, recipient, at, failed
FROM order_mails
WHERE store_id = $1
  AND order_key = $2
ORDER BY at DESC, id
LIMIT $3`

const deleteMailsOfOrdersSQL = `
WITH r(key) AS (ROWS)
DELETE FROM order_mails
WHERE (store_id = $1) IS TRUE
  AND order_key IN (SELECT key FROM r)`

func upsertMail(ctx context.Context, tx store.Tx, orderID ID, m Mail) error {
	return database.Exec(ctx, tx, upsertMailSQL, orderID, m.ID, m.Kind, m.To, m.At.UnixMicro(), m.Failed)
}

func deleteMail(ctx context.Context, tx store.Tx, orderID ID, mailID id.Of[Mail]) error {
	return database.Exec(ctx, tx, deleteMailSQL, orderID, mailID)
}

func selectMails(ctx context.Context, tx store.Tx, orderKey int64, limit int) (list []Mail, err error) {
	scan := func(rows database.Rows) (m Mail, err error) {
		err = rows.Scan(&m.ID, &m.Kind, &m.To, database.Time(&m.At), &m.Failed)
		return m, err
	}
	err = database.QueryEach(ctx, tx, selectMailsSQL, []any{orderKey, limit}, database.AppendScanned(&list, scan))
	slices.Reverse(list)
	return list, err
}

func deleteMailsOfOrders(ctx context.Context, tx store.Tx, orderKeys []int64) error {
	return database.ExecRows(ctx, tx, deleteMailsOfOrdersSQL, database.BatchOf(database.BigInt, orderKeys))
}
