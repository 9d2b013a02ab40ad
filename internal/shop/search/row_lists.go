package search

import "slices"

// bitmapLen is the length of a list of rows that is a bitmap: blockLen bits, 16 in each element. A word that at least
// bitmapLen rows of a block have is stored as a bitmap, so a bitmap is never longer than the list would be.
const bitmapLen = blockLen / 16

// rowLists are the lists of the rows of one block that have a word, or a code, by the number of the word. Rows are
// numbered from the start of the block.
type rowLists struct {
	// ends has, for each word, the lower 16 bits of the end of its list in rows. The list starts where the list of the
	// previous word ends.
	ends []uint16
	// carries are the numbers of the words at whose ends the upper bits are greater by one than before.
	carries []uint32
	// rows concatenates the lists. A list of bitmapLen elements is a bitmap, a shorter one has ascending rows.
	rows []uint16
}

// start returns where the list of the word with this number starts, or where the last list ends.
func (l *rowLists) start(word int) uint32 {
	if word == 0 {
		return 0
	}
	upper, _ := slices.BinarySearch(l.carries, uint32(word))
	return uint32(upper)<<16 | uint32(l.ends[word-1])
}

// addRows adds the rows of the words in [from, to) to found.
func (l *rowLists) addRows(from, to int, found *rowBits) {
	if from >= to {
		return
	}

	next := l.start(from)
	for word := from; word < to; word++ {
		length := l.ends[word] - uint16(next)
		list := l.rows[next : next+uint32(length)]
		next += uint32(length)

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
	start = l.start(len(l.ends))
	end := start + min(rows, bitmapLen)
	if start>>16 != end>>16 {
		l.carries = append(l.carries, uint32(len(l.ends)))
	}
	l.ends = append(l.ends, uint16(end))
	return start
}

// fill allocates the lists, when all have been added.
func (l *rowLists) fill() {
	l.ends = slices.Clip(l.ends)
	l.rows = make([]uint16, l.start(len(l.ends)))
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

func (l *rowLists) bytes() int { return 2*cap(l.ends) + 4*cap(l.carries) + 2*cap(l.rows) }
