package search

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"slices"
	"strings"
)

const (
	// maxStaleRows is the number of stale rows of a block from which on a refresh indexes the block again. That takes
	// two milliseconds, and each stale row costs a query a tenth of a microsecond per word.
	maxStaleRows = 128
)

// codeIndex is an inverted index of one block: it lists the distinct codes of the rows, sorted, and the rows that have
// each of them. The codes with a common prefix are adjacent. Rows are numbered from the start of the block. A code is
// an SKU, a barcode, an external id, or a part of an SKU behind its first one; see language.Code.
type codeIndex struct {
	// starts has, for each code, the offset in searchColumns.text of one of its occurrences. That text may have become
	// unused since, but it is kept until the columns are clustered, which indexes all blocks again.
	starts []uint32
	rowLists
	// stale marks the rows whose texts have changed since the block was indexed. Their texts are searched instead.
	stale      rowBits
	staleCount int
}

func (w *codeIndex) markStale(row uint32) {
	if !w.stale.has(row) {
		w.stale.set(row)
		w.staleCount++
	}
}

func (w *codeIndex) bytes() int { return 4*cap(w.starts) + w.rowLists.bytes() }

// codesWithPrefix returns the codes in the block that start with prefix, as the half-open range of their numbers.
func (c *productTexts) codesWithPrefix(w *codeIndex, prefix []byte) (from, to int) {
	// The bytes after a code, a space, partStart or textEnd, are less than all bytes of codes. So a code that is
	// shorter than the prefix compares like the text from its start.
	compare := func(start uint32, prefix []byte) int {
		return bytes.Compare(c.text[start:min(int(start)+len(prefix), len(c.text))], prefix)
	}
	from, _ = slices.BinarySearchFunc(w.starts, prefix, compare)
	// Most prefixes have few codes. So to is searched at exponentially growing distances.
	step := 1
	for to = from; to < len(w.starts) && compare(w.starts[to], prefix) == 0; step *= 2 {
		to = min(to+step, len(w.starts))
	}
	n, _ := slices.BinarySearchFunc(w.starts[from:to], prefix, func(start uint32, prefix []byte) int {
		return cmp.Or(compare(start, prefix), -1)
	})
	return from, from + n
}

// findCode sets the rows of the block that have the code, or with isPrefix those with a code that begins with it. It
// returns false if there are none.
func (c *productTexts) findCode(block uint32, code string, isPrefix bool, found *rowBits) bool {
	w := &c.codes[block]
	*found = rowBits{}
	from, to := c.codesWithPrefix(w, []byte(code))
	if from < to && !isPrefix { // the code itself is the first one that begins with it
		to = from
		if end := int(w.starts[from]) + len(code); c.text[end] <= ' ' {
			to++
		}
	}
	w.addRows(from, to, found)

	if w.staleCount == 0 {
		return from < to
	}

	isFound := from < to
	for i, stale := range w.stale {
		found[i] &^= stale
		for ; stale != 0; stale &= stale - 1 {
			row := uint32(i*64 + bits.TrailingZeros64(stale))
			if c.hasCode(block*blockLen+row, code, isPrefix, anyCode) {
				found.set(row)
				isFound = true
			}
		}
	}
	return isFound
}

// anyCode and wholeCode say which codes of a row hasCode looks at: also the parts of SKUs, or not.
const (
	anyCode   = false
	wholeCode = true
)

// hasCode reports whether a row has the code, or with isPrefix one that begins with it.
func (c *productTexts) hasCode(row uint32, code string, isPrefix, onlyWhole bool) bool {
	codes := c.codesOf(row)
	for at := 0; at < len(codes); {
		start := at + 1
		end := start
		for end < len(codes) && codes[end] > ' ' {
			end++
		}

		have := string(codes[start:end])
		fits := have == code || isPrefix && strings.HasPrefix(have, code)
		if fits && (codes[at] == ' ' || !onlyWhole) {
			return true
		}
		at = end
	}
	return false
}

// indexCodes indexes the codes of the blocks with more than maxStale stale rows.
func (c *productTexts) indexCodes(maxStale int) {
	var x *codeIndexer
	for block := range c.codes {
		if c.codes[block].staleCount > maxStale {
			if x == nil {
				x = newCodeIndexer(c)
			}
			c.codes[block] = x.index(uint32(block))
		}
	}
}

