package catalog

import (
	"context"
	"maps"
	"slices"
)

// stockQuantity is how many of a variant a stock shall have, by the stock's key.
type stockQuantity struct {
	stock    int64
	quantity Quantity
}

// remainderKey names a remainder by the keys of its variant and its stock.
type remainderKey struct{ variant, stock int64 }

// quantities are what stocks have of variants; of what is not in it nothing is known.
type quantities map[remainderKey]Quantity

// equal reports whether a remainder is there and has that quantity.
func (qs quantities) equal(at remainderKey, quantity Quantity) bool {
	present, found := qs[at]
	return found && present == quantity
}

// writeRemainders brings the remainders of variants to the lists that were sent. What is reserved stays so: a remainder that is not in
// the list disappears, unless something of it is reserved; then nothing is left of it.
func (ws *productWrites) writeRemainders(ctx context.Context) error {
	var known []int64
	ws.eachPlanned(func(_ *productWrite, p *plannedVariant) {
		if p.was != nil && p.remainders != nil {
			known = append(known, p.Key)
		}
	})
	present, err := lockRemainders(ctx, ws.tx, known)
	if err != nil {
		return err
	}
	c := ws.remainderChanges(present)
	if err := deleteRemaindersByKey(ctx, ws.tx, c.deleted); err != nil {
		return err
	}
	if err := upsertRemainders(ctx, ws.tx, c.written); err != nil {
		return err
	}
	return recomputeAvailable(ctx, ws.tx, slices.Sorted(maps.Keys(c.variants)))
}

// remainderChanges is what becomes of the remainders of variants.
type remainderChanges struct {
	deleted  []remainderKey
	written  quantities
	variants map[int64]bool // those that exist already; of new ones, what is available is known
}

// remainderChanges decides which remainders are written, given those that the variants have.
func (ws *productWrites) remainderChanges(present map[remainderKey]Remainder) remainderChanges {
	c := remainderChanges{written: quantities{}, variants: map[int64]bool{}}
	unlisted := maps.Clone(present)
	ws.eachPlanned(func(_ *productWrite, p *plannedVariant) {
		for _, m := range p.remainders {
			at := remainderKey{p.Key, m.stock}
			if was, found := present[at]; !found || was.Quantity != m.quantity {
				c.written[at] = m.quantity
				if p.was != nil {
					c.variants[p.Key] = true
				}
			}
			delete(unlisted, at)
		}
	})
	for at, was := range unlisted {
		switch {
		case was.Reserved == 0:
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

// sumOrNull is what is left of a variant of which nothing is reserved.
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
