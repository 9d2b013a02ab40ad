package inquiry

import (
	"context"
	"strings"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const handlingColumns = `state, note, handler, taken_at, done_at, version`

// These are the same columns of both kinds.
const (
	feedbackInquiryColumns = `'feedback' AS kind, key, id, name, email, phone, message, '' AS preferred_time, extra, ` +
		`created_at, ` + handlingColumns
	callbackInquiryColumns = `'callback' AS kind, key, id, name, '' AS email, phone, comment, preferred_time, ` +
		`'{}' AS extra, created_at, ` + handlingColumns
)

// These statements are completed by a locking clause.
const (
	lockFeedbackSQL = `
SELECT ` + feedbackInquiryColumns + fromFeedbackSQL + `
  AND id = $2`
	lockCallbackSQL = `
SELECT ` + callbackInquiryColumns + fromCallbacksSQL + `
  AND id = $2`
)

const selectInquirySQL = lockFeedbackSQL + `
UNION ALL` + lockCallbackSQL

const setHandlingSQL = `
SET state = $3, note = $4, handler = $5, taken_at = $6, done_at = $7, version = $8
WHERE store_id = $1
  AND key = $2`

const (
	updateFeedbackHandlingSQL = `
UPDATE feedback` + setHandlingSQL
	updateCallbackHandlingSQL = `
UPDATE callbacks` + setHandlingSQL
)

// countStatesSQL counts up to $2 inquiries of each kind in each state.
const countStatesSQL = `
WITH r(state) AS (ROWS)
SELECT r.state,
	(SELECT COUNT(*) FROM (SELECT 1 FROM feedback f WHERE f.store_id = $1 AND f.state = r.state LIMIT $2) AS x) +
	(SELECT COUNT(*) FROM (SELECT 1 FROM callbacks c WHERE c.store_id = $1 AND c.state = r.state LIMIT $2) AS y)
FROM r`

// countNewSQL counts up to $2 new inquiries of each kind.
const countNewSQL = `
SELECT
	(SELECT COUNT(*) FROM (SELECT 1 FROM feedback f WHERE f.store_id = $1 AND f.state = 'new' LIMIT $2) AS x) +
	(SELECT COUNT(*) FROM (SELECT 1 FROM callbacks c WHERE c.store_id = $1 AND c.state = 'new' LIMIT $2) AS y)`

// These statements select up to $2 inquiries of each address of a batch, by an index each.
const (
	feedbackWithEmailSQL = `
WITH r(address) AS (ROWS)
SELECT 'feedback', f.key, f.id, f.name, f.email, f.phone, f.message, '', f.extra, f.created_at,
	f.state, f.note, f.handler, f.taken_at, f.done_at, f.version
FROM r
CROSS JOIN LOOKUP (feedback f WHERE f.store_id = $1 AND f.email = r.address AND f.email <> '')
ORDER BY f.created_at DESC, f.key DESC
LIMIT $2`
	feedbackWithPhoneSQL = `
WITH r(address) AS (ROWS)
SELECT 'feedback', f.key, f.id, f.name, f.email, f.phone, f.message, '', f.extra, f.created_at,
	f.state, f.note, f.handler, f.taken_at, f.done_at, f.version
FROM r
CROSS JOIN LOOKUP (feedback f WHERE f.store_id = $1 AND f.phone = r.address AND f.phone <> '')
ORDER BY f.created_at DESC, f.key DESC
LIMIT $2`
	callbacksWithPhoneSQL = `
WITH r(address) AS (ROWS)
SELECT 'callback', c.key, c.id, c.name, '', c.phone, c.comment, c.preferred_time, '{}', c.created_at,
	c.state, c.note, c.handler, c.taken_at, c.done_at, c.version
FROM r
CROSS JOIN LOOKUP (callbacks c WHERE c.store_id = $1 AND c.phone = r.address)
ORDER BY c.created_at DESC, c.key DESC
LIMIT $2`
)

func scanInquiry(rows database.Rows) (i Inquiry, err error) {
	var extra string
	err = rows.Scan((*string)(&i.Kind), &i.Key, &i.ID, &i.Name, &i.Email, &i.Phone, &i.Text, &i.PreferredTime, &extra,
		database.Time(&i.CreatedAt), (*string)(&i.State), &i.Note, &i.Handler, database.NullTime(&i.TakenAt),
		database.NullTime(&i.DoneAt), &i.Version)
	if err == nil {
		i.Extra = extra[1 : len(extra)-1]
	}
	return i, err
}

// selectInquiries returns up to limit inquiries from a position on, in the order of the list, or in the opposite order
// if the position is Newer. Each kind is read by its own index up to the limit.
func selectInquiries(
	ctx context.Context, tx store.Tx, f HandlingFilter, at *Position, limit int,
) (list []Inquiry, err error) {
	reading := store.ReadSearch(f.Search)
	if f.Tolerant || f.PhoneEnds {
		reading = reading.WithPhoneEnd()
	}
	if f.Tolerant {
		var err error
		reading, _, err = reading.Correct(ctx, tx, store.SearchedFeedback, store.SearchedCallbacks)
		if err != nil {
			return nil, err
		}
	}
	candidates, err := reading.Candidates(ctx, tx, store.SearchedFeedback, store.SearchedCallbacks)
	if err != nil {
		return nil, err
	}

	direction, compare := "DESC", "<"
	if at != nil && at.Newer {
		direction, compare = "ASC", ">"
	}

	c := store.NewConditions(candidates...)
	found := candidates != nil
	if f.State != "" {
		c.And("state = $n", string(f.State))
	}

	c.AndReading("words", reading, "phone")

	if at != nil {
		c.And("created_at "+compare+"= $n", at.CreatedAt) // for the index
		c.And("(created_at, KIND, key) "+compare+" ($n, $n, $n)", at.CreatedAt, string(at.Kind), at.Key)
	}

	where := c.String()
	feedback := strings.Replace(where, "KIND", "'feedback'", 1)
	callbacks := strings.Replace(where, "KIND", "'callback'", 1)
	page := "\nORDER BY created_at " + direction + ", key " + direction + c.LimitOffset(int64(limit), 0)
	sql := "SELECT * FROM (" + feedbackTable.statement(feedbackInquiryColumns, found) + feedback + page +
		") AS f\nUNION ALL\nSELECT * FROM (" +
		callbackTable.statement(callbackInquiryColumns, found) + callbacks + page + ") AS c\nORDER BY created_at " +
		direction + ", kind " + direction +
		", key " + direction
	err = database.QueryEach(ctx, tx, sql, c.Args(), database.AppendScanned(&list, scanInquiry))

	return list[:min(limit, len(list))], err
}

// countNew counts up to limit new inquiries of each kind.
func countNew(ctx context.Context, tx store.Tx, limit int64) (n int64, err error) {
	err = database.QueryRow(ctx, tx, countNewSQL, []any{limit}, &n)
	return n, err
}

func countStates(ctx context.Context, tx store.Tx, limit int64) (map[State]int64, error) {
	batch := database.NewBatch(database.Text)
	for _, state := range States() {
		batch.Add(string(state))
	}
	counts := map[State]int64{}
	err := tx.QueryRows(ctx, countStatesSQL, batch, func(rows database.Rows) error {
		var state State
		var n int64
		err := rows.Scan((*string)(&state), &n)
		counts[state] = n
		return err
	}, limit)
	return counts, err
}

func selectInquiry(ctx context.Context, tx store.Tx, inquiryID ID) (Inquiry, error) {
	return store.SelectOne(ctx, tx, selectInquirySQL, []any{inquiryID}, "inquiry", scanInquiry)
}

// lockInquiry returns an inquiry of the kind and locks it until the commit.
func lockInquiry(ctx context.Context, tx store.Tx, kind Kind, inquiryID ID) (Inquiry, error) {
	sql := lockFeedbackSQL
	if kind == KindCallback {
		sql = lockCallbackSQL
	}
	return store.SelectOne(ctx, tx, sql+tx.Dialect().ForUpdate, []any{inquiryID}, "inquiry", scanInquiry)
}

// updateHandling writes how the inquiry is handled.
func updateHandling(ctx context.Context, tx store.Tx, i *Inquiry) error {
	sql := updateFeedbackHandlingSQL
	if i.Kind == KindCallback {
		sql = updateCallbackHandlingSQL
	}
	return database.Exec(ctx, tx, sql, i.Key, string(i.State), i.Note, i.Handler, database.MicrosOrNull(i.TakenAt),
		database.MicrosOrNull(i.DoneAt), i.Version)
}

// selectWithContact returns up to limit inquiries by each index. An inquiry may occur twice.
func selectWithContact(ctx context.Context, tx store.Tx, addresses []string, limit int) (list []Inquiry, err error) {
	batch := database.BatchOf(database.Text, addresses)
	add := database.AppendScanned(&list, scanInquiry)
	err = tx.QueryAll(ctx,
		database.BatchQuery{SQL: feedbackWithEmailSQL, Batch: batch, Args: []any{limit}, Each: add},
		database.BatchQuery{SQL: feedbackWithPhoneSQL, Batch: batch, Args: []any{limit}, Each: add},
		database.BatchQuery{SQL: callbacksWithPhoneSQL, Batch: batch, Args: []any{limit}, Each: add})
	return list, err
}
