package search

import "slices"

// bitmapLen is the length of a list of rows that is a bitmap: blockLen bits, 16 in each element. A word that at least
// bitmapLen rows of a block have is stored as a bitmap, so a bitmap is never longer than the list would be.
const bitmapLen = blockLen / 16

// rowLists are the lists of the rows of one block that have a word, or a code, by the number of the word. Rows are
// numbered from the start of the block.
type rowLists struct {
	// ends has, for each word, the end of its list in rows. The list starts where the list of the previous word ends.
	ends []uint32
	// rows concatenates the lists. A list of bitmapLen elements is a bitmap, a shorter one has ascending rows.
	rows []uint16
}

// list returns the rows of the word with this number.
func (l *rowLists) list(word int) []uint16 {
	from := uint32(0)
	if word > 0 {
		from = l.ends[word-1]
	}
	return l.rows[from:l.ends[word]]
}

// addRows adds the rows of the words in [from, to) to found.
func (l *rowLists) addRows(from, to int, found *rowBits) {
	for word := from; word < to; word++ {
		list := l.list(word)
		if len(list) < bitmapLen {
			for _, row := range list {
				found.set(uint32(row))
			}
			continue
		}
		for i := range found {
			part := list[4*i : 4*i+4]
			found[i] |= uint64(part[0]) | uint64(part[1])<<16 | uint64(part[2])<<32 | uint64(part[3])<<48
		}
	}
}

// addList makes room for the list of the next word, which so many rows have, and returns where it starts.
func (l *rowLists) addList(rows uint32) (start uint32) {
	if len(l.ends) > 0 {
		start = l.ends[len(l.ends)-1]
	}
	l.ends = append(l.ends, start+min(rows, bitmapLen))
	return start
}

// fill allocates the lists, when all have been added.
func (l *rowLists) fill() {
	l.ends = slices.Clip(l.ends)
	if n := len(l.ends); n > 0 {
		l.rows = make([]uint16, l.ends[n-1])
	}
}

// put adds a row to a list of a word that so many rows have, at next, and returns where the following row goes.
func (l *rowLists) put(next, rows uint32, row uint16) uint32 {
	if rows >= bitmapLen {
		l.rows[next+uint32(row)/16] |= 1 << (row % 16)
		return next
	}
	l.rows[next] = row
	return next + 1
}

func (l *rowLists) bytes() int { return 4*cap(l.ends) + 2*cap(l.rows) }
