package search

import (
	"cmp"
	"slices"
	"sync"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/pricing"
)

// searchColumns is the in-memory index of a store's products: one array per property. A product is a row, identified by
// its position in these arrays. Variants are rows of a second table, in which the variants of one product are adjacent.
// Archived products and variants are not indexed. A build clusters the rows by category, since most queries are about
// one category, and by price; later rows are appended.
//
// Concurrent queries are safe. A change needs exclusive access; searchIndex.mu guarantees it.
type searchColumns struct {
	state State // the state of the catalogue that the columns show

	// These columns, and each setColumn among them, have one element per product.
	keys           []int64
	created        []int64
	popularity     []uint32 // see popularityOf
	firstVariants  []uint32 // index of the product's first variant, or noIndex
	categories     setColumn
	features       []*setColumn
	productOptions setColumn // the option values of all its variants
	stockedOptions setColumn // the option values of its variants in stock
	// deleted marks the rows of products that no longer exist or are archived.
	deleted []bool

	deletedCount int
	// rowsByKey lists rows by ascending key. A row that was appended out of this order is in outOfOrder, by key.
	rowsByKey  []uint32
	outOfOrder map[int64]uint32
	blocks     []blockInfo

	productTexts
	// valueWords and categoryWords find values and categories by the words of their names.
	valueWords, categoryWords memberWords
	// renamedValues are the values whose new names are not indexed yet.
	renamedValues map[uint32]bool
	// locale is the language of the store, which vocabulary stems words in.
	locale string
	textRules

	// base has the prices of the variants themselves, and chains those for readers with price lists. lists are the row
	// keys of all lists of the chains, sorted.
	base   priceColumn
	chains map[pricing.Chain]*priceColumn
	lists  []int64

	// One element per variant.
	flags          []uint8
	variantOptions setColumn

	tree       categoryTree
	attributes map[int64]*attribute // all attributes of the store, by row key
	columnOf   map[int64]*setColumn // the column that holds the values of a filterable feature, by row key
	shared     []*setColumn         // the columns that rare features share
	// textFeatures are columns with the values of features that are not filterable. Only searches for words use them.
	// A feature has the column with the number of its row key, modulo their number.
	textFeatures []*setColumn
	values       valueTable
	combinations combinationTable
	// unusedVariants counts the variants that no row refers to.
	unusedVariants int
	// unsaved counts the products that changed since the columns were written to a file.
	unsaved int
	// rowPool recycles the row lists of finished queries. For a million products a list takes 4 MB.
	rowPool sync.Pool
	// rankPool recycles the rankBuffers of finished queries.
	rankPool sync.Pool
	scratch  struct {
		members, ids []uint32
		columns      []*setColumn
	}
}

// blockInfo summarizes blockLen rows.
type blockInfo struct {
	// scattered reports that the variants of the block are not stored one after the other in the order of the rows.
	scattered bool
	// inStock has the rows with a variant in stock.
	inStock rowBits
}

// setColumn holds the code of one set per row, and the sets.
type setColumn struct {
	codeColumn
	*sets
	// totals counts the live rows by set code. A column of variants has no totals.
	totals []int64
	// blockCodes bounds the codes of each block of rows. A column of variants has none.
	blockCodes []codeRange
}

// codeRange has the least and the greatest code of the rows of a block, or of rows that were once in it.
type codeRange struct{ least, most uint32 }

// extendBlock extends the bounds of the row's block so that they include the row's code.
func (c *setColumn) extendBlock(row uint32) {
	for len(c.blockCodes) <= int(row/blockLen) {
		c.blockCodes = append(c.blockCodes, codeRange{least: noIndex})
	}
	b := &c.blockCodes[row/blockLen]
	code := c.at(row)
	b.least = min(b.least, code)
	b.most = max(b.most, code)
}

func (c *setColumn) addTotal(code uint32, n int64) {
	for len(c.totals) <= int(code) {
		c.totals = append(c.totals, 0)
	}
	c.totals[code] += n
}

