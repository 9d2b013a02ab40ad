package inquiry

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const listFeedbackSQL = `
SELECT id, name, email, phone, message, extra, created_at
FROM feedback
WHERE store_id = $1`

const selectFeedbackSQL = listFeedbackSQL + `
  AND id = $2`

const countFeedbackSQL = `
SELECT COUNT(*)
FROM feedback
WHERE store_id = $1`

const insertFeedbackSQL = `
INSERT INTO feedback (store_id, id, name, email, phone, message, extra, words, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`

func scanFeedback(rows database.Rows) (Feedback, error) {
	var f Feedback
	var extra string
	var created int64
	err := rows.Scan(&f.ID, &f.Name, &f.Email, &f.Phone, &f.Message, &extra, &created)
	if err == nil {
		f.Extra, f.CreatedAt = extra[1:len(extra)-1], time.UnixMicro(created)
	}
	return f, err
}

func oneFeedback(ctx context.Context, q database.Querier, storeID store.ID, feedbackID FeedbackID) (Feedback, error) {
	return one(ctx, q, selectFeedbackSQL, []any{storeID, feedbackID}, "feedback", scanFeedback)
}

func insertFeedback(ctx context.Context, q database.Querier, storeID store.ID, f *Feedback) error {
	_, err := q.Exec(ctx, insertFeedbackSQL, storeID, f.ID, f.Name, f.Email, f.Phone, f.Message, "{"+f.Extra+"}", f.words(), f.CreatedAt.UnixMicro())
	return err
}
