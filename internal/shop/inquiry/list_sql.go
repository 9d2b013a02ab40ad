package inquiry

import (
	"context"
	"strconv"
	"strings"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/store"
)

// conditions turns the filter into what follows a WHERE, with its arguments behind those that are there.
func (f Filter) conditions(args *[]any) string {
	var b strings.Builder
	add := func(condition string, arg any) {
		*args = append(*args, arg)
		b.WriteString("\n  AND " + condition + " $" + strconv.Itoa(len(*args)))
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

// pageOf reads one page of what a filter leaves of a table, the newest first, and how many rows that are in all.
func pageOf[T any](
	ctx context.Context, q database.Querier, list, count string, storeID store.ID, f Filter, limit, offset int64, scan func(database.Rows) (T, error),
) (found []T, total int64, err error) {
	args := []any{storeID}
	where := f.conditions(&args)
	if err := database.QueryRow(ctx, q, count+where, args, &total); err != nil {
		return nil, 0, err
	}
	if offset >= total {
		return nil, total, nil
	}
	args = append(args, limit, offset)
	page := "\nORDER BY created_at DESC, key DESC\nLIMIT $" + strconv.Itoa(len(args)-1) + " OFFSET $" + strconv.Itoa(len(args))
	err = database.Each(ctx, q, list+where+page, args, func(rows database.Rows) error {
		one, err := scan(rows)
		found = append(found, one)
		return err
	})
	return found, total, err
}

// one reads the one row that a query gives, or returns fault.NotFound.
func one[T any](ctx context.Context, q database.Querier, sql string, args []any, noun string, scan func(database.Rows) (T, error)) (T, error) {
	var thing T
	found := false
	err := database.Each(ctx, q, sql, args, func(rows database.Rows) (err error) {
		found = true
		thing, err = scan(rows)
		return err
	})
	if err == nil && !found {
		err = fault.Missing(noun)
	}
	return thing, err
}
