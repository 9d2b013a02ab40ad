package search

import (
	"bytes"
	"math"
	"math/bits"
	"slices"
)

// blockLen is how many rows are looked at together: what is noted of them stays in the processor's cache.
const blockLen = 4096

// unboundedPrice is beyond all prices, and far enough from the ends of int64 that differences of prices are none.
const unboundedPrice = 1 << 61

// condition is one of those that a product must fulfil as a whole: that of the category, or of one feature.
type condition struct {
	column *setColumn
	pass   []uint8 // for each set of the column, 1 or 0
	key    int64   // of the feature; 0 for the category
	// nearMisses counts, by set, the products that fulfil all conditions but this one.
	nearMisses []int64
}

// scan is one walk over all rows. It finds the rows that match, and counts for the facets.
//
// The counts of a facet ignore the selection inside it. So a product counts everywhere if it fulfils all conditions; if it fails exactly
// one, it counts in the facet of that condition only.
type scan struct {
	c              *columns
	f              *filter
	conditions     []condition
	needles        [][]byte
	matched        []uint32
	matchesNothing bool // matches

	// What variants must fulfil: one bit each for the selected options, then those of price and stock.
	filtersVariants    bool
	optionFails        []uint64 // for each combination, the options that it fails
	priceBit, stockBit uint64
	priceFrom, priceTo int64 // prices that fit
	requiredFlags      uint8 // flags that a variant must have

	withFacets bool
	// maxFails is how many conditions a product may fail to be looked at any further.
	maxFails        uint8
	featureCounts   [][]int64 // for each column of features, by set: products that fulfil everything
	categoryCounts  []int64   // the same by set of categories
	optionSetCounts []int64   // and by the option values that a product has, where variants need not be looked at
	options         optionCounts
	// minPrice and maxPrice are upside down until a variant was seen.
	minPrice, maxPrice int64

	failCounts, failedCondition [blockLen]uint8
	wordHits                    [blockLen]uint8 // how many of the words a row has
	variantFits                 [blockLen]uint8 // whether a row has a variant that fits
}

// optionCounts counts products by option value. A product counts once for a value, however many of its variants carry it.
type optionCounts struct {
	counts   []int64
	lastRow  []uint32 // the last row that was counted, plus one
	selected []int64  // the keys of the options by bit
}

