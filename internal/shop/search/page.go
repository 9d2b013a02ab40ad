package search

import (
	"bytes"
	"cmp"
	"container/heap"
	"slices"
)

// maxHeapRows is the largest offset+limit for which a heap selects the rows of a page. Above it quickselect is faster.
const maxHeapRows = 2000

// page sorts the rows and returns the product keys of the page. It reorders rows.
func (c *searchColumns) page(rows []uint32, order rowOrder, query Query) []int64 {
	sort, limit, offset := query.Sort, query.Limit, query.Offset
	if offset >= int64(len(rows)) || limit == 0 {
		return nil
	}

	to := min(offset+limit, int64(len(rows)))
	if sort == ByKey && len(rows) == c.liveCount() && len(c.outOfOrder) == 0 {
		rows = c.firstLive(rows[:0], int(to))[offset:]
	} else {
		if sort == ByCreatedDesc || sort == ByPopularity || sort == ByRelevance {
			// Rows are mostly in the order of creation. With the newest first, lowestRows rejects almost all others at
			// once. Otherwise each row would replace another one in the heap.
			slices.Reverse(rows)
		}
		rows = selectRange(rows, int(offset), int(to), order)
	}

	keys := make([]int64, len(rows))
	for i, row := range rows {
		keys[i] = c.keys[row]
	}

	return keys
}

// rankText returns the ranks of the matching rows by relevance, or nil if there is none.
func (s *searchScan) rankText(prices *priceColumn, query Query) *textRank {
	if len(s.matched) == 0 {
		return nil
	}
	return s.text.rankRows(s.matched, prices, query.Offset+query.Limit)
}

// explainText says how the words of the query were understood, from the most relevant of the found products. If the
// other filters leave none, that is the most relevant product without them. It releases rank.
func (s *searchScan) explainText(rank *textRank, found *Result, query Query) *TextResult {
	if rank == nil {
		rows := s.text.allRows()
		if len(rows) == 0 {
			return s.text.result(nil, nil, query)
		}
		rank = s.text.rankRows(rows, s.column, 1)
		defer rank.release()
		first := slices.MinFunc(rows, rank.order().compareRows)
		return s.text.result(rank.textCosts, &first, query)
	}
	defer rank.release()

	var first uint32
	if query.Sort == ByRelevance && query.Offset == 0 && len(found.Keys) > 0 {
		first, _ = s.c.findRow(found.Keys[0])
	} else {
		first = slices.MinFunc(s.matched, rank.order().compareRows)
	}

	text := s.text.result(rank.textCosts, &first, query)
	if query.WithExplanation {
		text.Stage = s.text.stage.matched()
		text.Hits = rank.hits(found.Keys)
	}
	return text
}

// firstLive appends the first n live rows in the order of their keys.
func (c *searchColumns) firstLive(rows []uint32, n int) []uint32 {
	for _, row := range c.rowsByKey {
		if len(rows) == n {
			break
		}
		if !c.deleted[row] {
			rows = append(rows, row)
		}
	}
	return rows
}

// rowOrder is a sort order of rows.
type rowOrder struct {
	// rank returns a number that decides the order of most rows quickly: a row with a lower rank comes first.
	rank func(row uint32) int64
	// least returns a number that is not above the rank and is found faster; it may be nil.
	least func(row uint32) int64
	// compare decides the order of rows with the same rank. It is total: different rows are never equal.
	compare func(a, b uint32) int
}

// compareRows compares two rows by rank, then by compare.
func (o rowOrder) compareRows(a, b uint32) int {
	if x, y := o.rank(a), o.rank(b); x != y {
		return cmp.Compare(x, y)
	}
	return o.compare(a, b)
}

