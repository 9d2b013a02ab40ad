package push

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
)

// The next push of a product with hidden links or prices is applied.
const productDigestsSQL = `
WITH r(external_id) AS (ROWS)
SELECT p.key, p.external_id, ` + catalog.HiddenLinksSQL + ` + ` + catalog.HiddenPricesSQL + `, p.pushed,
	p.pushed_goods, p.pushed_offers, p.pushed_prices, p.archived_at, p.source_version, p.locks
FROM r
CROSS JOIN LOOKUP (products p WHERE p.store_id = $1 AND p.external_id = r.external_id)`

const productsWithPendingSQL = `
WITH r(key) AS (ROWS)
SELECT r.key
FROM r
WHERE (SELECT COUNT(*) FROM pending_references p WHERE p.store_id = $1 AND p.product_key = r.key
	AND p.product_key IS NOT NULL) > 0
   OR (SELECT COUNT(*)
	FROM variants w
	CROSS JOIN LOOKUP (pending_references p WHERE p.store_id = $1 AND p.variant_key = w.key
		AND p.variant_key IS NOT NULL)
	WHERE w.store_id = $1
	  AND w.product_key = r.key) > 0`

const productsWithoutVariantsSQL = `
WITH r(key) AS (ROWS)
SELECT r.key
FROM r
WHERE (SELECT MIN(v.key) FROM variants v WHERE v.store_id = $1 AND v.product_key = r.key
	AND v.archived_at IS NULL) IS NULL`

// unchangedWithPending returns the indexes of the Unchanged items whose products have pending references.
func (b *productPushes) unchangedWithPending(ctx context.Context) (positions []int, err error) {
	at := map[int64]int{}
	keys := database.NewBatch(database.BigInt)
	for i := range b.outcomes {
		if o := &b.outcomes[i]; o.Outcome == Unchanged && !o.Stale && o.Key != 0 {
			at[o.Key] = i
			keys.Add(o.Key)
		}
	}

	err = eachWithPending(ctx, b.tx, keys, func(key int64) { positions = append(positions, at[key]) })
	return positions, err
}

// warnOfUnsellable repeats, for Unchanged items, the warning that the product has no variant. An item that has variants
// needs no lookup.
func (b *productPushes) warnOfUnsellable(ctx context.Context) error {
	at := map[int64]int{}
	var keys []int64
	for i := range b.outcomes {
		if o := &b.outcomes[i]; o.Outcome == Unchanged && !o.Stale && b.items[i].Part == catalog.WholeProduct &&
			len(write.OrEmpty(b.items[i].Variants)) == 0 {
			at[o.Key] = i
			keys = append(keys, o.Key)
		}
	}

	if len(keys) == 0 {
		return nil
	}

	return b.tx.QueryRows(ctx, productsWithoutVariantsSQL, write.KeyBatch(keys), write.EachColumn(func(key int64) {
		i := at[key]
		b.outcomes[i].warnOfNoVariants(&b.items[i])
	}))
}

// find sets the keys of the products that exist, and marks the items that are stale, or whose digest is the same as at
// their last push, as Unchanged: see pushMark.leavesUnchanged. The item of a product with locks is compared again, to
// warn of what is locked.
func (b *productPushes) find(ctx context.Context) error {
	at := make(map[string]int, len(b.items))
	batch := database.NewBatch(database.Text)
	for i, p := range b.items {
		at[p.ID] = i
		batch.Add(p.ID)
	}

	b.raised, b.repeated = raisedVersions{}, map[int]bool{}

	err := eachPushed(ctx, b.tx, batch, func(stored *pushedProduct) error {
		i := at[stored.externalID]
		p, o := &b.items[i], &b.outcomes[i]
		o.Key = stored.key
		if o.leaveStale(p.Version, stored.version) {
			return nil
		}

		if p.Mark != "" {
			b.raised.add(stored.key, p.Version, stored.version)
			return nil
		}

		if !stored.mark.leavesUnchanged(p, stored.archivedAt != nil) {
			return nil
		}

		b.raised.add(stored.key, p.Version, stored.version)

		if stored.locks == 0 || p.CreatesNothing() {
			o.Outcome = Unchanged
		} else {
			b.repeated[i] = true
		}

		return nil
	})
	if err != nil {
		return err
	}

	if err := b.leaveDeleted(ctx); err != nil {
		return err
	}

	for i := range b.items {
		if b.outcomes[i].Key == 0 && b.items[i].CreatesNothing() {
			b.outcomes[i].Outcome = Unchanged
		}
		if b.outcomes[i].Outcome != Unchanged && b.items[i].Mark == "" {
			b.changed = append(b.changed, i)
		}
	}

	return err
}
