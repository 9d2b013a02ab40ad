package catalog

import (
	"context"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/store"
)

// changesKept is how long it stays known which products a version changed. Who has seen nothing for longer reads all of them anew.
const changesKept = 10 * time.Minute

// productsChanged notes that a write changed products, under a number that is given in the order of the commits: whoever keeps products
// in memory reads those again. The store's row is locked until the commit, so this is the last thing a write does.
func (s *Service) productsChanged(ctx context.Context, q database.Querier, storeID store.ID, productKeys ...int64) error {
	if len(productKeys) == 0 {
		return nil
	}
	if err := s.planning.wrote(ctx, q, int64(len(productKeys))); err != nil {
		return err
	}
	var version int64
	if err := database.QueryRow(ctx, q, raiseProductsVersionSQL, []any{storeID}, &version); err != nil {
		return err
	}
	_, err := q.ExecRows(ctx, insertChangesSQL, keyBatch(productKeys), storeID, version, s.now().UnixMicro())
	return err
}

// anyProductChanged is productsChanged where they are too many to be named.
func (s *Service) anyProductChanged(ctx context.Context, q database.Querier, storeID store.ID) error {
	return s.productsChanged(ctx, q, storeID, 0)
}

// categoriesChanged notes that a write changed the tree of categories. It locks the store's row until the commit.
func categoriesChanged(ctx context.Context, q database.Querier, storeID store.ID) error {
	_, err := q.Exec(ctx, raiseCategoriesVersionSQL, storeID)
	return err
}

// ForgetChanges forgets which products were changed long ago.
func (s *Service) ForgetChanges(ctx context.Context, db *database.DB) error {
	before := s.now().Add(-changesKept).UnixMicro()
	type old struct {
		storeID store.ID
		version int64
	}
	var found []old
	err := db.Read(ctx, func(q database.Querier) error {
		found = nil
		return database.Each(ctx, q, oldChangesSQL, []any{before}, func(rows database.Rows) error {
			var o old
			err := rows.Scan(&o.storeID, &o.version)
			found = append(found, o)
			return err
		})
	})
	if err != nil {
		return err
	}
	for _, o := range found { // a transaction each: a store's row is held for a moment only
		err := db.Write(ctx, func(q database.Querier) error {
			if _, err := q.Exec(ctx, raiseFloorSQL, o.storeID, o.version); err != nil {
				return err
			}
			_, err := q.Exec(ctx, deleteChangesSQL, o.storeID, o.version)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
