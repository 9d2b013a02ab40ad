package search

import (
	"cmp"
	"maps"
	"slices"

	"vitrine/internal/kit/language"
	"vitrine/internal/shop/store"
)

// columnsHeader is the first section of a file.
type columnsHeader struct {
	database store.DatabaseID
	store    store.ID
	state    State
	memory   int64 // bytes that the columns take in memory
	written  int64 // when the file was written, in microseconds
}

func (h *columnsHeader) transfer(f *fieldCodec) {
	f.bytes16((*[16]byte)(&h.database))
	f.bytes16((*[16]byte)(&h.store))
	for _, field := range []*int64{&h.state.products, &h.state.categories, &h.state.attributes, &h.state.changedAt,
		&h.state.categoriesStamp, &h.state.attributesStamp, &h.state.search, &h.state.searchStamp, &h.memory,
		&h.written} {
		f.int64(field)
	}
}

// columnsSection is a section of a file. The function transfer writes the fields of the columns, or reads them, in the
// same order: see fieldCodec.
type columnsSection struct {
	tag      string // of four bytes
	transfer func(f *fieldCodec, c *searchColumns)
}

const (
	headerTag = "head"
	endTag    = "end."
)

// columnsSections lists the sections between the header and the end. What only refresh needs, such as sets.lookup, is
// not written: it is derived from the rest when it is first used. Neither is what summarize computes.
func columnsSections() []columnsSection {
	return []columnsSection{
		{"prod", func(f *fieldCodec, c *searchColumns) {
			transferList(f, &c.keys)
			transferList(f, &c.created)
			transferList(f, &c.popularity)
			transferList(f, &c.textStarts)
			transferList(f, &c.firstVariants)
			transferList(f, &c.deleted)
			transferList(f, &c.rowsByKey)
			transferMap(f, &c.outOfOrder, f.int64, f.uint32)
			f.int(&c.deletedCount)
		}},
		{"cats", func(f *fieldCodec, c *searchColumns) { c.categories.transfer(f) }},
		{"popt", func(f *fieldCodec, c *searchColumns) { c.productOptions.transfer(f) }},
		{"sopt", func(f *fieldCodec, c *searchColumns) { c.stockedOptions.transfer(f) }},
		{"feat", transferFeatures},
		{"vari", func(f *fieldCodec, c *searchColumns) {
			transferList(f, &c.base.prices)
			transferList(f, &c.flags)
			c.variantOptions.transfer(f)
			f.int(&c.unusedVariants)
		}},
		{"comb", func(f *fieldCodec, c *searchColumns) { c.combinations.transfer(f) }},
		{"text", func(f *fieldCodec, c *searchColumns) {
			transferList(f, &c.text)
			f.int(&c.unusedText)
		}},

		{"code", func(f *fieldCodec, c *searchColumns) {
			transferRecords(f, &c.codes, func(w *codeIndex) {
				transferList(f, &w.starts)
				w.rowLists.transfer(f)
				f.int(&w.staleCount)
				w.stale.transfer(f)
			})
		}},
		{"dict", func(f *fieldCodec, c *searchColumns) { c.vocabulary.transfer(f, &c.locale) }},
		{"name", func(f *fieldCodec, c *searchColumns) {
			transferList(f, &c.nameWords)
			transferList(f, &c.nameStarts)
			f.int(&c.unusedWords)
			c.valueWords.transfer(f)
			c.categoryWords.transfer(f)
		}},
		{"word", func(f *fieldCodec, c *searchColumns) {
			transferRecords(f, &c.words, func(w *wordIndex) { w.transfer(f) })
		}},
		{"tree", func(f *fieldCodec, c *searchColumns) {
			c.tree.memberIDs.transfer(f)
			transferRecords(f, &c.tree.nodes, func(n *categoryNode) {
				f.bytes16((*[16]byte)(&n.id))
				f.text(&n.name)
				f.text((*string)(&n.slug))
				f.uint32(&n.parent)
				f.bool(&n.deleted)
			})
		}},
		{"attr", transferAttributes},
		{"vals", func(f *fieldCodec, c *searchColumns) {
			c.values.memberIDs.transfer(f)
			transferRecords(f, &c.values.byID, func(v *valueInfo) {
				f.int64(&v.attribute)
				f.bytes16((*[16]byte)(&v.id))
				f.text(&v.name)
				f.float64(&v.number)
				f.int64(&v.position)
				f.bool(&v.deleted)
			})
		}},
	}
}

func (c *setColumn) transfer(f *fieldCodec) {
	f.int(&c.width)
	transferList(f, &c.narrow)
	transferList(f, &c.middle)
	transferList(f, &c.wide)
	if f.reads() {
		c.sets = &sets{}
	}
	transferList(f, &c.members)
	transferList(f, &c.starts)
	transferList(f, &c.totals)
}

// transferFeatures transfers the columns of features. The shared columns are the last of them.
func transferFeatures(f *fieldCodec, c *searchColumns) {
	transferRecords(f, &c.features, func(column **setColumn) {
		if f.reads() {
			*column = &setColumn{}
		}
		(*column).transfer(f)
	})
	shared := len(c.shared)
	f.int(&shared)
	columns := map[int64]uint32{} // positions in features, by feature

	for key, column := range c.columnOf {
		columns[key] = uint32(slices.Index(c.features, column))
	}

	transferMap(f, &columns, f.int64, f.uint32)
	transferRecords(f, &c.textFeatures, func(column **setColumn) {
		if f.reads() {
			*column = &setColumn{}
		}
		(*column).transfer(f)
	})
	if !f.reads() || f.err != nil {
		return
	}

	if shared > len(c.features) {
		f.fail("%d of %d columns are shared", shared, len(c.features))
		return
	}

	c.shared = c.features[len(c.features)-shared:]

	for key, at := range columns {
		if int(at) >= len(c.features) {
			f.fail("a feature has column %d of %d", at, len(c.features))
			return
		}
		c.columnOf[key] = c.features[at]
	}
}

