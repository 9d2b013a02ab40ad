package pricing

import (
	"slices"

	"vitrine/internal/shop/money"
)

// One is the quantity for which lists of products show a price.
const One money.Quantity = 1000

// Step is the price of a variant in a list from a quantity on.
type Step struct {
	From  money.Quantity
	Price money.Money
}

// Prices are the prices of a variant for a reader.
type Prices struct {
	// Base is the price of the variant itself.
	Base money.Price
	// Lists has the steps of each list of the chain, by ascending quantity. It is empty for a list that has no price of
	// the variant.
	Lists [][]Step
}

// At returns the price for a quantity and the index of the list in the chain that has it, or -1 if it is the price of
// the variant itself.
func (p *Prices) At(quantity money.Quantity) (price money.Price, list int) {
	for i, steps := range p.Lists {
		if found, ok := stepPrice(steps, quantity); ok {
			return money.NewPrice(found), i
		}
	}
	return p.Base, -1
}

// stepPrice returns the price of the last step that begins at the quantity or below it. Less than the first step is
// sold at the price of the first step if that begins at one or below: 0.3 kg of what has a price from 1 kg on.
func stepPrice(steps []Step, quantity money.Quantity) (price money.Money, ok bool) {
	if len(steps) == 0 {
		return 0, false
	}
	if first := steps[0]; quantity < first.From {
		return first.Price, first.From <= One
	}
	for _, s := range steps {
		if s.From <= quantity {
			price = s.Price
		}
	}
	return price, true
}

// Steps returns the prices by quantity, ascending, beginning with the price for one. Steps with the price of the step
// before are left out, and so are quantities for which there is no price.
func (p *Prices) Steps() []Step {
	quantities := []money.Quantity{One}
	for _, steps := range p.Lists {
		for _, s := range steps {
			if s.From > One {
				quantities = append(quantities, s.From)
			}
		}
	}
	slices.Sort(quantities)

	var merged []Step
	for _, quantity := range slices.Compact(quantities) {
		price, _ := p.At(quantity)
		amount, ok := price.Amount()
		if !ok || len(merged) > 0 && merged[len(merged)-1].Price == amount {
			continue
		}
		merged = append(merged, Step{quantity, amount})
	}
	return merged
}

// OldPrice returns the price that is shown crossed out beside a price: of the list of old prices the price for one, if
// it is higher. Steps are those of that list.
func OldPrice(price money.Price, steps []Step) money.Price {
	old, ok := stepPrice(steps, One)
	amount, priced := price.Amount()
	if !ok || !priced || old <= amount {
		return money.Price{}
	}
	return money.NewPrice(old)
}
