package search

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"slices"
)

const (
	// bitmapLen is the length of a list of rows that is a bitmap: blockLen bits, 16 in each element. A word that at
	// least bitmapLen rows of a block have is stored as a bitmap, so a bitmap is never longer than the list would be.
	bitmapLen = blockLen / 16
	// maxStaleRows is the number of stale rows of a block from which on a refresh indexes the block again. That takes
	// two milliseconds, and each stale row costs a query a tenth of a microsecond per word.
	maxStaleRows = 128
)

// blockWords is an inverted index of one block: it lists the distinct words of the rows' texts, sorted, and the rows
// that have each of them. The words with a common prefix are adjacent. Rows are numbered from the start of the block.
type blockWords struct {
	// starts has, for each word, the offset in searchColumns.text of one of its occurrences. That text may have become
	// unused since, but it is kept until the columns are clustered, which indexes all blocks again.
	starts []uint32
	// ends has, for each word, the end of its list in rows. The list starts where the list of the previous word ends.
	ends []uint32
	// rows concatenates the lists. A list of bitmapLen elements is a bitmap, a shorter one has ascending rows.
	rows []uint16
	// stale marks the rows whose texts have changed since the block was indexed. Their texts are searched instead.
	stale      rowBits
	staleCount int
}

func (w *blockWords) markStale(row uint32) {
	if !w.stale.has(row) {
		w.stale.set(row)
		w.staleCount++
	}
}

func (w *blockWords) bytes() int { return 4*cap(w.starts) + 4*cap(w.ends) + 2*cap(w.rows) }

// list returns the rows of the word with this number.
func (w *blockWords) list(word int) []uint16 {
	from := uint32(0)
	if word > 0 {
		from = w.ends[word-1]
	}
	return w.rows[from:w.ends[word]]
}

