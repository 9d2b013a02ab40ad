package search

import (
	"math"
	"math/bits"
)

// The bits of searchScan.variantMatches, as far as the summaries of the variants tell.
const (
	mayMatch  uint8 = 1 // a variant may match
	allMatch  uint8 = 2 // all variants match
	isMatched uint8 = 4 // a variant matches
)

// testVariants sets variantMatches from the summaries of the variants. If sparse is set, only those of the candidates.
func (s *searchScan) testVariants(from, to uint32, sparse bool) {
	if !s.filtersVariants {
		return
	}
	matches := s.variantMatches[:to-from]
	if !sparse {
		lowest, highest := s.c.lowestPrices[from:to], s.c.highestPrices[from:to]
		states := s.c.variantStates[from:to]
		for i := range matches {
			matches[i] = s.summary.test(lowest[i], highest[i], states[i])
		}
		s.matchOptions(from, to)
		return
	}
	for at, left := range s.candidates {
		for ; left != 0; left &= left - 1 {
			i := uint32(at*64 + bits.TrailingZeros64(left))
			row := from + i
			matches[i] = s.summary.test(s.c.lowestPrices[row], s.c.highestPrices[row], s.c.variantStates[row])
		}
	}
}

// summaryTest tests the summary of a product's variants.
type summaryTest struct {
	// All variants match if the buckets of their prices are in [allFrom, allTo], and none does if they are all outside
	// [anyFrom, anyTo].
	allFrom, allTo, anyFrom, anyTo int32
	// required are the bits of the state without which no variant matches, excluded those with which not all do.
	required, excluded uint8
}

func (s *searchScan) newSummaryTest() summaryTest {
	t := summaryTest{anyFrom: 0, anyTo: noPriceBucket, allTo: noPriceBucket, required: hasVariant}
	if s.f.price.from != nil {
		t.anyFrom = int32(priceBucket(*s.f.price.from))
		t.allFrom = t.anyFrom + 1 // a lower price may be in the same bucket
	}
	if s.f.price.to != nil {
		t.anyTo = int32(priceBucket(*s.f.price.to))
		t.allTo = t.anyTo - 1
	}
	if s.f.inStock {
		t.required, t.excluded = hasVariant|hasInStock, hasOutOfStock
	}
	if len(s.f.options) > 0 {
		t.excluded = allStateBits
	}
	return t
}

// test returns mayMatch and allMatch, as far as they apply. It avoids branches that the CPU mispredicts.
func (t *summaryTest) test(lowest, highest uint16, state uint8) uint8 {
	low, high := int32(lowest), int32(highest)
	none := uint32((high-t.anyFrom)|(t.anyTo-low)) >> 31               // 1 if all prices are outside
	part := uint32((low-t.allFrom)|(t.allTo-high)) >> 31               // 1 if not all prices are surely inside
	lacking := uint32(int32(state&t.required)-int32(t.required)) >> 31 // 1 if a required bit is missing
	spoiled := uint32(-int32(state&t.excluded)) >> 31                  // 1 if an excluded bit is set
	may := 1 &^ (none | lacking)
	return uint8(may | (may&^(part|spoiled))<<1)
}

// matchOptions tests the variants of a whole block without branches if options are selected, and makes variantMatches
// exact: mayMatch is cleared, and isMatched set, where a variant matches. It does nothing if only few rows need to be
// examined, or if the block is scattered.
func (s *searchScan) matchOptions(from, to uint32) {
	if len(s.f.options) == 0 || (s.maxFails == 0 && len(s.conditions) > 0) || s.c.blocks[from/blockLen].scattered {
		return
	}
	_, end := s.c.variantsOf(to - 1)
	row, fits := uint32(0), uint8(0)
	for i := s.c.firstVariants[from]; i < end; i++ {
		fails := s.failedBits(i)
		fits |= uint8(((fails - 1) &^ fails) >> 63) // 1 if no condition fails
		s.variantMatches[row%blockLen] = fits * isMatched
		last := s.c.flags[i] >> flagLastVariantBit & 1
		fits &^= last
		row += uint32(last)
	}
}

// hasMatchingVariant reports whether one variant of the row passes all conditions on variants. The parameter known has
// the bits of variantMatches.
func (s *searchScan) hasMatchingVariant(row uint32, known uint8) bool {
	if known != mayMatch {
		return known != 0
	}
	for i := s.c.firstVariants[row]; ; i++ {
		if s.failedBits(i) == 0 {
			return true
		}
		if s.c.flags[i]&flagLastVariant != 0 {
			return false
		}
	}
}

// countVariants returns the same as hasMatchingVariant, and counts for the facets.
func (s *searchScan) countVariants(row uint32, known uint8) bool {
	switch {
	case known&allMatch != 0:
		s.optionSetCounts[s.c.productOptions.at(row)]++
		s.addPricesOf(row)
		return true
	case known != 0 || len(s.f.options) > 0 || s.widensPrices(row):
		return s.countEachVariant(row)
	default:
		return false
	}
}

// countEachVariant counts the variants of a row. A variant that fails only one selected option counts in the facet of
// that option; one that fails only the price counts in the price facet.
func (s *searchScan) countEachVariant(row uint32) bool {
	found := false
	i := s.c.firstVariants[row]
	if i == noIndex {
		return found
	}
	for ; ; i++ {
		fails := s.failedBits(i)
		if fails&^s.priceBit == 0 {
			s.prices.add(s.c.prices[i])
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

// priceSpan spans the prices for the facet. It also has the buckets of its bounds.
type priceSpan struct {
	least, most             int64 // least > most means that there was no price yet
	leastBucket, mostBucket uint16
}

func newPriceSpan() priceSpan {
	return priceSpan{least: math.MaxInt64, most: math.MinInt64, leastBucket: noPriceBucket}
}

func (p *priceSpan) add(price int64) {
	if price < p.least {
		p.least, p.leastBucket = price, priceBucket(price)
	}
	if price > p.most {
		p.most, p.mostBucket = price, priceBucket(price)
	}
}

// widensPrices reports whether a price of the row may be outside the span of prices.
func (s *searchScan) widensPrices(row uint32) bool {
	return s.c.lowestPrices[row] <= s.prices.leastBucket || s.c.highestPrices[row] >= s.prices.mostBucket
}

// addPricesOf adds the prices of all variants of a row.
func (s *searchScan) addPricesOf(row uint32) {
	if !s.widensPrices(row) {
		return
	}
	from, to := s.c.variantsOf(row)
	for _, price := range s.c.prices[from:to] {
		s.prices.add(price)
	}
}

func (s *searchScan) addPrices(rows []uint32) {
	for _, row := range rows {
		s.addPricesOf(row)
	}
}
