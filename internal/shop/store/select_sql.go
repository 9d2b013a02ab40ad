package store

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/rule"
)

// SelectOne returns the only row of a query, or a NotFound fault. The parameter noun, such as "order", names the kind
// of row in the message of the fault.
func SelectOne[T any](
	ctx context.Context, tx Tx, sql string, args []any, noun string, scan func(database.Rows) (T, error),
) (T, error) {
	v, err := database.QueryOne(ctx, tx, sql, args, scan)
	if errors.Is(err, database.ErrNoRows) {
		err = fault.Missing(noun)
	}
	return v, err
}

// Conditions holds further conditions for a WHERE clause that begins with store_id = $1, and the statement's arguments.
type Conditions struct {
	sql  strings.Builder
	args []any
}

// NewConditions returns an empty Conditions. args are the arguments from $2 on that the statement itself needs.
func NewConditions(args ...any) *Conditions { return &Conditions{args: args} }

// And adds a condition. The placeholders of its arguments must be written as $n, in the order of the arguments.
func (c *Conditions) And(condition string, args ...any) {
	for _, arg := range args {
		c.args = append(c.args, arg)
		condition = strings.Replace(condition, "$n", c.placeholder(), 1)
	}
	c.sql.WriteString("\n  AND " + condition)
}

// AndPeriod adds conditions on a column of Unix microseconds: the lower bound from, which is inclusive, and the upper
// bound before, which is exclusive. A zero time adds no condition.
func (c *Conditions) AndPeriod(column string, from, before time.Time) {
	if !from.IsZero() {
		c.And(column+" >= $n", from.UnixMicro())
	}
	if !before.IsZero() {
		c.And(column+" < $n", before.UnixMicro())
	}
}

// AndSearch adds one condition for each word of a search. The column must contain the result of locale.SearchText.
func (c *Conditions) AndSearch(column, search string) {
	for _, pattern := range locale.QueryPatterns(search) {
		c.And(column+" LIKE $n", pattern)
	}
}

// Args returns the arguments of the statement from $2 on.
func (c *Conditions) Args() []any { return c.args }

// String returns the conditions as SQL.
func (c *Conditions) String() string { return c.sql.String() }

// LimitOffset returns a LIMIT and OFFSET clause and adds its arguments.
func (c *Conditions) LimitOffset(limit, offset int64) string {
	c.args = append(c.args, limit)
	clause := "\nLIMIT " + c.placeholder()
	c.args = append(c.args, offset)
	return clause + " OFFSET " + c.placeholder()
}

// placeholder returns the placeholder of the last argument. The first argument is $2, because $1 is the store's id.
func (c *Conditions) placeholder() string { return "$" + strconv.Itoa(len(c.args)+1) }

// ListSQL holds the parts of a list query. Select and Count end with a WHERE clause that begins with store_id = $1.
type ListSQL struct {
	Select, Count, OrderBy string
}

// SelectPage returns one page of the rows that meet the conditions, and the number of all rows that meet them.
func SelectPage[T any](
	ctx context.Context, tx Tx, list ListSQL, c *Conditions, limit, offset int64, scan func(database.Rows) (T, error),
) (page []T, total int64, err error) {
	where := c.String()
	if err := database.QueryRow(ctx, tx, list.Count+where, c.args, &total); err != nil || offset >= total {
		return nil, total, err
	}
	sql := list.Select + where + "\nORDER BY " + list.OrderBy + c.LimitOffset(limit, offset)
	err = database.QueryEach(ctx, tx, sql, c.args, database.AppendScanned(&page, scan))
	return page, total, err
}

// Window returns a part of a list that is sorted from the newest row to the oldest, of up to limit + 1 rows that were
// read from the position at on, which is nil at the beginning of the list. The rows were read towards the newest if
// backwards is set. newer and older are the positions of the adjacent parts, or nil if there are none.
func Window[T, P any](
	read []T, limit int, at *P, backwards bool, position func(row *T, newer bool) *P,
) (rows []T, newer, older *P) {
	more := len(read) > limit
	rows = read[:min(limit, len(read))]
	if backwards {
		slices.Reverse(rows)
	}

	if n := len(rows); n > 0 {
		if more || backwards {
			older = position(&rows[n-1], false)
		}
		if at != nil && (more || !backwards) {
			newer = position(&rows[0], true)
		}
	}

	return rows, newer, older
}

// ExternalIDFault turns a violation of the unique index on external ids into fault.Conflict. It returns other errors
// unchanged.
func ExternalIDFault(err error, table, noun string) error {
	if err != nil && database.ViolatesIndex(err, table+"_external", table+".store_id, "+table+".external_id") {
		return rule.ExternalIDTaken("external_id", noun+" of this store")
	}
	return err
}
