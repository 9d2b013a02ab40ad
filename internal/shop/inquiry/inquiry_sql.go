package inquiry

import (
	"context"

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

var callbackListSQL = store.ListSQL{
	Select: listCallbacksSQL, Count: countCallbacksSQL, OrderBy: "created_at DESC, key DESC",
}

const insertCallbackSQL = `
INSERT INTO callbacks (store_id, id, name, phone, comment, preferred_time, words, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`

func scanCallback(rows database.Rows) (Callback, error) {
	var c Callback
	err := rows.Scan(&c.ID, &c.Name, &c.Phone, &c.Comment, &c.PreferredTime, database.Time(&c.CreatedAt))
	return c, err
}

func selectCallback(ctx context.Context, tx store.Tx, callbackID CallbackID) (Callback, error) {
	return store.SelectOne(ctx, tx, selectCallbackSQL, []any{callbackID}, "callback request", scanCallback)
}

func insertCallback(ctx context.Context, tx store.Tx, c *Callback) error {
	return database.Exec(ctx, tx, insertCallbackSQL, c.ID, c.Name, c.Phone, c.Comment, c.PreferredTime, c.searchText(),
		c.CreatedAt.UnixMicro())
}

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

var feedbackListSQL = store.ListSQL{
	Select: listFeedbackSQL, Count: countFeedbackSQL, OrderBy: "created_at DESC, key DESC",
}

const insertFeedbackSQL = `
INSERT INTO feedback (store_id, id, name, email, phone, message, extra, words, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`

func scanFeedback(rows database.Rows) (Feedback, error) {
	var f Feedback
	var extra string
	err := rows.Scan(&f.ID, &f.Name, &f.Email, &f.Phone, &f.Message, &extra, database.Time(&f.CreatedAt))
	if err == nil {
		f.Extra = extra[1 : len(extra)-1]
	}
	return f, err
}

func selectFeedback(ctx context.Context, tx store.Tx, feedbackID FeedbackID) (Feedback, error) {
	return store.SelectOne(ctx, tx, selectFeedbackSQL, []any{feedbackID}, "feedback", scanFeedback)
}

func insertFeedback(ctx context.Context, tx store.Tx, f *Feedback) error {
	return database.Exec(ctx, tx, insertFeedbackSQL, f.ID, f.Name, f.Email, f.Phone, f.Message, "{"+f.Extra+"}",
		f.searchText(), f.CreatedAt.UnixMicro())
}

// conditions returns the WHERE conditions of the filter.
func (f Filter) conditions() *store.Conditions {
	c := store.NewConditions()
	c.AndPeriod("created_at", f.From, f.Before)
	c.AndSearch("words", f.Search)
	return c
}

func selectCallbacks(ctx context.Context, tx store.Tx, f Filter, limit, offset int64) ([]Callback, int64, error) {
	return store.SelectPage(ctx, tx, callbackListSQL, f.conditions(), limit, offset, scanCallback)
}

func selectFeedbackPage(ctx context.Context, tx store.Tx, f Filter, limit, offset int64) ([]Feedback, int64, error) {
	return store.SelectPage(ctx, tx, feedbackListSQL, f.conditions(), limit, offset, scanFeedback)
}
