package search

import (
	"math"
	"math/bits"
)

// testVariants removes the rows without a matching variant from candidates and nearRows. For most rows the summaries of
// the variants decide.
func (s *searchScan) testVariants(from, to uint32) {
	var matching, unsure rowBits
	switch {
	case len(s.f.options) == 0:
		s.testSummaries(from, to, &matching, &unsure)
	case !s.testBlockVariants(from, to, &matching):
		unsure.setFirst(to - from)
	}
	near := s.nearRows
	near.intersect(&unsure)
	for i := range near.rows {
		if s.hasMatchingVariant(from + i) {
			matching.set(i)
		}
	}
	if s.withFacets && len(s.f.options) > 0 {
		unsure.setFirst(to - from) // the facets of options need all variants
	}
	unsure.intersect(&s.candidates)
	for i := range unsure.rows {
		if s.withFacets && s.countVariants(from+i) || !s.withFacets && s.hasMatchingVariant(from+i) {
			matching.set(i)
		}
	}
	s.nearRows.intersect(&matching)
	s.candidates.intersect(&matching)
}

// testSummaries sets the rows whose prices are all inside the range, and that have a variant in stock if that is a
// condition, in matching. The rows whose prices may be partly inside go to unsure.
func (s *searchScan) testSummaries(from, to uint32, matching, unsure *rowBits) {
	for i := range matching {
		start := from + uint32(64*i)
		if s.candidates[i]|s.nearRows[i] == 0 {
			continue
		}
		end := min(start+64, to)
		matching[i], unsure[i] = s.summary.test(s.c.lowestPrices[start:end], s.c.highestPrices[start:end],
			s.c.variantStates[start:end])
	}
}

// summaryTest tests the summaries of variants.
type summaryTest struct {
	// A price is surely inside the range if its bucket is in [innerFrom, innerTo], and surely outside if its bucket is
	// not in [outerFrom, outerTo]. Otherwise the price itself has to be compared.
	innerFrom, innerTo, outerFrom, outerTo int32
	// byState has 1 for each value of variantStates with which a variant can match.
	byState [hasVariant + hasInStock + 1]uint8
}

func (s *searchScan) newSummaryTest() summaryTest {
	t := summaryTest{innerTo: noPriceBucket, outerTo: noPriceBucket}
	if s.f.price.from != nil {
		t.outerFrom = int32(priceBucket(*s.f.price.from))
		t.innerFrom = t.outerFrom + 1 // a lower price may be in the same bucket
	}
	if s.f.price.to != nil {
		t.outerTo = int32(priceBucket(*s.f.price.to))
		t.innerTo = t.outerTo - 1
	}
	t.byState[hasVariant+hasInStock] = 1
	if !s.f.inStock {
		t.byState[hasVariant] = 1
	}
	return t
}

// test tests up to 64 rows. It has no branches that the CPU could mispredict.
func (t *summaryTest) test(lowest, highest []uint16, states []uint8) (matching, unsure uint64) {
	lowest, highest = lowest[:len(states)], highest[:len(states)]
	for i, state := range states {
		low, high := int32(lowest[i]), int32(highest[i])
		may := uint64(t.byState[state&(hasVariant+hasInStock)])
		outside := uint64(uint32((high-t.outerFrom)|(t.outerTo-low)) >> 31) // 1 if all prices are surely outside
		partly := uint64(uint32((low-t.innerFrom)|(t.innerTo-high)) >> 31)  // 1 if some are not surely inside
		matching |= (may &^ partly) << (i % 64)
		unsure |= (may & partly &^ outside) << (i % 64)
	}
	return matching, unsure
}

// testBlockVariants tests the variants of a whole block without branches and sets the rows that have a matching one. It
// returns false without testing if only few rows need to be examined, or if the block is scattered.
func (s *searchScan) testBlockVariants(from, to uint32, matching *rowBits) bool {
	rows := s.candidates
	for i := range rows {
		rows[i] |= s.nearRows[i]
	}
	if s.c.blocks[from/blockLen].scattered || rows.isSparse(to-from) {
		return false
	}
	_, end := s.c.variantsOf(to - 1)
	row, fits := uint32(0), uint64(0)
	for i := s.c.firstVariants[from]; i < end; i++ {
		fails := s.failedBits(i)
		fits |= ((fails - 1) &^ fails) >> 63 // 1 if no condition fails
		matching[row/64%(blockLen/64)] |= fits << (row % 64)
		last := s.c.flags[i] >> flagLastVariantBit & 1
		fits &^= uint64(last)
		row += uint32(last)
	}
	return true
}

// hasMatchingVariant reports whether one variant of the row passes all conditions on variants.
func (s *searchScan) hasMatchingVariant(row uint32) bool {
	from, to := s.c.variantsOf(row)
	for i := from; i < to; i++ {
		if s.failedBits(i) == 0 {
			return true
		}
	}
	return false
}

// countVariants returns the same as hasMatchingVariant, and counts the option values of the matching variants. A variant
// that fails only one selected option counts in the facet of that option. countMatches will count the product again,
// for the set in optionColumn; that is subtracted here.
func (s *searchScan) countVariants(row uint32) bool {
	found := false
	from, to := s.c.variantsOf(row)
	for i := from; i < to; i++ {
		fails := s.failedBits(i)
		if fails == 0 || (fails&(fails-1) == 0 && fails < s.priceBit) {
			found = found || fails == 0
			s.countOptions(row, s.c.variantOptions.at(i), fails)
		}
	}
	if found {
		s.optionSetCounts[s.optionColumn.at(row)]--
	}
	return found
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

// addBlockPrices adds the prices of the candidates. Only variants that pass all conditions except the price count. It
// skips rows, and whole blocks, whose prices are inside the span already.
func (s *searchScan) addBlockPrices(from uint32) {
	block := &s.c.blocks[from/blockLen]
	if !s.prices.mayWiden(block.lowestPrice, block.highestPrice) {
		return
	}
	for i := range s.candidates.rows {
		row := from + i
		if !s.prices.mayWiden(s.c.lowestPrices[row], s.c.highestPrices[row]) {
			continue
		}
		first, end := s.c.variantsOf(row)
		for v := first; v < end; v++ {
			if s.failedBits(v)&^s.priceBit == 0 {
				s.prices.add(s.c.prices[v])
			}
		}
	}
}

// mayWiden reports whether prices in these buckets may be outside the span.
func (p *priceSpan) mayWiden(lowest, highest uint16) bool {
	return lowest <= p.leastBucket || highest >= p.mostBucket
}
