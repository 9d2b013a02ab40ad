package search

import (
	"bytes"
	"math"
	"math/bits"
	"slices"
)

// blockLen is the number of rows that are scanned together. The per-row results of a block stay in the CPU cache.
const blockLen = 4096

// unboundedPrice exceeds all prices, and differences between it and a price do not overflow int64.
const unboundedPrice = 1 << 61

// condition is a filter on whole products: the category filter, or the filter on one feature.
type condition struct {
	column *setColumn
	pass   []uint8 // 1 or 0 for each set code of the column
	key    int64   // row key of the feature; 0 for the category
	// nearMisses counts, by set code, the products that fail only this condition.
	nearMisses []int64
}

// searchScan evaluates one query. It makes one pass over the rows, collects those that match and counts for the facets.
//
// The counts of a facet ignore the selection inside that facet. So a product that passes all conditions counts in every
// facet, and one that fails exactly one condition counts in the facet of that condition only.
type searchScan struct {
	c              *searchColumns
	f              *searchFilter
	conditions     []condition
	needles        [][]byte
	matched        []uint32
	matchesNothing bool
	named          map[uint32]bool // the rows of the named products; nil if none are named

	// The conditions on variants. Each has a bit: first the selected options, then the price, then the stock.
	filtersVariants    bool
	optionFails        []uint64 // by set code of variantOptions: bits of the selected options that the set fails
	priceBit, stockBit uint64
	priceFrom, priceTo int64 // inclusive
	requiredFlags      uint8 // flags that a variant must have

	withFacets bool
	// maxFails is the number of conditions that a product may fail and still be examined.
	maxFails        uint8
	featureCounts   [][]int64 // for each feature column, by set code: matching products
	categoryCounts  []int64   // by category set code: matching products
	optionSetCounts []int64   // by set code of productOptions: matching products; unused if variants are filtered
	options         optionCounts
	// minPrice and maxPrice span the prices for the facet. minPrice > maxPrice means that there was no variant yet.
	minPrice, maxPrice int64

	failCounts, failedCondition [blockLen]uint8
	wordHits                    [blockLen]uint8 // number of the query's words that the row contains
	variantFits                 [blockLen]uint8 // 1 if the row has a matching variant
}

// optionCounts counts products by option value. A product counts once per value, however many of its variants have it.
type optionCounts struct {
	counts   []int64
	lastRow  []uint32 // by member id: the row counted last, plus one
	selected []int64  // row keys of the selected options, by bit
}

