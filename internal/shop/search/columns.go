package search

import (
	"bytes"
	"cmp"
	"slices"
	"sync"

	"vitrine/internal/shop/catalog"
)

// columns is what a store's products can be found by, each property in a column of its own: products are rows, and variants are rows of
// a second table, those of one product side by side. Archived ones are not in it. A build leaves the rows of one category together, since
// most questions are about one; what is added later follows.
//
// Queries may run at the same time, changes may not: a shelf guards it.
type columns struct {
	versions versions // the state of the database that they show

	// One element a product.
	keys           []int64
	created        []int64
	textStarts     []uint32 // where its text begins
	firstVariants  []uint32 // its first variant, or none
	categories     setColumn
	features       []*setColumn
	productOptions setColumn // the option values that any of its variants carries
	// deleted marks the rows of products that are not there any more.
	deleted      []bool
	deletedCount int
	// rowsByKey is the rows in the order of their keys, but for those that came out of that order: late has them.
	rowsByKey  []uint32
	outOfOrder map[int64]uint32
	blocks     []blockInfo

	// text is the words of all products: of the name, then nameEnd, then the others, then textEnd.
	text []byte

	// One element a variant.
	prices         []int64
	flags          []uint8
	variantOptions setColumn

	tree       categoryTree
	attributes map[int64]*attribute // all of the store, by key
	columnOf   map[int64]*setColumn // which column has the values of a feature
	shared     []*setColumn         // those of the features which few products have
	values     valueTable
	// combinationCodes finds the set of option values by its digest.
	combinationCodes map[string]uint32
	// waste is how many variants and bytes of text nobody points at any more.
	unusedVariants, unusedText int
	// rowPool has lists of rows that a query is done with: for all of a million they are long.
	rowPool sync.Pool
	scratch struct {
		members, ids []uint32
		columns      []*setColumn
	}
}

// blockInfo is what is known of blockLen rows together.
type blockInfo struct {
	// minCategory and most are the numbers of sets of categories between which those of its rows lie.
	minCategory, maxCategory uint32
	// scattered says that the variants of its rows do not stand one after the other.
	scattered bool
}

// setColumn has one set a row.
type setColumn struct {
	codeColumn
	*sets
	// totals counts, by set, the rows of products that are there; a column of variants has none.
	totals []int64
}

// addTotal adds to the total of a set.
func (c *setColumn) addTotal(code uint32, n int64) {
	for len(c.totals) <= int(code) {
		c.totals = append(c.totals, 0)
	}
	c.totals[code] += n
}

// total returns that of a set.
func (c *setColumn) total(code uint32) int64 {
	if int(code) < len(c.totals) {
		return c.totals[code]
	}
	return 0
}

// setMembers gives a row another set.
func (c *setColumn) setMembers(row uint32, members []uint32) {
	code := c.codeOf(members)
	c.addTotal(c.at(row), -1)
	c.addTotal(code, 1)
	c.set(row, code)
}

func (c *setColumn) bytes() int { return c.codeColumn.bytes() + c.sets.bytes() + 8*cap(c.totals) }

// The flags of a variant.
const (
	flagInStock        uint8 = 1
	flagLastVariant    uint8 = 1 << flagLastVariantBit // of its product
	flagLastVariantBit       = 1
)

const (
	noIndex          = ^uint32(0)
	nameEnd     byte = 1 // below all that names consist of, so that a name sorts before those that go on
	textEnd     byte = '\n'
	variantSize      = 8 + 1
)

func newColumns() *columns {
	return &columns{
		categories: setColumn{sets: newSets()}, productOptions: setColumn{sets: newSets()}, variantOptions: setColumn{sets: newSets()},
		tree: newCategoryTree(), attributes: map[int64]*attribute{}, columnOf: map[int64]*setColumn{}, values: newValueTable(),
		combinationCodes: map[string]uint32{"": 0}, outOfOrder: map[int64]uint32{},
	}
}

// productRow is one row on its way into the columns.
type productRow struct {
	key, created int64
	name, words  string // words begins with name
	categories   []int64
	features     []featureValue
	variants     []variantRow
}

// featureValue is a value of an attribute.
type featureValue struct{ attribute, value int64 }

// variantRow is a live variant; combination is the digest of its option values.
type variantRow struct {
	key, price  int64
	inStock     bool
	combination string
}

// rowCount is how many there are, those of products that are gone included.
func (c *columns) rowCount() int { return len(c.keys) }

// liveCount is how many products there are.
func (c *columns) liveCount() int { return len(c.keys) - c.deletedCount }

