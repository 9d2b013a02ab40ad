package inquiry

import (
	"context"
	"time"

	"vitrine/internal/kit/contact"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// feedbackWithFoldedEmailSQL selects up to $2 pieces of feedback by the index feedback_folded_email.
const feedbackWithFoldedEmailSQL = `
WITH r(address) AS (ROWS)
SELECT 'feedback', f.key, f.id, f.name, f.email, f.phone, f.message, '', f.extra, f.created_at,
	f.state, f.note, f.handler, f.taken_at, f.done_at, f.version
FROM r
CROSS JOIN LOOKUP (feedback f WHERE f.store_id = $1 AND LOWER(f.email) = r.address AND f.email <> '')
ORDER BY f.created_at, f.key
LIMIT $2`

const (
	deleteFeedbackSQL = `
WITH r(key) AS (ROWS)
DELETE FROM feedback
WHERE key IN (SELECT key FROM r)
  AND store_id = $1`
	deleteCallbacksSQL = `
WITH r(key) AS (ROWS)
DELETE FROM callbacks
WHERE key IN (SELECT key FROM r)
  AND store_id = $1`
)

// storesWithOldSQL looks at the oldest inquiry of each kind of each store.
const storesWithOldSQL = `
SELECT s.id
FROM stores s
WHERE (SELECT f.created_at FROM feedback f WHERE f.store_id = s.id ORDER BY f.created_at, f.key LIMIT 1) < $1
   OR (SELECT c.created_at FROM callbacks c WHERE c.store_id = s.id ORDER BY c.created_at, c.key LIMIT 1) < $1
ORDER BY s.id`

const oldSQL = `
  AND created_at < $2
ORDER BY created_at, key
LIMIT $3`

const (
	oldFeedbackSQL = `
SELECT ` + feedbackInquiryColumns + fromFeedbackSQL + oldSQL
	oldCallbacksSQL = `
SELECT ` + callbackInquiryColumns + fromCallbacksSQL + oldSQL
)

// selectOfPerson returns up to limit inquiries by each index. An inquiry may occur twice.
func selectOfPerson(
	ctx context.Context, tx store.Tx, addresses contact.Set, limit int,
) (list []Inquiry, err error) {
	emails := database.BatchOf(database.Text, addresses.Emails())
	phones := database.BatchOf(database.Text, addresses.Phones())
	add := database.AppendScanned(&list, scanInquiry)
	err = tx.QueryAll(ctx,
		database.BatchQuery{SQL: feedbackWithFoldedEmailSQL, Batch: emails, Args: []any{limit}, Each: add},
		database.BatchQuery{SQL: feedbackWithPhoneSQL, Batch: phones, Args: []any{limit}, Each: add},
		database.BatchQuery{SQL: callbacksWithPhoneSQL, Batch: phones, Args: []any{limit}, Each: add})
	return list, err
}

func deleteInquiries(ctx context.Context, tx store.Tx, list []Inquiry) error {
	keys := map[Kind]*database.Batch{KindFeedback: database.NewBatch(database.BigInt),
		KindCallback: database.NewBatch(database.BigInt)}
	for n := range list {
		i := &list[n]
		keys[i.Kind].Add(i.Key)
		kind, text := i.searched()
		if err := store.SetSearchWords(ctx, tx, kind, i.Key, text, ""); err != nil {
			return err
		}
	}
	if err := database.ExecRows(ctx, tx, deleteFeedbackSQL, keys[KindFeedback]); err != nil {
		return err
	}
	return database.ExecRows(ctx, tx, deleteCallbacksSQL, keys[KindCallback])
}

func selectStoresWithOld(ctx context.Context, q database.Querier, before time.Time) (list []store.ID, err error) {
	err = database.QueryEach(ctx, q, storesWithOldSQL, []any{before.UnixMicro()}, database.AppendColumn(&list))
	return list, err
}

func selectOld(ctx context.Context, tx store.Tx, before time.Time, limit int) (list []Inquiry, err error) {
	add := database.AppendScanned(&list, scanInquiry)
	if err := database.QueryEach(ctx, tx, oldFeedbackSQL, []any{before.UnixMicro(), limit}, add); err != nil {
		return nil, err
	}
	err = database.QueryEach(ctx, tx, oldCallbacksSQL, []any{before.UnixMicro(), limit}, add)
	return list, err
}
