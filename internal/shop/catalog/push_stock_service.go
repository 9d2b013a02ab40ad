package catalog

import (
	"bytes"
	"context"
	"time"

	"vitrine/internal/shop/store"
)

// StockPush is what accounting says of a stock. A name that is nil stays as it is.
type StockPush struct {
	ID     string
	Digest Digest
	Name   *string
}

// ApplyStocks brings stocks, all different, to what accounting says, and tells what became of each in their order. An item that breaks
// rules has changed nothing; the others are applied. One that equals what was last pushed is left alone.
func (s *Pushes) ApplyStocks(ctx context.Context, tx store.Tx, items []StockPush) ([]Pushed, error) {
	if err := lockPushes(ctx, tx); err != nil {
		return nil, err
	}
	known, err := lockPushedStocks(ctx, tx, items)
	if err != nil {
		return nil, err
	}
	outcomes := make([]Pushed, len(items))
	var writes []stockWrite
	last := time.Time{}
	for i, item := range items {
		t, found := known[item.ID]
		o := &outcomes[i]
		o.Key = t.Key
		if found && bytes.Equal(t.pushed, item.Digest[:]) {
			o.Outcome = Unchanged
			continue
		}
		var wrong breaches
		if t.apply(StockEdit{Name: item.Name}, &wrong); len(wrong.fields) > 0 {
			o.fail(wrong.fields...)
			continue
		}
		o.Outcome = Created
		if found {
			o.Outcome = Updated
		}
		if t.UpdatedAt.After(last) {
			last = t.UpdatedAt
		}
		writes = append(writes, stockWrite{&items[i], t.Name, o})
	}
	return outcomes, saveStocks(ctx, tx, writes, s.after(last))
}

// pushedStock is a stock as it is before a push, and what was last pushed of it.
type pushedStock struct {
	Stock
	pushed []byte
}

// stockWrite is a stock that is written, and the outcome that learns its key.
type stockWrite struct {
	push    *StockPush
	name    string
	outcome *Pushed
}

// findOrCreateStocks finds stocks by their external ids, all different, and keeps them from being deleted until the transaction ends. Those that
// the store does not have are made, with their id as their name: each that was asked for is in the answer.
func (s *Pushes) findOrCreateStocks(ctx context.Context, tx store.Tx, externalIDs []string) (map[string]stockRow, error) {
	found, err := findStocks(ctx, tx, externalIDs)
	if err != nil {
		return nil, err
	}
	var missing []string
	for _, e := range externalIDs {
		if _, known := found[e]; !known {
			missing = append(missing, e)
		}
	}
	return found, s.createStocks(ctx, tx, missing, found)
}
