package search

import (
	"bytes"
	"math"
	"math/bits"
	"slices"
)

// blockLen is how many rows are looked at together: what is noted of them stays in the processor's cache.
const blockLen = 4096

// openPrice is beyond all prices, and far enough from the ends of int64 that differences of prices are none.
const openPrice = 1 << 61

// condition is one of those that a product must fulfil as a whole: that of the category, or of one feature.
type condition struct {
	column *column
	pass   []uint8 // for each set of the column, 1 or 0
	key    int64   // of the feature; 0 for the category
	// missed counts, by set, the products that fulfil all conditions but this one.
	missed []int64
}

// scan is one walk over all rows. It finds the rows that match, and counts for the facets.
//
// The counts of a facet ignore the selection inside it. So a product counts everywhere if it fulfils all conditions; if it fails exactly
// one, it counts in the facet of that condition only.
type scan struct {
	c          *columns
	f          *filter
	conditions []condition
	needles    [][]byte
	matched    []uint32
	nothing    bool // matches

	// What variants must fulfil: one bit each for the selected options, then those of price and stock.
	hasVariantPart     bool
	comboFails         []uint64 // for each combination, the options that it fails
	priceBit, stockBit uint64
	lowest, highest    int64 // prices that fit
	needed             uint8 // flags that a variant must have

	counting bool
	// mostFails is how many conditions a product may fail to be looked at any further.
	mostFails uint8
	counts    [][]int64 // for each column of features, by set: products that fulfil everything
	category  []int64   // the same by set of categories
	bundle    []int64   // and by the option values that a product has, where variants need not be looked at
	options   optionCounts
	// leastPrice and mostPrice are upside down until a variant was seen.
	leastPrice, mostPrice int64

	fails, which [blockLen]uint8
	words        [blockLen]uint8 // how many of the words a row has
	sells        [blockLen]uint8 // whether a row has a variant that fits
}

// optionCounts counts products by option value. A product counts once for a value, however many of its variants carry it.
type optionCounts struct {
	counts   []int64
	seen     []uint32 // the last row that was counted, plus one
	selected []int64  // the keys of the options by bit
}

func newScan(c *columns, f *filter, counting bool) *scan {
	s := &scan{c: c, f: f, nothing: f.nothing, counting: counting, hasVariantPart: f.hasVariantPart(), leastPrice: math.MaxInt64, mostPrice: math.MinInt64}
	if f.category != nil {
		s.condition(&c.category, 0, c.tree.below(f.category.key))
	}
	for _, choice := range f.features {
		column := c.columnOf[choice.key]
		if column == nil { // it stopped being filterable before these columns were built: they are newer than the query
			s.nothing = true
			continue
		}
		if len(choice.values) > 0 {
			s.condition(column, choice.key, c.values.named(choice.values))
		}
		if choice.bounds.set() {
			s.condition(column, choice.key, c.values.within(choice))
		}
	}
	for _, w := range f.words {
		s.needles = append(s.needles, []byte(" "+w))
	}
	s.prepareVariants()
	if counting {
		for _, column := range c.features {
			s.counts = append(s.counts, make([]int64, column.sets.len()))
		}
		s.category, s.bundle = make([]int64, c.category.sets.len()), make([]int64, c.bundle.sets.len())
		s.options.counts, s.options.seen = make([]int64, len(c.values.keys)), make([]uint32, len(c.values.keys))
	}
	return s
}

// condition adds one. Two of the same feature are one: both must hold, and its facet ignores both.
func (s *scan) condition(column *column, key int64, asked []bool) {
	pass := column.having(asked)
	for i := range s.conditions {
		if old := &s.conditions[i]; key != 0 && old.key == key {
			for code := range pass {
				old.pass[code] &= pass[code]
			}
			return
		}
	}
	s.conditions = append(s.conditions, condition{column: column, pass: pass, key: key, missed: make([]int64, column.sets.len())})
}

func (s *scan) prepareVariants() {
	s.comboFails = make([]uint64, s.c.combos.sets.len())
	for bit, choice := range s.f.options {
		s.options.selected = append(s.options.selected, choice.key)
		for code, passes := range s.c.combos.having(s.c.values.named(choice.values)) {
			if passes == 0 {
				s.comboFails[code] |= 1 << bit
			}
		}
	}
	s.priceBit, s.stockBit = 1<<len(s.f.options), 1<<(len(s.f.options)+1)
	s.lowest, s.highest = -openPrice, openPrice
	if from := s.f.price.from; from != nil {
		s.lowest = *from
	}
	if to := s.f.price.to; to != nil {
		s.highest = *to
	}
	if s.f.inStock {
		s.needed = inStock
	}
}

