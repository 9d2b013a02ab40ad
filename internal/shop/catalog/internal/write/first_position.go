package write

import "slices"

// firstPositions records where each item of a list occurs first.
type firstPositions[T comparable] struct {
	few  []T
	many map[T]int
}

// maxLinearSearch is the list length up to which a linear search is faster than a map.
const maxLinearSearch = 16

func NewFirstPositions[T comparable](n int) *firstPositions[T] {
	if n > maxLinearSearch {
		return &firstPositions[T]{many: make(map[T]int, n)}
	}
	return &firstPositions[T]{few: make([]T, 0, n)}
}

// Add records item i of the list. It returns the position of an earlier equal item, and whether there is one. Items are
// added in order, from 0 on.
func (f *firstPositions[T]) Add(item T, i int) (was int, twice bool) {
	if f.many == nil {
		was = slices.Index(f.few, item)
		f.few = append(f.few, item)
		return was, was >= 0
	}
	was, twice = f.many[item]
	if !twice {
		f.many[item] = i
	}
	return was, twice
}
