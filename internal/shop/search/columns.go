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
	at versions // the state of the database that they show

	// One element a product.
	keys     []int64
	created  []int64
	texts    []uint32 // where its text begins
	variants []uint32 // its first variant, or none
	category column
	features []*column
	bundle   column // the option values that any of its variants carries
	// gone marks the rows of products that are not there any more.
	gone      []bool
	goneCount int
	// byKey is the rows in the order of their keys, but for those that came out of that order: late has them.
	byKey  []uint32
	late   map[int64]uint32
	blocks []block

	// text is the words of all products: of the name, then nameEnd, then the others, then textEnd.
	text []byte

	// One element a variant.
	prices []int64
	flags  []uint8
	combos column

	tree       tree
	attributes map[int64]*attribute // all of the store, by key
	columnOf   map[int64]*column    // which column has the values of a feature
	shared     []*column            // those of the features which few products have
	values     values
	// combination finds the set of option values by its digest.
	combination map[string]uint32
	// waste is how many variants and bytes of text nobody points at any more.
	wasteVariants, wasteText int
	// spare has lists of rows that a query is done with: for all of a million they are long.
	spare   sync.Pool
	scratch struct {
		members, numbers []uint32
		columns          []*column
	}
}

// block is what is known of blockLen rows together.
type block struct {
	// least and most are the numbers of sets of categories between which those of its rows lie.
	least, most uint32
	// scattered says that the variants of its rows do not stand one after the other.
	scattered bool
}

// column has one set a row.
type column struct {
	codes
	*sets
	// totals counts, by set, the rows of products that are there; a column of variants has none.
	totals []int64
}

// count adds to the total of a set.
func (c *column) count(code uint32, n int64) {
	for len(c.totals) <= int(code) {
		c.totals = append(c.totals, 0)
	}
	c.totals[code] += n
}

// total returns that of a set.
func (c *column) total(code uint32) int64 {
	if int(code) < len(c.totals) {
		return c.totals[code]
	}
	return 0
}

// change gives a row another set.
func (c *column) change(row uint32, members []uint32) {
	code := c.number(members)
	c.count(c.at(row), -1)
	c.count(code, 1)
	c.set(row, code)
}

func (c *column) bytes() int { return c.codes.bytes() + c.sets.bytes() + 8*cap(c.totals) }

// The flags of a variant.
const (
	inStock        uint8 = 1
	lastVariant    uint8 = 1 << lastVariantBit // of its product
	lastVariantBit       = 1
)

const (
	none             = ^uint32(0)
	nameEnd     byte = 1 // below all that names consist of, so that a name sorts before those that go on
	textEnd     byte = '\n'
	variantSize      = 8 + 1
)

func newColumns() *columns {
	return &columns{
		category: column{sets: newSets()}, bundle: column{sets: newSets()}, combos: column{sets: newSets()},
		tree: newTree(), attributes: map[int64]*attribute{}, columnOf: map[int64]*column{}, values: newValues(),
		combination: map[string]uint32{"": 0}, late: map[int64]uint32{},
	}
}

// product is one row on its way into the columns.
type product struct {
	key, created int64
	name, words  string // words begins with name
	categories   []int64
	features     []carried
	variants     []variant
}

// carried is a value of an attribute.
type carried struct{ attribute, value int64 }

// variant is a live variant; combination is the digest of its option values.
type variant struct {
	key, price  int64
	inStock     bool
	combination string
}

// rows is how many there are, those of products that are gone included.
func (c *columns) rows() int { return len(c.keys) }

// live is how many products there are.
func (c *columns) live() int { return len(c.keys) - c.goneCount }

// row finds a product.
func (c *columns) row(key int64) (uint32, bool) {
	if row, ok := c.late[key]; ok {
		return row, true
	}
	at, ok := slices.BinarySearchFunc(c.byKey, key, func(row uint32, key int64) int { return cmp.Compare(c.keys[row], key) })
	if !ok {
		return 0, false
	}
	return c.byKey[at], true
}