func (c *setColumn) total(code uint32) int64 {
	if int(code) < len(c.totals) {
		return c.totals[code]
	}
	return 0
}

// setMembers gives a live row the set of these members and updates the totals.
func (c *setColumn) setMembers(row uint32, members []uint32) {
	code := c.codeOf(members)
	c.addTotal(c.at(row), -1)
	c.addTotal(code, 1)
	c.set(row, code)
	c.extendBlock(row)
}

func (c *setColumn) bytes() int {
	return c.codeColumn.bytes() + c.sets.bytes() + 8*cap(c.totals) + 8*cap(c.blockCodes)
}

// The flags of a variant.
const (
	flagInStock        uint8 = 1
	flagLastVariant    uint8 = 1 << flagLastVariantBit // of its product
	flagLastVariantBit       = 1
)

// noIndex is the index of what is not there.
const noIndex = ^uint32(0)

func newColumns() *searchColumns {
	return &searchColumns{
		categories:     setColumn{sets: newSets()},
		productOptions: setColumn{sets: newSets()},
		stockedOptions: setColumn{sets: newSets()},
		variantOptions: setColumn{sets: newSets()},
		attributes:     map[int64]*attribute{},
		columnOf:       map[int64]*setColumn{},
		combinations:   newCombinations(),
		outOfOrder:     map[int64]uint32{},
		productTexts:   newProductTexts(),
	}
}

type productRow struct {
	key, created int64
	popularity   uint32
	// sortName is the name as lists are sorted by it.
	sortName, name, description, externalID string
	categories                              []int64
	features                                []featureValue
	variants                                []variantRow
}

// featureValue holds the row keys of a feature and of one of its values.
type featureValue struct{ attribute, value int64 }

// variantRow is a variant as read from the database. Its price may be noPrice. listPrices are its prices for one in the
// lists of searchColumns.lists, or noPrice. combination is the digest of its option values.
type variantRow struct {
	key, price  int64
	name, sku   string
	barcodes    string // separated by |
	listPrices  []int64
	inStock     bool
	combination string
}

func (c *searchColumns) rowCount() int { return len(c.keys) }

// liveCount returns the number of rows that are not deleted.
func (c *searchColumns) liveCount() int { return len(c.keys) - c.deletedCount }

// findRow returns the row of the product with this key. The row may be deleted.
func (c *searchColumns) findRow(key int64) (uint32, bool) {
	if row, ok := c.outOfOrder[key]; ok {
		return row, true
	}
	i, ok := slices.BinarySearchFunc(c.rowsByKey, key,
		func(row uint32, key int64) int { return cmp.Compare(c.keys[row], key) })
	if !ok {
		return 0, false
	}
	return c.rowsByKey[i], true
}

// put inserts or replaces a product. loadUnknown must have loaded its values and combinations.
func (c *searchColumns) put(p *productRow) {
	row, known := c.findRow(p.key)
	if !known {
		row = c.appendRow(p.key)
	} else if c.deleted[row] {
		c.setLive(row, true)
	}

	c.created[row] = p.created
	c.popularity[row] = p.popularity
	c.putText(row, p)
	c.putWords(row, p)
	c.putVariants(row, p.variants)
	c.scratch.members = c.scratch.members[:0]

	for _, key := range p.categories {
		if id, ok := c.tree.ids[key]; ok {
			c.scratch.members = append(c.scratch.members, id)
		}
	}

	c.categories.setMembers(row, c.scratch.members)
	c.putFeatures(row, p.features)
}

func (c *searchColumns) putFeatures(row uint32, list []featureValue) {
	targets, ids := c.scratch.columns[:0], c.scratch.ids[:0]
	for _, v := range list {
		targets = append(targets, c.columnFor(v.attribute))
		ids = append(ids, c.values.ids[v.value])
	}

	for _, list := range [][]*setColumn{c.features, c.textFeatures} {
		for _, f := range list {
			members := c.scratch.members[:0]
			for i := range targets {
				if targets[i] == f {
					members = append(members, ids[i])
				}
			}
			f.setMembers(row, members)
			c.scratch.members = members
		}
	}

	c.scratch.columns, c.scratch.ids = targets, ids
}

