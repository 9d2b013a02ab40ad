package catalog

import (
	"context"
	"maps"
	"slices"

	"vitrine/internal/shop/money"
)

// stockQuantity is the new quantity of a variant in a stock. stock is the stock's key.
type stockQuantity struct {
	stock    int64
	quantity money.Quantity
}

// remainderKey identifies a remainder by the keys of its variant and its stock.
type remainderKey struct{ variant, stock int64 }

// quantities maps remainders to their quantities. It need not contain all remainders.
type quantities map[remainderKey]money.Quantity

// equal reports whether the remainder is in qs and has this quantity.
func (qs quantities) equal(at remainderKey, quantity money.Quantity) bool {
	present, found := qs[at]
	return found && present == quantity
}

// stocksByVariant returns the stocks of the remainders of each variant.
func (qs quantities) stocksByVariant() map[int64][]int64 {
	stocks := map[int64][]int64{}
	for at := range qs {
		stocks[at.variant] = append(stocks[at.variant], at.stock)
	}
	return stocks
}

// writeRemainders replaces the remainders of variants by the lists of the edits. Reserved quantities stay unchanged. A
// remainder that is not in the list is deleted, unless the plan says otherwise; if a part of it is reserved, its
// quantity becomes 0 instead.
func (ws *ProductWrites) writeRemainders(ctx context.Context) error {
	var known []int64
	ws.eachPlanned(func(_ *ProductWrite, p *PlannedVariant) {
		if p.Before != nil && p.remainders != nil {
			known = append(known, p.Key)
		}
	})
	present, err := lockRemainders(ctx, ws.Tx, known)
	if err != nil {
		return err
	}
	var taken quantities
	if ws.readTaken != nil {
		if taken, err = ws.readTaken(ctx, known); err != nil {
			return err
		}
	}
	taken.subtractFrom(present)

	c := ws.remainderChanges(present)
	taken.addTo(c.written)
	if err := deleteRemaindersByKey(ctx, ws.Tx, c.deleted); err != nil {
		return err
	}
	if err := upsertRemainders(ctx, ws.Tx, c.written); err != nil {
		return err
	}
	return RecomputeAvailable(ctx, ws.Tx, slices.Sorted(maps.Keys(c.variants)))
}

// remainderChanges are the writes to the remainders of variants.
type remainderChanges struct {
	deleted  []remainderKey
	written  quantities
	variants map[int64]bool // existing variants whose availability changes; new variants are inserted with theirs
}

// remainderChanges compares the lists of the edits with the present remainders and returns what to write.
func (ws *ProductWrites) remainderChanges(present map[remainderKey]Remainder) remainderChanges {
	c := remainderChanges{written: quantities{}, variants: map[int64]bool{}}
	unlisted, merged, emptied := maps.Clone(present), map[int64]bool{}, map[int64]bool{}
	ws.eachPlanned(func(_ *ProductWrite, p *PlannedVariant) {
		for _, m := range p.remainders {
			at := remainderKey{p.Key, m.stock}
			if was, found := present[at]; !found || was.Quantity != m.quantity {
				c.written[at] = m.quantity
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
		case merged[at.variant]:
			continue
		case was.Reserved == 0 && !emptied[at.variant]:
			c.deleted = append(c.deleted, at)
		case was.Quantity != 0:
			c.written[at] = 0
		default:
			continue
		}
		c.variants[at.variant] = true
	}
	return c
}

// sumOrNull returns the availability of a new variant: the sum of the quantities, or nil without remainders.
func sumOrNull(remainders []stockQuantity) any {
	if len(remainders) == 0 {
		return nil
	}
	sum := int64(0)
	for _, m := range remainders {
		sum += int64(m.quantity)
	}
	return sum
}

// subtractFrom changes the quantities of locked remainders to what accounting knows: without the goods of taken orders.
// The result may be negative. The caller adds these goods to what it writes, with addTo.
func (qs quantities) subtractFrom(held map[remainderKey]Remainder) {
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

// addTo adds the goods of taken orders to quantities that are written.
func (qs quantities) addTo(written quantities) {
	for at, taken := range qs {
		if _, found := written[at]; found {
			written[at] += taken
		}
	}
}