// put adds a product or replaces what was known of it. The values and combinations that it names must be known.
func (c *columns) put(p *product) {
	row, known := c.row(p.key)
	if !known {
		row = c.appendRow(p.key)
	} else if c.gone[row] {
		c.come(row, 1)
	}
	c.created[row] = p.created
	c.putText(row, p)
	c.putVariants(row, p.variants)
	c.scratch.members = c.scratch.members[:0]
	for _, key := range p.categories {
		if n, ok := c.tree.index[key]; ok {
			c.scratch.members = append(c.scratch.members, n)
		}
	}
	c.category.change(row, c.scratch.members)
	c.widen(row)
	c.putFeatures(row, p.features)
}

// widen makes the row's block know of its set of categories.
func (c *columns) widen(row uint32) {
	b, code := &c.blocks[row/blockLen], c.category.at(row)
	b.least, b.most = min(b.least, code), max(b.most, code)
}

func (c *columns) putFeatures(row uint32, list []carried) {
	at, numbers := c.scratch.columns[:0], c.scratch.numbers[:0]
	for _, v := range list {
		at, numbers = append(at, c.columnOf[v.attribute]), append(numbers, c.values.index[v.value])
	}
	for _, f := range c.features {
		members := c.scratch.members[:0]
		for i := range at {
			if at[i] == f {
				members = append(members, numbers[i])
			}
		}
		f.change(row, members)
		c.scratch.members = members
	}
	c.scratch.columns, c.scratch.numbers = at, numbers
}

// appendRow makes room for a product that is not known.
func (c *columns) appendRow(key int64) uint32 {
	row := uint32(len(c.keys))
	if last := len(c.byKey) - 1; last >= 0 && c.keys[c.byKey[last]] > key {
		c.late[key] = row
	} else {
		c.byKey = append(c.byKey, row)
	}
	if row%blockLen == 0 {
		c.blocks = append(c.blocks, block{least: none})
	}
	c.keys = append(c.keys, key)
	c.created = append(c.created, 0)
	c.texts = append(c.texts, none)
	c.variants = append(c.variants, none)
	c.gone = append(c.gone, true)
	c.goneCount++
	c.category.add(0)
	c.bundle.add(0)
	for _, f := range c.features {
		f.add(0)
	}
	c.come(row, 1)
	return row
}

// remove forgets a product, if it is known.
func (c *columns) remove(key int64) {
	if row, ok := c.row(key); ok && !c.gone[row] {
		c.come(row, -1)
	}
}

// come lets a row count from now on, or with -1 count no more.
func (c *columns) come(row uint32, n int64) {
	c.gone[row] = n < 0
	c.goneCount -= int(n)
	c.category.count(c.category.at(row), n)
	c.bundle.count(c.bundle.at(row), n)
	for _, f := range c.features {
		f.count(f.at(row), n)
	}
}

func (c *columns) putText(row uint32, p *product) {
	if at := c.texts[row]; at != none {
		old := c.textOf(row)
		name, rest, _ := bytes.Cut(old, []byte{nameEnd})
		if string(name) == p.name && string(rest) == p.words[len(p.name):] {
			return
		}
		c.wasteText += len(old) + 1
	}
	c.texts[row] = uint32(len(c.text))
	c.text = append(c.text, p.name...)
	c.text = append(c.text, nameEnd)
	c.text = append(c.text, p.words[len(p.name):]...)
	c.text = append(c.text, textEnd)
}

// textOf is the words of a product, up to the end.
func (c *columns) textOf(row uint32) []byte {
	from := c.text[c.texts[row]:]
	return from[:bytes.IndexByte(from, textEnd)]
}

// nameOf is the words of a product's name.
func (c *columns) nameOf(row uint32) []byte {
	from := c.text[c.texts[row]:]
	return from[:bytes.IndexByte(from, nameEnd)]
}

// variantsOf returns the first variant of a product and the one behind the last.
func (c *columns) variantsOf(row uint32) (from, to uint32) {
	from = c.variants[row]
	if from == none {
		return 0, 0
	}
	for to = from; c.flags[to]&lastVariant == 0; to++ {
	}
	return from, to + 1
}

