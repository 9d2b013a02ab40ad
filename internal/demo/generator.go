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
	seed uint64
	*vocabulary
	tree     categoryTree
	features attributeIndex
	options  attributeIndex
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

// NewGenerator returns the generator of a seed's English catalogue.
func NewGenerator(seed uint64) *Generator { return NewGeneratorIn(English, seed) }

// NewGeneratorIn returns the generator of a seed's catalogue in a language.
func NewGeneratorIn(language Language, seed uint64) *Generator {
	switch language {
	case Russian:
		return newGenerator(seed, russian(), buildRussianTree())
	case Mixed:
		return newGenerator(seed, english(Mixed), buildEnglishTree(true))
	default:
		return newGenerator(seed, english(English), buildEnglishTree(false))
	}
}

func newGenerator(seed uint64, v *vocabulary, tree categoryTree) *Generator {
	return &Generator{
		seed: seed, vocabulary: v, tree: tree,
		features: newAttributeIndex(buildFeatures(v, tree.leaves)),
		options:  newAttributeIndex(buildOptions(v, tree.leaves)),
	}
}

// Language returns the language of the catalogue.
func (g *Generator) Language() Language { return g.language }

// Categories returns the category tree, parents first. The caller must not modify the slices that a Generator returns.
func (g *Generator) Categories() []Category { return g.tree.categories }

// Features returns the features of products.
func (g *Generator) Features() []Attribute { return g.features.list }

// Options returns the options of variants.
func (g *Generator) Options() []Attribute { return g.options.list }

// Stocks returns the stocks.
func (g *Generator) Stocks() []Stock { return g.stocks }

// ExternalID returns the external id of product i of the English catalogue.
func ExternalID(i int) string { return fmt.Sprintf(englishExternalID, i) }

// ExternalID returns the external id of product i.
func (g *Generator) ExternalID(i int) string { return fmt.Sprintf(g.externalID, i) }

// Product generates product i, counted from 1.
func (g *Generator) Product(i int) Product {
	rng := newProductRand(g.seed, uint64(i))
	l := &g.tree.leaves[rng.skewed(len(g.tree.leaves), leafSkew)]
	// The chance is taken in each language, so that the other products of English and Mixed are the same.
	b := productBuilder{g: g, productRand: rng, leaf: l, number: i, cyrillic: rng.chance(0.1) && g.language == Mixed}
	p := Product{ExternalID: g.ExternalID(i), Categories: b.categories()}
	l.describe(&b, &p)
	if len(l.modifiers) > 0 && rng.chance(0.4) {
		p.Modifiers = rng.pickUniform(l.modifiers)
	}
	return p
}

type productBuilder struct {
	productRand
	g        *Generator
	leaf     *leafCategory
	number   int
	cyrillic bool // the name is in Cyrillic, in the catalogue Mixed
}

// categories returns the leaf category, and for some products a second one of the same department.
func (b *productBuilder) categories() []int {
	list := []int{b.leaf.index}
	if b.chance(0.04) {
		if other := &b.g.tree.leaves[b.IntN(len(b.g.tree.leaves))]; other.department == b.leaf.department &&
			other.index != b.leaf.index {
			list = append(list, other.index)
		}
	}
	return list
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
	case b.g.material:
		text.material = strings.ToLower(value)
	case b.g.country:
		text.country = value
	}

	return features
}

// weight returns a random weight around the median of the section, rounded up to the next of weightSteps.
func (b *productBuilder) weight() Choice {
	index := b.g.features.attribute[b.g.weight]
	values := b.g.features.list[index].Values
	wanted := strconv.FormatFloat(b.logNormal(b.leaf.weight, 0.35), 'f', 6, 64)
	i, _ := slices.BinarySearchFunc(values, wanted, compareNumbers)
	return Choice{index, min(i, len(values)-1)}
}