func transferAttributes(f *fieldCodec, c *searchColumns) {
	list := slices.SortedFunc(maps.Values(c.attributes), func(a, b *attribute) int { return cmp.Compare(a.key, b.key) })

	transferRecords(f, &list, func(one **attribute) {
		if f.reads() {
			*one = &attribute{}
		}

		a := *one
		f.int64(&a.key)
		f.bytes16((*[16]byte)(&a.id))
		f.text((*string)(&a.kind))
		f.text(&a.name)
		f.bool(&a.filterable)
		f.text((*string)(&a.fieldType))
		f.int64(&a.version)
	})

	if f.reads() {
		for _, a := range list {
			c.attributes[a.key] = a
		}
	}
}

// transfer transfers the keys and ids. Keys that were forgotten have no id.
func (v *memberIDs) transfer(f *fieldCodec) {
	transferList(f, &v.keys)
	var forgotten []bool
	if !f.reads() {
		forgotten = make([]bool, len(v.keys))
		for i, key := range v.keys {
			id, ok := v.ids[key]
			forgotten[i] = !ok || id != uint32(i)
		}
	}

	transferList(f, &forgotten)
	if !f.reads() || f.err != nil {
		return
	}

	if len(forgotten) != len(v.keys) {
		f.fail("%d keys, %d of them with a flag", len(v.keys), len(forgotten))
		return
	}

	v.ids = make(map[int64]uint32, len(v.keys))
	for i, key := range v.keys {
		if !forgotten[i] {
			v.ids[key] = uint32(i)
		}
	}
}

// check returns an error if the lengths of columns that were read do not fit together.
func (c *searchColumns) check() error {
	products := []int{len(c.created), len(c.popularity), len(c.textStarts), len(c.nameStarts), len(c.firstVariants),
		len(c.deleted), c.categories.rows(), c.productOptions.rows(), c.stockedOptions.rows(),
		len(c.rowsByKey) + len(c.outOfOrder)}
	for _, column := range c.setColumns() {
		products = append(products, column.rows())
	}

	for i, n := range products {
		if n != len(c.keys) {
			return columnsFileError("column %d has %d of %d products", i, n, len(c.keys))
		}
	}

	if len(c.flags) != len(c.base.prices) || c.variantOptions.rows() != len(c.base.prices) {
		return columnsFileError("the columns of variants have different lengths")
	}

	blocks := (len(c.keys) + blockLen - 1) / blockLen
	if len(c.words) != blocks || len(c.codes) != blocks || len(c.tree.nodes) != len(c.tree.keys) ||
		len(c.values.byID) != len(c.values.keys) || len(c.shared) == 0 || len(c.textFeatures) == 0 {
		return columnsFileError("a table has the wrong length")
	}

	return nil
}

func (l *rowLists) transfer(f *fieldCodec) {
	transferList(f, &l.ends)
	transferList(f, &l.carries)
	transferList(f, &l.rows)
}

func (b *rowBits) transfer(f *fieldCodec) {
	for i := range b {
		bits := int64(b[i])
		if f.int64(&bits); f.reads() {
			b[i] = uint64(bits)
		}
	}
}

// transfer transfers the index of a block. The words of stale rows are in it.
func (w *wordIndex) transfer(f *fieldCodec) {
	for part := range w.parts {
		p := &w.parts[part]
		transferList(f, &p.ids)
		p.rowLists.transfer(f)
		transferRecords(f, &w.fresh[part], func(pair *wordRow) {
			row := uint32(pair.row)
			f.uint32(&pair.word)
			if f.uint32(&row); f.reads() {
				pair.row = uint16(row)
			}
		})
	}
	f.int(&w.staleCount)
	w.stale.transfer(f)
}

func (m *memberWords) transfer(f *fieldCodec) {
	transferList(f, &m.pairs)
	f.int(&m.indexed)
}

// transfer transfers the words with their stems and sounds, which take long to compute, and the language of the stems.
func (v *vocabulary) transfer(f *fieldCodec, locale *string) {
	f.text(locale)
	transferRecords(f, &v.added, f.text)
	if f.reads() {
		v.stemmer = language.StemmerFor(*locale)
		v.base = &lexicon{}
	}

	x := v.base
	transferWords(f, &x.words)
	transferWords(f, &x.keys)
	transferList(f, &x.keyEnds)
	transferList(f, &x.keyWords)
	transferRecords(f, &x.sounds, func(w *soundWord) {
		f.uint32((*uint32)(&w.sound))
		f.uint32(&w.word)
	})

	if f.reads() {
		for i, word := range v.added {
			v.ids[word] = uint32(x.words.Len() + i)
		}
	}
}

// transferWords transfers a dictionary.
func transferWords(f *fieldCodec, words **language.Dictionary) {
	n := 0
	if !f.reads() {
		n = (*words).Len()
	}
	f.int(&n)

	last := ""
	each := func(yield func(string) bool) {
		for i := 0; i < n && f.err == nil; i++ {
			word := ""
			if !f.reads() {
				word = (*words).At(i)
			}
			f.text(&word)
			if f.err != nil {
				return
			}
			if i > 0 && word <= last {
				f.fail("the words of the dictionary are not in order")
				return
			}
			last = word
			if !yield(word) {
				return
			}
		}
	}

	if f.reads() {
		*words = language.NewDictionary(each)
		return
	}
	for range each {
	}
}