// columnFor returns the column that holds the values of a feature, or nil if there is none.
func (c *searchColumns) columnFor(feature int64) *setColumn {
	if column := c.columnOf[feature]; column != nil || len(c.textFeatures) == 0 {
		return column
	}
	return c.textFeatures[int(feature)%len(c.textFeatures)]
}

func (c *searchColumns) appendRow(key int64) uint32 {
	row := uint32(len(c.keys))
	if last := len(c.rowsByKey) - 1; last >= 0 && c.keys[c.rowsByKey[last]] > key {
		c.outOfOrder[key] = row
	} else {
		c.rowsByKey = append(c.rowsByKey, row)
	}

	if row%blockLen == 0 {
		c.blocks = append(c.blocks, blockInfo{})
	}

	c.keys = append(c.keys, key)
	c.created = append(c.created, 0)
	c.popularity = append(c.popularity, 0)
	c.appendTextRow()
	c.firstVariants = append(c.firstVariants, noIndex)
	for _, p := range c.priceColumns() {
		p.priceSummaries.add(row)
	}
	c.deleted = append(c.deleted, true)
	c.deletedCount++

	for _, column := range c.setColumns() {
		column.add(0)
	}

	c.setLive(row, true)
	return row
}

func (c *searchColumns) remove(key int64) {
	if row, ok := c.findRow(key); ok && !c.deleted[row] {
		c.setLive(row, false)
	}
}

// setLive marks a deleted row as live, or a live row as deleted, and updates the totals.
func (c *searchColumns) setLive(row uint32, live bool) {
	n := int64(-1)
	if live {
		n = 1
	}
	c.deleted[row] = !live
	c.deletedCount -= int(n)
	for _, column := range c.setColumns() {
		column.addTotal(column.at(row), n)
	}
}

// setColumns returns the columns that have one set per product.
func (c *searchColumns) setColumns() []*setColumn {
	return slices.Concat([]*setColumn{&c.categories, &c.productOptions, &c.stockedOptions}, c.features, c.textFeatures)
}

// variantsOf returns the half-open range of a product's variants.
func (c *searchColumns) variantsOf(row uint32) (from, to uint32) {
	from = c.firstVariants[row]
	if from == noIndex {
		return 0, 0
	}
	for to = from; c.flags[to]&flagLastVariant == 0; to++ {
	}
	return from, to + 1
}

func (c *searchColumns) putVariants(row uint32, list []variantRow) {
	columns := c.priceColumns()
	from, to := c.variantsOf(row)
	if int(to-from) != len(list) {
		c.unusedVariants += int(to - from)
		from = uint32(len(c.flags))
		for _, p := range columns {
			p.prices = append(p.prices, make([]int64, len(list))...)
		}
		for range list {
			c.flags = append(c.flags, 0)
			c.variantOptions.add(0)
		}
	}

	if c.firstVariants[row] = from; len(list) == 0 {
		c.firstVariants[row] = noIndex
	}

	members, stocked := c.scratch.members[:0], c.scratch.ids[:0]
	for i, v := range list {
		at := from + uint32(i)
		for _, p := range columns {
			p.prices[at] = p.priceOf(&list[i])
		}

		c.flags[at] = 0
		if v.inStock {
			c.flags[at] |= flagInStock
		}

		if i == len(list)-1 {
			c.flags[at] |= flagLastVariant
		}

		code := c.combinations.codes()[v.combination]
		c.variantOptions.set(at, code)
		members = append(members, c.variantOptions.of(code)...)
		if v.inStock {
			stocked = append(stocked, c.variantOptions.of(code)...)
		}
	}

	c.productOptions.setMembers(row, members)
	c.stockedOptions.setMembers(row, stocked)
	c.scratch.members, c.scratch.ids = members, stocked
	c.summarizeStock(row)
	from, to = c.variantsOf(row)

	for _, p := range columns {
		p.summarizeRow(row, from, to)
		p.summarizeGroup(row / groupLen)
	}

	if !c.variantsContiguous(row) || (row+1 < uint32(c.rowCount()) && !c.variantsContiguous(row+1)) {
		c.blocks[row/blockLen].scattered = true
	}
}

