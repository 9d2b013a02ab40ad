package store

import (
	"context"
	"slices"

	"vitrine/internal/kit/database"
)

// Tx is a transaction or a snapshot on behalf of one store. It binds the store's id to $1 of every statement; the
// arguments of its methods begin at $2. So code that has a Tx cannot use another store's id by mistake.
//
// Tx is deliberately not a database.Querier: code that numbers its arguments from $1 must not get one by mistake.
type Tx struct {
	q       database.Querier
	storeID ID
	author  *authorship // nil if changes are not recorded
}

// In returns q as a transaction on behalf of a store.
func In(q database.Querier, storeID ID) Tx { return Tx{q: q, storeID: storeID} }

// StoreID returns the id of the store.
func (tx Tx) StoreID() ID { return tx.storeID }

// Unscoped returns the transaction without its store. It is for packages that know nothing of stores, such as queue,
// and for the few statements whose $1 is not the store's id.
func (tx Tx) Unscoped() database.Querier { return tx.q }

// Dialect returns the SQL clauses that differ between the engines.
func (tx Tx) Dialect() database.Dialect { return tx.q.Dialect() }

// Exec calls [database.Querier.Exec] with the store's id as $1.
func (tx Tx) Exec(ctx context.Context, sql string, args ...any) (int64, error) {
	return tx.q.Exec(ctx, sql, tx.bind(args)...)
}

// Query calls [database.Querier.Query] with the store's id as $1.
func (tx Tx) Query(ctx context.Context, sql string, args ...any) (database.Rows, error) {
	return tx.q.Query(ctx, sql, tx.bind(args)...)
}

// ExecRows calls [database.Querier.ExecRows] with the store's id as $1.
func (tx Tx) ExecRows(ctx context.Context, sql string, batch *database.Batch, args ...any) (int64, error) {
	return tx.q.ExecRows(ctx, sql, batch, tx.bind(args)...)
}

// QueryRows calls [database.Querier.QueryRows] with the store's id as $1.
func (tx Tx) QueryRows(
	ctx context.Context, sql string, batch *database.Batch, each func(database.Rows) error, args ...any,
) error {
	return tx.q.QueryRows(ctx, sql, batch, each, tx.bind(args)...)
}

// QueryAll calls [database.Querier.QueryAll] with the store's id as $1 of every query.
func (tx Tx) QueryAll(ctx context.Context, queries ...database.BatchQuery) error {
	bound := slices.Clone(queries)
	for i := range bound {
		bound[i].Args = tx.bind(bound[i].Args)
	}
	return tx.q.QueryAll(ctx, bound...)
}

// ExecLater calls [database.Querier.ExecLater] with the store's id as $1.
func (tx Tx) ExecLater(ctx context.Context, sql string, batch *database.Batch, args ...any) error {
	return tx.q.ExecLater(ctx, sql, batch, tx.bind(args)...)
}

func (tx Tx) bind(args []any) []any {
	bound := make([]any, 0, 1+len(args))
	return append(append(bound, tx.storeID), args...)
}
