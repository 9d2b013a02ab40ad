package push

import (
	"bytes"
	"context"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

// ApplyStocks creates and updates stocks as they were pushed. It has the same contract as ApplyProducts.
func (s *Pushes) ApplyStocks(ctx context.Context, tx store.Tx, items []catalog.StockPush) (_ []Pushed, err error) {
	defer fault.AddContext(&err, "apply %d pushed stocks", len(items))
	if err := catalog.LockPushes(ctx, tx); err != nil {
		return nil, err
	}
	apply := func(items []catalog.StockPush) ([]Pushed, error) { return s.applyStocks(ctx, tx, items) }
	push := markedPush[catalog.StockPush]{tx: tx, entity: catalog.StockEntity, items: items, apply: apply,
		of: func(p *catalog.StockPush) markedItem { return markedItem{p.ID, p.Mark, p.Version} }}
	push.deleteOne = func(p *catalog.StockPush, o *Pushed) error {
		stockID, version, err := stockIDOf(ctx, tx, p.ID)
		if err != nil || o.leaveStale(p.Version, version) {
			return err
		}
		return (&catalog.Stocks{Core: s.Core}).Delete(ctx, tx, stockID, nil)
	}
	return push.run(ctx)
}

// applyStocks applies items without a mark.
func (s *Pushes) applyStocks(ctx context.Context, tx store.Tx, items []catalog.StockPush) ([]Pushed, error) {
	known, err := lockPushedStocks(ctx, tx, items)
	if err != nil {
		return nil, err
	}

	outcomes := make([]Pushed, len(items))
	written := make(map[string]*Pushed, len(items))
	batch := database.NewBatch(database.UUID, database.Text, database.Text, database.Text, database.Bytes,
		database.BigInt)
	raised := raisedVersions{}
	var last time.Time

	for i, item := range items {
		t, found := known[item.ID]
		o := &outcomes[i]
		o.Key = t.Key
		if o.leaveStale(item.Version, t.version) {
			continue
		}

		same := item.Name != nil && *item.Name == t.Name
		if found && (same || bytes.Equal(t.pushed, item.Digest[:])) {
			o.Outcome = Unchanged
			raised.add(t.Key, item.Version, t.version)
			continue
		}

		var wrong rule.Violations
		if t.Apply(catalog.StockEdit{Name: item.Name}, &wrong); len(wrong.Fields) > 0 {
			o.fail(wrong.Fields...)
			continue
		}

		o.Outcome = Created
		if found {
			o.Outcome = Updated
		}

		last = write.LaterTime(last, t.UpdatedAt)
		batch.Add(id.New[catalog.Stock](), item.ID, t.Name, locale.SearchText(t.Name), item.Digest[:], item.Version)
		written[item.ID] = o
	}

	if err := raised.saveOfStocks(ctx, tx); err != nil {
		return nil, err
	}

	return outcomes, saveStocks(ctx, tx, batch, s.UpdateTimeAfter(last), written)
}

// pushedStock is a stock as stored before the push, with the digest of its last push.
type pushedStock struct {
	catalog.Stock
	pushed  []byte
	version *int64 // of the item that was applied last, or nil
}

// findOrCreateStocks returns the stocks with these external ids, which must be distinct, and locks them against
// deletion until the transaction ends. A stock that does not exist is created, with its external id as its name.
func (s *Pushes) findOrCreateStocks(
	ctx context.Context, tx store.Tx, externalIDs []string,
) (map[string]stockRow, error) {
	found, err := findStocks(ctx, tx, externalIDs)
	if err != nil {
		return nil, err
	}
	missing := slices.DeleteFunc(slices.Sorted(slices.Values(externalIDs)), func(e string) bool {
		_, known := found[e]
		return known
	})
	return found, s.createStocks(ctx, tx, missing, found)
}