// run walks all rows.
func (s *scan) run() {
	if s.nothing {
		return
	}
	plain := len(s.needles) == 0 && !s.hasVariantPart
	switch {
	case plain && len(s.conditions) == 0:
		s.takeAll()
		return
	case plain && len(s.conditions) == 1 && s.counting:
		// Whoever fails the only condition fails nothing else.
		c := &s.conditions[0]
		for code, pass := range c.pass {
			if pass == 0 {
				c.missed[code] = c.column.total(uint32(code))
			}
		}
		s.mostFails = 0
	case s.counting:
		s.mostFails = 1
	}
	visits := s.visits()
	for from := 0; from < s.c.rows(); from += blockLen {
		if visits(from / blockLen) {
			s.block(uint32(from), uint32(min(from+blockLen, s.c.rows())))
		}
	}
}

// visits tells which blocks may have a row that counts. Who only wants what lies in a category needs no block without it.
func (s *scan) visits() func(block int) bool {
	if s.f.category == nil || s.mostFails > 0 {
		return func(int) bool { return true }
	}
	pass := s.conditions[0].pass
	before := make([]uint32, len(pass)+1) // how many sets pass before each
	for code, p := range pass {
		before[code+1] = before[code] + uint32(p)
	}
	return func(block int) bool {
		span := s.c.blocks[block]
		return before[span.most+1] > before[span.least]
	}
}

// takeAll is the walk where nothing is asked for: all products match, and are counted already.
func (s *scan) takeAll() {
	s.matched = slices.Grow(s.matched, s.c.live())
	for row, gone := range s.c.gone {
		if !gone {
			s.matched = append(s.matched, uint32(row))
		}
	}
	if !s.counting {
		return
	}
	if s.c.goneCount == 0 && s.c.wasteVariants == 0 {
		for _, price := range s.c.prices {
			s.leastPrice, s.mostPrice = min(s.leastPrice, price), max(s.mostPrice, price)
		}
	} else {
		s.countPrices(s.matched)
	}
	copy(s.bundle, s.c.bundle.totals)
	for i, column := range s.c.features {
		copy(s.counts[i], column.totals)
	}
	copy(s.category, s.c.category.totals)
}

// block looks at the rows in [from, to).
func (s *scan) block(from, to uint32) {
	fails, which := s.fails[:to-from], s.which[:to-from]
	clear(fails)
	clear(which)
	for k := range s.conditions {
		s.conditions[k].mark(from, to, fails, which, uint8(k+1))
	}
	first := len(s.matched)
	read, sold := s.findWords(from, to), s.findVariants(from, to)
	for i, failed := range fails {
		if failed > s.mostFails {
			continue
		}
		row := from + uint32(i)
		switch {
		case s.c.gone[row], len(s.needles) > 0 && !s.hasWords(row, i, read):
		case failed == 1:
			c := &s.conditions[which[i]-1]
			switch {
			case sold:
				c.missed[c.column.at(row)] += int64(s.sells[i])
			case !s.hasVariantPart || s.hasVariant(row):
				c.missed[c.column.at(row)]++
			}
		case !s.hasVariantPart, s.counting && s.countVariants(row), !s.counting && s.hasVariant(row):
			s.matched = append(s.matched, row)
		}
	}
	if s.counting {
		s.count(s.matched[first:])
	}
}

// count adds rows that match to the facets; what needs a look at single variants is counted already.
func (s *scan) count(rows []uint32) {
	for i, column := range s.c.features {
		countCodes(&column.codes, rows, s.counts[i])
	}
	countCodes(&s.c.category.codes, rows, s.category)
	if !s.hasVariantPart {
		countCodes(&s.c.bundle.codes, rows, s.bundle)
		s.countPrices(rows)
	}
}

// countPrices widens the span of prices by all variants of rows.
func (s *scan) countPrices(rows []uint32) {
	for _, row := range rows {
		i := s.c.variants[row]
		if i == none {
			continue
		}
		for ; ; i++ {
			s.leastPrice, s.mostPrice = min(s.leastPrice, s.c.prices[i]), max(s.mostPrice, s.c.prices[i])
			if s.c.flags[i]&lastVariant != 0 {
				break
			}
		}
	}
}

// mark notes the rows that fail the condition. which is right where exactly one is failed.
func (c *condition) mark(from, to uint32, fails, which []uint8, number uint8) {
	switch c.column.width {
	case 0:
		mark(c.column.narrow[from:to], c.pass, fails, which, number)
	case 1:
		mark(c.column.middle[from:to], c.pass, fails, which, number)
	default:
		mark(c.column.wide[from:to], c.pass, fails, which, number)
	}
}

func mark[T uint8 | uint16 | uint32](codes []T, pass, fails, which []uint8, number uint8) {
	fails, which = fails[:len(codes)], which[:len(codes)]
	for i, code := range codes {
		failed := 1 - pass[code]
		fails[i] += failed
		which[i] += failed * number
	}
}

