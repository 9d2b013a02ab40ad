package demo

import "strings"

// department is a top-level category: the products it sells and how they are named, described and split into variants.
// All lists are in order of popularity, the most popular first.
type department struct {
	name      string
	skuPrefix string // prefix of its SKUs
	// namePattern is the pattern of product names: %B is the brand, %A an adjective, %N a noun of the section, %M the
	// model. materialFormat describes the material. If they are empty, the defaults below apply.
	namePattern    string
	materialFormat string
	brands         []string
	cyrillicBrands []string // brands of the products with Cyrillic names
	adjectives     []string
	models         []string // prefixes of model names; a number follows
	uses           []string // purposes, for descriptions
	specs          specs
	modifiers      []string // JSON; modifiers of some of its products
	// adjectivesOf and modifiersOf have those of sections that are odd with the lists of the department, by name.
	adjectivesOf, modifiersOf map[string][]string
	subdepartments            []subdepartment
}

const (
	defaultNamePattern    = "%B %A %N %M"
	defaultMaterialFormat = "Made of %s."
)

// subdepartment is a category between a department and its sections.
type subdepartment struct {
	name      string
	materials string // list of the materials of its products, or of their packaging
	sections  []section
}

// section is a leaf category.
type section struct {
	name                 string
	price                float64 // median, in units of the store's currency
	weight               float64 // median, in kilograms
	nouns, cyrillicNouns string  // lists
	// specs are features in addition to the features of the department, and options instead of its options.
	specs specs
}

// specs are the features and options of the products of a department or section.
type specs []attributeSpec

// attributeSpec is a feature or an option. The variants of a product have consecutive values of an option.
type attributeSpec struct {
	name        string
	isOption    bool
	values      []string
	share       float64 // of a feature: share of the products that have it
	secondShare float64 // of a feature: share of these products that have a second value
	priceStep   float64 // of an option: price increase from one value to the next, as a share of the price
}

// giftModifiers are modifiers of what people give to each other.
func giftModifiers() []string {
	return []string{
		`[{"id":"gift","name":"Gift wrapping","min":0,"max":1,"required":false,"items":[{"id":"paper",` +
			`"name":"Paper with a bow","price":2.5},{"id":"box","name":"Gift box","price":4.9}]},` +
			`{"id":"card","name":"Greeting card","min":0,"max":1,"required":false,"items":[{"id":"card",` +
			`"name":"Card with your words","price":1.5}]}]`,
	}
}

// listOf returns the list of a section, or that of its department if the section has none.
func listOf(sections map[string][]string, name string, all []string) []string {
	if list, has := sections[name]; has {
		return list
	}
	return all
}

func words(list string) []string { return strings.Split(list, ", ") }

// Features that most products have. Brand, material and weight are not in the specs of a department: they depend on
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

func feature(name string, share float64, values string) attributeSpec {
	return attributeSpec{name: name, share: share, values: words(values)}
}

func colours(share float64, names string) attributeSpec {
	return attributeSpec{name: colourFeature, share: share, values: words(names), secondShare: 0.12}
}

func materials(names string) attributeSpec {
	return attributeSpec{name: materialFeature, share: 0.96, values: words(names), secondShare: 0.1}
}

// noMaterial means that the products of a section have no material feature.
func noMaterial() attributeSpec { return attributeSpec{name: materialFeature} }

func seasons(share float64, names string) attributeSpec {
	return attributeSpec{name: seasonFeature, share: share, values: words(names), secondShare: 0.2}
}

func warranty(share float64, months string) attributeSpec {
	return feature(warrantyFeature, share, months)
}

func countries(names string) attributeSpec { return feature(countryFeature, 0.96, names) }

func rating() attributeSpec { return feature(ratingFeature, 0.9, "B, A, C, A+, D, E") }

func option(name string, priceStep float64, values string) attributeSpec {
	return attributeSpec{name: name, isOption: true, priceStep: priceStep, values: words(values)}
}

func sizes(names string) attributeSpec { return option(sizeOption, 0, names) }

func colourOptions(names string) attributeSpec { return option(colourOption, 0, names) }

func capacities(priceStep float64, names string) attributeSpec {
	return option(capacityOption, priceStep, names)
}
