package demo

import "strings"

// department is a part of the shop: what it sells, and how such things are called, described and split into variants. Lists stand in the
// order of popularity, the most popular first.
type department struct {
	name      string
	skuPrefix string // of its skus
	// name of a product: %B is its brand, %A an adjective, %N a noun of the shelf, %M a model.
	namePattern    string
	brands         []string
	cyrillicBrands []string // brands of the products whose names are in Cyrillic
	adjectives     []string
	models         []string // what a model's name begins with; a number follows
	materialFormat string   // how descriptions speak of the material, %s
	uses           []string // what its things are for, in descriptions
	featureSpecs   []featureSpec
	optionSpecs    []optionSpec
	modifiers      []string // what some of its products can be had with, as JSON
	subdepartments []subdepartment
}

// subdepartment is a level of the tree between a department and its shelves.
type subdepartment struct {
	name      string
	materials string // a list: what its things are made of, or packed in
	sections  []section
}

// section is a leaf of the tree of categories.
type section struct {
	name          string
	price         float64 // the median, in units of the store's currency
	weight        float64 // the median, in kilograms
	nouns         []string
	cyrillicNouns []string
	noMaterial    bool          // its things have no material to speak of
	featureSpecs  []featureSpec // on top of the department's
	optionSpecs   []optionSpec  // instead of the department's
}

// featureSpec is a feature that things of a department or a shelf have.
type featureSpec struct {
	feature     string
	share       float64 // the part of the products that have it
	values      []string
	secondShare float64 // the part of those with a second value
}

// optionSpec is an option that tells variants apart. A product takes a few neighbours of the values.
type optionSpec struct {
	option    string
	values    []string
	priceStep float64 // what the next value costs more, as a part of the price
}

// splitList reads a list of the tables.
func splitList(text string) []string { return strings.Split(text, ", ") }

// The features that most products have. Brand, material and weight are none of a department's traits: they follow from the name, the
// aisle and the shelf.
const (
	brandFeature    = "Brand"
	colourFeature   = "Colour"
	materialFeature = "Material"
	countryFeature  = "Country"
	seasonFeature   = "Season"
	ratingFeature   = "Rating class"
	weightFeature   = "Weight, kg"
	warrantyFeature = "Warranty, months"
)

// The features of some departments or shelves. Only careFeature is of no use to a filter.
const (
	screenFeature   = "Screen, inches"
	powerFeature    = "Power, W"
	widthFeature    = "Shoe width"
	languageFeature = "Language"
	ageFeature      = "Age"
	dietFeature     = "Diet"
	petFeature      = "Pet"
	careFeature     = "Care note"
)

// The options.
const (
	sizeOption     = "Size"
	colourOption   = "Colour"
	capacityOption = "Capacity"
)

func colourSpec(share float64, names string) featureSpec {
	return featureSpec{feature: colourFeature, share: share, values: splitList(names), secondShare: 0.12}
}

func materialSpec(names string) featureSpec {
	return featureSpec{feature: materialFeature, share: 0.96, values: splitList(names), secondShare: 0.1}
}

func seasonSpec(share float64, names string) featureSpec {
	return featureSpec{feature: seasonFeature, share: share, values: splitList(names), secondShare: 0.2}
}

func warrantySpec(share float64, months string) featureSpec {
	return featureSpec{feature: warrantyFeature, share: share, values: splitList(months)}
}

func countrySpec(names string) featureSpec {
	return featureSpec{feature: countryFeature, share: 0.96, values: splitList(names)}
}

func ratingSpec() featureSpec {
	return featureSpec{feature: ratingFeature, share: 0.9, values: splitList("B, A, C, A+, D, E")}
}

func newFeatureSpec(feature string, share float64, values string) featureSpec {
	return featureSpec{feature: feature, share: share, values: splitList(values)}
}

func sizeSpec(names string) optionSpec {
	return optionSpec{option: sizeOption, values: splitList(names)}
}

func colourOptionSpec(names string) optionSpec {
	return optionSpec{option: colourOption, values: splitList(names)}
}

func capacitySpec(names string, priceStep float64) optionSpec {
	return optionSpec{option: capacityOption, values: splitList(names), priceStep: priceStep}
}

func newSection(name string, price, weight float64, nouns, cyrillic string) section {
	return section{name: name, price: price, weight: weight, nouns: splitList(nouns), cyrillicNouns: splitList(cyrillic)}
}

// withoutMaterial is the shelf of things without a material to speak of.
func (s section) withoutMaterial() section {
	s.noMaterial = true
	return s
}

// withFeatures gives the shelf features of its own.
func (s section) withFeatures(specs ...featureSpec) section {
	s.featureSpecs = specs
	return s
}

// withOptions splits the shelf's variants by other options than the department's.
func (s section) withOptions(specs ...optionSpec) section {
	s.optionSpecs = specs
	return s
}