func (c *columns) putVariants(row uint32, list []variant) {
	from, to := c.variantsOf(row)
	if int(to-from) != len(list) {
		c.wasteVariants += int(to - from)
		from = uint32(len(c.prices))
		for range list {
			c.prices = append(c.prices, 0)
			c.flags = append(c.flags, 0)
			c.combos.add(0)
		}
	}
	if c.variants[row] = from; len(list) == 0 {
		c.variants[row] = none
	}
	carried := c.scratch.members[:0]
	for i, v := range list {
		at := from + uint32(i)
		c.prices[at] = v.price
		c.flags[at] = 0
		if v.inStock {
			c.flags[at] |= inStock
		}
		if i == len(list)-1 {
			c.flags[at] |= lastVariant
		}
		combo := c.combination[v.combination]
		c.combos.set(at, combo)
		carried = append(carried, c.combos.of(combo)...)
	}
	c.bundle.change(row, carried)
	c.scratch.members = carried
	if !c.follows(row) || (row+1 < uint32(c.rows()) && !c.follows(row+1)) {
		c.blocks[row/blockLen].scattered = true
	}
}

// follows reports whether the variants of a row stand right behind those of the row before it in its block.
func (c *columns) follows(row uint32) bool {
	if row%blockLen == 0 || c.variants[row] == none {
		return c.variants[row] != none
	}
	_, end := c.variantsOf(row - 1)
	return c.variants[row-1] != none && c.variants[row] == end
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

// wasteful reports that the columns had better be built anew: much of them is unused, or rows are out of order.
func (c *columns) wasteful() bool {
	const slack = 10_000
	unused, all := 0, 0
	for _, f := range append([]*column{&c.category, &c.bundle}, c.features...) {
		all += f.sets.len()
		for _, n := range f.totals {
			if n == 0 {
				unused++
			}
		}
	}
	return 4*c.goneCount > c.rows()+slack || 2*c.wasteVariants > len(c.prices)+slack || 2*c.wasteText > len(c.text)+64*slack ||
		2*unused > all+slack || len(c.late) > slack
}

// size is what the columns take in memory, in bytes: filters for everything but words, and the words.
func (c *columns) size() (filters, words int) {
	filters = 8*cap(c.keys) + 8*cap(c.created) + 4*cap(c.variants) + 4*cap(c.byKey) + 12*cap(c.blocks) + cap(c.gone) + c.category.bytes() + c.bundle.bytes()
	for _, f := range c.features {
		filters += f.bytes()
	}
	filters += 8*cap(c.prices) + cap(c.flags) + c.combos.bytes() + 60*len(c.combination) + 40*len(c.late)
	filters += c.values.bytes() + c.tree.bytes() + 150*len(c.attributes)
	return filters, cap(c.text) + 4*cap(c.texts)
}

// values are those of features and options that products carry.
type values struct {
	vocabulary
	known []value // by number
}

// value is what is told of a value. missing says that it was deleted: it stays in the sets, and counts no more.
type value struct {
	attribute int64
	id        catalog.ValueID
	name      string
	number    float64
	missing   bool
}

func newValues() values { return values{vocabulary: newVocabulary()} }

func (v *values) bytes() int {
	const row = 8 + 16 + 16 + 8 + 8
	n := v.vocabulary.bytes() + row*cap(v.known)
	for i := range v.known {
		n += len(v.known[i].name)
	}
	return n
}

// named tells of each value whether it is one of those.
func (v *values) named(list []namedValue) []bool {
	asked := make([]bool, len(v.keys))
	for _, value := range list {
		if n, ok := v.index[value.key]; ok {
			asked[n] = true
		}
	}
	return asked
}

// within tells of each value whether it is one of a range feature's, within the bounds of a choice.
func (v *values) within(c choice) []bool {
	asked := make([]bool, len(v.keys))
	for n := range asked {
		known := &v.known[n]
		asked[n] = known.attribute == c.key && !known.missing && c.bounds.holds(known.number)
	}
	return asked
}
