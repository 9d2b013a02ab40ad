package order

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// selectDraftsBeforeSQL has the state as a literal, not as a parameter: otherwise PostgreSQL could not use the partial
// index orders_drafts.
const selectDraftsBeforeSQL = `
SELECT store_id, key, updated_at
FROM orders
WHERE state = 'draft'
  AND updated_at < $1
ORDER BY updated_at, key
LIMIT $2`

// selectEmptyDraftsBeforeSQL has all conditions but the age as literals for the partial index orders_empty_drafts.
const selectEmptyDraftsBeforeSQL = `
SELECT store_id, key, updated_at
FROM orders
WHERE state = 'draft'
  AND customer_key IS NULL
  AND empty = TRUE
  AND updated_at < $1
ORDER BY updated_at, key
LIMIT $2`

// selectGuestDraftsSQL is completed by a locking clause. It has the state as a literal for the partial index
// orders_guest_drafts.
const selectGuestDraftsSQL = `
SELECT store_id, key, updated_at
FROM orders
WHERE store_id = $1
  AND state = 'draft'
  AND customer_key IS NULL
  AND empty = $2
  AND updated_at <= $3
ORDER BY updated_at, key
LIMIT $4`

// deleteDraftsSQL checks state and age again, so a draft that was edited or submitted since the SELECT is kept. $1 is
// the newest updated_at of the batch: it limits an index scan on updated_at to the batch, should PostgreSQL choose that
// index. The items are deleted by ON DELETE CASCADE.
const deleteDraftsSQL = `
WITH r(store_id, key) AS (ROWS)
DELETE FROM orders
WHERE (store_id, key) IN (SELECT store_id, key FROM r)
  AND state = 'draft'
  AND updated_at <= $1`

// selectUnconfirmedSQL has the state as a literal for the partial index orders_unconfirmed. ($2, $3) is the last order
// of the previous batch.
const selectUnconfirmedSQL = `
SELECT store_id, id, key, submitted_at
FROM orders
WHERE state = 'submitted'
  AND customer_key IS NULL
  AND entered = FALSE
  AND submitted_at < $1
  AND (submitted_at > $2 OR submitted_at = $2 AND key > $3)
ORDER BY submitted_at, key
LIMIT $4`

const countGuestDraftsSQL = `
SELECT COUNT(*)
FROM (
	SELECT 1
	FROM orders
	WHERE store_id = $1
	  AND state = 'draft'
	  AND customer_key IS NULL
	LIMIT $2
) AS d`

// expiredDraft is the row key of a draft with the time of its last change, in Unix microseconds.
type expiredDraft struct {
	storeID   store.ID
	key       int64
	updatedAt int64
}

func scanExpiredDraft(rows database.Rows) (d expiredDraft, err error) {
	err = rows.Scan(&d.storeID, &d.key, &d.updatedAt)
	return d, err
}

// selectDraftsBefore returns up to limit drafts of all stores that were last changed before the given time, oldest
// first.
func selectDraftsBefore(
	ctx context.Context, q database.Querier, before time.Time, limit int64,
) (drafts []expiredDraft, err error) {
	err = database.QueryEach(ctx, q, selectDraftsBeforeSQL, []any{before.UnixMicro(), limit},
		database.AppendScanned(&drafts, scanExpiredDraft))
	return drafts, err
}

// selectEmptyDraftsBefore is like selectDraftsBefore, but returns only drafts of guests that have no items.
func selectEmptyDraftsBefore(
	ctx context.Context, q database.Querier, before time.Time, limit int64,
) (drafts []expiredDraft, err error) {
	err = database.QueryEach(ctx, q, selectEmptyDraftsBeforeSQL, []any{before.UnixMicro(), limit},
		database.AppendScanned(&drafts, scanExpiredDraft))
	return drafts, err
}

// lockGuestDrafts locks and returns up to limit drafts of guests in the store that were not changed after the given
// time, oldest first: those without items if empty is true, and the others if it is false. It skips drafts that another
// transaction has locked, because that transaction changes or deletes them.
func lockGuestDrafts(
	ctx context.Context, tx store.Tx, empty bool, until time.Time, limit int,
) (drafts []expiredDraft, err error) {
	lock := tx.Dialect().ForUpdate + tx.Dialect().SkipLocked
	err = database.QueryEach(ctx, tx, selectGuestDraftsSQL+lock, []any{empty, until.UnixMicro(), limit},
		database.AppendScanned(&drafts, scanExpiredDraft))
	return drafts, err
}

// deleteDrafts deletes a result of one of the functions above, which must not be empty, except for drafts that were
// changed since.
func deleteDrafts(ctx context.Context, q database.Querier, drafts []expiredDraft) error {
	batch := database.NewBatch(database.UUID, database.BigInt)
	for _, d := range drafts {
		batch.Add(d.storeID, d.key)
	}
	return database.ExecRows(ctx, q, deleteDraftsSQL, batch, drafts[len(drafts)-1].updatedAt)
}

// unconfirmedOrder is a submitted order of a guest, with the time of the submission in Unix microseconds.
type unconfirmedOrder struct {
	storeID     store.ID
	id          ID
	key         int64
	submittedAt int64
}

// selectUnconfirmed returns up to limit submitted orders of guests of all stores that were submitted before the given
// time, oldest first, starting after an order.
func selectUnconfirmed(
	ctx context.Context, q database.Querier, before time.Time, after unconfirmedOrder, limit int64,
) (orders []unconfirmedOrder, err error) {
	err = database.QueryEach(ctx, q, selectUnconfirmedSQL,
		[]any{before.UnixMicro(), after.submittedAt, after.key, limit},
		database.AppendScanned(&orders, func(rows database.Rows) (o unconfirmedOrder, err error) {
			err = rows.Scan(&o.storeID, &o.id, &o.key, &o.submittedAt)
			return o, err
		}))
	return orders, err
}

// countGuestDrafts returns the number of the store's drafts without a customer, but at most limit.
func countGuestDrafts(ctx context.Context, tx store.Tx, limit int) (n int, err error) {
	err = database.QueryRow(ctx, tx, countGuestDraftsSQL, []any{limit}, &n)
	return n, err
}
