package catalog

import (
	"errors"
	"testing"

	"vitrine/internal/shop/catalog/internal/write"
)

func TestList_yieldsChunksUntilTheEndOrAnError(t *testing.T) {
	failure := errors.New("the body ended")
	for _, c := range []struct{ length, failAfter, want int }{
		{0, 0, 0},
		{1, 1, 1},
		{write.ChunkSize, write.ChunkSize, write.ChunkSize},
		{2*write.ChunkSize + 1, 2*write.ChunkSize + 1, 2*write.ChunkSize + 1},
		{2*write.ChunkSize + 1, write.ChunkSize + 1, write.ChunkSize}, // the chunk with the error is not yielded
	} {
		list := List[int]{Len: c.length, All: func(yield func(int, error) bool) {
			for i := range c.failAfter {
				if !yield(i, nil) {
					return
				}
			}
			if c.failAfter < c.length {
				yield(0, failure)
			}
		}}
		for range 2 { // a list can be read again
			n := 0
			failed := false
			for chunk, err := range list.chunks() {
				failed = failed || errors.Is(err, failure)
				for _, v := range chunk {
					if v != n {
						t.Errorf("%+v: element %d is %d", c, n, v)
					}
					n++
				}
			}

			if n != c.want || failed != (c.failAfter < c.length) {
				t.Errorf("%+v: %d elements were yielded, with an error: %v", c, n, failed)
			}
		}
	}
}