func newScan(c *columns, f *filter, withFacets bool) *scan {
	s := &scan{c: c, f: f, matchesNothing: f.matchesNothing, withFacets: withFacets, filtersVariants: f.filtersVariants(), minPrice: math.MaxInt64, maxPrice: math.MinInt64}
	if f.category != nil {
		s.addCondition(&c.categories, 0, c.tree.subtreeMask(f.category.key))
	}
	for _, choice := range f.features {
		column := c.columnOf[choice.key]
		if column == nil { // it stopped being filterable before these columns were built: they are newer than the query
			s.matchesNothing = true
			continue
		}
		if len(choice.values) > 0 {
			s.addCondition(column, choice.key, c.values.mask(choice.values))
		}
		if choice.bounds.isSet() {
			s.addCondition(column, choice.key, c.values.rangeMask(choice))
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
		s.categoryCounts, s.optionSetCounts = make([]int64, c.categories.sets.len()), make([]int64, c.productOptions.sets.len())
		s.options.counts, s.options.lastRow = make([]int64, len(c.values.keys)), make([]uint32, len(c.values.keys))
	}
	return s
}

// addCondition adds one. Two of the same feature are one: both must hold, and its facet ignores both.
func (s *scan) addCondition(column *setColumn, key int64, mask []bool) {
	pass := column.containsAny(mask)
	for i := range s.conditions {
		if old := &s.conditions[i]; key != 0 && old.key == key {
			for code := range pass {
				old.pass[code] &= pass[code]
			}
			return
		}
	}
	s.conditions = append(s.conditions, condition{column: column, pass: pass, key: key, nearMisses: make([]int64, column.sets.len())})
}

func (s *scan) prepareVariantFilter() {
	s.optionFails = make([]uint64, s.c.variantOptions.sets.len())
	for bit, choice := range s.f.options {
		s.options.selected = append(s.options.selected, choice.key)
		for code, passes := range s.c.variantOptions.containsAny(s.c.values.mask(choice.values)) {
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

// run walks all rows.
func (s *scan) run() {
	if s.matchesNothing {
		return
	}
	plain := len(s.needles) == 0 && !s.filtersVariants
	switch {
	case plain && len(s.conditions) == 0:
		s.matchAll()
		return
	case plain && len(s.conditions) == 1 && s.withFacets:
		// Whoever fails the only condition fails nothing else.
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

// blockFilter tells which blocks may have a row that counts. Who only wants what lies in a category needs no block without it.
func (s *scan) blockFilter() func(block int) bool {
	if s.f.category == nil || s.maxFails > 0 {
		return func(int) bool { return true }
	}
	pass := s.conditions[0].pass
	passingBefore := make([]uint32, len(pass)+1) // how many sets pass before each
	for code, p := range pass {
		passingBefore[code+1] = passingBefore[code] + uint32(p)
	}
	return func(block int) bool {
		info := s.c.blocks[block]
		return passingBefore[info.maxCategory+1] > passingBefore[info.minCategory]
	}
}

// matchAll is the walk where nothing is asked for: all products match, and are counted already.
func (s *scan) matchAll() {
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

// scanBlock looks at the rows in [from, to).
func (s *scan) scanBlock(from, to uint32) {
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
		case s.c.deleted[row], len(s.needles) > 0 && !s.hasWords(row, i, wordsDone):
		case n == 1:
			c := &s.conditions[failedCondition[i]-1]
			switch {
			case variantsDone:
				c.nearMisses[c.column.at(row)] += int64(s.variantFits[i])
			case !s.filtersVariants || s.hasMatchingVariant(row):
				c.nearMisses[c.column.at(row)]++
			}
		case !s.filtersVariants, s.withFacets && s.countMatchingVariants(row), !s.withFacets && s.hasMatchingVariant(row):
			s.matched = append(s.matched, row)
		}
	}
	if s.withFacets {
		s.countMatches(s.matched[first:])
	}
}

// countMatches adds rows that match to the facets; what needs a look at single variants is counted already.
func (s *scan) countMatches(rows []uint32) {
	for i, column := range s.c.features {
		countCodes(&column.codeColumn, rows, s.featureCounts[i])
	}
	countCodes(&s.c.categories.codeColumn, rows, s.categoryCounts)
	if !s.filtersVariants {
		countCodes(&s.c.productOptions.codeColumn, rows, s.optionSetCounts)
		s.addPrices(rows)
	}
}

// addPrices widens the span of prices by all variants of rows.
func (s *scan) addPrices(rows []uint32) {
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

// markFailures notes the rows that fail the condition. which is right where exactly one is failed.
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

func markFailures[T uint8 | uint16 | uint32](codes []T, pass, failCounts, failedCondition []uint8, conditionNumber uint8) {
	failCounts, failedCondition = failCounts[:len(codes)], failedCondition[:len(codes)]
	for i, code := range codes {
		miss := 1 - pass[code]
		failCounts[i] += miss
		failedCondition[i] += miss * conditionNumber
	}
}

// matchWords looks for the words in the texts of a whole block at once, which is quicker than row by row unless few rows are asked. It
// reports whether it did: it needs the texts to stand in the order of the rows.
func (s *scan) matchWords(from, to uint32) bool {
	starts := s.c.textStarts[from:to]
	if len(s.needles) == 0 || len(s.needles) > math.MaxUint8 || (s.maxFails == 0 && len(s.conditions) > 0) || !slices.IsSorted(starts) {
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
			// Behind the text of a row there may be one that nobody has any more.
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

// hasWords reports whether a row has all words; i is its place in the block, and read says that matchWords has looked.
func (s *scan) hasWords(row uint32, i int, blockDone bool) bool {
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

// hasMatchingVariant reports whether one variant fulfils all.
func (s *scan) hasMatchingVariant(row uint32) bool {
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

// countMatchingVariants is hasMatchingVariant that counts on its way. A variant that fails nothing but one selected option counts in that option's facet,
// one that fails nothing but the price in that of prices.
func (s *scan) countMatchingVariants(row uint32) bool {
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

// countOptions counts a product for the values of one combination; where it fails a selected option, only for those of that option.
func (s *scan) countOptions(row, code uint32, fails uint64) {
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

// failedBits returns a bit for each thing that the variant fails. It takes no branches: whether a price fits cannot be foretold.
func (s *scan) failedBits(i uint32) uint64 {
	price := s.c.prices[i]
	outside := uint64((price-s.priceFrom)|(s.priceTo-price)) >> 63 // the sign of either
	missing := uint64(^s.c.flags[i] & s.requiredFlags)
	fails := outside*s.priceBit | missing*s.stockBit
	if len(s.f.options) > 0 {
		fails |= s.optionFails[s.c.variantOptions.at(i)]
	}
	return fails
}

// matchVariants looks at the variants of a whole block one after the other, without branches, which is quicker than row by row unless few
// rows are asked, and notes the rows that have one which fulfils all. It reports whether it did: it needs the variants to stand in the
// order of the rows, with nothing in between.
func (s *scan) matchVariants(from, to uint32) bool {
	if !s.filtersVariants || (s.maxFails == 0 && len(s.conditions) > 0) || s.c.blocks[from/blockLen].scattered {
		return false
	}
	_, end := s.c.variantsOf(to - 1)
	row, fits := uint32(0), uint8(0)
	for i := s.c.firstVariants[from]; i < end; i++ {
		fails := s.failedBits(i)
		fits |= uint8(((fails - 1) &^ fails) >> 63) // 1 where nothing fails
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
