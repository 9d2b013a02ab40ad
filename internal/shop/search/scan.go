package search

import (
	"slices"
)

// blockLen is the number of rows that are scanned together. The per-row results of a block stay in the CPU cache.
const blockLen = 4096

// noPrice is the price of a variant that is not for sale. It exceeds all prices, and differences between it or -noPrice
// and a price do not overflow int64.
const noPrice = 1 << 61

// condition is a filter on whole products: the category filter, or the filter on one feature.
type condition struct {
	column *setColumn
	pass   []uint8 // 1 or 0 for each set code of the column
	key    int64   // row key of the feature; 0 for the category
	// nearMisses counts, by set code, the products that fail only this condition.
	nearMisses []int64
	fails      rowBits // the rows of the current block that fail the condition
}

// searchScan evaluates one query. It makes one pass over the rows, collects those that match and counts for the facets.
//
// The counts of a facet ignore the selection inside that facet. So a product that passes all conditions counts in every
// facet, and one that fails exactly one condition counts in the facet of that condition only.
type searchScan struct {
	c              *searchColumns
	f              *searchFilter
	column         *priceColumn // the prices of the reader
	conditions     []condition
	text           *textMatch // nil if the query has no words
	matched        []uint32
	matchesNothing bool
	named          map[uint32]bool // the rows of the named products; nil if none are named

	// The conditions on variants. Each has a bit: first the selected options, then the price, then the stock.
	filtersVariants    bool
	optionFails        []uint64 // by set code of variantOptions: bits of the selected options that the set fails
	priceBit, stockBit uint64
	priceFrom, priceTo int64 // inclusive
	requiredFlags      uint8 // flags that a variant must have
	priceTest          priceTest
	// optionColumn has the option values that a product counts for if all its prices are inside the range.
	optionColumn *setColumn

	withFacets bool
	// maxFails is the number of conditions that a product may fail and still be examined.
	maxFails        uint8
	featureCounts   [][]int64 // for each feature column, by set code: matching products
	categoryCounts  []int64   // by category set code: matching products
	optionSetCounts []int64   // by set code of optionColumn: products whose prices are all inside the range
	options         optionCounts
	prices          priceSpan

	// The rows of the current block: candidates have passed all tests so far. nearRows fail one condition.
	candidates, nearRows rowBits
	nearList             []uint32
}

// optionCounts counts products by option value. A product counts once per value, however many of its variants have it.
type optionCounts struct {
	counts   []int64
	lastRow  []uint32 // by member id: the row counted last, plus one
	selected []int64  // row keys of the selected options, by bit
}

func newScan(c *searchColumns, f *searchFilter, prices *priceColumn, withFacets bool) *searchScan {
	s := &searchScan{c: c, f: f, column: prices, matchesNothing: f.matchesNothing, withFacets: withFacets,
		filtersVariants: f.filtersVariants(), prices: newPriceSpan()}
	if f.category != nil {
		s.addCondition(&c.categories, 0, c.tree.subtreeMask(f.category.key))
	}

	for _, selected := range f.features {
		column := c.columnOf[selected.key]

		// A selected feature without a column is no longer filterable: the columns are newer than the query's snapshot.
		if column == nil {
			s.matchesNothing = true
			continue
		}

		if len(selected.values) > 0 {
			s.addCondition(column, selected.key, c.values.mask(selected.values))
		}

		if selected.bounds.isSet() {
			s.addCondition(column, selected.key, c.values.rangeMask(selected))
		}
	}

	if f.named != nil {
		s.named = make(map[uint32]bool, len(f.named))
		for _, key := range f.named {
			if row, ok := c.findRow(key); ok {
				s.named[row] = true
			}
		}
	}

	s.matchesNothing = s.matchesNothing && f.text == ""
	if f.text != "" {
		s.text = c.matchText(f.text, f.rules)
		s.matchesNothing = s.matchesNothing || s.text.plan == nil
	}

	s.prepareVariantFilter()

	if withFacets {
		for _, column := range c.features {
			s.featureCounts = append(s.featureCounts, make([]int64, column.sets.len()))
		}
		s.categoryCounts, s.optionSetCounts = make([]int64, c.categories.sets.len()),
			make([]int64, s.optionColumn.sets.len())
		s.options.counts = make([]int64, len(c.values.keys))
		s.options.lastRow = make([]uint32, len(c.values.keys))
	}

	return s
}

