package catalog

import (
	"bytes"
	"context"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/store"
)

// StockPush is a pushed stock, identified by the accounting system's id. A nil name keeps the stored one.
type StockPush struct {
	ID     string
	Digest Digest
	Name   *string
}

// ApplyStocks creates and updates stocks as they were pushed. It has the same contract as ApplyProducts.
func (s *Pushes) ApplyStocks(ctx context.Context, tx store.Tx, items []StockPush) (_ []Pushed, err error) {
	defer fault.AddContext(&err, "apply %d pushed stocks", len(items))
	if err := lockPushes(ctx, tx); err != nil {
		return nil, err
	}
	known, err := lockPushedStocks(ctx, tx, items)
	if err != nil {
		return nil, err
	}
	outcomes, written := make([]Pushed, len(items)), make(map[string]*Pushed, len(items))
	batch := database.NewBatch(database.UUID, database.Text, database.Text, database.Text, database.Bytes)
	var last time.Time
	for i, item := range items {
		t, found := known[item.ID]
		o := &outcomes[i]
		o.Key = t.Key
		if found && bytes.Equal(t.pushed, item.Digest[:]) {
			o.Outcome = Unchanged
			continue
		}
		var wrong violations
		if t.apply(StockEdit{Name: item.Name}, &wrong); len(wrong.fields) > 0 {
			o.fail(wrong.fields...)
			continue
		}
		o.Outcome = Created
		if found {
			o.Outcome = Updated
		}
		last = laterTime(last, t.UpdatedAt)
		batch.Add(id.New[Stock](), item.ID, t.Name, locale.SearchText(t.Name), item.Digest[:])
		written[item.ID] = o
	}
	return outcomes, saveStocks(ctx, tx, batch, s.updateTimeAfter(last), written)
}

// pushedStock is a stock as stored before the push, with the digest of its last push.
type pushedStock struct {
	Stock
	pushed []byte
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
