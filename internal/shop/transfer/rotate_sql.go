package transfer

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/kit/database"
)

// pageRows is the number of rows of a page.
const pageRows = 500

// keyColumns returns the positions of the columns of the primary key among those that are stored.
func (t *table) keyColumns() (positions []int) {
	for _, name := range strings.Split(t.order, ", ") {
		positions = append(positions, t.index(name))
	}
	return positions
}

// selectPage returns the next rows of all stores after a row, in the order of the primary key.
func (t *table) selectPage(ctx context.Context, q database.Querier, after []any) (page [][]any, err error) {
	list := t.stored()
	where := ""
	var args []any
	if after != nil {
		var parameters []string
		for _, position := range t.keyColumns() {
			args = append(args, after[position])
			parameters = append(parameters, "$"+strconv.Itoa(len(args)))
		}
		where = "\nWHERE (" + t.order + ") > (" + strings.Join(parameters, ", ") + ")"
	}

	sql := fmt.Sprintf("\nSELECT %s\nFROM %s%s\nORDER BY %s\nLIMIT %d", strings.Join(quotedNames(list), ", "), t.name,
		where, t.order, pageRows)
	err = database.QueryEach(ctx, q, sql, args, func(rows database.Rows) error {
		row, err := scanRow(rows, list)
		page = append(page, row)
		return err
	})
	return page, err
}

func scanRow(rows database.Rows, list []column) ([]any, error) {
	destinations := make([]any, len(list))
	for i := range list {
		destinations[i] = list[i].destination()
	}
	if err := rows.Scan(destinations...); err != nil {
		return nil, err
	}
	row := make([]any, len(list))
	for i := range row {
		row[i] = scanned(destinations[i])
	}
	return row, nil
}

// sameKeySQL returns the condition that a row of the table is that of r.
func (t *table) sameKeySQL() string {
	var conditions []string
	for _, name := range strings.Split(t.order, ", ") {
		conditions = append(conditions, t.name+"."+name+" = r."+name)
	}
	return strings.Join(conditions, " AND ")
}

// updateRows writes the rows of a batch with the stored columns.
func (t *table) updateRows(ctx context.Context, q database.Querier, batch *database.Batch) error {
	if batch.Len() == 0 {
		return nil
	}
	keys := strings.Split(t.order, ", ")
	var assignments []string
	for _, c := range t.stored() {
		if !slices.Contains(keys, c.name) {
			assignments = append(assignments, fmt.Sprintf(`"%s" = r."%s"`, c.name, c.name))
		}
	}

	sql := fmt.Sprintf("\nWITH r(%s) AS (ROWS)\nUPDATE %s\nSET %s\nFROM r\nWHERE %s",
		strings.Join(quotedNames(t.stored()), ", "), t.name, strings.Join(assignments, ", "), t.sameKeySQL())
	_, err := q.ExecRows(ctx, sql, batch)
	return err
}

// deleteRows deletes the rows of a batch with the stored columns.
func (t *table) deleteRows(ctx context.Context, q database.Querier, batch *database.Batch) error {
	if batch.Len() == 0 {
		return nil
	}
	sql := fmt.Sprintf("\nWITH r(%s) AS (ROWS)\nDELETE FROM %s\nWHERE EXISTS (SELECT 1 FROM r WHERE %s)",
		strings.Join(quotedNames(t.stored()), ", "), t.name, t.sameKeySQL())
	_, err := q.ExecRows(ctx, sql, batch)
	return err
}

// Remembered responses and login codes are compared by digests that depend on the secret key.
const (
	forgetResponsesSQL = `
DELETE FROM idempotency`

	forgetLoginsSQL = `
DELETE FROM login_requests`

	setKeyCheckSQL = `
INSERT INTO meta (name, value)
VALUES ('vault_check', $1)
ON CONFLICT (name) DO UPDATE
SET value = EXCLUDED.value`
)

func forgetResponses(ctx context.Context, q database.Querier) error {
	if err := database.Exec(ctx, q, forgetResponsesSQL); err != nil {
		return err
	}
	return database.Exec(ctx, q, forgetLoginsSQL)
}

func setKeyCheck(ctx context.Context, q database.Querier, check []byte) error {
	return database.Exec(ctx, q, setKeyCheckSQL, check)
}
