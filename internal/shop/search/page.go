package search

import (
	"bytes"
	"cmp"
	"container/heap"
	"slices"
)

// maxHeapRows is the largest offset+limit for which a heap selects the rows of a page. Above it quickselect is faster.
const maxHeapRows = 2000

// page sorts the rows and returns the product keys at [offset, offset+limit). It reorders rows.
func (c *searchColumns) page(rows []uint32, sort Sort, limit, offset int64) []int64 {
	if offset >= int64(len(rows)) {
		return nil
	}
	to := min(offset+limit, int64(len(rows)))
	if sort == ByKey && len(rows) == c.liveCount() && len(c.outOfOrder) == 0 {
		rows = c.firstLive(rows[:0], int(to))[offset:]
	} else {
		rows = selectRange(rows, int(offset), int(to), c.comparator(sort))
	}
	keys := make([]int64, len(rows))
	for i, row := range rows {
		keys[i] = c.keys[row]
	}
	return keys
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

// comparator returns the comparison function of a sort order. It is total: different rows are never equal.
func (c *searchColumns) comparator(sort Sort) func(a, b uint32) int {
	thenByKey := func(first int, a, b uint32) int { return cmp.Or(first, cmp.Compare(c.keys[a], c.keys[b])) }
	switch sort {
	case ByName:
		return func(a, b uint32) int { return thenByKey(bytes.Compare(c.nameOf(a), c.nameOf(b)), a, b) }
	case ByNameDesc:
		return func(a, b uint32) int { return thenByKey(bytes.Compare(c.nameOf(b), c.nameOf(a)), a, b) }
	case ByPrice, ByPriceDesc:
		return func(a, b uint32) int {
			x, hasX := c.lowestPrice(a)
			y, hasY := c.lowestPrice(b)
			switch {
			case !hasX || !hasY:
				return thenByKey(compareBool(hasY, hasX), a, b)
			case sort == ByPriceDesc:
				return thenByKey(cmp.Compare(y, x), a, b)
			default:
				return thenByKey(cmp.Compare(x, y), a, b)
			}
		}
	case ByCreated:
		return func(a, b uint32) int { return thenByKey(cmp.Compare(c.created[a], c.created[b]), a, b) }
	case ByCreatedDesc:
		return func(a, b uint32) int { return thenByKey(cmp.Compare(c.created[b], c.created[a]), b, a) }
	default:
		return func(a, b uint32) int { return thenByKey(0, a, b) }
	}
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// selectRange returns, sorted, the rows that sorting all rows would put at [from, to). It reorders rows.
func selectRange(rows []uint32, from, to int, compare func(a, b uint32) int) []uint32 {
	if to <= maxHeapRows && to < len(rows) {
		rows = lowestRows(rows, to, compare)
	} else {
		quickselect(rows, to, compare)
	}
	quickselect(rows[:to], from, compare)
	slices.SortFunc(rows[from:to], compare)
	return rows[from:to]
}

// lowestRows returns the n lowest rows in any order. It uses a max-heap, so that most rows cost one comparison.
func lowestRows(rows []uint32, n int, compare func(a, b uint32) int) []uint32 {
	h := &rowHeap{slices.Clone(rows[:n]), compare}
	heap.Init(h)
	for _, row := range rows[n:] {
		if compare(row, h.rows[0]) < 0 {
			h.rows[0] = row
			heap.Fix(h, 0)
		}
	}
	return h.rows
}

type rowHeap struct {
	rows    []uint32
	compare func(a, b uint32) int
}

func (h *rowHeap) Len() int           { return len(h.rows) }
func (h *rowHeap) Less(i, j int) bool { return h.compare(h.rows[i], h.rows[j]) > 0 }
func (h *rowHeap) Swap(i, j int)      { h.rows[i], h.rows[j] = h.rows[j], h.rows[i] }
func (h *rowHeap) Push(any)           {}
func (h *rowHeap) Pop() any           { return nil }

// quickselect moves the n lowest rows to the front, in any order (Hoare's algorithm).
func quickselect(rows []uint32, n int, compare func(a, b uint32) int) {
	for n > 0 && n < len(rows) {
		pivot := rows[len(rows)/2]
		i, j := 0, len(rows)-1
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
			rows, n = rows[i:], n-i
		default:
			return
		}
	}
}