// findWords looks for the words in the texts of a whole block at once, which is quicker than row by row unless few rows are asked. It
// reports whether it did: it needs the texts to stand in the order of the rows.
func (s *scan) findWords(from, to uint32) bool {
	texts := s.c.texts[from:to]
	if len(s.needles) == 0 || len(s.needles) > math.MaxUint8 || (s.mostFails == 0 && len(s.conditions) > 0) || !slices.IsSorted(texts) {
		return false
	}
	last := texts[len(texts)-1]
	end := last + uint32(bytes.IndexByte(s.c.text[last:], textEnd))
	clear(s.words[:])
	for number, needle := range s.needles {
		at, row := texts[0], 0
		for {
			i := bytes.Index(s.c.text[at:end], needle)
			if i < 0 {
				break
			}
			at += uint32(i)
			for row+1 < len(texts) && texts[row+1] <= at {
				row++
			}
			// Behind the text of a row there may be one that nobody has any more.
			own := bytes.IndexByte(s.c.text[texts[row]:at], textEnd) < 0
			if own && int(s.words[row]) == number {
				s.words[row]++
			}
			if row+1 == len(texts) {
				break
			}
			row++
			at = texts[row]
		}
	}
	return true
}

// hasWords reports whether a row has all words; i is its place in the block, and read says that findWords has looked.
func (s *scan) hasWords(row uint32, i int, read bool) bool {
	if read {
		return int(s.words[i]) == len(s.needles)
	}
	text := s.c.textOf(row)
	for _, needle := range s.needles {
		if !bytes.Contains(text, needle) {
			return false
		}
	}
	return true
}

// hasVariant reports whether one variant fulfils all.
func (s *scan) hasVariant(row uint32) bool {
	i := s.c.variants[row]
	if i == none {
		return false
	}
	for ; ; i++ {
		if s.variantFails(i) == 0 {
			return true
		}
		if s.c.flags[i]&lastVariant != 0 {
			return false
		}
	}
}

// countVariants is hasVariant that counts on its way. A variant that fails nothing but one selected option counts in that option's facet,
// one that fails nothing but the price in that of prices.
func (s *scan) countVariants(row uint32) bool {
	found := false
	i := s.c.variants[row]
	if i == none {
		return found
	}
	for ; ; i++ {
		fails := s.variantFails(i)
		if fails&^s.priceBit == 0 {
			s.leastPrice, s.mostPrice = min(s.leastPrice, s.c.prices[i]), max(s.mostPrice, s.c.prices[i])
		}
		if fails == 0 || (fails&(fails-1) == 0 && fails < s.priceBit) {
			found = found || fails == 0
			s.countOptions(row, s.c.combos.at(i), fails)
		}
		if s.c.flags[i]&lastVariant != 0 {
			return found
		}
	}
}

// countOptions counts a product for the values of one combination; where it fails a selected option, only for those of that option.
func (s *scan) countOptions(row, combo uint32, fails uint64) {
	only := int64(0)
	if fails != 0 {
		only = s.options.selected[bits.TrailingZeros64(fails)]
	}
	for _, member := range s.c.combos.of(combo) {
		if (only == 0 || s.c.values.known[member].attribute == only) && s.options.seen[member] != row+1 {
			s.options.seen[member] = row + 1
			s.options.counts[member]++
		}
	}
}

// variantFails returns a bit for each thing that the variant fails. It takes no branches: whether a price fits cannot be foretold.
func (s *scan) variantFails(i uint32) uint64 {
	price := s.c.prices[i]
	outside := uint64((price-s.lowest)|(s.highest-price)) >> 63 // the sign of either
	missing := uint64(^s.c.flags[i] & s.needed)
	fails := outside*s.priceBit | missing*s.stockBit
	if len(s.f.options) > 0 {
		fails |= s.comboFails[s.c.combos.at(i)]
	}
	return fails
}

// findVariants looks at the variants of a whole block one after the other, without branches, which is quicker than row by row unless few
// rows are asked, and notes the rows that have one which fulfils all. It reports whether it did: it needs the variants to stand in the
// order of the rows, with nothing in between.
func (s *scan) findVariants(from, to uint32) bool {
	if !s.hasVariantPart || (s.mostFails == 0 && len(s.conditions) > 0) || s.c.blocks[from/blockLen].scattered {
		return false
	}
	_, end := s.c.variantsOf(to - 1)
	row, fits := uint32(0), uint8(0)
	for i := s.c.variants[from]; i < end; i++ {
		fails := s.variantFails(i)
		fits |= uint8(((fails - 1) &^ fails) >> 63) // 1 where nothing fails
		s.sells[row%blockLen] = fits
		last := s.c.flags[i] >> lastVariantBit & 1
		fits &^= last
		row += uint32(last)
	}
	return true
}

func countCodes(c *codes, rows []uint32, counts []int64) {
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
