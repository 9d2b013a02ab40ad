package catalog

import (
	"context"

	"vitrine/internal/kit/database"
)

// eachPiece walks the keys that a query gives in their order, a piece at a time. It takes args, then the key behind which the
// piece begins, then its size; fn may delete what it was given.
func eachPiece(ctx context.Context, q database.Querier, sql string, args []any, fn func(keys []int64) error) error {
	for last, more := int64(0), true; more; {
		var keys []int64
		err := database.Each(ctx, q, sql, append(args[:len(args):len(args)], last, pieceSize), func(rows database.Rows) error {
			err := rows.Scan(&last)
			keys = append(keys, last)
			return err
		})
		if err != nil {
			return err
		}
		if more = len(keys) == pieceSize; len(keys) == 0 {
			break
		}
		if err := fn(keys); err != nil {
			return err
		}
	}
	return nil
}