func (c *searchColumns) rowOrder(sort Sort, prices *priceColumn) rowOrder {
	thenByKey := func(first int, a, b uint32) int { return cmp.Or(first, cmp.Compare(c.keys[a], c.keys[b])) }

	lowestPrice := func(row uint32) int64 { return prices.lowestPrice(c.variantsOf(row)) }

	switch sort {
	case ByName:
		return rowOrder{rank: func(row uint32) int64 { return int64(c.namePrefixes[row]) },
			compare: func(a, b uint32) int { return thenByKey(bytes.Compare(c.nameOf(a), c.nameOf(b)), a, b) }}
	case ByNameDesc:
		return rowOrder{rank: func(row uint32) int64 { return -int64(c.namePrefixes[row]) },
			compare: func(a, b uint32) int { return thenByKey(bytes.Compare(c.nameOf(b), c.nameOf(a)), a, b) }}
	case ByPrice:
		return rowOrder{rank: func(row uint32) int64 { return int64(prices.lowestPrices[row]) },
			compare: func(a, b uint32) int { return thenByKey(cmp.Compare(lowestPrice(a), lowestPrice(b)), a, b) }}
	case ByPriceDesc:
		return rowOrder{rank: func(row uint32) int64 {
			// The rank of products without a price, 0 instead of -noPriceBucket, is the highest.
			return -int64((prices.lowestPrices[row] + 1) & noPriceBucket)
		}, compare: func(a, b uint32) int { return thenByKey(cmp.Compare(lowestPrice(b), lowestPrice(a)), a, b) }}
	case ByCreated:
		return rowOrder{rank: func(row uint32) int64 { return c.created[row] },
			compare: func(a, b uint32) int { return thenByKey(0, a, b) }}
	case ByCreatedDesc:
		return rowOrder{rank: func(row uint32) int64 { return -c.created[row] },
			compare: func(a, b uint32) int { return thenByKey(0, b, a) }}
	case ByPopularity:
		return rowOrder{rank: func(row uint32) int64 { return -int64(c.popularity[row]) },
			compare: func(a, b uint32) int { return thenByKey(cmp.Compare(c.created[b], c.created[a]), b, a) }}
	default:
		return rowOrder{rank: func(row uint32) int64 { return c.keys[row] },
			compare: func(_, _ uint32) int { return 0 }}
	}
}

// selectRange returns, sorted, the rows that sorting all rows would put at [from, to). It reorders rows.
func selectRange(rows []uint32, from, to int, order rowOrder) []uint32 {
	if to <= maxHeapRows && to < len(rows) {
		rows = lowestRows(rows, to, order)
	} else {
		quickselect(rows, to, order.compareRows)
	}
	quickselect(rows[:to], from, order.compareRows)
	slices.SortFunc(rows[from:to], order.compareRows)
	return rows[from:to]
}

// lowestRows returns the n lowest rows in any order. It uses a max-heap: most rows cost one comparison of ranks.
func lowestRows(rows []uint32, n int, order rowOrder) []uint32 {
	h := &rowHeap{slices.Clone(rows[:n]), order}
	heap.Init(h)
	highest := order.rank(h.rows[0])
	for _, row := range rows[n:] {
		if order.least != nil {
			if least := order.least(row); least > highest || least == highest && order.compare(row, h.rows[0]) > 0 {
				continue
			}
		}

		rank := order.rank(row)
		if rank > highest || (rank == highest && order.compare(row, h.rows[0]) > 0) {
			continue
		}
		h.rows[0] = row
		heap.Fix(h, 0)
		highest = order.rank(h.rows[0])
	}
	return h.rows
}

type rowHeap struct {
	rows  []uint32
	order rowOrder
}

func (h *rowHeap) Len() int           { return len(h.rows) }
func (h *rowHeap) Less(i, j int) bool { return h.order.compareRows(h.rows[i], h.rows[j]) > 0 }
func (h *rowHeap) Swap(i, j int)      { h.rows[i], h.rows[j] = h.rows[j], h.rows[i] }
func (h *rowHeap) Push(any)           {}
func (h *rowHeap) Pop() any           { return nil }

// quickselect moves the n lowest rows to the front, in any order (Hoare's algorithm).
func quickselect(rows []uint32, n int, compare func(a, b uint32) int) {
	for n > 0 && n < len(rows) {
		pivot := rows[len(rows)/2]
		i := 0
		j := len(rows) - 1
		for i <= j {
			for compare(rows[i], pivot) < 0 {
				i++
			}

			for compare(rows[j], pivot) > 0 {
				j--
			}

			if i <= j {
				rows[i], rows[j] = rows[j], rows[i]
				i++
				j--
			}
		}

		switch { // rows[:j+1] <= rows[j+1:i] <= rows[i:]
		case n <= j+1:
			rows = rows[:j+1]
		case n >= i:
			rows = rows[i:]
			n -= i
		default:
			return
		}
	}
}