func newScan(c *searchColumns, f *searchFilter, withFacets bool) *searchScan {
	s := &searchScan{c: c, f: f, matchesNothing: f.matchesNothing, withFacets: withFacets,
		filtersVariants: f.filtersVariants(), minPrice: math.MaxInt64, maxPrice: math.MinInt64}
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
	for _, w := range f.words {
		s.needles = append(s.needles, []byte(" "+w))
	}
	s.prepareVariantFilter()
	if withFacets {
		for _, column := range c.features {
			s.featureCounts = append(s.featureCounts, make([]int64, column.sets.len()))
		}
		s.categoryCounts, s.optionSetCounts = make([]int64, c.categories.sets.len()),
			make([]int64, c.productOptions.sets.len())
		s.options.counts, s.options.lastRow = make([]int64, len(c.values.keys)), make([]uint32, len(c.values.keys))
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
	s.priceBit, s.stockBit = 1<<len(s.f.options), 1<<(len(s.f.options)+1)
	s.priceFrom, s.priceTo = -unboundedPrice, unboundedPrice
	if from := s.f.price.from; from != nil {
		s.priceFrom = *from
	}
	if to := s.f.price.to; to != nil {
		s.priceTo = *to
	}
	if s.f.inStock {
		s.requiredFlags = flagInStock
	}
}

func (s *searchScan) run() {
	if s.matchesNothing {
		return
	}
	plain := len(s.needles) == 0 && !s.filtersVariants && s.named == nil
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
		info := s.c.blocks[block]
		return passingBefore[info.maxCategory+1] > passingBefore[info.minCategory]
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
	if s.c.deletedCount == 0 && s.c.unusedVariants == 0 {
		for _, price := range s.c.prices {
			s.minPrice, s.maxPrice = min(s.minPrice, price), max(s.maxPrice, price)
		}
	} else {
		s.addPrices(s.matched)
	}
	copy(s.optionSetCounts, s.c.productOptions.totals)
	for i, column := range s.c.features {
		copy(s.featureCounts[i], column.totals)
	}
	copy(s.categoryCounts, s.c.categories.totals)
}

// scanBlock scans the rows in [from, to), which belong to one block.
func (s *searchScan) scanBlock(from, to uint32) {
	failCounts, failedCondition := s.failCounts[:to-from], s.failedCondition[:to-from]
	clear(failCounts)
	clear(failedCondition)
	for k := range s.conditions {
		s.conditions[k].markFailures(from, to, failCounts, failedCondition, uint8(k+1))
	}
	first := len(s.matched)
	wordsDone, variantsDone := s.matchWords(from, to), s.matchVariants(from, to)
	for i, n := range failCounts {
		if n > s.maxFails {
			continue
		}
		row := from + uint32(i)
		switch {
		case s.c.deleted[row], s.named != nil && !s.named[row], len(s.needles) > 0 && !s.hasWords(row, i, wordsDone):
		case n == 1:
			c := &s.conditions[failedCondition[i]-1]
			switch {
			case variantsDone:
				c.nearMisses[c.column.at(row)] += int64(s.variantFits[i])
			case !s.filtersVariants || s.hasMatchingVariant(row):
				c.nearMisses[c.column.at(row)]++
			}
		case !s.filtersVariants, s.withFacets && s.countMatchingVariants(row),
			!s.withFacets && s.hasMatchingVariant(row):
			s.matched = append(s.matched, row)
		}
	}
	if s.withFacets {
		s.countMatches(s.matched[first:])
	}
}

// countMatches counts matching rows for the facets. If variants are filtered, countMatchingVariants has already counted
// the facets of the variants.
func (s *searchScan) countMatches(rows []uint32) {
	for i, column := range s.c.features {
		countCodes(&column.codeColumn, rows, s.featureCounts[i])
	}
	countCodes(&s.c.categories.codeColumn, rows, s.categoryCounts)
	if !s.filtersVariants {
		countCodes(&s.c.productOptions.codeColumn, rows, s.optionSetCounts)
		s.addPrices(rows)
	}
}

func (s *searchScan) addPrices(rows []uint32) {
	for _, row := range rows {
		i := s.c.firstVariants[row]
		if i == noIndex {
			continue
		}
		for ; ; i++ {
			s.minPrice, s.maxPrice = min(s.minPrice, s.c.prices[i]), max(s.maxPrice, s.c.prices[i])
			if s.c.flags[i]&flagLastVariant != 0 {
				break
			}
		}
	}
}

// markFailures counts the failed conditions of each row in failCounts. failedCondition sums their numbers, so it is the
// failed condition if exactly one failed.
func (c *condition) markFailures(from, to uint32, failCounts, failedCondition []uint8, conditionNumber uint8) {
	switch c.column.width {
	case 0:
		markFailures(c.column.narrow[from:to], c.pass, failCounts, failedCondition, conditionNumber)
	case 1:
		markFailures(c.column.middle[from:to], c.pass, failCounts, failedCondition, conditionNumber)
	default:
		markFailures(c.column.wide[from:to], c.pass, failCounts, failedCondition, conditionNumber)
	}
}

func markFailures[T uint8 | uint16 | uint32](
	codes []T, pass, failCounts, failedCondition []uint8, conditionNumber uint8,
) {
	failCounts, failedCondition = failCounts[:len(codes)], failedCondition[:len(codes)]
	for i, code := range codes {
		miss := 1 - pass[code]
		failCounts[i] += miss
		failedCondition[i] += miss * conditionNumber
	}
}

// matchWords searches the texts of a whole block at once and sets wordHits. It returns false without searching if there
// are no words, if only few rows need to be examined, or if the texts are not in the order of the rows.
func (s *searchScan) matchWords(from, to uint32) bool {
	starts := s.c.textStarts[from:to]
	if len(s.needles) == 0 || len(s.needles) > math.MaxUint8 || (s.maxFails == 0 && len(s.conditions) > 0) ||
		!slices.IsSorted(starts) {
		return false
	}
	last := starts[len(starts)-1]
	end := last + uint32(bytes.IndexByte(s.c.text[last:], textEnd))
	clear(s.wordHits[:])
	for n, needle := range s.needles {
		at, row := starts[0], 0
		for {
			i := bytes.Index(s.c.text[at:end], needle)
			if i < 0 {
				break
			}
			at += uint32(i)
			for row+1 < len(starts) && starts[row+1] <= at {
				row++
			}
			// A match after the row's textEnd is in unused text, which no row refers to, and does not count.
			own := bytes.IndexByte(s.c.text[starts[row]:at], textEnd) < 0
			if own && int(s.wordHits[row]) == n {
				s.wordHits[row]++
			}
			if row+1 == len(starts) {
				break
			}
			row++
			at = starts[row]
		}
	}
	return true
}

// hasWords reports whether a row, the i-th of its block, contains all words. blockDone is the result of matchWords.
func (s *searchScan) hasWords(row uint32, i int, blockDone bool) bool {
	if blockDone {
		return int(s.wordHits[i]) == len(s.needles)
	}
	text := s.c.textOf(row)
	for _, needle := range s.needles {
		if !bytes.Contains(text, needle) {
			return false
		}
	}
	return true
}

// hasMatchingVariant reports whether one variant of the row passes all conditions on variants.
func (s *searchScan) hasMatchingVariant(row uint32) bool {
	i := s.c.firstVariants[row]
	if i == noIndex {
		return false
	}
	for ; ; i++ {
		if s.failedBits(i) == 0 {
			return true
		}
		if s.c.flags[i]&flagLastVariant != 0 {
			return false
		}
	}
}

// countMatchingVariants returns the same as hasMatchingVariant, and counts for the facets. A variant that fails only
// one selected option counts in the facet of that option; one that fails only the price counts in the price facet.
func (s *searchScan) countMatchingVariants(row uint32) bool {
	found := false
	i := s.c.firstVariants[row]
	if i == noIndex {
		return found
	}
	for ; ; i++ {
		fails := s.failedBits(i)
		if fails&^s.priceBit == 0 {
			s.minPrice, s.maxPrice = min(s.minPrice, s.c.prices[i]), max(s.maxPrice, s.c.prices[i])
		}
		if fails == 0 || (fails&(fails-1) == 0 && fails < s.priceBit) {
			found = found || fails == 0
			s.countOptions(row, s.c.variantOptions.at(i), fails)
		}
		if s.c.flags[i]&flagLastVariant != 0 {
			return found
		}
	}
}

// countOptions counts the product of a row for the option values of one of its variants, the set with this code. If the
// variant fails a selected option, whose bit is then set in fails, only the values of that option are counted.
func (s *searchScan) countOptions(row, code uint32, fails uint64) {
	only := int64(0)
	if fails != 0 {
		only = s.options.selected[bits.TrailingZeros64(fails)]
	}
	for _, member := range s.c.variantOptions.of(code) {
		if (only == 0 || s.c.values.byID[member].attribute == only) && s.options.lastRow[member] != row+1 {
			s.options.lastRow[member] = row + 1
			s.options.counts[member]++
		}
	}
}

// failedBits returns the bits of the conditions that the variant fails. It avoids branches that the CPU mispredicts.
func (s *searchScan) failedBits(i uint32) uint64 {
	price := s.c.prices[i]
	outside := uint64((price-s.priceFrom)|(s.priceTo-price)) >> 63 // 1 if one of the differences is negative
	missing := uint64(^s.c.flags[i] & s.requiredFlags)
	fails := outside*s.priceBit | missing*s.stockBit
	if len(s.f.options) > 0 {
		fails |= s.optionFails[s.c.variantOptions.at(i)]
	}
	return fails
}

// matchVariants tests the variants of a whole block without branches and sets variantFits. It returns false without
// testing if no variants are filtered, if only few rows need to be examined, or if the block is scattered.
func (s *searchScan) matchVariants(from, to uint32) bool {
	if !s.filtersVariants || (s.maxFails == 0 && len(s.conditions) > 0) || s.c.blocks[from/blockLen].scattered {
		return false
	}
	_, end := s.c.variantsOf(to - 1)
	row, fits := uint32(0), uint8(0)
	for i := s.c.firstVariants[from]; i < end; i++ {
		fails := s.failedBits(i)
		fits |= uint8(((fails - 1) &^ fails) >> 63) // 1 if no condition fails
		s.variantFits[row%blockLen] = fits
		last := s.c.flags[i] >> flagLastVariantBit & 1
		fits &^= last
		row += uint32(last)
	}
	return true
}

func countCodes(c *codeColumn, rows []uint32, counts []int64) {
	switch c.width {
	case 0:
		for _, row := range rows {
			counts[c.narrow[row]]++
		}
	case 1:
		for _, row := range rows {
			counts[c.middle[row]]++
		}
	default:
		for _, row := range rows {
			counts[c.wide[row]]++
		}
	}
}
