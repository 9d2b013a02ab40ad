package search

import "math/bits"

// rowBits has one bit for each row of a block.
type rowBits [blockLen / 64]uint64

func (b *rowBits) set(row uint32) { b[row/64] |= 1 << (row % 64) }

func (b *rowBits) clear(row uint32) { b[row/64] &^= 1 << (row % 64) }

// put sets or clears the bit of a row.
func (b *rowBits) put(row uint32, set bool) {
	if b.clear(row); set {
		b.set(row)
	}
}

func (b *rowBits) has(row uint32) bool { return b[row/64]>>(row%64)&1 != 0 }

// rows yields the rows in ascending order.
func (b *rowBits) rows(yield func(row uint32) bool) {
	for i, left := range b {
		for ; left != 0; left &= left - 1 {
			if !yield(uint32(64*i + bits.TrailingZeros64(left))) {
				return
			}
		}
	}
}

// appendRows appends the rows to a list. The first row of the block is given.
func (b *rowBits) appendRows(list []uint32, first uint32) []uint32 {
	for i, left := range b {
		for ; left != 0; left &= left - 1 {
			list = append(list, first+uint32(64*i+bits.TrailingZeros64(left)))
		}
	}
	return list
}

// isSparse reports whether so few bits are set that it is faster to visit these rows than all rows of the block, whose
// number is given.
func (b *rowBits) isSparse(rows uint32) bool {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return 16*n < int(rows)
}

// intersect clears the bits that are not set in other. It reports whether any bit is left.
func (b *rowBits) intersect(other *rowBits) bool {
	left := uint64(0)
	for i := range b {
		b[i] &= other[i]
		left |= b[i]
	}
	return left != 0
}

// setFirst sets the bits of the first n rows and clears the others.
func (b *rowBits) setFirst(n uint32) {
	*b = rowBits{}
	for i := range n / 64 {
		b[i] = ^uint64(0)
	}
	if n%64 != 0 {
		b[n/64] = 1<<(n%64) - 1
	}
}
