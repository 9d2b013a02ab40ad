// Package demo owns a made-up shop: a catalogue that looks like a real one, repeatable from a seed and of any size. It fills a store
// with it through the catalogue's own use-cases. It knows neither HTTP nor the command line.
package demo

import "vitrine/internal/shop/catalog"

// Category is a shelf of the shop, or what stands above some of them.
type Category struct {
	ExternalID string
	Name       string
	Parent     int // index of the category above it; -1 for a department
}

// Stock is a place where the shop's goods lie.
type Stock struct{ ExternalID, Name string }

// Attribute is a feature or an option with all its values.
type Attribute struct {
	Kind       catalog.Kind
	Name       string
	Filterable bool
	FieldType  catalog.FieldType
	RangeType  catalog.RangeType // empty unless FieldType is catalog.Range
	Values     []string
}

// Product is one product. What it refers to it names by its index in the Generator's lists.
type Product struct {
	ExternalID  string
	Name        string
	Description string
	Categories  []int    // leaves of the tree, the main one first
	Features    []Choice // indexes of Features
	Modifiers   string   // JSON; empty without any
	Variants    []Variant
}

// Variant is one variant of a product.
type Variant struct {
	ExternalID string
	Name       string // its option values; empty without any
	SKU        string
	Price      catalog.Money
	Options    []Choice // indexes of Options
	Remainders []Remainder
}

// Choice is a value of an attribute, both by their index.
type Choice struct{ Attribute, Value int }

// Remainder is what a stock, named by its index, has of a variant.
type Remainder struct {
	Stock    int
	Quantity catalog.Quantity
}
