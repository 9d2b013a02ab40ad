package search

import (
	"bytes"
	"cmp"
	"container/heap"
	"slices"
)

// heapMost is up to which end of a page the rows are picked through a heap; further back they are partitioned.
const heapMost = 2000

// page returns the keys of the rows at [offset, offset+limit) in an order. It reorders rows.
func (c *columns) page(rows []uint32, sort Sort, limit, offset int64) []int64 {
	if offset >= int64(len(rows)) {
		return nil
	}
	to := min(offset+limit, int64(len(rows)))
	if sort == ByMaking && len(rows) == c.live() && len(c.late) == 0 {
		rows = c.firsts(rows[:0], int(to))[offset:]
	} else {
		rows = pick(rows, int(offset), int(to), c.order(sort))
	}
	keys := make([]int64, len(rows))
	for i, row := range rows {
		keys[i] = c.keys[row]
	}
	return keys
}

// firsts appends the first n products in the order of keys.
func (c *columns) firsts(rows []uint32, n int) []uint32 {
	for _, row := range c.byKey {
		if len(rows) == n {
			break
		}
		if !c.gone[row] {
			rows = append(rows, row)
		}
	}
	return rows
}

// order compares two rows; it never takes two for equal.
func (c *columns) order(sort Sort) func(a, b uint32) int {
	then := func(first int, a, b uint32) int { return cmp.Or(first, cmp.Compare(c.keys[a], c.keys[b])) }
	switch sort {
	case ByName:
		return func(a, b uint32) int { return then(bytes.Compare(c.nameOf(a), c.nameOf(b)), a, b) }
	case ByNameDown:
		return func(a, b uint32) int { return then(bytes.Compare(c.nameOf(b), c.nameOf(a)), a, b) }
	case ByPrice, ByPriceDown:
		return func(a, b uint32) int {
			x, hasX := c.lowestPrice(a)
			y, hasY := c.lowestPrice(b)
			switch {
			case !hasX || !hasY:
				return then(compareBool(hasY, hasX), a, b)
			case sort == ByPriceDown:
				return then(cmp.Compare(y, x), a, b)
			default:
				return then(cmp.Compare(x, y), a, b)
			}
		}
	case ByCreated:
		return func(a, b uint32) int { return then(cmp.Compare(c.created[a], c.created[b]), a, b) }
	case ByCreatedDown:
		return func(a, b uint32) int { return then(cmp.Compare(c.created[b], c.created[a]), b, a) }
	default:
		return func(a, b uint32) int { return then(0, a, b) }
	}
}

// compareBool puts false before true.
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

// pick returns the rows that would stand at [from, to) if all were sorted, sorted. It reorders rows.
func pick(rows []uint32, from, to int, order func(a, b uint32) int) []uint32 {
	if to <= heapMost && to < len(rows) {
		rows = lowest(rows, to, order)
	} else {
		partition(rows, to, order)
	}
	partition(rows[:to], from, order)
	slices.SortFunc(rows[from:to], order)
	return rows[from:to]
}

// lowest returns the n lowest rows, in any order: a heap has the highest of them on top, and most rows are not lower than that.
func lowest(rows []uint32, n int, order func(a, b uint32) int) []uint32 {
	h := &rowHeap{slices.Clone(rows[:n]), order}
	heap.Init(h)
	for _, row := range rows[n:] {
		if order(row, h.rows[0]) < 0 {
			h.rows[0] = row
			heap.Fix(h, 0)
		}
	}
	return h.rows
}

// rowHeap has its highest row on top.
type rowHeap struct {
	rows  []uint32
	order func(a, b uint32) int
}

func (h *rowHeap) Len() int           { return len(h.rows) }
func (h *rowHeap) Less(i, j int) bool { return h.order(h.rows[i], h.rows[j]) > 0 }
func (h *rowHeap) Swap(i, j int)      { h.rows[i], h.rows[j] = h.rows[j], h.rows[i] }
func (h *rowHeap) Push(any)           {}
func (h *rowHeap) Pop() any           { return nil }

// partition brings the n lowest rows to the front, in any order (Hoare's selection).
func partition(rows []uint32, n int, order func(a, b uint32) int) {
	for n > 0 && n < len(rows) {
		pivot := rows[len(rows)/2]
		i, j := 0, len(rows)-1
		for i <= j {
			for order(rows[i], pivot) < 0 {
				i++
			}
			for order(rows[j], pivot) > 0 {
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
