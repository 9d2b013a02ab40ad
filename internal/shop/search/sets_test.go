package search

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestCodeColumn_widensForLargeCodesAndKeepsTheOthers(t *testing.T) {
	var c codeColumn
	var want []uint32
	for _, code := range []uint32{0, 1, math.MaxUint8, math.MaxUint8 + 1, 7, math.MaxUint16, math.MaxUint16 + 1,
		math.MaxUint32} {
		c.add(code)
		want = append(want, code)
		for row, code := range want {
			if got := c.at(uint32(row)); got != code {
				t.Fatalf("after %d rows, row %d is %d, want %d", len(want), row, got, code)
			}
		}
	}

	c = codeColumn{}
	for range 3 {
		c.add(5)
	}

	c.set(1, math.MaxUint16+5)
	if c.at(0) != 5 || c.at(1) != math.MaxUint16+5 || c.at(2) != 5 || len(c.wide) != 3 {
		t.Errorf("after a wide code in the middle: %+v", c)
	}
}

func TestSets_giveEqualSetsOneCode(t *testing.T) {
	s := newSets()
	if s.codeOf(nil) != 0 {
		t.Error("the code of the empty set is not 0")
	}

	a := s.codeOf([]uint32{3, 1, 2})
	if b := s.codeOf([]uint32{2, 3, 1, 1}); a != b {
		t.Errorf("equal sets have codes %d and %d", a, b)
	}
	if b := s.codeOf([]uint32{1, 2}); a == b {
		t.Error("different sets have one code")
	}

	// This entry simulates another set with the same hash.
	s.lookup[hashSetMembers([]uint32{9})] = a
	nine := s.codeOf([]uint32{9})
	if nine == a || s.codeOf([]uint32{9}) != nine || !slices.Equal(s.of(nine), []uint32{9}) ||
		!slices.Equal(s.of(a), []uint32{1, 2, 3}) {
		t.Errorf("after a hash collision set %d is %v", nine, s.of(nine))
	}
}

func TestSelectRange_equalsSorting(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for i, n := range []int{1, 2, 10, 3000, 5000, 1500, 3000} {
		value := make([]int, n)
		rows := make([]uint32, n)
		for i := range rows {
			value[i], rows[i] = r.IntN(n), uint32(i)
		}

		order := rowOrder{
			rank:    func(row uint32) int64 { return int64(value[row] / 10) },
			compare: func(a, b uint32) int { return cmp.Or(value[a]-value[b], int(a)-int(b)) },
		}
		if i >= 5 {
			order.least = func(row uint32) int64 { return int64(value[row]/10) - int64(row%3) }
		}
		want := slices.Clone(rows)
		slices.SortFunc(want, order.compareRows)
		for _, from := range []int{0, 1, n / 2, n - 1} {
			for _, to := range []int{from + 1, from + 50, n} {
				if to > n || from >= n || from < 0 {
					continue
				}
				shuffled := slices.Clone(rows)
				r.Shuffle(n, func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
				if got := selectRange(shuffled, from, to, order); !slices.Equal(got, want[from:to]) {
					t.Errorf("%d rows, [%d, %d) differ", n, from, to)
				}
			}
		}
	}
}
