package catalog

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
)

// What categories and stocks have in common: each is a named thing, with perhaps an id in another system.

// namedFault tells a client what the unique index over external ids means; any other error stays as it is.
func namedFault(err error, table, noun string) error {
	if err != nil && database.ViolatesIndex(err, table+"_external", table+".store_id, "+table+".external_id") {
		return externalIDTaken("external_id", noun+" of this store")
	}
	return err
}

// oneNamed reads the one row that a query gives, or returns fault.NotFound.
func oneNamed[T any](ctx context.Context, q database.Querier, sql string, args []any, noun string, scan func(database.Rows) (T, error)) (T, error) {
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

// pageOfNamed reads one page of a list in the order of the keys, and how many rows it has in all; count asks for that with the same args.
func pageOfNamed[T any](ctx context.Context, q database.Querier, list, count string, args []any, limit, offset int64, scan func(database.Rows) (T, error)) (things []T, total int64, err error) {
	if err := database.QueryRow(ctx, q, count, args, &total); err != nil {
		return nil, 0, err
	}
	if offset >= total {
		return nil, total, nil
	}
	page := limitOffset(&args, limit, offset)
	err = database.Each(ctx, q, list+"\nORDER BY key"+page, args, func(rows database.Rows) error {
		thing, err := scan(rows)
		things = append(things, thing)
		return err
	})
	return things, total, err
}
