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
// condition, in matching. The rows whose prices may be partly inside go to unsure, and so do rows with a variant that
// has no price if a range is given: the summaries do not have that variant.
func (s *searchScan) testSummaries(from, to uint32, matching, unsure *rowBits) {
	block := &s.c.blocks[from/blockLen]
	priced := &s.column.priced[from/blockLen]
	unpriced := &s.column.unpriced[from/blockLen]
	required := priced
	if s.f.inStock {
		required = &block.inStock
	}

	ranged := s.f.price.isSet()
	for i := range matching {
		rows := (s.candidates[i] | s.nearRows[i]) & required[i]
		if rows == 0 {
			continue
		}

		start := from + uint32(groupLen*i)
		switch group := s.column.priceGroups[start/groupLen]; {
		case s.priceTest.allInside(group):
			matching[i] = rows
		case s.priceTest.noneInside(group):
		default:
			end := min(start+groupLen, to)
			inside, partly := s.priceTest.testRows(s.column.lowestPrices[start:end],
				s.column.highestPrices[start:end])
			matching[i], unsure[i] = rows&inside, rows&partly
		}

		if ranged {
			unsure[i] |= matching[i] & unpriced[i]
			matching[i] &^= unpriced[i]
		}
	}
}

// priceTest tests the summaries of prices. A price is surely inside the range if its bucket is in [innerFrom, innerTo],
// and surely outside if its bucket is not in [outerFrom, outerTo]. Otherwise the price itself has to be compared.
type priceTest struct{ innerFrom, innerTo, outerFrom, outerTo int32 }

func newPriceTest(price bounds[int64]) priceTest {
	t := priceTest{innerTo: noPriceBucket, outerTo: noPriceBucket}
	if price.from != nil {
		t.outerFrom = int32(priceBucket(*price.from))
		t.innerFrom = t.outerFrom + 1 // a lower price may be in the same bucket
	}
	if price.to != nil {
		t.outerTo = int32(priceBucket(*price.to))
		t.innerTo = t.outerTo - 1
	}
	return t
}

func (t priceTest) allInside(r priceRange) bool {
	return int32(r.lowest) >= t.innerFrom && int32(r.highest) <= t.innerTo
}

func (t priceTest) noneInside(r priceRange) bool {
	return int32(r.highest) < t.outerFrom || int32(r.lowest) > t.outerTo
}

// testRows tests the rows of a group: are all their prices inside the range, or may some be? It has no branches that
// the CPU could mispredict.
func (t priceTest) testRows(lowest, highest []uint16) (inside, partly uint64) {
	highest = highest[:len(lowest)]
	for i := range lowest {
		low, high := int32(lowest[i]), int32(highest[i])
		outside := uint64(uint32((high-t.outerFrom)|(t.outerTo-low)) >> 31) // 1 if all prices are surely outside
		unsure := uint64(uint32((low-t.innerFrom)|(t.innerTo-high)) >> 31)  // 1 if some are not surely inside
		inside |= (1 &^ unsure) << (i % 64)
		partly |= (unsure &^ outside) << (i % 64)
	}
	return inside, partly
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
	row := uint32(0)
	fits := uint64(0)
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

// countVariants returns the same as hasMatchingVariant, and counts the option values of matching variants. A variant
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
	price := s.column.prices[i]
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
// skips rows, and groups of rows, whose prices are inside the span already.
func (s *searchScan) addBlockPrices(from uint32) {
	for i, rows := range s.candidates {
		if rows == 0 || !s.prices.mayWiden(s.column.priceGroups[from/groupLen+uint32(i)]) {
			continue
		}
		for ; rows != 0; rows &= rows - 1 {
			row := from + uint32(groupLen*i+bits.TrailingZeros64(rows))
			if s.prices.mayWiden(priceRange{s.column.lowestPrices[row], s.column.highestPrices[row]}) {
				s.addPrices(row)
			}
		}
	}
}

// addPrices adds the prices of the variants of a row that pass all conditions except the price.
func (s *searchScan) addPrices(row uint32) {
	from, to := s.c.variantsOf(row)
	for i := from; i < to; i++ {
		if price := s.column.prices[i]; price != noPrice && s.failedBits(i)&^s.priceBit == 0 {
			s.prices.add(price)
		}
	}
}

// mayWiden reports whether prices in these buckets may be outside the span.
func (p *priceSpan) mayWiden(r priceRange) bool {
	return r.lowest <= p.leastBucket || r.highest >= p.mostBucket
}
