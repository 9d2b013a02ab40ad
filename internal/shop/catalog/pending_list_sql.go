package catalog

import (
	"context"
	"math"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

// PendingTarget is something that pushed products or categories refer to and that does not exist yet.
type PendingTarget struct {
	// IsCategory says that the target is a category, IsPriceList that it is a price list. Otherwise it is a value of an
	// attribute of this Kind.
	IsCategory, IsPriceList bool
	Kind                    Kind
	ID                      string // the accounting system's id of the category, the attribute or the price list
	ValueID                 string // the accounting system's id of the value; empty for a category or a price list
	// WantedBy is the number of products that refer to it. It is 0 if only categories do, as their parent, or only
	// archived products have prices in it.
	WantedBy    int64
	FirstSeenAt time.Time

	key int64 // twice the key of the first of the references to it, or of a price list, and one more
}

// References of archived products and variants do not count, but an awaited price list that only they have prices in is
// listed: it takes the place of another one. The rest of the list is in the order of the oldest references; odd keys
// are those of price lists, so that it has a total order.
const pendingListSQL = `
WITH w(kind, external_id, value_id, wanted_by, first_seen_at, key) AS (
	SELECT CASE WHEN p.kind = 'parent' THEN 'category' ELSE p.kind END, p.external_id, p.value_id,
		COUNT(DISTINCT o.key),
		MIN(p.first_seen_at), MIN(p.key) * 2
	FROM pending_references p
	LEFT JOIN variants v ON v.store_id = $1 AND v.key = p.variant_key
	LEFT JOIN products o ON o.store_id = $1 AND o.key = COALESCE(p.product_key, v.product_key)
	WHERE p.store_id = $1
	  AND o.archived_at IS NULL
	  AND v.archived_at IS NULL
	GROUP BY 1, 2, 3
	UNION ALL
	SELECT 'price_list', l.external_id, '', COUNT(DISTINCT o.key), MIN(l.awaited_since), l.key * 2 + 1
	FROM price_lists l
	JOIN variant_prices x ON x.store_id = $1 AND x.list_key = l.key
	LEFT JOIN variants v ON v.store_id = $1 AND v.key = x.variant_key AND v.archived_at IS NULL
	LEFT JOIN products o ON o.store_id = $1 AND o.key = v.product_key AND o.archived_at IS NULL
	WHERE l.store_id = $1
	  AND l.awaited_since IS NOT NULL
	  AND l.deleted_at IS NULL
	GROUP BY l.key, l.external_id)
SELECT kind, external_id, value_id, wanted_by, first_seen_at, key
FROM w
WHERE wanted_by < $2
   OR (wanted_by = $2 AND key > $3)
ORDER BY wanted_by DESC, key
LIMIT $4`

// pendingKeyBits is the number of bits that the key has in a position of the list; the other bits have WantedBy.
const pendingKeyBits = 40

// Pending returns one page of the targets of pending references, the most wanted first. The list begins after the given
// position, or at its beginning if that is 0. The result next is the position for the next page, or 0 on the last page.
func (s *Links) Pending(
	ctx context.Context, tx store.Tx, after, limit int64,
) (list []PendingTarget, next int64, err error) {
	defer fault.AddContext(&err, "list the pending references of store %s", tx.StoreID())

	wantedBy := int64(math.MaxInt64)
	key := int64(0)
	if after != 0 {
		wantedBy = after >> pendingKeyBits
		key = after & (1<<pendingKeyBits - 1)
	}

	scan := func(rows database.Rows) (t PendingTarget, err error) {
		var kind string
		err = rows.Scan(&kind, &t.ID, &t.ValueID, &t.WantedBy, database.Time(&t.FirstSeenAt), &t.key)
		t.Kind = Kind(kind)
		t.IsCategory = kind == string(PendingCategory)
		t.IsPriceList = kind == "price_list"
		return t, err
	}
	err = database.QueryEach(ctx, tx, pendingListSQL, []any{wantedBy, key, limit + 1},
		database.AppendScanned(&list, scan))
	if err != nil || int64(len(list)) <= limit {
		return list, 0, err
	}

	last := list[limit-1]
	return list[:limit], last.WantedBy<<pendingKeyBits | last.key, nil
}

// pendingSinceSQL looks up one reference to each target. All references to a target have the same time.
const pendingSinceSQL = `
WITH r(kind, external_id, value_id) AS (ROWS)
SELECT r.kind, r.external_id, r.value_id, (
	SELECT p.first_seen_at
	FROM pending_references p
	WHERE p.store_id = $1 AND p.kind = r.kind AND p.external_id = r.external_id AND p.value_id = r.value_id
	ORDER BY p.key
	LIMIT 1)
FROM r`

// PendingTimes has the times since when targets are referred to, in microseconds. A target without one is new.
type PendingTimes map[PendingReference]int64

// PendingSince returns the times of the targets of these references, whose owners are 0. It must be called before
// DropPending deletes references to the same targets.
func PendingSince(ctx context.Context, tx store.Tx, targets map[PendingReference]bool) (PendingTimes, error) {
	batch := database.NewBatch(database.Text, database.Text, database.Text)
	for t := range targets {
		batch.Add(string(t.Kind), t.Ref.Attribute, t.Ref.Value)
	}
	since := PendingTimes{}
	return since, tx.QueryRows(ctx, pendingSinceSQL, batch, func(rows database.Rows) error {
		var t PendingReference
		var at *int64
		err := rows.Scan((*string)(&t.Kind), &t.Ref.Attribute, &t.Ref.Value, &at)
		if at != nil {
			since[t] = *at
		}
		return err
	})
}

const countWaitingImagesSQL = `
WITH r(run_key) AS (ROWS)
SELECT r.run_key, (SELECT COUNT(*) FROM image_sources s WHERE s.store_id = $1 AND s.run_key = r.run_key
	AND s.state = 'waiting')
FROM r`

// ImagesPending returns how many images of each run are still to be downloaded, by the key of the run.
func (s *Links) ImagesPending(ctx context.Context, tx store.Tx, runKeys []int64) (_ map[int64]int64, err error) {
	defer fault.AddContext(&err, "count the pending images of runs of store %s", tx.StoreID())
	counts := make(map[int64]int64, len(runKeys))
	return counts, tx.QueryRows(ctx, countWaitingImagesSQL, write.KeyBatch(runKeys),
		write.EachPair(func(runKey, count int64) { counts[runKey] = count }))
}
