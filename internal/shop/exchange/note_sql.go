package exchange

import (
	"context"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/exchange/item/table"
	"vitrine/internal/shop/store"
)

const insertRunNotesSQL = `
WITH r(number, item, line, external_id, name, field, code, message) AS (ROWS)
INSERT INTO exchange_notes (store_id, run_key, severity, number, item, line, external_id, name, field, code, message)
SELECT $1, $2, $3, number, item, line, external_id, name, field, code, message
FROM r`

const listNotesSQL = `
SELECT number, item, line, external_id, name, field, code, message
FROM exchange_notes
WHERE store_id = $1
  AND run_key = $2
  AND severity = $3
  AND number > $4
ORDER BY number
LIMIT $5`

const insertRunRejectsSQL = `
WITH r(item, sent, packed) AS (ROWS)
INSERT INTO exchange_rejects (store_id, run_key, item, sent, packed)
SELECT $1, $2, item, sent, packed
FROM r`

const listRejectsSQL = `
SELECT sent, packed
FROM exchange_rejects
WHERE store_id = $1
  AND run_key = $2
ORDER BY item`

const incrementLateWarningsSQL = `
UPDATE exchange_runs
SET late_warnings = late_warnings + 1
WHERE store_id = $1
  AND key = $2
RETURNING late_warnings`

// reject is a failed item, as it was sent, or packed. Of a table it is the JSON of a table.FailedItem.
type reject struct {
	index  int64
	sent   []byte
	packed bool
}

func newReject(it *item.Item, errors []fault.Field) reject {
	r := reject{index: it.Index, sent: it.Raw}
	if it.Lines == nil {
		return r
	}

	failed := table.FailedItem{Lines: it.Lines}
	for _, f := range errors {
		column, line := it.Locate(f.Field)
		failed.Problems = append(failed.Problems, table.Problem{Line: line, Column: column, Message: f.Message})
	}
	r.sent = wire.AppendJSON(nil, failed)

	return r
}

// insertRunNotes stores errors or warnings of a run. Their numbers must not be in the database yet.
func insertRunNotes(ctx context.Context, tx store.Tx, runKey int64, severity Severity, notes []RunNote) error {
	for chunk := range slices.Chunk(notes, batchItems) {
		batch := database.NewBatch(
			database.BigInt, database.BigInt, database.BigInt,
			database.Text, database.Text, database.Text, database.Text, database.Text)
		for _, n := range chunk {
			batch.Add(n.Number, n.Index, n.Line, n.ID, n.Name, n.Field, n.Code, n.Message)
		}
		if _, err := tx.ExecRows(ctx, insertRunNotesSQL, batch, runKey, string(severity)); err != nil {
			return err
		}
	}
	return nil
}

// insertRunRejects stores failed items of a run. It may be called only once for each item.
func insertRunRejects(ctx context.Context, tx store.Tx, runKey int64, rejects []reject) error {
	if len(rejects) == 0 {
		return nil
	}

	batch := database.NewBatch(database.BigInt, database.Bytes, database.Bool)
	bytes := 0
	for i, r := range rejects {
		batch.Add(r.index, r.sent, r.packed)
		if bytes += len(r.sent); bytes < rejectBytes && i < len(rejects)-1 {
			continue
		}
		if _, err := tx.ExecRows(ctx, insertRunRejectsSQL, batch, runKey); err != nil {
			return err
		}

		batch.Reset()
		bytes = 0
	}

	return nil
}

// rejectBytes is the approximate size in bytes of the rejects that one statement inserts.
const rejectBytes = 1 << 20

// notesAfter reads up to limit errors or warnings of a run, ordered by number, beginning with the first number greater
// than the parameter after.
func notesAfter(
	ctx context.Context, tx store.Tx, runKey int64, severity Severity, after, limit int64,
) (notes []RunNote, err error) {
	err = eachNoteAfter(ctx, tx, runKey, severity, after, limit, func(n RunNote) bool {
		notes = append(notes, n)
		return true
	})
	return notes, err
}

// eachNoteAfter calls fn with the notes that notesAfter returns, until fn returns false.
func eachNoteAfter(
	ctx context.Context, tx store.Tx, runKey int64, severity Severity, after, limit int64, fn func(RunNote) bool,
) error {
	args := []any{runKey, string(severity), after, limit}
	more := true
	return database.QueryEach(ctx, tx, listNotesSQL, args, func(rows database.Rows) error {
		if !more {
			return nil
		}
		var n RunNote
		err := rows.Scan(&n.Number, &n.Index, &n.Line, &n.ID, &n.Name, &n.Field, &n.Code, &n.Message)
		if err != nil {
			return err
		}
		more = fn(n)
		return nil
	})
}

// eachReject calls fn with each failed item of a run, in the order of the push. fn must not retain the bytes.
func eachReject(ctx context.Context, tx store.Tx, runKey int64, fn func(sent []byte) error) error {
	unpack := unpackRejects()
	return database.QueryEach(ctx, tx, listRejectsSQL, []any{runKey}, func(rows database.Rows) error {
		var stored []byte
		var packed bool
		if err := rows.Scan(&stored, &packed); err != nil {
			return err
		}
		sent, err := unpack(stored, packed)
		if err != nil {
			return err
		}
		return fn(sent)
	})
}

// incrementLateWarnings increments the number of late warnings of a run and returns it, or database.ErrNoRows.
func incrementLateWarnings(ctx context.Context, tx store.Tx, runKey int64) (count int64, err error) {
	err = database.QueryRow(ctx, tx, incrementLateWarningsSQL, []any{runKey}, &count)
	return count, err
}
