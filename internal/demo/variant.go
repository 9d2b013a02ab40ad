package demo

import (
	"fmt"
	"strings"

	"vitrine/internal/shop/money"
)

// variantCountShares are the shares of products with one variant, two variants, and so on. The mean is two.
func variantCountShares() []float64 { return []float64{0.47, 0.23, 0.13, 0.09, 0.05, 0.03} }

// variants generates the variants of a product with their options, prices and remainders.
func (b *productBuilder) variants() []Variant {
	combinations := b.combinations()
	base := b.logNormal(b.leaf.price, 0.45)
	cents := int64(99)
	if b.chance(0.3) {
		cents = 90
	}

	soldOut := b.chance(0.1)
	list := make([]Variant, len(combinations))
	for i, c := range combinations {
		list[i] = Variant{
			ExternalID: fmt.Sprintf("%s-%d", b.g.ExternalID(b.number), i+1),
			SKU:        fmt.Sprintf(b.leaf.skuFormat, b.number, i+1),
			Name:       c.name(), Options: c.choices(b.g), Price: b.g.roundPrice(base*(1+c.surcharge), cents),
		}
		list[i].Remainders = b.remainders(soldOut, i == 0)
	}

	return list
}

type optionCombination struct {
	options, values []string
	surcharge       float64 // over the first combination, as a share of its price
}

func (c optionCombination) name() string { return strings.Join(c.values, " / ") }

func (c optionCombination) choices(g *Generator) []Choice {
	var list []Choice
	for i, o := range c.options {
		list = append(list, g.options.choice(o, c.values[i]))
	}
	return list
}

// combinations returns random, distinct combinations: consecutive values of the first option, each with one value of
// the second option, or two in a product of more than three variants. A product with one variant seldom has options.
func (b *productBuilder) combinations() []optionCombination {
	options := b.leaf.options
	n := 1 + b.pickWeighted(variantCountShares())
	if len(options) == 0 || (n == 1 && b.chance(0.6)) {
		return []optionCombination{{}}
	}

	seconds := []string{""}
	if len(options) > 1 {
		first := b.pickPopular(options[1].values)
		seconds = []string{first}
		if other := b.pickPopular(options[1].values); n > 3 && other != first {
			seconds = append(seconds, other)
		}
	}

	count := min((n+len(seconds)-1)/len(seconds), len(options[0].values))
	start := b.IntN(len(options[0].values) - count + 1)
	var combinations []optionCombination
	for k, value := range options[0].values[start : start+count] {
		for _, second := range seconds {
			c := optionCombination{[]string{options[0].name}, []string{value}, options[0].priceStep * float64(k)}
			if second != "" {
				c.options, c.values = append(c.options, options[1].name), append(c.values, second)
			}
			combinations = append(combinations, c)
		}
	}

	return combinations[:min(n, len(combinations))]
}

// roundPrice rounds an amount down to a price with these cents, such as 4.99. An amount below 1 counts as 1.
func roundPrice(amount float64, cents int64) money.Money {
	return money.Money((max(1, int64(amount))*100 - 100 + cents) * 100)
}

// remainders generates the remainders of a variant: none if its stock is not tracked, and zero if it is sold out. The
// main variant is in stock unless the product is sold out.
func (b *productBuilder) remainders(soldOut, main bool) []Remainder {
	if !soldOut && b.chance(0.08) {
		return nil
	}

	empty := soldOut || (!main && b.chance(0.1))
	var list []Remainder
	for i := range b.g.stocks {
		if i > 0 && !b.chance(0.6) {
			continue
		}
		amount := 0
		if !empty {
			amount = 1 + b.skewed(250, 4)
		}
		list = append(list, Remainder{i, money.Quantity(amount * 1000)})
	}

	return list
}
