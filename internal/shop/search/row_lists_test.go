package search

import (
	"math/rand/v2"
	"testing"
)

// Lists are found whose ends have more than 16 bits, short ones, empty ones and bitmaps among them.
func TestRowLists_findsTheRowsOfEachWord(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	want := make([]rowBits, 3000)
	for word := range want {
		most := []int{1, 3, bitmapLen, 3 * bitmapLen}[r.IntN(4)]
		for range r.IntN(most + 1) {
			want[word].set(r.Uint32N(blockLen))
		}
	}

	var lists rowLists
	next := make([]uint32, len(want))
	for word := range want {
		next[word] = lists.addList(uint32(want[word].count()))
	}
	lists.fill()
	for word := range want {
		for row := range want[word].rows {
			next[word] = lists.put(next[word], uint32(want[word].count()), uint16(row))
		}
	}
	if len(lists.carries) < 2 {
		t.Fatalf("the lists have %d elements; the test needs more", len(lists.rows))
	}

	for from := range want {
		to := min(len(want), from+r.IntN(5))
		var found, all rowBits
		lists.addRows(from, to, &found)
		for word := from; word < to; word++ {
			all.add(&want[word])
		}
		if found != all {
			t.Fatalf("the rows of the words [%d, %d) are wrong", from, to)
		}
	}
}
