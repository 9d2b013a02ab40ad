package demo

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// leafSkew gives the most popular leaf about 5 % of the products, about twenty leaves at least 1 %, the last one 0.2 %.
const leafSkew = 5.5

// Generator generates the catalogue of a seed. Product i depends only on the seed and on i, so any product can be
// generated without the others. A Generator is immutable and safe for concurrent use.
type Generator struct {
	seed       uint64
	categories []Category
	leaves     []leafCategory // in order of popularity
	features   attributeIndex
	options    attributeIndex
	stocks     []Stock
}

type attributeIndex struct {
	list      []Attribute
	attribute map[string]int            // index of an attribute, by its name
	value     map[string]map[string]int // index of a value, by the names of attribute and value
}

func newAttributeIndex(list []Attribute) attributeIndex {
	x := attributeIndex{list, map[string]int{}, map[string]map[string]int{}}
	for i, a := range list {
		x.attribute[a.Name] = i
		x.value[a.Name] = map[string]int{}
		for j, v := range a.Values {
			x.value[a.Name][v] = j
		}
	}
	return x
}

func (x attributeIndex) choice(attribute, value string) Choice {
	return Choice{x.attribute[attribute], x.value[attribute][value]}
}

// NewGenerator returns the generator of a seed.
func NewGenerator(seed uint64) *Generator {
	tree, leaves := buildCategoryTree(allDepartments())
	return &Generator{
		seed: seed, categories: tree, leaves: leaves,
		features: newAttributeIndex(buildFeatures(leaves)), options: newAttributeIndex(buildOptions(leaves)),
		stocks: []Stock{
			{"demo-central", "Central warehouse"}, {"demo-city", "City shop"}, {"demo-harbour", "Harbour outlet"},
		},
	}
}

// Categories returns the category tree, parents first. The caller must not modify the slices that a Generator returns.
func (g *Generator) Categories() []Category { return g.categories }

// Features returns the features of products.
func (g *Generator) Features() []Attribute { return g.features.list }

// Options returns the options of variants.
func (g *Generator) Options() []Attribute { return g.options.list }

// Stocks returns the stocks.
func (g *Generator) Stocks() []Stock { return g.stocks }

// ExternalID returns the external id of product i.
func ExternalID(i int) string { return fmt.Sprintf("D-%06d", i) }

// Product generates product i, counted from 1.
func (g *Generator) Product(i int) Product {
	rng := newProductRand(g.seed, uint64(i))
	l := g.leaves[rng.skewed(len(g.leaves), leafSkew)]
	b := productBuilder{g: g, productRand: rng, leaf: l, number: i, cyrillic: rng.chance(0.1)}
	p := Product{ExternalID: ExternalID(i), Categories: b.categories()}
	b.describe(&p)
	p.Variants = b.variants()
	if len(l.department.modifiers) > 0 && rng.chance(0.4) {
		p.Modifiers = rng.pickUniform(l.department.modifiers)
	}
	return p
}

type productBuilder struct {
	productRand
	g        *Generator
	leaf     leafCategory
	number   int
	cyrillic bool // the name is in Cyrillic
}

// categories returns the leaf category, and for some products a second one of the same department.
func (b *productBuilder) categories() []int {
	list := []int{b.leaf.index}
	if b.chance(0.04) {
		if other := b.g.leaves[b.IntN(len(b.g.leaves))]; other.department == b.leaf.department &&
			other.index != b.leaf.index {
			list = append(list, other.index)
		}
	}
	return list
}

// describe generates the features, and a name and a description that mention them.
func (b *productBuilder) describe(p *Product) {
	dep := b.leaf.department
	brands := dep.brands
	nouns := b.leaf.nouns
	if b.cyrillic {
		brands = dep.cyrillicBrands
		nouns = b.leaf.cyrillicNouns
	}

	text := productText{
		noun: b.pickPopular(nouns), adjective: b.pickUniform(dep.adjectives), brand: b.pickPopular(brands),
		use: b.pickUniform(dep.uses), number: 1 + b.skewed(99, 30),
	}
	text.model = modelName(b.pickUniform(dep.models), text.number)
	p.Features = append(p.Features, b.g.features.choice(brandFeature, text.brand))
	for _, spec := range b.leaf.features {
		p.Features = b.addFeature(p.Features, spec, &text)
	}

	if b.chance(0.97) {
		p.Features = append(p.Features, b.weight())
	}

	if b.cyrillic {
		p.Name, p.Description = text.russian(b.productRand)
		return
	}

	p.Name, p.Description = text.english(b.productRand, dep)
}

// modelName returns the name of a model. A short prefix is joined with the number.
func modelName(prefix string, number int) string {
	if len(prefix) <= 2 || strings.HasSuffix(prefix, "-") {
		return fmt.Sprintf("%s%d", prefix, number)
	}
	return fmt.Sprintf("%s %d", prefix, number)
}

// addFeature adds the feature with probability spec.share, and notes a material or country in text.
func (b *productBuilder) addFeature(features []Choice, spec attributeSpec, text *productText) []Choice {
	if !b.chance(spec.share) {
		return features
	}

	value := b.pickPopular(spec.values)
	features = append(features, b.g.features.choice(spec.name, value))
	if spec.secondShare > 0 && b.chance(spec.secondShare) {
		if second := b.pickPopular(spec.values); second != value {
			features = append(features, b.g.features.choice(spec.name, second))
		}
	}

	switch spec.name {
	case materialFeature:
		text.material = strings.ToLower(value)
	case countryFeature:
		text.country = value
	}

	return features
}

// weight returns a random weight around the median of the section, rounded up to the next of weightSteps.
func (b *productBuilder) weight() Choice {
	index := b.g.features.attribute[weightFeature]
	values := b.g.features.list[index].Values
	wanted := strconv.FormatFloat(b.logNormal(b.leaf.weight, 0.35), 'f', 6, 64)
	i, _ := slices.BinarySearchFunc(values, wanted, compareNumbers)
	return Choice{index, min(i, len(values)-1)}
}
