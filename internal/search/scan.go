package search

import (
	"bytes"
	"math"
	"math/bits"
	"slices"
)

// blockLen is how many rows are looked at together: what is noted of them stays in the processor's cache.
const blockLen = 4096

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

	// What variants must fulfil: one bit each for the selected options, then those of price and stock.
	hasVariantPart     bool
	comboFails         []uint64 // for each combination, the options that it fails
	priceBit, stockBit uint64

	counting bool
	// mostFails is how many conditions a product may fail to be looked at any further.
	mostFails uint8
	counts    [][]int64 // for each column of features, by set: products that fulfil everything
	category  []int64   // the same by set of categories
	options   optionCounts
	// leastPrice and mostPrice are upside down until a variant was seen.
	leastPrice, mostPrice int64

	fails, which [blockLen]uint8
}

// optionCounts counts products by option value. A product counts once for a value, however many of its variants carry it.
type optionCounts struct {
	counts   []int64
	seen     []uint32 // the last row that was counted, plus one
	selected []int64  // the keys of the options by bit
}

func newScan(c *columns, f *filter, counting bool) *scan {
	s := &scan{c: c, f: f, counting: counting, hasVariantPart: f.hasVariantPart(), leastPrice: math.MaxInt64, mostPrice: math.MinInt64}
	if f.category != nil {
		inside := c.tree.below(f.category.key)
		s.condition(&c.category, 0, func(member uint32) bool { return inside[member] })
	}
	for _, choice := range f.features {
		column := c.columnOf[choice.key]
		if len(choice.values) > 0 {
			asked := map[uint32]bool{}
			for _, v := range choice.values {
				if n, ok := c.values.index[v.key]; ok {
					asked[n] = true
				}
			}
			s.condition(column, choice.key, func(member uint32) bool { return asked[member] })
		}
		if choice.bounds.set() {
			s.condition(column, choice.key, func(member uint32) bool {
				v := &c.values.known[member]
				return v.attribute == choice.key && !v.missing && choice.bounds.holds(v.number)
			})
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
		s.category = make([]int64, c.category.sets.len())
		s.options.counts, s.options.seen = make([]int64, len(c.values.keys)), make([]uint32, len(c.values.keys))
	}
	return s
}

// condition adds one. Two of the same feature are one: both must hold, and its facet ignores both.
func (s *scan) condition(column *column, key int64, asked func(member uint32) bool) {
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
		asked := map[uint32]bool{}
		for _, v := range choice.values {
			if n, ok := s.c.values.index[v.key]; ok {
				asked[n] = true
			}
		}
		for code, passes := range s.c.combos.having(func(member uint32) bool { return asked[member] }) {
			if passes == 0 {
				s.comboFails[code] |= 1 << bit
			}
		}
	}
	s.priceBit, s.stockBit = 1<<len(s.f.options), 1<<(len(s.f.options)+1)
}

// run walks all rows.
func (s *scan) run() {
	if s.f.nothing {
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
	for from := 0; from < s.c.rows(); from += blockLen {
		s.block(uint32(from), uint32(min(from+blockLen, s.c.rows())))
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
	for _, row := range s.matched {
		s.countVariants(row)
	}
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
	for i, failed := range fails {
		if failed > s.mostFails {
			continue
		}
		row := from + uint32(i)
		switch {
		case !s.isThere(row):
		case failed == 1:
			if !s.hasVariantPart || s.hasVariant(row) {
				c := &s.conditions[which[i]-1]
				c.missed[c.column.at(row)]++
			}
		case s.counting && s.countVariants(row), !s.counting && (!s.hasVariantPart || s.hasVariant(row)):
			s.matched = append(s.matched, row)
		}
	}
	if s.counting {
		rows := s.matched[first:]
		for i, column := range s.c.features {
			countCodes(&column.codes, rows, s.counts[i])
		}
		countCodes(&s.c.category.codes, rows, s.category)
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

// isThere reports whether the product is there at all, and has the words.
func (s *scan) isThere(row uint32) bool {
	if s.c.gone[row] {
		return false
	}
	if len(s.needles) == 0 {
		return true
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
	from, to := s.c.variantsOf(row)
	for i := from; i < to; i++ {
		if s.variantFails(i) == 0 {
			return true
		}
	}
	return false
}

// countVariants is hasVariant that counts on its way. A variant that fails nothing but one selected option counts in that option's facet,
// one that fails nothing but the price in that of prices.
func (s *scan) countVariants(row uint32) bool {
	found := !s.hasVariantPart
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

// variantFails returns a bit for each thing that the variant fails.
func (s *scan) variantFails(i uint32) uint64 {
	fails := s.comboFails[s.c.combos.at(i)]
	if !s.f.price.holds(s.c.prices[i]) {
		fails |= s.priceBit
	}
	if s.f.inStock && s.c.flags[i]&inStock == 0 {
		fails |= s.stockBit
	}
	return fails
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
