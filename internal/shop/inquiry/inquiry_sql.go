package inquiry

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const callbackColumns = `id, name, phone, comment, preferred_time, created_at`

const selectCallbackSQL = `
SELECT ` + callbackColumns + fromCallbacksSQL + `
  AND id = $2`

const insertCallbackSQL = `
INSERT INTO callbacks (store_id, id, name, phone, comment, preferred_time, words, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
RETURNING key`

func scanCallback(rows database.Rows) (Callback, error) {
	var c Callback
	err := rows.Scan(&c.ID, &c.Name, &c.Phone, &c.Comment, &c.PreferredTime, database.Time(&c.CreatedAt))
	return c, err
}

func selectCallback(ctx context.Context, tx store.Tx, callbackID CallbackID) (Callback, error) {
	return store.SelectOne(ctx, tx, selectCallbackSQL, []any{callbackID}, "callback request", scanCallback)
}

func insertCallback(ctx context.Context, tx store.Tx, c *Callback) error {
	var key int64
	err := database.QueryRow(ctx, tx, insertCallbackSQL, []any{c.ID, c.Name, c.Phone, c.Comment, c.PreferredTime,
		c.searchText(), c.CreatedAt.UnixMicro()}, &key)
	if err != nil {
		return err
	}
	return store.SetSearchWords(ctx, tx, store.SearchedCallbacks, key, "", c.searchText())
}

const feedbackColumns = `id, name, email, phone, message, extra, created_at`

const selectFeedbackSQL = `
SELECT ` + feedbackColumns + fromFeedbackSQL + `
  AND id = $2`

const insertFeedbackSQL = `
INSERT INTO feedback (store_id, id, name, email, phone, message, extra, words, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
RETURNING key`

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
	var key int64
	err := database.QueryRow(ctx, tx, insertFeedbackSQL, []any{f.ID, f.Name, f.Email, f.Phone, f.Message,
		"{" + f.Extra + "}", f.searchText(), f.CreatedAt.UnixMicro()}, &key)
	if err != nil {
		return err
	}
	return store.SetSearchWords(ctx, tx, store.SearchedFeedback, key, "", f.searchText())
}

// selectPage returns one page of the inquiries of a kind that match the filter, and the number of all.
func selectPage[T any](
	ctx context.Context, tx store.Tx, t inquiryTable, columns string, f Filter, limit, offset int64,
	scan func(database.Rows) (T, error),
) ([]T, int64, error) {
	reading := store.ReadSearch(f.Search)
	candidates, err := reading.Candidates(ctx, tx, t.kind)
	if err != nil {
		return nil, 0, err
	}
	c := store.NewConditions(candidates...)
	c.AndPeriod("created_at", f.From, f.Before)
	c.AndReading("words", reading, "phone")
	found := candidates != nil
	list := store.ListSQL{
		Select: t.statement(columns, found), Count: t.statement("COUNT(*)", found),
		OrderBy: "created_at DESC, key DESC",
	}
	return store.SelectPage(ctx, tx, list, c, limit, offset, scan)
}

func selectCallbacks(ctx context.Context, tx store.Tx, f Filter, limit, offset int64) ([]Callback, int64, error) {
	return selectPage(ctx, tx, callbackTable, callbackColumns, f, limit, offset, scanCallback)
}

func selectFeedbackPage(ctx context.Context, tx store.Tx, f Filter, limit, offset int64) ([]Feedback, int64, error) {
	return selectPage(ctx, tx, feedbackTable, feedbackColumns, f, limit, offset, scanFeedback)
}
