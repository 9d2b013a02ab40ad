package search

import (
	"encoding/binary"
	"slices"
)

// idRange is a half-open range of word ids.
type idRange struct{ from, to uint32 }

// The parts of a product's text that are indexed apart: its name with the names of its variants, and its description.
const (
	inName = iota
	inDescription
	textParts
)

// wordIndex is an inverted index of one block: it lists the distinct words of the rows' texts and the rows that have
// each of them, for both parts of the texts.
type wordIndex struct {
	parts [textParts]struct {
		ids []uint32 // of words, sorted
		rowLists
	}
	// stale marks the rows whose texts have changed since the block was indexed. Their words are in fresh, sorted
	// unless unsorted is set.
	stale      rowBits
	staleCount int
	fresh      [textParts][]wordRow
	unsorted   bool
}

// wordRow is a word of a row.
type wordRow struct {
	word uint32
	row  uint16
}

func compareWordRows(a, b wordRow) int {
	if a.word != b.word {
		if a.word < b.word {
			return -1
		}
		return 1
	}
	return int(a.row) - int(b.row)
}

// put replaces the words of a row. Queries find them after the next call of searchColumns.indexWords.
func (w *wordIndex) put(row uint32, words *[textParts][]uint32) {
	again := w.stale.has(row)
	if !again {
		w.stale.set(row)
		w.staleCount++
	}

	for part, list := range words {
		if again {
			w.fresh[part] = slices.DeleteFunc(w.fresh[part], func(p wordRow) bool { return p.row == uint16(row) })
		}
		for _, word := range list {
			w.fresh[part] = append(w.fresh[part], wordRow{word, uint16(row)})
		}
	}
	w.unsorted = true
}

// sortFresh makes the words of the stale rows ready for queries.
func (w *wordIndex) sortFresh() {
	for _, fresh := range w.fresh {
		slices.SortFunc(fresh, compareWordRows)
	}
	w.unsorted = false
}

// find sets the rows that have a word of the range in a part of their texts. It returns false if there are none.
func (w *wordIndex) find(part int, words idRange, found *rowBits) bool {
	p := &w.parts[part]
	from, _ := slices.BinarySearch(p.ids, words.from)
	to := from
	for to < len(p.ids) && p.ids[to] < words.to {
		to++
	}

	isFound := from < to
	if w.staleCount == 0 {
		p.addRows(from, to, found)
		return isFound
	}

	if isFound {
		var old rowBits
		p.addRows(from, to, &old)
		for i := range old {
			found[i] |= old[i] &^ w.stale[i]
		}
	}

	fresh := w.fresh[part]
	at, _ := slices.BinarySearchFunc(fresh, wordRow{word: words.from}, compareWordRows)
	for ; at < len(fresh) && fresh[at].word < words.to; at++ {
		found.set(uint32(fresh[at].row))
		isFound = true
	}
	return isFound
}

// countedBlocks is the number of blocks that frequency looks at.
const countedBlocks = 64

// frequency estimates how many products have a word in their names, from a sample of the blocks. It leaves out what has
// changed since they were indexed.
func frequency(blocks []wordIndex, word uint32) (n int) {
	step := max(1, len(blocks)/countedBlocks)
	for i := 0; i < len(blocks); i += step {
		p := &blocks[i].parts[inName]
		if at, found := slices.BinarySearch(p.ids, word); found {
			n += int(p.ends[at] - uint16(p.start(at)))
		}
	}
	return n
}

func (w *wordIndex) bytes() int {
	n := 0
	for part := range w.parts {
		p := &w.parts[part]
		n += 4*cap(p.ids) + p.rowLists.bytes() + 8*cap(w.fresh[part])
	}
	return n
}

// wordIndexer indexes blocks. Its buffers are used for one block after the other.
type wordIndexer struct {
	// counts has the number of rows by word id, of the words of the current part. Afterwards it has where the next row
	// of a word goes.
	counts []uint32
	next   []uint32
	ids    []uint32
	pairs  []wordRow
}

func newWordIndexer(words int) *wordIndexer {
	return &wordIndexer{counts: make([]uint32, words), next: make([]uint32, words)}
}

// add adds a word of a row of the current part. A row must not have it already.
func (x *wordIndexer) add(word uint32, row uint16) {
	if x.counts[word] == 0 {
		x.ids = append(x.ids, word)
	}
	x.counts[word]++
	x.pairs = append(x.pairs, wordRow{word, row})
}

// build writes the index of a part of the words that were added, and forgets them. The rows of each word must have been
// added in ascending order.
func (x *wordIndexer) build(w *wordIndex, part int) {
	slices.Sort(x.ids)
	p := &w.parts[part]
	p.ids = slices.Clone(x.ids)
	p.rowLists = rowLists{ends: make([]uint16, 0, len(x.ids))}
	for _, word := range x.ids {
		x.next[word] = p.addList(x.counts[word])
	}

	p.fill()
	for _, pair := range x.pairs {
		x.next[pair.word] = p.put(x.next[pair.word], x.counts[pair.word], pair.row)
	}

	for _, word := range x.ids {
		x.counts[word] = 0
	}
	x.ids = x.ids[:0]
	x.pairs = x.pairs[:0]
	w.fresh[part] = nil
}

// reindex indexes a block again, with the words of its stale rows.
func (x *wordIndexer) reindex(w *wordIndex) {
	var list []wordRow
	for part := range w.parts {
		p := &w.parts[part]
		list = list[:0]
		for i, word := range p.ids {
			var rows rowBits
			p.addRows(i, i+1, &rows)
			for n := range rows {
				rows[n] &^= w.stale[n]
			}
			for row := range rows.rows {
				list = append(list, wordRow{word, uint16(row)})
			}
		}

		list = append(list, w.fresh[part]...)
		slices.SortFunc(list, compareWordRows)
		for _, pair := range list {
			x.add(pair.word, pair.row)
		}
		x.build(w, part)
	}

	w.stale = rowBits{}
	w.staleCount = 0
	w.unsorted = false
}

// indexWords indexes the words of the blocks with more than maxStale stale rows, and makes those of the others ready.
func (c *productTexts) indexWords(maxStale int) {
	var x *wordIndexer
	for block := range c.words {
		switch w := &c.words[block]; {
		case w.staleCount > maxStale:
			if x == nil {
				x = newWordIndexer(c.vocabulary.len())
			}
			x.reindex(w)
		case w.unsorted:
			w.sortFresh()
		}
	}
}

// buildWords are the words of the rows while columns are built, before rows and words have their final order. Words
// that came first have the lowest ids, and are the most frequent ones, so numbers are written with a varying length.
type buildWords struct {
	list   []byte
	starts []int // in list, by row
}

func (b *buildWords) put(row uint32, words *[textParts][]uint32) {
	for len(b.starts) <= int(row) {
		b.starts = append(b.starts, 0)
	}
	b.starts[row] = len(b.list)
	for _, list := range words {
		b.list = binary.AppendUvarint(b.list, uint64(len(list)))
		for _, word := range list {
			b.list = binary.AppendUvarint(b.list, uint64(word))
		}
	}
}

// read writes the words of a row to words.
func (b *buildWords) read(row uint32, words *[textParts][]uint32) {
	list := b.list[b.starts[row]:]
	next := func() uint32 {
		n, size := binary.Uvarint(list)
		list = list[size:]
		return uint32(n)
	}
	for part := range words {
		words[part] = words[part][:0]
		for range next() {
			words[part] = append(words[part], next())
		}
	}
}

func (b *buildWords) bytes() int { return cap(b.list) + 8*cap(b.starts) }
