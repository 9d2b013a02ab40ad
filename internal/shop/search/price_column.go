package search

import (
	"maps"
	"slices"
	"sync/atomic"

	"vitrine/internal/shop/pricing"
)

// priceColumn has the prices of the variants for readers with the same chain of price lists, and their summaries. The
// columns of a store have one for the prices of the variants themselves, and one for each chain that was asked for.
type priceColumn struct {
	// prices has one element per variant. The price of a variant that is not for sale is noPrice.
	prices []int64
	priceSummaries
	lists []int64 // the row keys of the chain
	// positions are the indexes of lists in searchColumns.lists.
	positions []int
	lastUse   atomic.Int64 // see Service.uses
}

// priceOf returns the price of a variant: of the first list that has one, or else its own.
func (p *priceColumn) priceOf(v *variantRow) int64 {
	for _, at := range p.positions {
		if price := v.listPrices[at]; price != noPrice {
			return price
		}
	}
	return v.price
}

// lowestPrice returns the lowest price of the variants in [from, to), or noPrice if none has a price.
func (p *priceColumn) lowestPrice(from, to uint32) int64 {
	if from == to {
		return noPrice
	}
	return slices.Min(p.prices[from:to])
}

// summarizeRow updates the summaries of a row, whose variants are in [from, to), but not the summaries of its group.
func (p *priceColumn) summarizeRow(row, from, to uint32) {
	lowest := uint16(noPriceBucket)
	highest := uint16(0)
	priced, unpriced := false, false

	for _, price := range p.prices[from:to] {
		if price == noPrice {
			unpriced = true
			continue
		}

		priced = true
		bucket := priceBucket(price)
		lowest = min(lowest, bucket)
		highest = max(highest, bucket)
	}

	p.lowestPrices[row], p.highestPrices[row] = lowest, highest
	p.priced[row/blockLen].put(row%blockLen, priced)
	p.unpriced[row/blockLen].put(row%blockLen, unpriced)
}

func (p *priceColumn) bytes() int { return 8*cap(p.prices) + p.priceSummaries.bytes() }

// chainBytes estimates the memory of a further price column.
func (c *searchColumns) chainBytes() int {
	return 8*len(c.base.prices) + 4*c.rowCount() + 4*len(c.base.priceGroups) + blockLen/4*len(c.blocks)
}

// priceColumns returns the columns of all chains, those of the variants' own prices first.
func (c *searchColumns) priceColumns() []*priceColumn {
	all := []*priceColumn{&c.base}
	for _, p := range c.chains {
		all = append(all, p)
	}
	return all
}

// addChain adds a column for a chain and returns it. It is empty: the caller fills it, or adds it before the products.
func (c *searchColumns) addChain(chain pricing.Chain) *priceColumn {
	p := &priceColumn{lists: chain.Lists()}
	c.setChain(chain, p)
	return p
}

// setChain sets the column of a chain. nil removes it.
func (c *searchColumns) setChain(chain pricing.Chain, p *priceColumn) {
	if c.chains == nil {
		c.chains = map[pricing.Chain]*priceColumn{}
	}
	c.chains[chain] = p
	if p == nil {
		delete(c.chains, chain)
	}

	used := map[int64]bool{}
	for _, p := range c.chains {
		for _, list := range p.lists {
			used[list] = true
		}
	}

	c.lists = slices.Sorted(maps.Keys(used))
	for _, p := range c.chains {
		p.positions = p.positions[:0]
		for _, list := range p.lists {
			at, _ := slices.BinarySearch(c.lists, list)
			p.positions = append(p.positions, at)
		}
	}
}

// pricesFor returns the column with the prices that the query needs, or nil if it has to be made. A query that does not
// depend on prices needs none of its chain.
func (c *searchColumns) pricesFor(query *Query) *priceColumn {
	if query.Prices.IsBase() || !query.needsPrices() {
		return &c.base
	}
	return c.chains[query.Prices]
}
