package catalog

import (
	"iter"

	"vitrine/internal/shop/catalog/internal/write"
)

// List is a list of any length, which need not fit in memory. All yields its elements, or an error and then no more
// elements. All may be called more than once and yields the same elements each time. All may be nil if Len is 0.
type List[T any] struct {
	Len int
	All iter.Seq2[T, error]
}

// ListOf returns a list of elements in memory.
func ListOf[T any](elements ...T) List[T] {
	return List[T]{len(elements), func(yield func(T, error) bool) {
		for _, v := range elements {
			if !yield(v, nil) {
				return
			}
		}
	}}
}

// NewValues returns a list of new values with these names.
func NewValues(names ...string) List[ValueEdit] {
	edits := make([]ValueEdit, len(names))
	for i, name := range names {
		edits[i].Name = name
	}
	return ListOf(edits...)
}

// chunks yields the elements in slices of at most ChunkSize. A slice is valid until the next one is yielded.
func (l List[T]) chunks() iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		if l.Len == 0 {
			return
		}

		chunk := make([]T, 0, min(l.Len, write.ChunkSize))
		for v, err := range l.All {
			if err != nil {
				yield(nil, err)
				return
			}

			if chunk = append(chunk, v); len(chunk) < write.ChunkSize {
				continue
			}
			if !yield(chunk, nil) {
				return
			}

			chunk = chunk[:0]
		}

		if len(chunk) > 0 {
			yield(chunk, nil)
		}
	}
}
