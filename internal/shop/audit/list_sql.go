package audit

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const selectRecordsSQL = `
SELECT sequence, created_at, actor_kind, actor_id, actor_name, action, object_kind, object_id, object_label, changes
FROM audit_entries
WHERE store_id = $1`

// deleteOldestRecordsSQL looks only at the oldest entries of the database, whose sequence grows with time.
const deleteOldestRecordsSQL = `
DELETE FROM audit_entries
WHERE created_at < $1 AND sequence IN (
	SELECT sequence
	FROM audit_entries
	ORDER BY sequence
	LIMIT $2
)`

// recordQuery is a statement with the conditions of a filter.
type recordQuery struct {
	sql  string
	args []any // from $2 on
}

// add adds a condition, which has a ? for each of the arguments.
func (b *recordQuery) add(condition string, args ...any) {
	b.sql += "\n\tAND "
	for i := range len(condition) {
		if condition[i] != '?' {
			b.sql += condition[i : i+1]
			continue
		}
		b.args = append(b.args, args[0])
		args = args[1:]
		b.sql += "$" + strconv.Itoa(len(b.args)+1)
	}
}

func selectRecords(ctx context.Context, tx store.Tx, f Filter, limit int) (list []StoredEntry, err error) {
	b := recordQuery{sql: selectRecordsSQL}
	if f.By.Kind != "" {
		b.add("actor_kind = ? AND actor_id = ?", string(f.By.Kind), f.By.ID)
	}

	if !f.From.IsZero() {
		b.add("created_at >= ?", f.From.UnixMicro())
	}

	if !f.Until.IsZero() {
		b.add("created_at < ?", f.Until.UnixMicro())
	}

	if f.Before != (Position{}) {
		b.add("(created_at, sequence) < (?, ?)", f.Before.At.UnixMicro(), f.Before.Sequence)
	}

	b.args = append(b.args, limit)
	page := "\nORDER BY created_at DESC, sequence DESC\nLIMIT $" + strconv.Itoa(len(b.args)+1)
	sql := b.sql + page
	if len(f.ObjectKinds) > 0 {
		// The entries of each kind are read by the index of kinds, up to the limit.
		parts := make([]string, len(f.ObjectKinds))
		for i, kind := range f.ObjectKinds {
			part := recordQuery{sql: b.sql, args: b.args}
			part.add("object_kind = ?", kind)
			parts[i] = "SELECT * FROM (" + part.sql + page + ") AS k" + strconv.Itoa(i)
			b.args = part.args
		}

		sql = strings.Join(parts, "\nUNION ALL\n") + page
	}

	err = database.QueryEach(ctx, tx, sql, b.args, database.AppendScanned(&list, scanRecord))
	return list, err
}

func scanRecord(rows database.Rows) (r StoredEntry, err error) {
	var changes string
	err = rows.Scan(&r.Sequence, database.Time(&r.At), (*string)(&r.Actor.Kind), &r.Actor.ID, &r.Actor.Name,
		(*string)(&r.Action),
		&r.Object.Kind, &r.Object.ID, &r.Object.Label, &changes)
	if err != nil {
		return r, err
	}
	err = json.Unmarshal([]byte(changes), &r.Changes)
	return r, err
}

// deleteOldestRecords deletes up to limit entries from before a time and returns how many it deleted.
func deleteOldestRecords(ctx context.Context, q database.Querier, before time.Time, limit int) (int64, error) {
	return q.Exec(ctx, deleteOldestRecordsSQL, before.UnixMicro(), limit)
}