// addCondition adds a condition. Two conditions on one feature are merged: both must pass, and the facet ignores both.
func (s *searchScan) addCondition(column *setColumn, key int64, mask []bool) {
	pass := column.containsAny(mask)
	for i := range s.conditions {
		if old := &s.conditions[i]; key != 0 && old.key == key {
			for code := range pass {
				old.pass[code] &= pass[code]
			}
			return
		}
	}
	s.conditions = append(s.conditions, condition{column: column, pass: pass, key: key,
		nearMisses: make([]int64, column.sets.len())})
}

func (s *searchScan) prepareVariantFilter() {
	s.optionFails = make([]uint64, s.c.variantOptions.sets.len())
	for bit, selected := range s.f.options {
		s.options.selected = append(s.options.selected, selected.key)
		for code, passes := range s.c.variantOptions.containsAny(s.c.values.mask(selected.values)) {
			if passes == 0 {
				s.optionFails[code] |= 1 << bit
			}
		}
	}

	s.priceBit = 1 << len(s.f.options)
	s.stockBit = 1 << (len(s.f.options) + 1)
	s.priceFrom = -noPrice
	s.priceTo = noPrice

	if s.f.price.isSet() {
		s.priceTo = noPrice - 1 // a variant without a price is outside every range
	}

	if from := s.f.price.from; from != nil {
		s.priceFrom = *from
	}

	if to := s.f.price.to; to != nil {
		s.priceTo = *to
	}

	s.optionColumn = &s.c.productOptions
	if s.f.inStock {
		s.requiredFlags = flagInStock
		s.optionColumn = &s.c.stockedOptions
	}

	s.priceTest = newPriceTest(s.f.price)
}

func (s *searchScan) run() {
	if s.matchesNothing {
		return
	}

	plain := s.text == nil && !s.filtersVariants && s.named == nil
	switch {
	case plain && len(s.conditions) == 0:
		s.matchAll()
		return

	case plain && len(s.conditions) == 1 && s.withFacets:
		// Every product that fails the only condition is a near miss, so the totals of the column are the counts.
		c := &s.conditions[0]
		for code, pass := range c.pass {
			if pass == 0 {
				c.nearMisses[code] = c.column.total(uint32(code))
			}
		}
		s.maxFails = 0

	case s.withFacets:
		s.maxFails = 1
	}

	mayMatch := s.blockFilter()
	for from := 0; from < s.c.rowCount(); from += blockLen {
		if mayMatch(from / blockLen) {
			s.scanBlock(uint32(from), uint32(min(from+blockLen, s.c.rowCount())))
		}
	}

	if s.withFacets {
		s.countMatches()
	}
}

// blockFilter returns a function that reports whether a block may contain matching rows. If products are named, only
// their blocks do. Blocks without a row in the category can be skipped, unless near misses of the category are counted.
func (s *searchScan) blockFilter() func(block int) bool {
	if s.named != nil {
		blocks := make(map[int]bool, len(s.named))
		for row := range s.named {
			blocks[int(row)/blockLen] = true
		}
		return func(block int) bool { return blocks[block] }
	}

	if s.f.category == nil || s.maxFails > 0 {
		return func(int) bool { return true }
	}

	pass := s.conditions[0].pass
	passingBefore := make([]uint32, len(pass)+1) // number of passing sets with a lower code
	for code, p := range pass {
		passingBefore[code+1] = passingBefore[code] + uint32(p)
	}

	return func(block int) bool {
		codes := s.c.categories.blockCodes[block]
		return passingBefore[codes.most+1] > passingBefore[codes.least]
	}
}

