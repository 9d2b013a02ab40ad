package pricelist

import (
	"slices"

	"vitrine/internal/shop/money"
	"vitrine/internal/shop/pricing"
	"vitrine/internal/shop/store"
)

// Reader says whose prices are read.
type Reader struct {
	Chain pricing.Chain
	// Old is the list of old prices; nil for none.
	Old *store.PriceListID
	// Steps says that all steps and the old prices are read, not only the prices for one.
	Steps bool
}

// Prices are the prices of variants that a reader gets.
type Prices struct {
	chain []int64 // row keys of lists
	old   int64   // the row key of the list of old prices, or 0
	steps map[stepKey][]pricing.Step
}

// stepKey has the row keys of a variant and of a list.
type stepKey struct{ variant, list int64 }

// lists returns the row keys of the lists whose prices are read.
func (p *Prices) lists() []int64 {
	lists := p.chain
	if p.old != 0 && !slices.Contains(lists, p.old) {
		lists = append(slices.Clone(lists), p.old)
	}
	return lists
}

// Of returns the prices of a variant, which has the price base itself.
func (p *Prices) Of(variantKey int64, base money.Price) pricing.Prices {
	prices := pricing.Prices{Base: base, Lists: make([][]pricing.Step, len(p.chain))}
	for i, list := range p.chain {
		prices.Lists[i] = p.steps[stepKey{variantKey, list}]
	}
	return prices
}

// Old returns the old price of a variant that has this price for the reader.
func (p *Prices) Old(variantKey int64, price money.Price) money.Price {
	return pricing.OldPrice(price, p.steps[stepKey{variantKey, p.old}])
}