// findRow finds a product.
func (c *columns) findRow(key int64) (uint32, bool) {
	if row, ok := c.outOfOrder[key]; ok {
		return row, true
	}
	at, ok := slices.BinarySearchFunc(c.rowsByKey, key, func(row uint32, key int64) int { return cmp.Compare(c.keys[row], key) })
	if !ok {
		return 0, false
	}
	return c.rowsByKey[at], true
}

// put adds a product or replaces what was known of it. The values and combinations that it names must be known.
func (c *columns) put(p *productRow) {
	row, known := c.findRow(p.key)
	if !known {
		row = c.appendRow(p.key)
	} else if c.deleted[row] {
		c.setLive(row, 1)
	}
	c.created[row] = p.created
	c.putText(row, p)
	c.putVariants(row, p.variants)
	c.scratch.members = c.scratch.members[:0]
	for _, key := range p.categories {
		if n, ok := c.tree.ids[key]; ok {
			c.scratch.members = append(c.scratch.members, n)
		}
	}
	c.categories.setMembers(row, c.scratch.members)
	c.extendBlock(row)
	c.putFeatures(row, p.features)
}

// extendBlock makes the row's block know of its set of categories.
func (c *columns) extendBlock(row uint32) {
	b, code := &c.blocks[row/blockLen], c.categories.at(row)
	b.minCategory, b.maxCategory = min(b.minCategory, code), max(b.maxCategory, code)
}

func (c *columns) putFeatures(row uint32, list []featureValue) {
	at, ids := c.scratch.columns[:0], c.scratch.ids[:0]
	for _, v := range list {
		at, ids = append(at, c.columnOf[v.attribute]), append(ids, c.values.ids[v.value])
	}
	for _, f := range c.features {
		members := c.scratch.members[:0]
		for i := range at {
			if at[i] == f {
				members = append(members, ids[i])
			}
		}
		f.setMembers(row, members)
		c.scratch.members = members
	}
	c.scratch.columns, c.scratch.ids = at, ids
}

// appendRow makes room for a product that is not known.
func (c *columns) appendRow(key int64) uint32 {
	row := uint32(len(c.keys))
	if last := len(c.rowsByKey) - 1; last >= 0 && c.keys[c.rowsByKey[last]] > key {
		c.outOfOrder[key] = row
	} else {
		c.rowsByKey = append(c.rowsByKey, row)
	}
	if row%blockLen == 0 {
		c.blocks = append(c.blocks, blockInfo{minCategory: noIndex})
	}
	c.keys = append(c.keys, key)
	c.created = append(c.created, 0)
	c.textStarts = append(c.textStarts, noIndex)
	c.firstVariants = append(c.firstVariants, noIndex)
	c.deleted = append(c.deleted, true)
	c.deletedCount++
	c.categories.add(0)
	c.productOptions.add(0)
	for _, f := range c.features {
		f.add(0)
	}
	c.setLive(row, 1)
	return row
}

// remove forgets a product, if it is known.
func (c *columns) remove(key int64) {
	if row, ok := c.findRow(key); ok && !c.deleted[row] {
		c.setLive(row, -1)
	}
}

// setLive lets a row count from now on, or with -1 count no more.
func (c *columns) setLive(row uint32, n int64) {
	c.deleted[row] = n < 0
	c.deletedCount -= int(n)
	c.categories.addTotal(c.categories.at(row), n)
	c.productOptions.addTotal(c.productOptions.at(row), n)
	for _, f := range c.features {
		f.addTotal(f.at(row), n)
	}
}

func (c *columns) putText(row uint32, p *productRow) {
	if at := c.textStarts[row]; at != noIndex {
		old := c.textOf(row)
		name, rest, _ := bytes.Cut(old, []byte{nameEnd})
		if string(name) == p.name && string(rest) == p.words[len(p.name):] {
			return
		}
		c.unusedText += len(old) + 1
	}
	c.textStarts[row] = uint32(len(c.text))
	c.text = append(c.text, p.name...)
	c.text = append(c.text, nameEnd)
	c.text = append(c.text, p.words[len(p.name):]...)
	c.text = append(c.text, textEnd)
}

// textOf is the words of a product, up to the end.
func (c *columns) textOf(row uint32) []byte {
	from := c.text[c.textStarts[row]:]
	return from[:bytes.IndexByte(from, textEnd)]
}

// nameOf is the words of a product's name.
func (c *columns) nameOf(row uint32) []byte {
	from := c.text[c.textStarts[row]:]
	return from[:bytes.IndexByte(from, nameEnd)]
}

// variantsOf returns the first variant of a product and the one behind the last.
func (c *columns) variantsOf(row uint32) (from, to uint32) {
	from = c.firstVariants[row]
	if from == noIndex {
		return 0, 0
	}
	for to = from; c.flags[to]&flagLastVariant == 0; to++ {
	}
	return from, to + 1
}

