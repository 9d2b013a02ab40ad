package exchange

import (
	"context"
	"fmt"
	"hash/maphash"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/store"
)

// seen is the set of rows that the items of a push were about: a bitmap of row keys. It stays small because the keys of
// a store's rows lie close together.
type seen struct {
	// parts maps the part of a row and the number of a block of keys to the bits of the block.
	parts map[int64]map[int64]*[seenWords]uint64
}

// hashes is a set of strings that stores only their 64-bit hashes. A hash collision would only make a dry run report a
// duplicate that is none.
type hashes struct {
	seed maphash.Seed
	set  map[uint64]struct{}
}

func newHashes() *hashes { return &hashes{maphash.MakeSeed(), map[uint64]struct{}{}} }

func (h *hashes) add(text string) { h.set[maphash.String(h.seed, text)] = struct{}{} }

func (h *hashes) has(text string) bool {
	_, found := h.set[maphash.String(h.seed, text)]
	return found
}

// seenWords is the number of 64-bit words in a block of the bitmap.
const seenWords = 128

// has reports whether a row is in the set. part is the key of the stock for a remainder, and 0 for other entities.
func (s *seen) has(key, part int64) bool {
	block := s.parts[part][key/(seenWords*64)]
	return block != nil && block[key/64%seenWords]&(1<<(key%64)) != 0
}

// add adds a row to the set.
func (s *seen) add(key, part int64) {
	if s.parts == nil {
		s.parts = map[int64]map[int64]*[seenWords]uint64{}
	}
	blocks := s.parts[part]
	if blocks == nil {
		blocks = map[int64]*[seenWords]uint64{}
		s.parts[part] = blocks
	}
	block := blocks[key/(seenWords*64)]
	if block == nil {
		block = &[seenWords]uint64{}
		blocks[key/(seenWords*64)] = block
	}
	block[key/64%seenWords] |= 1 << (key % 64)
}

// skipApplied returns the batch without the items that were applied before the push was interrupted. The products of
// those items count as seen.
func (p *pushRun) skipApplied(ctx context.Context, b batch) (batch, error) {
	items := b.items()
	n := 0
	for n < len(items) && items[n].Index < p.skip {
		p.addUnseen(items[n])
		n++
	}
	b = b.slice(n, len(items))
	if len(p.unseen) < batchItems {
		return b, nil
	}
	return b, p.lookUpUnseen(ctx)
}

// addUnseen records an item whose row must be looked up by its id before missing products are archived.
func (p *pushRun) addUnseen(it *item.Item) {
	switch {
	case !p.run.ArchiveMissing:
	case it.ID == "":
		p.unread = true
	default:
		p.unseen = append(p.unseen, it.ID)
	}
}

// lookUpUnseen looks up the products of the unseen items and adds them to seen, so that they do not count as missing.
func (p *pushRun) lookUpUnseen(ctx context.Context) error {
	return p.s.DB.Read(ctx, func(q querier) error {
		keys, err := p.s.Catalog.Products.KeysByExternalID(ctx, store.In(q, p.storeID), p.unseen)
		for _, key := range keys {
			p.seen.add(key, 0)
		}
		p.unseen = nil
		return err
	})
}

// warnOfDuplicate adds a warning to the outcome of an item if an earlier item of the push was about the same row. here
// has the rows of this batch.
func (p *pushRun) warnOfDuplicate(it *item.Item, o *catalog.Pushed, idMember string, here *seen) {
	if o.Outcome == catalog.Failed {
		return
	}
	twice := here.has(o.Key, o.Part)
	here.add(o.Key, o.Part)
	if p.rollsBack && o.Outcome == catalog.Created {
		// An earlier batch was rolled back. If it created this row, the row had another key.
		if p.created.has(it.Subject) {
			twice, o.Outcome = true, catalog.Updated
		}
	} else {
		twice = twice || p.seen.has(o.Key, o.Part)
	}
	if twice {
		message := fmt.Sprintf("An earlier item of this push has the id %s too; this one was applied over it.", it.ID)
		o.Warnings = append(o.Warnings, fault.Field{Field: idMember, Code: "duplicate_id", Message: message})
	}
}

// takeOver updates the push with the outcome of a batch. It must be called only after the batch is committed, or rolled
// back on purpose.
func (p *pushRun) takeOver(a *applied) {
	*p.run = a.run
	for i, it := range a.items {
		switch o := a.outcomes[i]; {
		case o.Outcome == catalog.Failed && o.Key == 0:
			p.addUnseen(it)
		case p.rollsBack && o.Outcome == catalog.Created:
			p.created.add(it.Subject)
		case o.Key != 0:
			p.seen.add(o.Key, o.Part)
		}
	}
}
