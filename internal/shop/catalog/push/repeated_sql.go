package push

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

// FindRepeated returns, for each line, the key of its product if ApplyProducts would neither change it nor warn of it.
// The key is 0 if the line must be decoded and applied. The ids of the lines must be distinct.
func (s *Pushes) FindRepeated(
	ctx context.Context, tx store.Tx, lines []catalog.PushedLine,
) (_ []int64, err error) {
	defer fault.AddContext(&err, "look for %d pushed lines", len(lines))
	if err := catalog.LockPushes(ctx, tx); err != nil {
		return nil, err
	}

	at := make(map[string]int, len(lines))
	batch := database.NewBatch(database.Text)
	for i := range lines {
		at[lines[i].ID] = i
		batch.Add(lines[i].ID)
	}

	keys := make([]int64, len(lines))
	found := false

	err = eachPushed(ctx, tx, batch, func(p *pushedProduct) error {
		line := &lines[at[p.externalID]]
		restores := p.archivedAt != nil && line.Part == catalog.GoodsPart
		if p.locks == 0 && !restores && p.mark.hasLine(line) {
			keys[at[p.externalID]] = p.key
			found = true
		}
		return nil
	})
	if err != nil || !found {
		return keys, err
	}

	return keys, leaveOutWarned(ctx, tx, lines, keys)
}

// leaveOutWarned sets the keys of the products to 0 whose items get warnings of what is still pending.
func leaveOutWarned(ctx context.Context, tx store.Tx, lines []catalog.PushedLine, keys []int64) error {
	awaited, err := countAwaitedLists(ctx, tx)
	if err != nil {
		return err
	}

	at := map[int64]int{}
	batch := database.NewBatch(database.BigInt)
	for i, key := range keys {
		switch {
		case key == 0:
		case awaited > 0 && lines[i].HasListPrices:
			keys[i] = 0
		default:
			at[key] = i
			batch.Add(key)
		}
	}

	return eachWithPending(ctx, tx, batch, func(key int64) { keys[at[key]] = 0 })
}

// eachWithPending calls fn with the keys of those products that have pending references.
func eachWithPending(ctx context.Context, tx store.Tx, keys *database.Batch, fn func(key int64)) error {
	if keys.Len() == 0 {
		return nil
	}
	var pending int64
	if err := database.QueryRow(ctx, tx, catalog.AnyPendingSQL, nil, &pending); err != nil || pending == 0 {
		return err
	}
	return tx.QueryRows(ctx, productsWithPendingSQL, keys, write.EachColumn(fn))
}

// pushedProduct is what a product has of its last pushes. Its mark is empty if the next push must be applied.
type pushedProduct struct {
	key, locks          int64
	externalID          string
	mark                pushMark
	archivedAt, version *int64
}

// eachPushed calls fn with each product of a batch of external ids.
func eachPushed(ctx context.Context, tx store.Tx, ids *database.Batch, fn func(*pushedProduct) error) error {
	return tx.QueryRows(ctx, productDigestsSQL, ids, func(rows database.Rows) error {
		var p pushedProduct
		var hiddenLinks int64
		err := rows.Scan(&p.key, &p.externalID, &hiddenLinks, &p.mark.Whole, &p.mark.Goods, &p.mark.Offers,
			&p.mark.Prices, &p.archivedAt, &p.version, &p.locks)
		if err != nil {
			return err
		}

		if hiddenLinks > 0 {
			p.mark = pushMark{}
		}
		return fn(&p)
	})
}