func (c *columns) putVariants(row uint32, list []variantRow) {
	from, to := c.variantsOf(row)
	if int(to-from) != len(list) {
		c.unusedVariants += int(to - from)
		from = uint32(len(c.prices))
		for range list {
			c.prices = append(c.prices, 0)
			c.flags = append(c.flags, 0)
			c.variantOptions.add(0)
		}
	}
	if c.firstVariants[row] = from; len(list) == 0 {
		c.firstVariants[row] = noIndex
	}
	members := c.scratch.members[:0]
	for i, v := range list {
		at := from + uint32(i)
		c.prices[at] = v.price
		c.flags[at] = 0
		if v.inStock {
			c.flags[at] |= flagInStock
		}
		if i == len(list)-1 {
			c.flags[at] |= flagLastVariant
		}
		code := c.combinationCodes[v.combination]
		c.variantOptions.set(at, code)
		members = append(members, c.variantOptions.of(code)...)
	}
	c.productOptions.setMembers(row, members)
	c.scratch.members = members
	if !c.variantsContiguous(row) || (row+1 < uint32(c.rowCount()) && !c.variantsContiguous(row+1)) {
		c.blocks[row/blockLen].scattered = true
	}
}

// variantsContiguous reports whether the variants of a row stand right behind those of the row before it in its block.
func (c *columns) variantsContiguous(row uint32) bool {
	if row%blockLen == 0 || c.firstVariants[row] == noIndex {
		return c.firstVariants[row] != noIndex
	}
	_, end := c.variantsOf(row - 1)
	return c.firstVariants[row-1] != noIndex && c.firstVariants[row] == end
}

// lowestPrice is that of a product's variants; ok is false without any.
func (c *columns) lowestPrice(row uint32) (least int64, ok bool) {
	from, to := c.variantsOf(row)
	for i := from; i < to; i++ {
		if i == from || c.prices[i] < least {
			least = c.prices[i]
		}
	}
	return least, from < to
}

// needsRebuild reports that the columns had better be built anew: much of them is unused, or rows are out of order.
func (c *columns) needsRebuild() bool {
	const slack = 10_000
	unused, all := 0, 0
	for _, f := range append([]*setColumn{&c.categories, &c.productOptions}, c.features...) {
		all += f.sets.len()
		for _, n := range f.totals {
			if n == 0 {
				unused++
			}
		}
	}
	return 4*c.deletedCount > c.rowCount()+slack || 2*c.unusedVariants > len(c.prices)+slack || 2*c.unusedText > len(c.text)+64*slack ||
		2*unused > all+slack || len(c.outOfOrder) > slack
}

// size is what the columns take in memory, in bytes: filters for everything but words, and the words.
func (c *columns) size() (filters, words int) {
	filters = 8*cap(c.keys) + 8*cap(c.created) + 4*cap(c.firstVariants) + 4*cap(c.rowsByKey) + 12*cap(c.blocks) + cap(c.deleted) + c.categories.bytes() + c.productOptions.bytes()
	for _, f := range c.features {
		filters += f.bytes()
	}
	filters += 8*cap(c.prices) + cap(c.flags) + c.variantOptions.bytes() + 60*len(c.combinationCodes) + 40*len(c.outOfOrder)
	filters += c.values.bytes() + c.tree.bytes() + 150*len(c.attributes)
	return filters, cap(c.text) + 4*cap(c.textStarts)
}

// valueTable are those of features and options that products carry.
type valueTable struct {
	memberIDs
	byID []valueInfo // by number
}

// valueInfo is what is told of a value. missing says that it was deleted: it stays in the sets, and counts no more.
type valueInfo struct {
	attribute int64
	id        catalog.ValueID
	name      string
	number    float64
	deleted   bool
}

func newValueTable() valueTable { return valueTable{memberIDs: newMemberIDs()} }

func (v *valueTable) bytes() int {
	const row = 8 + 16 + 16 + 8 + 8
	n := v.memberIDs.bytes() + row*cap(v.byID)
	for i := range v.byID {
		n += len(v.byID[i].name)
	}
	return n
}

// mask tells of each value whether it is one of those.
func (v *valueTable) mask(list []namedValue) []bool {
	selected := make([]bool, len(v.keys))
	for _, named := range list {
		if id, ok := v.ids[named.key]; ok {
			selected[id] = true
		}
	}
	return selected
}

// rangeMask tells of each value whether it is one of a range feature's, within the bounds of a choice.
func (v *valueTable) rangeMask(c selection) []bool {
	selected := make([]bool, len(v.keys))
	for id := range selected {
		known := &v.byID[id]
		selected[id] = known.attribute == c.key && !known.deleted && c.bounds.contain(known.number)
	}
	return selected
}
