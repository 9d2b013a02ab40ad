package exchange

import (
	"context"
	"fmt"
	"hash/maphash"
	"strings"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog/push"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/store"
)

// seenRowSet is a set of rows as a bitmap of row keys. It stays small because the keys of a store lie close together.
type seenRowSet map[rowBlock]*[rowSetWords]uint64

// rowBlock identifies a block of the bitmap: part as in seenRowSet.has, and the number of a block of keys.
type rowBlock struct{ part, number int64 }

// versionsByHash has the highest version of the items with a subject, by the hash of the subject.
type versionsByHash map[uint64]int64

// hashSet is a set of strings, stored as hashes. A collision only makes a dry run report a duplicate by mistake.
type hashSet struct {
	seed maphash.Seed
	set  map[uint64]struct{}
}

func newHashSet() *hashSet { return &hashSet{maphash.MakeSeed(), map[uint64]struct{}{}} }

func (h *hashSet) hash(text string) uint64 { return maphash.String(h.seed, text) }

func (h *hashSet) add(text string) { h.set[h.hash(text)] = struct{}{} }

func (h *hashSet) has(text string) bool {
	_, found := h.set[h.hash(text)]
	return found
}

// rowSetWords is the number of 64-bit words in a block of the bitmap.
const rowSetWords = 128

// has reports whether a row is in the set. part is Pushed.Part.
func (s seenRowSet) has(key, part int64) bool {
	block := s[rowBlock{part, key / (rowSetWords * 64)}]
	return block != nil && block[key/64%rowSetWords]&(1<<(key%64)) != 0
}

func (s *seenRowSet) add(key, part int64) {
	if *s == nil {
		*s = seenRowSet{}
	}
	at := rowBlock{part, key / (rowSetWords * 64)}
	if (*s)[at] == nil {
		(*s)[at] = &[rowSetWords]uint64{}
	}
	(*s)[at][key/64%rowSetWords] |= 1 << (key % 64)
}

// skipApplied returns the batch without the items that an earlier attempt applied. Their products count as seen.
func (p *pushRun) skipApplied(ctx context.Context, b itemBatch) (itemBatch, error) {
	items := b.items()
	n := 0
	for n < len(items) && items[n].Index < p.appliedBefore {
		p.addUnresolved(items[n])
		n++
	}
	b = b.slice(n, len(items))
	if len(p.unresolvedIDs) < batchItems {
		return b, nil
	}
	return b, p.resolveIDs(ctx)
}

// addUnresolved records an item whose row must be looked up by its id before missing products are archived.
func (p *pushRun) addUnresolved(it *item.Item) {
	switch {
	case !p.run.ArchiveMissing:
	case it.ID == "":
		p.unreadableID = true
	default:
		p.unresolvedIDs = append(p.unresolvedIDs, it.ID)
	}
}

// resolveIDs looks up the products with unresolvedIDs and adds them to seenRows, so that they do not count as missing.
func (p *pushRun) resolveIDs(ctx context.Context) error {
	return p.pushes.DB.Read(ctx, func(q querier) error {
		keys, err := p.pushes.Catalog.Products.KeysByExternalID(ctx, store.In(q, p.storeID), p.unresolvedIDs)
		for _, key := range keys {
			p.seenRows.add(key, 0)
		}
		p.unresolvedIDs = nil
		return err
	})
}

// warnOfDuplicate adds a warning if an earlier item was about the same row. batchRows has the rows of this batch.
func (p *pushRun) warnOfDuplicate(it *item.Item, o *push.Pushed, idMember string, batchRows *seenRowSet) {
	if o.Outcome == push.Failed || o.Ignored || o.Key == 0 { // a Key of 0: there is no such row, or no more
		return
	}

	duplicate := batchRows.has(o.Key, o.Part)
	batchRows.add(o.Key, o.Part)
	switch {
	case p.rollsBack && p.createdSubjects.has(it.Subject):
		// An earlier transaction created this row and was rolled back. The row had another key.
		if duplicate = true; o.Outcome == push.Created {
			o.Outcome = push.Updated
		}
	case p.rollsBack && o.Outcome == push.Created:
	default:
		duplicate = duplicate || p.seenRows.has(o.Key, o.Part)
	}

	// A mapped file has several items of one product: its goods and its offers.
	if duplicate && p.run.Format != item.Mapped {
		message := fmt.Sprintf("An earlier item of this push has the id %s too; this one was applied over it.", it.ID)
		if o.Stale {
			message = fmt.Sprintf("An earlier item of this push has the id %s too; the one with the higher version "+
				"stays.", it.ID)
		}
		o.Warnings = append(o.Warnings, fault.Field{Field: idMember, Code: "duplicate_id", Message: message})
	}
}

// leaveStale gives an item of a dry run the outcome that it would have in a push, if an item with a higher version was
// applied by an earlier transaction, which was rolled back.
func (p *pushRun) leaveStale(it *item.Item, o *push.Pushed) {
	if !p.rollsBack || it.Version == nil || len(it.Errors) > 0 || o.Stale {
		return
	}
	if highest, known := p.versions[p.createdSubjects.hash(it.Subject)]; known && *it.Version < highest {
		o.LeaveStale(*it.Version, highest)
	}
}

// warnOfProduct adds the warning about the product of an item, unless an earlier item of the push has it.
func (p *pushRun) warnOfProduct(o *push.Pushed, batchProducts *seenRowSet) {
	if o.ProductWarning == nil || p.warnedProducts.has(o.ProductKey, 0) || batchProducts.has(o.ProductKey, 0) {
		return
	}
	batchProducts.add(o.ProductKey, 0)
	o.Warnings = append(o.Warnings, *o.ProductWarning)
}

// partNumber returns a number for the stock of a remainder or for the list and quantity of a price, and 0 for other
// items. A dry run uses it as Pushed.Part, because the key of a stock or list that it created is free again after the
// rollback.
func (p *pushRun) partNumber(it *item.Item) int64 {
	if it.Variant != "" {
		return int64(p.createdSubjects.hash(it.Variant))
	}
	if p.run.Entity != Remainders && p.run.Entity != Prices {
		return 0
	}
	names := strings.SplitN(it.Subject, "\x00", 3) // product, variant, part
	if len(names) < 3 {
		return 0
	}
	return int64(p.createdSubjects.hash(names[2]))
}

// merge updates the push with the outcome of a batch after its commit or, in a dry run, after its rollback.
func (p *pushRun) merge(a *appliedItems) {
	*p.run = a.run
	p.changes += len(a.results.changes)

	for i, it := range a.items {
		if o := &a.outcomes[i]; o.ProductWarning != nil {
			p.warnedProducts.add(o.ProductKey, 0)
		}

		if p.rollsBack && it.Version != nil && a.outcomes[i].Outcome != push.Failed {
			subject := p.createdSubjects.hash(it.Subject)
			if highest, known := p.versions[subject]; !known || *it.Version > highest {
				p.versions[subject] = *it.Version
			}
		}

		switch o := a.outcomes[i]; {
		case o.Outcome == push.Failed && o.Key == 0:
			p.addUnresolved(it)
		case p.rollsBack && (o.Outcome == push.Created || p.createdSubjects.has(it.Subject)):
			p.createdSubjects.add(it.Subject)
		case o.Key != 0:
			p.seenRows.add(o.Key, o.Part)
		}
	}
}
