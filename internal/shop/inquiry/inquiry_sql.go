package inquiry

import (
	"context"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/locale"
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

func selectCallback(ctx context.Context, tx store.Tx, callbackID CallbackID) (Callback, error) {
	return selectOne(ctx, tx, selectCallbackSQL, []any{callbackID}, "callback request", scanCallback)
}

func insertCallback(ctx context.Context, tx store.Tx, c *Callback) error {
	_, err := tx.Exec(ctx, insertCallbackSQL, c.ID, c.Name, c.Phone, c.Comment, c.PreferredTime, c.searchText(),
		c.CreatedAt.UnixMicro())
	return err
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

func selectFeedback(ctx context.Context, tx store.Tx, feedbackID FeedbackID) (Feedback, error) {
	return selectOne(ctx, tx, selectFeedbackSQL, []any{feedbackID}, "feedback", scanFeedback)
}

func insertFeedback(ctx context.Context, tx store.Tx, f *Feedback) error {
	_, err := tx.Exec(ctx, insertFeedbackSQL, f.ID, f.Name, f.Email, f.Phone, f.Message, "{"+f.Extra+"}",
		f.searchText(), f.CreatedAt.UnixMicro())
	return err
}

// conditions returns the filter as SQL conditions and appends their arguments to args.
func (f Filter) conditions(args *[]any) string {
	var b strings.Builder
	add := func(condition string, arg any) {
		*args = append(*args, arg)
		b.WriteString("\n  AND " + condition + " $" + strconv.Itoa(1+len(*args))) // $1 is the store
	}
	if !f.From.IsZero() {
		add("created_at >=", f.From.UnixMicro())
	}
	if !f.Before.IsZero() {
		add("created_at <", f.Before.UnixMicro())
	}
	for _, pattern := range locale.QueryPatterns(f.Search) {
		add("words LIKE", pattern)
	}
	return b.String()
}

// selectPage returns one page of the rows that match the filter, newest first, and the total number of matches. list
// and count are the SELECT statements without the filter.
func selectPage[T any](
	ctx context.Context, tx store.Tx, list, count string, f Filter, limit, offset int64,
	scan func(database.Rows) (T, error),
) (found []T, total int64, err error) {
	var args []any
	where := f.conditions(&args)
	if err := database.QueryRow(ctx, tx, count+where, args, &total); err != nil {
		return nil, 0, err
	}
	if offset >= total {
		return nil, total, nil
	}
	args = append(args, limit, offset)
	page := "\nORDER BY created_at DESC, key DESC\nLIMIT $" + strconv.Itoa(len(args)) +
		" OFFSET $" + strconv.Itoa(len(args)+1) // $1 is the store
	err = database.QueryEach(ctx, tx, list+where+page, args, func(rows database.Rows) error {
		item, err := scan(rows)
		found = append(found, item)
		return err
	})
	return found, total, err
}

func selectCallbacks(ctx context.Context, tx store.Tx, f Filter, limit, offset int64) ([]Callback, int64, error) {
	return selectPage(ctx, tx, listCallbacksSQL, countCallbacksSQL, f, limit, offset, scanCallback)
}

func selectFeedbackPage(ctx context.Context, tx store.Tx, f Filter, limit, offset int64) ([]Feedback, int64, error) {
	return selectPage(ctx, tx, listFeedbackSQL, countFeedbackSQL, f, limit, offset, scanFeedback)
}

// selectOne returns the row of a query, or fault.NotFound.
func selectOne[T any](
	ctx context.Context, q database.Queryer, sql string, args []any, noun string, scan func(database.Rows) (T, error),
) (T, error) {
	var row T
	exists := false
	err := database.QueryEach(ctx, q, sql, args, func(rows database.Rows) (err error) {
		exists = true
		row, err = scan(rows)
		return err
	})
	if err == nil && !exists {
		err = fault.Missing(noun)
	}
	return row, err
}
