package demo

import (
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

// Language is the language of a catalogue. Each language has departments and products of its own.
type Language string

// The languages of catalogues.
const (
	English Language = "en"
	Russian Language = "ru"

	// Mixed is the English catalogue in which a tenth of the products have Cyrillic names and brands, as in shops that
	// sell in two alphabets. The benchmarks of search use it.
	Mixed Language = "mixed"
)

// StoreSettings returns the settings of a new store with a catalogue in the language.
func (l Language) StoreSettings() store.Edit {
	if l == Russian {
		return store.Edit{Name: new("Мой магазин"), Locale: new("ru"), Currency: new("RUB")}
	}
	return store.Edit{}
}

// Category is a category of the shop. The leaves of the tree have products.
type Category struct {
	ExternalID string
	Name       string
	Parent     int // index of the parent category; -1 for a department
}

// Stock is a warehouse or an outlet.
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

// Product is a generated product. It refers to other entities by their indexes in the Generator's lists.
type Product struct {
	ExternalID  string
	Name        string
	Description string
	Model       string // as it is in the name; empty if the name has none
	Noun        string // of the name, such as "Floor Lamp"; it says what the pictures show
	Brand       string
	Title       string   // of a book; empty otherwise
	Categories  []int    // leaf categories, the main one first
	Features    []Choice // of Generator.Features
	Modifiers   string   // JSON; empty if the product has none
	Variants    []Variant
}

// Variant is a variant of a product.
type Variant struct {
	ExternalID string
	Name       string // its option values; empty if it has no options
	SKU        string
	Barcode    string // empty if it has none
	Price      money.Money
	Options    []Choice // of Generator.Options
	Remainders []Remainder
}

// Choice is a value of an attribute, both given as indexes.
type Choice struct{ Attribute, Value int }

// Remainder is the quantity of a variant in a stock, which is given as an index.
type Remainder struct {
	Stock    int
	Quantity money.Quantity
}
