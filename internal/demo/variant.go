package demo

import (
	"fmt"
	"strings"

	"vitrine/internal/shop/catalog"
)

// variantParts are the parts of the products with one variant, two, and so on: two in the mean.
func variantParts() []float64 { return []float64{0.47, 0.23, 0.13, 0.09, 0.05, 0.03} }

// variants draws the variants of a product: their options, prices and what the stocks have of them.
func (m *maker) variants() []Variant {
	cells := m.cells()
	base := m.around(m.leaf.price, 0.45)
	cents := int64(99)
	if m.chance(0.3) {
		cents = 90
	}
	soldOut := m.chance(0.1)
	list := make([]Variant, len(cells))
	for i, c := range cells {
		list[i] = Variant{
			ExternalID: fmt.Sprintf("%s-%d", ExternalID(m.number), i+1), SKU: fmt.Sprintf("%s-%06d-%d", m.leaf.department.code, m.number, i+1),
			Name: c.name(), Options: c.choices(m.g), Price: price(base*(1+c.dearer), cents),
		}
		list[i].Remainders = m.remainders(soldOut, i == 0)
	}
	return list
}

// cell is a combination of option values.
type cell struct {
	options, values []string
	dearer          float64 // than the first combination, as a part of its price
}

func (c cell) name() string { return strings.Join(c.values, " / ") }

func (c cell) choices(g *Generator) []Choice {
	var list []Choice
	for i, o := range c.options {
		list = append(list, g.options.choice(o, c.values[i]))
	}
	return list
}

// cells draws the combinations of a product, each different: neighbours of the first option, and for a larger product two values of
// the second one. A product with one variant seldom has options.
func (m *maker) cells() []cell {
	by := m.leaf.splits()
	n := 1 + m.weighted(variantParts())
	if len(by) == 0 || (n == 1 && m.chance(0.6)) {
		return []cell{{}}
	}
	seconds := []string{""}
	if len(by) > 1 {
		first := m.one(by[1].values)
		seconds = []string{first}
		if other := m.one(by[1].values); n > 3 && other != first {
			seconds = append(seconds, other)
		}
	}
	run := min((n+len(seconds)-1)/len(seconds), len(by[0].values))
	from := m.IntN(len(by[0].values) - run + 1)
	var cells []cell
	for k, value := range by[0].values[from : from+run] {
		for _, second := range seconds {
			c := cell{[]string{by[0].option}, []string{value}, by[0].dearer * float64(k)}
			if second != "" {
				c.options, c.values = append(c.options, by[1].option), append(c.values, second)
			}
			cells = append(cells, c)
		}
	}
	return cells[:min(n, len(cells))]
}

// price rounds an amount to a price of a shop, which ends in .99 or .90.
func price(amount float64, cents int64) catalog.Money {
	return catalog.Money((max(1, int64(amount))*100 - 100 + cents) * 100)
}

// remainders draws what the stocks have of a variant: nothing where its stock is not kept, and zero where it is sold out. The main
// variant of a product is there unless the product is sold out.
func (m *maker) remainders(soldOut, main bool) []Remainder {
	if !soldOut && m.chance(0.08) {
		return nil
	}
	gone := soldOut || (!main && m.chance(0.1))
	var list []Remainder
	for i := range m.g.stocks {
		if i > 0 && !m.chance(0.6) {
			continue
		}
		amount := 0
		if !gone {
			amount = 1 + m.skewed(250, 4)
		}
		list = append(list, Remainder{i, catalog.Quantity(amount * 1000)})
	}
	return list
}
