package demo

import "strings"

// department is a part of the shop: what it sells, and how such things are called, described and split into variants. Lists stand in the
// order of popularity, the most popular first.
type department struct {
	name string
	code string // of its skus
	// name of a product: %B is its brand, %A an adjective, %N a noun of the shelf, %M a model.
	pattern    string
	brands     []string
	cyrillic   []string // brands of the products whose names are in Cyrillic
	adjectives []string
	models     []string // what a model's name begins with; a number follows
	made       string   // how descriptions speak of the material, %s
	uses       []string // what its things are for, in descriptions
	traits     []trait
	by         []split
	modifiers  []string // what some of its products can be had with, as JSON
	aisles     []aisle
}

// aisle is a level of the tree between a department and its shelves.
type aisle struct {
	name      string
	materials string // a list: what its things are made of, or packed in
	shelves   []shelf
}

// shelf is a leaf of the tree of categories.
type shelf struct {
	name     string
	price    float64 // the median, in units of the store's currency
	weight   float64 // the median, in kilograms
	nouns    []string
	cyrillic []string
	bare     bool    // its things have no material to speak of
	traits   []trait // on top of the department's
	by       []split // instead of the department's
}

// trait is a feature that things of a department or a shelf have.
type trait struct {
	feature string
	share   float64 // the part of the products that have it
	values  []string
	several float64 // the part of those with a second value
}

// split is an option that tells variants apart. A product takes a few neighbours of the values.
type split struct {
	option string
	values []string
	dearer float64 // what the next value costs more, as a part of the price
}

// list reads a list of the tables.
func list(text string) []string { return strings.Split(text, ", ") }

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

func colours(share float64, names string) trait {
	return trait{feature: colourFeature, share: share, values: list(names), several: 0.12}
}

func materials(names string) trait {
	return trait{feature: materialFeature, share: 0.96, values: list(names), several: 0.1}
}

func seasons(share float64, names string) trait {
	return trait{feature: seasonFeature, share: share, values: list(names), several: 0.2}
}

func warranty(share float64, months string) trait {
	return trait{feature: warrantyFeature, share: share, values: list(months)}
}

func countries(names string) trait {
	return trait{feature: countryFeature, share: 0.96, values: list(names)}
}

func ratings() trait {
	return trait{feature: ratingFeature, share: 0.9, values: list("B, A, C, A+, D, E")}
}

func extra(feature string, share float64, values string) trait {
	return trait{feature: feature, share: share, values: list(values)}
}

func bySize(sizes string) split { return split{option: sizeOption, values: list(sizes)} }

func byColour(names string) split { return split{option: colourOption, values: list(names)} }

func byCapacity(names string, dearer float64) split {
	return split{option: capacityOption, values: list(names), dearer: dearer}
}

func stand(name string, price, weight float64, nouns, cyrillic string) shelf {
	return shelf{name: name, price: price, weight: weight, nouns: list(nouns), cyrillic: list(cyrillic)}
}

// plain is the shelf of things without a material to speak of.
func (s shelf) plain() shelf {
	s.bare = true
	return s
}

// with gives the shelf features of its own.
func (s shelf) with(traits ...trait) shelf {
	s.traits = traits
	return s
}

// in splits the shelf's variants by other options than the department's.
func (s shelf) in(by ...split) shelf {
	s.by = by
	return s
}