// matchAll handles a query without conditions: all live products match, and the totals of the columns are the counts.
func (s *searchScan) matchAll() {
	s.matched = slices.Grow(s.matched, s.c.liveCount())
	for row, deleted := range s.c.deleted {
		if !deleted {
			s.matched = append(s.matched, uint32(row))
		}
	}

	if !s.withFacets {
		return
	}

	for from := 0; from < s.c.rowCount(); from += blockLen {
		s.candidates.setFirst(uint32(min(blockLen, s.c.rowCount()-from)))
		s.excludeRows(uint32(from), uint32(min(from+blockLen, s.c.rowCount())))
		s.addBlockPrices(uint32(from))
	}

	copy(s.optionSetCounts, s.optionColumn.totals)
	for i, column := range s.c.features {
		copy(s.featureCounts[i], column.totals)
	}

	copy(s.categoryCounts, s.c.categories.totals)
}

// scanBlock scans the rows in [from, to), which belong to one block.
func (s *searchScan) scanBlock(from, to uint32) {
	s.candidates.setFirst(to - from)
	if s.text != nil && !s.candidates.intersect(&s.text.rows[from/blockLen]) {
		return
	}

	s.excludeRows(from, to)
	s.testConditions(from, to)

	if s.withFacets {
		s.addBlockPrices(from)
	}

	if s.filtersVariants {
		s.testVariants(from, to)
	}

	if s.maxFails > 0 {
		for k := range s.conditions {
			s.countNearMisses(&s.conditions[k], from)
		}
	}

	s.matched = s.candidates.appendRows(s.matched, from)
}

// excludeRows removes the rows that are deleted, and those that are not named if products are named.
func (s *searchScan) excludeRows(from, to uint32) {
	if s.c.deletedCount > 0 {
		for i, deleted := range s.c.deleted[from:to] {
			if deleted {
				s.candidates.clear(uint32(i))
			}
		}
	}
	if s.named != nil {
		for i := range s.candidates.rows {
			if !s.named[from+i] {
				s.candidates.clear(i)
			}
		}
	}
}

// testConditions leaves those rows in candidates that pass all conditions. The rows that fail one go to nearRows, if
// near misses are counted.
func (s *searchScan) testConditions(from, to uint32) {
	s.nearRows = rowBits{}
	if len(s.conditions) == 0 {
		return
	}

	sparse := s.candidates.isSparse(to - from)
	var failOne, failMore rowBits
	for k := range s.conditions {
		c := &s.conditions[k]
		if sparse {
			c.testRows(from, &s.candidates)
		} else {
			c.testBlock(from, to)
		}

		for i, fails := range c.fails {
			failMore[i] |= failOne[i] & fails
			failOne[i] |= fails
		}
	}

	for i := range s.candidates {
		if s.maxFails > 0 {
			s.nearRows[i] = s.candidates[i] & failOne[i] &^ failMore[i]
		}
		s.candidates[i] &^= failOne[i]
	}
}

// testRows sets c.fails for the rows of a block that are candidates.
func (c *condition) testRows(from uint32, candidates *rowBits) {
	c.fails = rowBits{}
	for i := range candidates.rows {
		if c.pass[c.column.at(from+i)] == 0 {
			c.fails.set(i)
		}
	}
}

// testBlock sets c.fails for the rows in [from, to).
func (c *condition) testBlock(from, to uint32) {
	switch c.column.width {
	case 0:
		testCodes(c.column.narrow[from:to], c.pass, &c.fails)
	case 1:
		testCodes(c.column.middle[from:to], c.pass, &c.fails)
	default:
		testCodes(c.column.wide[from:to], c.pass, &c.fails)
	}
}

// testCodes sets the bits of the codes that do not pass. It has no branches that the CPU could mispredict.
func testCodes[T uint8 | uint16 | uint32](codes []T, pass []uint8, fails *rowBits) {
	for i := range fails {
		bits := uint64(0)
		for k, code := range codes[:min(64, len(codes))] {
			bits |= uint64(1-pass[code]) << (k % 64)
		}
		fails[i] = bits
		codes = codes[min(64, len(codes)):]
	}
}

// countNearMisses counts the rows of a block that fail only this condition.
func (s *searchScan) countNearMisses(c *condition, from uint32) {
	c.fails.intersect(&s.nearRows)
	s.nearList = c.fails.appendRows(s.nearList[:0], from)
	if len(s.nearList) > 0 {
		c.column.countBlock(from/blockLen, s.nearList, c.nearMisses, 1)
	}
}
