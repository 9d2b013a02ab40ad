package change

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const storesBehindSQL = `
SELECT s.id
FROM stores s
LEFT JOIN change_heads h ON h.store_id = s.id
LEFT JOIN catalog_versions c ON c.store_id = s.id
LEFT JOIN attribute_versions a ON a.store_id = s.id
WHERE COALESCE(h.catalog, 0) <> COALESCE(c.version, 0)
   OR COALESCE(h.categories, 0) <> COALESCE(c.categories, 0)
   OR COALESCE(h.attributes, 0) <> COALESCE(a.version, 0)
   OR h.announced <> h.version`

const saveAnnouncedSQL = `
UPDATE change_heads
SET announced = $2, announced_at = $3
WHERE store_id = $1`

// storesBehind returns the stores whose catalogues changed since their heads, and those with unannounced changes.
func storesBehind(ctx context.Context, q database.Querier) (map[store.ID]bool, error) {
	stores := map[store.ID]bool{}
	return stores, database.QueryEach(ctx, q, storesBehindSQL, nil, database.PutKeys(stores))
}

func saveAnnounced(ctx context.Context, tx store.Tx, version, at int64) error {
	return database.Exec(ctx, tx, saveAnnouncedSQL, version, at)
}

// poll finds the stores that changed since the last poll, with the same statements for any number of stores.
type poll struct {
	// from is the mark at which the next poll begins; 0 before the first one.
	from int64
	// seen has the marks of the stores that the last poll found. Those at or above from are found again.
	seen map[store.ID]int64
}

// next returns the stores that changed. In the first poll, and after the database was restored to an earlier state, any
// store may have changed.
func (p *poll) next(ctx context.Context, db *database.DB) (changed map[store.ID]bool, all bool, err error) {
	var marks store.Marks
	var seen map[store.ID]int64
	err = db.Snapshot(ctx, func(q database.Querier) (err error) {
		if marks, err = store.ReadMarks(ctx, q); err != nil {
			return err
		}
		seen, err = store.ChangedStores(ctx, q, p.from, marks.End)
		return err
	})
	if err != nil {
		return nil, false, err
	}

	changed = map[store.ID]bool{}
	all = p.from == 0 || marks.Newest < p.from && len(seen) == 0
	if p.from > 0 {
		for storeID, mark := range seen {
			if p.seen[storeID] != mark {
				changed[storeID] = true
			}
		}
	}

	p.seen = seen
	p.from = marks.Complete
	if marks.Newest > 0 {
		p.from = min(p.from, marks.Newest)
	}
	return changed, all, nil
}