// variantsContiguous reports whether the variants of a row directly follow those of the previous row in its block.
func (c *searchColumns) variantsContiguous(row uint32) bool {
	if row%blockLen == 0 || c.firstVariants[row] == noIndex {
		return c.firstVariants[row] != noIndex
	}
	_, end := c.variantsOf(row - 1)
	return c.firstVariants[row-1] != noIndex && c.firstVariants[row] == end
}

// summarizeStock updates whether a variant of the row is in stock.
func (c *searchColumns) summarizeStock(row uint32) {
	from, to := c.variantsOf(row)
	stocked := slices.ContainsFunc(c.flags[from:to], func(flags uint8) bool { return flags&flagInStock != 0 })
	c.blocks[row/blockLen].inStock.put(row%blockLen, stocked)
}

// needsRebuild reports whether so much memory is unused, or so many rows are out of order, that a rebuild pays off.
func (c *searchColumns) needsRebuild() bool {
	const slack = 10_000
	unused, all := 0, 0
	for _, f := range c.setColumns() {
		all += f.sets.len()
		for _, n := range f.totals {
			if n == 0 {
				unused++
			}
		}
	}
	return 4*c.deletedCount > c.rowCount()+slack || 2*c.unusedVariants > len(c.flags)+slack ||
		2*unused > all+slack || len(c.outOfOrder) > slack || c.hasUnusedTexts()
}

// size estimates the memory of the columns in bytes. The result words is the size of the product texts and of the
// indexes of their words and codes, the result filters that of all other columns.
func (c *searchColumns) size() (filters, words int) {
	filters = 8*cap(c.keys) + 8*cap(c.created) + 4*cap(c.popularity) + 4*cap(c.firstVariants) + 4*cap(c.rowsByKey) +
		520*cap(c.blocks) + cap(c.deleted)
	for _, column := range c.setColumns() {
		filters += column.bytes()
	}

	for _, p := range c.priceColumns() {
		filters += p.bytes()
	}

	filters += cap(c.flags) + c.variantOptions.bytes() + c.combinations.bytes() +
		40*len(c.outOfOrder)
	filters += c.values.bytes() + c.tree.bytes() + 150*len(c.attributes)
	words = c.productTexts.bytes() + c.valueWords.bytes() + c.categoryWords.bytes() + c.synonyms.bytes()
	return filters, words
}

// valueTable holds the values of features and options that products have.
type valueTable struct {
	memberIDs
	byID []valueInfo // by member id
}

// valueInfo describes a value. A deleted value remains a member of its sets but is no longer counted.
type valueInfo struct {
	attribute int64
	id        catalog.ValueID
	name      string
	number    float64
	position  int64 // values are sorted by position, then by key
	deleted   bool
}

func (v *valueTable) bytes() int {
	const row = 8 + 16 + 16 + 8 + 8 + 8
	n := v.memberIDs.bytes() + row*cap(v.byID)
	for i := range v.byID {
		n += len(v.byID[i].name)
	}
	return n
}

// mask returns a mask over all member ids that selects the listed values.
func (v *valueTable) mask(list []namedValue) []bool {
	selected := make([]bool, len(v.keys))
	for _, named := range list {
		if id, ok := v.ids[named.key]; ok {
			selected[id] = true
		}
	}
	return selected
}

// rangeMask returns a mask over all member ids that selects the values of the feature within the bounds.
func (v *valueTable) rangeMask(c selection) []bool {
	selected := make([]bool, len(v.keys))
	for id := range selected {
		known := &v.byID[id]
		selected[id] = known.attribute == c.key && !known.deleted && c.bounds.contain(known.number)
	}
	return selected
}
