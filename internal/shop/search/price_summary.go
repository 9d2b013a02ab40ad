package search

import "math/bits"

// priceSummaries summarizes the prices of the variants of each product, and of each group of products. They decide for
// most products whether their prices are inside a range, without reading the variants.
type priceSummaries struct {
	// lowestPrices and highestPrices have the price buckets of the lowest and of the highest price of a product's
	// variants. A product none of whose variants has a price has noPriceBucket and 0.
	lowestPrices, highestPrices []uint16
	// priceGroups has the bounds of each group of groupLen rows. A build sorts the products of a category by price, so
	// that the prices of a group are close together.
	priceGroups []priceRange
	// For each block, priced has the rows of the products with a variant that has a price, and unpriced those with a
	// variant that has none. A product may be in both.
	priced, unpriced []rowBits
}

type priceRange struct{ lowest, highest uint16 }

const (
	groupLen        = 64
	noPriceBucket   = 1<<16 - 1 // greater than the bucket of each price
	priceBucketBits = 10
)

// priceBucket maps prices to numbers of 16 bits in the same order: a higher price has a higher bucket or the same one.
// The prices in one bucket differ by less than 0.1 %: the bucket consists of the number of the highest bit that is set
// in the price and of the ten bits after it.
func priceBucket(price int64) uint16 {
	if price <= 0 {
		return 0
	}
	length := bits.Len64(uint64(price)) // at most 61, see noPrice
	return uint16(length<<priceBucketBits | int(uint64(price)<<(64-length)<<1>>(64-priceBucketBits)))
}

// add adds a product without a price as this row.
func (p *priceSummaries) add(row uint32) {
	p.lowestPrices = append(p.lowestPrices, noPriceBucket)
	p.highestPrices = append(p.highestPrices, 0)
	if row%groupLen == 0 {
		p.priceGroups = append(p.priceGroups, priceRange{noPriceBucket, 0})
	}
	if row%blockLen == 0 {
		p.priced = append(p.priced, rowBits{})
		p.unpriced = append(p.unpriced, rowBits{})
	}
}

// newPriceSummaries returns the summaries of products without a price, with room for more products.
func newPriceSummaries(rows int) priceSummaries {
	blocks := (rows + blockLen - 1) / blockLen
	return priceSummaries{
		lowestPrices: make([]uint16, rows, rows+rows/32), highestPrices: make([]uint16, rows, rows+rows/32),
		priceGroups: make([]priceRange, (rows+groupLen-1)/groupLen),
		priced:      make([]rowBits, blocks), unpriced: make([]rowBits, blocks),
	}
}

func (p *priceSummaries) bytes() int {
	return 2*cap(p.lowestPrices) + 2*cap(p.highestPrices) + 4*cap(p.priceGroups) +
		blockLen/8*(cap(p.priced)+cap(p.unpriced))
}

// summarizeGroup computes the bounds of a group.
func (p *priceSummaries) summarizeGroup(group uint32) {
	from := int(group * groupLen)
	to := min(int(group+1)*groupLen, len(p.lowestPrices))
	span := priceRange{noPriceBucket, 0}
	for row := from; row < to; row++ {
		span.lowest = min(span.lowest, p.lowestPrices[row])
		span.highest = max(span.highest, p.highestPrices[row])
	}
	p.priceGroups[group] = span
}
