package demo

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// leafFlatness makes the most popular of the leaves hold about 5 % of the products, some twenty about 1 % or more, and the last 0.2 %.
const leafFlatness = 5.5

// Generator makes a shop. The same seed gives the same shop; product i depends on the seed and on i only, so any part of the shop can
// be made without the rest. It does not change once it is made, and is safe for concurrent use.
type Generator struct {
	seed       uint64
	categories []Category
	leaves     []leaf // by popularity
	features   index
	options    index
	stocks     []Stock
}

// index is a list of attributes in which values are found by their names.
type index struct {
	list   []Attribute
	number map[string]int            // of an attribute, by its name
	value  map[string]map[string]int // of a value, by the names of the attribute and its own
}

func newIndex(list []Attribute) index {
	x := index{list, map[string]int{}, map[string]map[string]int{}}
	for i, a := range list {
		x.number[a.Name], x.value[a.Name] = i, map[string]int{}
		for j, v := range a.Values {
			x.value[a.Name][v] = j
		}
	}
	return x
}

func (x index) choice(attribute, value string) Choice {
	return Choice{x.number[attribute], x.value[attribute][value]}
}

// NewGenerator makes the generator of a seed's shop.
func NewGenerator(seed uint64) *Generator {
	tree, leaves := plant(departments())
	return &Generator{
		seed: seed, categories: tree, leaves: leaves,
		features: newIndex(features(leaves)), options: newIndex(options(leaves)), stocks: stocks(),
	}
}

// Categories are the tree, each category behind the one above it. Who asks may not change them, nor the other lists.
func (g *Generator) Categories() []Category { return g.categories }

// Features are what products are described by.
func (g *Generator) Features() []Attribute { return g.features.list }

// Options are what tells variants apart.
func (g *Generator) Options() []Attribute { return g.options.list }

// Stocks are where the goods lie.
func (g *Generator) Stocks() []Stock { return g.stocks }

// ExternalID is that of product i.
func ExternalID(i int) string { return fmt.Sprintf("D-%06d", i) }

// Product makes product i, which counts from 1.
func (g *Generator) Product(i int) Product {
	d := newDraw(g.seed, uint64(i))
	l := g.leaves[d.skewed(len(g.leaves), leafFlatness)]
	m := maker{g: g, draw: d, leaf: l, number: i, cyrillic: d.chance(0.1)}
	p := Product{ExternalID: ExternalID(i), Categories: m.categories()}
	m.describe(&p)
	p.Variants = m.variants()
	if len(l.department.modifiers) > 0 && d.chance(0.4) {
		p.Modifiers = d.any(l.department.modifiers)
	}
	return p
}

// maker makes one product.
type maker struct {
	draw
	g        *Generator
	leaf     leaf
	number   int
	cyrillic bool // its name is in Cyrillic
}

// categories is the leaf, and for some products a second one of the same department.
func (m *maker) categories() []int {
	list := []int{m.leaf.category}
	if m.chance(0.04) {
		if other := m.g.leaves[m.IntN(len(m.g.leaves))]; other.department == m.leaf.department && other.category != m.leaf.category {
			list = append(list, other.category)
		}
	}
	return list
}

// describe draws the features, and the name and description which tell of them.
func (m *maker) describe(p *Product) {
	dep := m.leaf.department
	brands, nouns := dep.brands, m.leaf.nouns
	if m.cyrillic {
		brands, nouns = dep.cyrillic, m.leaf.cyrillic
	}
	t := telling{noun: m.one(nouns), adjective: m.any(dep.adjectives), brand: m.one(brands), use: m.any(dep.uses), number: 1 + m.skewed(99, 30)}
	t.model = model(m.any(dep.models), t.number)
	p.Features = append(p.Features, m.g.features.choice(brandFeature, t.brand))
	for _, trait := range m.leaf.traits {
		p.Features = m.take(p.Features, trait, &t)
	}
	if m.chance(0.97) {
		p.Features = append(p.Features, m.weight())
	}
	if m.cyrillic {
		p.Name, p.Description = t.russian(m.draw)
		return
	}
	p.Name, p.Description = t.english(m.draw, dep)
}

// model is the name of a model: a short code goes with its number in one word.
func model(begin string, number int) string {
	if len(begin) <= 2 || strings.HasSuffix(begin, "-") {
		return fmt.Sprintf("%s%d", begin, number)
	}
	return fmt.Sprintf("%s %d", begin, number)
}

// take draws whether a product has a feature of the trait, and which values.
func (m *maker) take(features []Choice, t trait, told *telling) []Choice {
	if !m.chance(t.share) {
		return features
	}
	value := m.one(t.values)
	features = append(features, m.g.features.choice(t.feature, value))
	if t.several > 0 && m.chance(t.several) {
		if second := m.one(t.values); second != value {
			features = append(features, m.g.features.choice(t.feature, second))
		}
	}
	switch t.feature {
	case materialFeature:
		told.material = strings.ToLower(value)
	case countryFeature:
		told.country = value
	}
	return features
}

// weight is drawn around that of the shelf: the next above it of those that products can have.
func (m *maker) weight() Choice {
	at := m.g.features.number[weightFeature]
	values := m.g.features.list[at].Values
	wanted := strconv.FormatFloat(m.around(m.leaf.weight, 0.35), 'f', 6, 64)
	i, _ := slices.BinarySearchFunc(values, wanted, byNumber)
	return Choice{at, min(i, len(values)-1)}
}
