package catalog

import "slices"

// firsts tells where in a list a thing stood first.
type firsts[T comparable] struct {
	few  []T
	many map[T]int
}

// fewThings is up to where looking through a list is quicker than a map of it.
const fewThings = 16

func newFirsts[T comparable](n int) *firsts[T] {
	if n > fewThings {
		return &firsts[T]{many: make(map[T]int, n)}
	}
	return &firsts[T]{few: make([]T, 0, n)}
}

// at notes the thing at i, which counts on, and reports where it stood before, if it did.
func (f *firsts[T]) at(thing T, i int) (was int, twice bool) {
	if f.many == nil {
		was = slices.Index(f.few, thing)
		f.few = append(f.few, thing)
		return was, was >= 0
	}
	was, twice = f.many[thing]
	if !twice {
		f.many[thing] = i
	}
	return was, twice
}
