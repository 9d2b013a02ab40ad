package inquiry

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const listCallbacksSQL = `
SELECT id, name, phone, comment, preferred_time, created_at
FROM callbacks
WHERE store_id = $1`

const selectCallbackSQL = listCallbacksSQL + `
  AND id = $2`

const countCallbacksSQL = `
SELECT COUNT(*)
FROM callbacks
WHERE store_id = $1`

const insertCallbackSQL = `
INSERT INTO callbacks (store_id, id, name, phone, comment, preferred_time, words, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`

func scanCallback(rows database.Rows) (Callback, error) {
	var c Callback
	var created int64
	err := rows.Scan(&c.ID, &c.Name, &c.Phone, &c.Comment, &c.PreferredTime, &created)
	c.CreatedAt = time.UnixMicro(created)
	return c, err
}

func oneCallback(ctx context.Context, q database.Querier, storeID store.ID, callbackID CallbackID) (Callback, error) {
	return one(ctx, q, selectCallbackSQL, []any{storeID, callbackID}, "callback request", scanCallback)
}

func insertCallback(ctx context.Context, q database.Querier, storeID store.ID, c *Callback) error {
	_, err := q.Exec(ctx, insertCallbackSQL, storeID, c.ID, c.Name, c.Phone, c.Comment, c.PreferredTime, c.words(), c.CreatedAt.UnixMicro())
	return err
}
