package demo

import "strings"

// department is a top-level category: the products it sells and how they are named, described and split into variants.
// All lists are in order of popularity, the most popular first.
type department struct {
	name      string
	skuPrefix string // prefix of its SKUs
	// namePattern is the pattern of product names: %B is the brand, %A an adjective, %N a noun of the section, %M the
	// model.
	namePattern    string
	brands         []string
	cyrillicBrands []string // brands of the products with Cyrillic names
	adjectives     []string
	models         []string // prefixes of model names; a number follows
	materialFormat string   // description of the material, with %s
	uses           []string // purposes, for descriptions
	featureSpecs   []featureSpec
	optionSpecs    []optionSpec
	modifiers      []string // JSON; modifiers of some of its products
	subdepartments []subdepartment
}

// subdepartment is a category between a department and its sections.
type subdepartment struct {
	name      string
	materials string // list of the materials of its products, or of their packaging
	sections  []section
}

// section is a leaf category.
type section struct {
	name          string
	price         float64 // median, in units of the store's currency
	weight        float64 // median, in kilograms
	nouns         []string
	cyrillicNouns []string
	noMaterial    bool          // its products have no material feature
	featureSpecs  []featureSpec // in addition to those of the department
	optionSpecs   []optionSpec  // instead of those of the department
}

// featureSpec is a feature that products of a department or section have.
type featureSpec struct {
	feature     string
	share       float64 // share of the products that have it
	values      []string
	secondShare float64 // share of those with a second value
}

// optionSpec is an option that distinguishes variants. The variants of a product have consecutive values.
type optionSpec struct {
	option    string
	values    []string
	priceStep float64 // price increase from one value to the next, as a share of the price
}

// splitList splits a comma-separated list.
func splitList(text string) []string { return strings.Split(text, ", ") }

// Features that most products have. Brand, material and weight are not in featureSpecs of a department: they depend on
// the name, the subdepartment and the section.
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

// Features of some departments or sections. All but careFeature are filterable.
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

// Options.
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
	return section{
		name: name, price: price, weight: weight, nouns: splitList(nouns), cyrillicNouns: splitList(cyrillic),
	}
}

// withoutMaterial returns the section with products that have no material feature.
func (s section) withoutMaterial() section {
	s.noMaterial = true
	return s
}

// withFeatures returns the section with additional features.
func (s section) withFeatures(specs ...featureSpec) section {
	s.featureSpecs = specs
	return s
}

// withOptions returns the section with its own options instead of those of the department.
func (s section) withOptions(specs ...optionSpec) section {
	s.optionSpecs = specs
	return s
}