// codeIndexer indexes blocks. Its buffers are used for one block after the other.
type codeIndexer struct {
	c     *productTexts
	seed  maphash.Seed
	table []uint32 // hash table of the numbers of codes, plus one
	codes []indexedCode
	// pairs has the number of a code and a row that has it, in the order of the rows.
	pairs []codeRow
	order []uint32 // the numbers of the codes, sorted by code
}

// indexedCode is a distinct code of a block.
type indexedCode struct {
	prefix     uint64 // the first eight bytes
	hash       uint64
	start, end uint32 // of an occurrence in searchColumns.text
	count      uint32 // of rows
	lastRow    uint32 // the last row that has the code
	next       uint32 // where the next row is stored
}

type codeRow struct {
	code uint32
	row  uint16
}

func newCodeIndexer(c *productTexts) *codeIndexer {
	return &codeIndexer{c: c, seed: maphash.MakeSeed(), table: make([]uint32, 1<<10)}
}

// index returns the index of a block.
func (x *codeIndexer) index(block uint32) codeIndex {
	x.codes, x.pairs = x.codes[:0], x.pairs[:0]
	clear(x.table)
	from := block * blockLen
	for row := from; row < min(from+blockLen, uint32(len(x.c.textStarts))); row++ {
		x.addCodes(row-from, x.c.textStarts[row])
	}
	x.sortCodes()
	return x.build()
}

// addCodes adds the codes of the text that starts at this offset.
func (x *codeIndexer) addCodes(row, at uint32) {
	text := x.c.text
	for text[at] != nameEnd {
		at++
	}
	for at++; text[at] != textEnd; {
		if text[at] <= ' ' { // a space or partStart
			at++
			continue
		}

		start := at
		for text[at] > ' ' {
			at++
		}

		w := x.codeAt(start, at)
		if known := &x.codes[w]; known.count == 0 || known.lastRow != row {
			known.lastRow = row
			known.count++
			x.pairs = append(x.pairs, codeRow{w, uint16(row)})
		}
	}
}

// codeAt returns the number of the code at [start, end) of the text and adds it if it is new.
func (x *codeIndexer) codeAt(start, end uint32) uint32 {
	code := x.c.text[start:end]
	hash := maphash.Bytes(x.seed, code)
	slot := hash & uint64(len(x.table)-1)
	for ; x.table[slot] != 0; slot = (slot + 1) & uint64(len(x.table)-1) {
		n := x.table[slot] - 1
		if w := &x.codes[n]; w.hash == hash && bytes.Equal(x.c.text[w.start:w.end], code) {
			return n
		}
	}

	var prefix [8]byte
	copy(prefix[:], code)
	x.codes = append(x.codes, indexedCode{
		prefix: binary.BigEndian.Uint64(prefix[:]), hash: hash, start: start, end: end,
	})
	x.table[slot] = uint32(len(x.codes))
	if 2*len(x.codes) > len(x.table) {
		x.growTable()
	}

	return uint32(len(x.codes) - 1)
}

func (x *codeIndexer) growTable() {
	x.table = make([]uint32, 2*len(x.table))
	for n := range x.codes {
		slot := x.codes[n].hash & uint64(len(x.table)-1)
		for x.table[slot] != 0 {
			slot = (slot + 1) & uint64(len(x.table)-1)
		}
		x.table[slot] = uint32(n + 1)
	}
}

func (x *codeIndexer) sortCodes() {
	x.order = x.order[:0]
	for n := range x.codes {
		x.order = append(x.order, uint32(n))
	}
	slices.SortFunc(x.order, func(a, b uint32) int {
		u, v := &x.codes[a], &x.codes[b]
		if u.prefix != v.prefix {
			return cmp.Compare(u.prefix, v.prefix)
		}
		return bytes.Compare(x.c.text[u.start:u.end], x.c.text[v.start:v.end])
	})
}

// build lays out the lists in the order of the codes and fills them.
func (x *codeIndexer) build() codeIndex {
	w := codeIndex{starts: make([]uint32, len(x.order))}
	for i, n := range x.order {
		known := &x.codes[n]
		w.starts[i] = known.start
		known.next = w.addList(known.count)
	}

	w.fill()
	for _, p := range x.pairs {
		known := &x.codes[p.code]
		known.next = w.put(known.next, known.count, p.row)
	}

	return w
}
