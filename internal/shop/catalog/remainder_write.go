package catalog

import (
	"context"
	"maps"
	"slices"

	"vitrine/internal/shop/money"
)

// StockQuantity is the new quantity of a variant in a stock. stock is the stock's key.
type StockQuantity struct {
	Stock    int64
	Quantity money.Quantity
}

// RemainderKey identifies a remainder by the keys of its variant and its stock.
type RemainderKey struct{ Variant, Stock int64 }

// Quantities maps remainders to their quantities. It need not contain all remainders.
type Quantities map[RemainderKey]money.Quantity

// Equal reports whether the remainder is in qs and has this quantity.
func (qs Quantities) Equal(at RemainderKey, quantity money.Quantity) bool {
	present, found := qs[at]
	return found && present == quantity
}

// StocksByVariant returns the stocks of the remainders of each variant.
func (qs Quantities) StocksByVariant() map[int64][]int64 {
	stocks := map[int64][]int64{}
	for at := range qs {
		stocks[at.Variant] = append(stocks[at.Variant], at.Stock)
	}
	return stocks
}

// writeRemainders replaces the remainders of variants by the lists of the edits. Reserved quantities stay unchanged. A
// remainder that is not in the list is deleted, unless the plan says otherwise; if a part of it is reserved, its
// quantity becomes 0 instead.
func (ws *ProductWrites) writeRemainders(ctx context.Context) error {
	var known []int64
	ws.eachPlanned(func(_ *ProductWrite, p *PlannedVariant) {
		if p.Before != nil && p.Quantities != nil {
			known = append(known, p.Key)
		}
	})
	present, err := LockRemainders(ctx, ws.Tx, known)
	if err != nil {
		return err
	}

	var taken Quantities
	if ws.ReadTaken != nil {
		if taken, err = ws.ReadTaken(ctx, known); err != nil {
			return err
		}
	}

	taken.SubtractFrom(present)

	c := ws.remainderChanges(present)
	taken.AddTo(c.written)
	if err := deleteRemaindersByKey(ctx, ws.Tx, c.deleted); err != nil {
		return err
	}
	if err := UpsertRemainders(ctx, ws.Tx, c.written); err != nil {
		return err
	}

	return RecomputeAvailable(ctx, ws.Tx, slices.Sorted(maps.Keys(c.variants)))
}

// remainderChanges are the writes to the remainders of variants.
type remainderChanges struct {
	deleted  []RemainderKey
	written  Quantities
	variants map[int64]bool // existing variants whose availability changes; new variants are inserted with theirs
}

// remainderChanges compares the lists of the edits with the present remainders and returns what to write.
func (ws *ProductWrites) remainderChanges(present map[RemainderKey]Remainder) remainderChanges {
	c := remainderChanges{written: Quantities{}, variants: map[int64]bool{}}
	unlisted := maps.Clone(present)
	merged := map[int64]bool{}
	emptied := map[int64]bool{}

	ws.eachPlanned(func(_ *ProductWrite, p *PlannedVariant) {
		for _, m := range p.Quantities {
			at := RemainderKey{p.Key, m.Stock}
			if was, found := present[at]; !found || was.Quantity != m.Quantity {
				c.written[at] = m.Quantity
				if p.Before != nil {
					c.variants[p.Key] = true
				}
			}
			delete(unlisted, at)
		}

		if p.keepsRemainders {
			merged[p.Key] = true
		}

		if p.emptiesRemainders {
			emptied[p.Key] = true
		}
	})

	for at, was := range unlisted {
		switch {
		case merged[at.Variant]:
			continue
		case was.Reserved == 0 && !emptied[at.Variant]:
			c.deleted = append(c.deleted, at)
		case was.Quantity != 0:
			c.written[at] = 0
		default:
			continue
		}

		c.variants[at.Variant] = true
	}

	return c
}

// sumOrNull returns the availability of a new variant: the sum of the quantities, or nil without remainders.
func sumOrNull(remainders []StockQuantity) any {
	if len(remainders) == 0 {
		return nil
	}
	sum := int64(0)
	for _, m := range remainders {
		sum += int64(m.Quantity)
	}
	return sum
}

// SubtractFrom changes the quantities of locked remainders to what accounting knows: without the goods of taken orders.
// The result may be negative. The caller adds these goods to what it writes, with addTo.
func (qs Quantities) SubtractFrom(held map[RemainderKey]Remainder) {
	for at := range qs {
		m, found := held[at]
		// A deleted variant may have left its key to another one, which has none of its reservations.
		qs[at] = min(qs[at], m.Reserved)
		if found {
			m.Quantity -= qs[at]
			held[at] = m
		}
	}
}

// AddTo adds the goods of taken orders to quantities that are written.
func (qs Quantities) AddTo(written Quantities) {
	for at, taken := range qs {
		if _, found := written[at]; found {
			written[at] += taken
		}
	}
}
