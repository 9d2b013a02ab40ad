package search

import "math/bits"

// variantSummaries has three columns that summarize the variants of each product. They decide for most products whether
// all variants match a price range, or none does, without reading the variants.
type variantSummaries struct {
	// lowestPrices and highestPrices have the price buckets of the lowest and of the highest price of the variants. A
	// product without variants has noPriceBucket in lowestPrices and 0 in highestPrices.
	lowestPrices, highestPrices []uint16
	variantStates               []uint8 // bits, see hasVariant
}

// The bits of variantStates.
const (
	hasVariant      uint8 = 1         // the product has a variant
	hasInStock      uint8 = 2         // it has a variant in stock
	noPriceBucket         = 1<<16 - 1 // greater than the bucket of each price
	priceBucketBits       = 10
)

// priceBucket maps prices to numbers of 16 bits in the same order: a higher price has a higher bucket or the same one.
// The prices in one bucket differ by less than 0.1 %: the bucket consists of the number of the highest bit that is set
// in the price and of the ten bits after it.
func priceBucket(price int64) uint16 {
	if price <= 0 {
		return 0
	}
	length := bits.Len64(uint64(price)) // at most 62, see unboundedPrice
	return uint16(length<<priceBucketBits | int(uint64(price)<<(64-length)<<1>>(64-priceBucketBits)))
}

func (v *variantSummaries) add() {
	v.lowestPrices = append(v.lowestPrices, noPriceBucket)
	v.highestPrices = append(v.highestPrices, 0)
	v.variantStates = append(v.variantStates, 0)
}

func (v *variantSummaries) bytes() int {
	return 2*cap(v.lowestPrices) + 2*cap(v.highestPrices) + cap(v.variantStates)
}

// summarizeVariants updates the summary of a row.
func (c *searchColumns) summarizeVariants(row uint32) {
	lowest, highest, state := uint16(noPriceBucket), uint16(0), uint8(0)
	from, to := c.variantsOf(row)
	for i := from; i < to; i++ {
		bucket := priceBucket(c.prices[i])
		lowest, highest = min(lowest, bucket), max(highest, bucket)
		state |= hasVariant
		if c.flags[i]&flagInStock != 0 {
			state |= hasInStock
		}
	}
	c.lowestPrices[row], c.highestPrices[row], c.variantStates[row] = lowest, highest, state
	c.extendBlockPrices(row)
}

// extendBlockPrices extends the bounds of the row's block so that they include the row's prices.
func (c *searchColumns) extendBlockPrices(row uint32) {
	b := &c.blocks[row/blockLen]
	b.lowestPrice = min(b.lowestPrice, c.lowestPrices[row])
	b.highestPrice = max(b.highestPrice, c.highestPrices[row])
}