// addRows adds the rows of the words in [from, to) to found.
func (w *blockWords) addRows(from, to int, found *rowBits) {
	for word := from; word < to; word++ {
		list := w.list(word)
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

// wordRange returns the words in the block that start with prefix, as the half-open range of their numbers.
func (c *searchColumns) wordRange(w *blockWords, prefix []byte) (from, to int) {
	// The bytes after a word, a space, nameEnd or textEnd, are less than all bytes of words. So a word that is shorter
	// than the prefix compares like the text from its start.
	compare := func(start uint32, prefix []byte) int {
		return bytes.Compare(c.text[start:min(int(start)+len(prefix), len(c.text))], prefix)
	}
	from, _ = slices.BinarySearchFunc(w.starts, prefix, compare)
	// Most prefixes have few words. So to is searched at exponentially growing distances.
	step := 1
	for to = from; to < len(w.starts) && compare(w.starts[to], prefix) == 0; step *= 2 {
		to = min(to+step, len(w.starts))
	}
	n, _ := slices.BinarySearchFunc(w.starts[from:to], prefix, func(start uint32, prefix []byte) int {
		return cmp.Or(compare(start, prefix), -1)
	})
	return from, from + n
}

// findWord sets the rows of the block that have a word with this prefix. needle is the prefix after a space.
func (c *searchColumns) findWord(block uint32, needle []byte, found *rowBits) {
	w := &c.words[block]
	*found = rowBits{}
	from, to := c.wordRange(w, needle[1:])
	w.addRows(from, to, found)

	if w.staleCount == 0 {
		return
	}

	for i, stale := range w.stale {
		found[i] &^= stale
		for ; stale != 0; stale &= stale - 1 {
			row := uint32(i*64 + bits.TrailingZeros64(stale))
			if bytes.Contains(c.textOf(block*blockLen+row), needle) {
				found.set(row)
			}
		}
	}
}

// indexWords indexes the words of the blocks with more than maxStale stale rows.
func (c *searchColumns) indexWords(maxStale int) {
	var x *wordIndexer
	for block := range c.words {
		if c.words[block].staleCount > maxStale {
			if x == nil {
				x = newWordIndexer(c)
			}
			c.words[block] = x.index(uint32(block))
		}
	}
}

// wordIndexer indexes blocks. Its buffers are used for one block after the other.
type wordIndexer struct {
	c     *searchColumns
	seed  maphash.Seed
	table []uint32 // hash table of the numbers of words, plus one
	words []indexedWord
	// pairs has the number of a word and a row that has it, in the order of the rows.
	pairs []wordRow
	order []uint32 // the numbers of the words, sorted by word
}

// indexedWord is a distinct word of a block.
type indexedWord struct {
	prefix     uint64 // the first eight bytes
	hash       uint64
	start, end uint32 // of an occurrence in searchColumns.text
	count      uint32 // of rows
	lastRow    uint32 // the last row that has the word
	next       uint32 // where the next row is stored
}

type wordRow struct {
	word uint32
	row  uint16
}

func newWordIndexer(c *searchColumns) *wordIndexer {
	return &wordIndexer{c: c, seed: maphash.MakeSeed(), table: make([]uint32, 1<<10)}
}

// index returns the index of a block.
func (x *wordIndexer) index(block uint32) blockWords {
	x.words, x.pairs = x.words[:0], x.pairs[:0]
	clear(x.table)
	from := block * blockLen
	for row := from; row < min(from+blockLen, uint32(x.c.rowCount())); row++ {
		x.addText(row-from, x.c.textStarts[row])
	}
	x.sortWords()
	return x.build()
}

// addText adds the words of the text that starts at this offset.
func (x *wordIndexer) addText(row, at uint32) {
	text := x.c.text
	for text[at] != textEnd {
		if text[at] <= ' ' { // a space or nameEnd
			at++
			continue
		}

		start := at
		for text[at] > ' ' {
			at++
		}

		w := x.wordAt(start, at)
		if known := &x.words[w]; known.count == 0 || known.lastRow != row {
			known.lastRow = row
			known.count++
			x.pairs = append(x.pairs, wordRow{w, uint16(row)})
		}
	}
}

// wordAt returns the number of the word at [start, end) of the text and adds it if it is new.
func (x *wordIndexer) wordAt(start, end uint32) uint32 {
	word := x.c.text[start:end]
	hash := maphash.Bytes(x.seed, word)
	slot := hash & uint64(len(x.table)-1)
	for ; x.table[slot] != 0; slot = (slot + 1) & uint64(len(x.table)-1) {
		n := x.table[slot] - 1
		if w := &x.words[n]; w.hash == hash && bytes.Equal(x.c.text[w.start:w.end], word) {
			return n
		}
	}

	var prefix [8]byte
	copy(prefix[:], word)
	x.words = append(x.words, indexedWord{
		prefix: binary.BigEndian.Uint64(prefix[:]), hash: hash, start: start, end: end,
	})
	x.table[slot] = uint32(len(x.words))
	if 2*len(x.words) > len(x.table) {
		x.growTable()
	}

	return uint32(len(x.words) - 1)
}

func (x *wordIndexer) growTable() {
	x.table = make([]uint32, 2*len(x.table))
	for n := range x.words {
		slot := x.words[n].hash & uint64(len(x.table)-1)
		for x.table[slot] != 0 {
			slot = (slot + 1) & uint64(len(x.table)-1)
		}
		x.table[slot] = uint32(n + 1)
	}
}

func (x *wordIndexer) sortWords() {
	x.order = x.order[:0]
	for n := range x.words {
		x.order = append(x.order, uint32(n))
	}
	slices.SortFunc(x.order, func(a, b uint32) int {
		u, v := &x.words[a], &x.words[b]
		if u.prefix != v.prefix {
			return cmp.Compare(u.prefix, v.prefix)
		}
		return bytes.Compare(x.c.text[u.start:u.end], x.c.text[v.start:v.end])
	})
}

// build lays out the lists in the order of the words and fills them.
func (x *wordIndexer) build() blockWords {
	w := blockWords{starts: make([]uint32, len(x.order)), ends: make([]uint32, len(x.order))}
	size := uint32(0)
	for i, n := range x.order {
		known := &x.words[n]
		w.starts[i] = known.start
		known.next = size
		size += min(known.count, bitmapLen)
		w.ends[i] = size
	}

	w.rows = make([]uint16, size)
	for _, p := range x.pairs {
		known := &x.words[p.word]
		if known.count >= bitmapLen {
			w.rows[known.next+uint32(p.row)/16] |= 1 << (p.row % 16)
			continue
		}
		w.rows[known.next] = p.row
		known.next++
	}

	return w
}
