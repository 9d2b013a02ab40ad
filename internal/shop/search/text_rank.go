package search

import (
	"cmp"
	"math/bits"
)

// textRank orders rows by relevance.
type textRank struct {
	*textCosts
	prices *priceColumn
	// masks has, by word id, the slots that the word matches in a name.
	masks   []uint32
	pinned  map[uint32]int  // the numbers of the pinned rows
	coded   map[uint32]bool // the rows of which the whole query is a code
	buffers *rankBuffers
	// most is the highest cost of the rows that the page needs. The order of rows with higher costs does not matter.
	most int
}

// rankRows prepares the order by relevance of rows, which are sorted, of which the first ones are needed.
func (m *textMatch) rankRows(rows []uint32, prices *priceColumn, needed int64) *textRank {
	buffers := m.c.borrowRankBuffers()
	r := &textRank{textCosts: m.newCosts(buffers.costs), prices: prices, pinned: map[uint32]int{},
		coded: map[uint32]bool{}, buffers: buffers}
	for i, row := range m.plan.pinned {
		r.pinned[row] = i
	}

	var counts [maxCost + 1]uint32
	for at := 0; at < len(rows); {
		block := rows[at] / blockLen
		var inBlock rowBits
		end := at
		for end < len(rows) && rows[end]/blockLen == block {
			inBlock.set(rows[end] % blockLen)
			end++
		}

		r.addBlock(block, &inBlock)
		r.findCoded(block, &inBlock)
		for _, row := range rows[at:end] {
			counts[r.costs[row].sum()]++
		}
		at = end
	}

	for cost, n := range counts {
		r.most = cost
		if needed -= int64(n); needed <= 0 {
			break
		}
	}

	r.maskWords()
	return r
}

// findCoded notes the rows of a block of which the whole query is a code.
func (r *textRank) findCoded(block uint32, rows *rowBits) {
	if r.plan.code == "" {
		return
	}
	var found rowBits
	r.c.findCode(block, r.plan.code, false, &found)
	if !found.intersect(rows) {
		return
	}
	for row := range found.rows {
		if r.c.hasCode(block*blockLen+row, r.plan.code, false, wholeCode) {
			r.coded[block*blockLen+row] = true
		}
	}
}

// maskWords fills masks.
func (r *textRank) maskWords() {
	r.masks = r.buffers.masks
	r.eachMaskedWord(func(id, slots uint32) { r.masks[id] |= slots })
}

// eachMaskedWord calls fn for the words of the alternatives, with the slots that they match.
func (r *textRank) eachMaskedWord(fn func(id, slots uint32)) {
	for _, a := range r.plan.of(r.stage) {
		if !r.uses(&a) {
			continue
		}
		slots := uint32(0)
		for slot := a.from; slot < a.to; slot++ {
			slots |= 1 << slot
		}

		for _, set := range a.sets {
			for _, words := range set.ranges {
				for id := words.from; id < words.to; id++ {
					fn(id, slots)
				}
			}
		}
	}
}

// release returns the buffers. The rank must not be used afterwards.
func (r *textRank) release() {
	r.eachMaskedWord(func(id, _ uint32) { r.masks[id] = 0 })
	r.c.rankPool.Put(r.buffers)
}

// rankBuffers are the buffers of a textRank that are as long as the lists of rows and of words.
type rankBuffers struct {
	costs []textCost
	masks []uint32 // all are 0
}

// borrowRankBuffers returns buffers for all rows and words. The costs are those of another query.
func (c *searchColumns) borrowRankBuffers() *rankBuffers {
	b, ok := c.rankPool.Get().(*rankBuffers)
	if !ok {
		b = &rankBuffers{}
	}
	if rows := c.rowCount(); len(b.costs) < rows {
		b.costs = make([]textCost, rows)
	}
	if words := c.vocabulary.len(); len(b.masks) < words {
		b.masks = make([]uint32, words)
	}
	return b
}

// order returns the order of rows by relevance.
func (r *textRank) order() rowOrder {
	return rowOrder{rank: r.rank, least: r.leastRank, compare: func(a, b uint32) int {
		return cmp.Or(cmp.Compare(r.c.created[b], r.c.created[a]), cmp.Compare(r.c.keys[b], r.c.keys[a]))
	}}
}

// rank returns the rank of a row: see rankOf.
func (r *textRank) rank(row uint32) int64 {
	return r.rankWith(row, r.nearness)
}

// leastRank returns the rank of a row if its words were as near as can be. Most rows of a page's list are told from
// those of the page by it, without reading their names.
func (r *textRank) leastRank(row uint32) int64 {
	return r.rankWith(row, func(uint32) int { return 0 })
}

func (r *textRank) rankWith(row uint32, nearness func(row uint32) int) int64 {
	if len(r.pinned) > 0 {
		if number, ok := r.pinned[row]; ok {
			return pinnedRank(number)
		}
	}

	isCode := len(r.coded) > 0 && r.coded[row]
	if r.costs[row].sum() > r.most && !isCode {
		return rankOf(false, r.costs[row], maxNearness, false, 0)
	}
	return rankOf(isCode, r.costs[row], nearness(row), r.isAvailable(row), r.c.popularity[row])
}

// isAvailable reports whether a row is in stock and has a price.
func (r *textRank) isAvailable(row uint32) bool {
	return r.c.blocks[row/blockLen].inStock.has(row%blockLen) && r.prices.lowestPrices[row] != noPriceBucket
}

// nearness returns the nearnessOf the words that the name of a row matches.
func (r *textRank) nearness(row uint32) int {
	from := r.c.nameStarts[row]
	if from == noIndex {
		return maxNearness
	}

	var first [maxQueryWords]int
	seen := uint32(0)
	for i, word := range r.c.nameWords[from:] {
		for fresh := r.masks[word&^lastWord] &^ seen; fresh != 0; fresh &= fresh - 1 {
			slot := bits.TrailingZeros32(fresh)
			first[slot] = i
			seen |= 1 << slot
		}
		if word&lastWord != 0 {
			break
		}
	}

	var positions [maxQueryWords]int
	n, missing := 0, 0
	for slot := range r.plan.slots {
		switch {
		case seen>>slot&1 != 0:
			positions[n] = first[slot]
			n++
		case !r.plan.slots[slot].optional:
			missing++
		}
	}

	return nearnessOf(positions[:n], missing)
}
