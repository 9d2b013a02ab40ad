// Package productfield names the members of a product that people can lock against pushes, and to which an exchange
// token can be limited. Packages catalog and exchange obey the locks and the limits.
package productfield

import "strings"

// Set is a set of members. The bits are stored in the database, so a member keeps its bit.
type Set int64

// The members. Price, Remainders and Barcodes are members of the variants; Variants stands for the list of variants and
// all other members of them.
const (
	Name Set = 1 << iota
	Description
	Images
	Categories
	Features
	Price
	Variants
	Remainders
	Modifiers
	Unit
	VATRate
	Weight
	Barcodes
	Slug
	SEO
)

// OfVariants are the members of variants.
const OfVariants = Price | Variants | Remainders | Barcodes

// Field describes a member. The texts are in English; the administration translates them.
type Field struct {
	Set      Set    // the member alone
	Name     string // in requests, responses and pushes; the column with its writer is called NAME_writer
	Label    string // of the member in forms and in the log
	Plural   string // the member of many products, as in "this token writes descriptions"
	Lockable bool   // people can lock it
}

// Fields are all members. A token can be limited to each of them. They stand in the order of the constants.
var Fields = []Field{
	{Name, "name", "Name", "names", true},
	{Description, "description", "Description", "descriptions", true},
	{Images, "images", "Images", "images", true},
	{Categories, "categories", "Categories", "categories of products", true},
	{Features, "features", "Features", "features of products", true},
	{Price, "price", "Prices", "prices", true},
	{Variants, "variants", "Variants", "variants", false},
	{Remainders, "remainders", "Stock", "stock levels", false},
	{Modifiers, "modifiers", "Modifiers", "modifiers", false},
	{Unit, "unit", "Unit", "units", true},
	{VATRate, "vat_rate", "VAT rate, %", "VAT rates", true},
	{Weight, "weight", "Weight, kg", "weights", true},
	{Barcodes, "barcodes", "Barcodes", "barcodes", true},
	{Slug, "slug", "Address in the shop", "addresses", true},
	{SEO, "seo", "For search engines", "texts for search engines", true},
}

// All are all members, and Lockable those that can be locked.
var (
	All      = setOf(func(Field) bool { return true })
	Lockable = setOf(func(f Field) bool { return f.Lockable })
)

func setOf(included func(Field) bool) (s Set) {
	for _, f := range Fields {
		if included(f) {
			s |= f.Set
		}
	}
	return s
}

// Has reports whether the set has all members of other.
func (s Set) Has(other Set) bool { return s&other == other }

// Fields returns the descriptions of the members, in the order of the constants.
func (s Set) Fields() []Field {
	list := make([]Field, 0, len(Fields))
	for _, f := range Fields {
		if s.Has(f.Set) {
			list = append(list, f)
		}
	}
	return list
}

// Words returns the names of the members, in the order of the constants.
func (s Set) Words() []string {
	list := make([]string, 0, len(Fields))
	for _, f := range Fields {
		if s.Has(f.Set) {
			list = append(list, f.Name)
		}
	}
	return list
}

// Label returns the label of a set with one member.
func (s Set) Label() string {
	for _, f := range Fields {
		if f.Set == s {
			return f.Label
		}
	}
	return ""
}

// String returns the names of the members, separated by commas.
func (s Set) String() string { return strings.Join(s.Words(), ", ") }

// Find returns the member of the set with this name. It returns false if there is none.
func (s Set) Find(name string) (Set, bool) {
	for _, f := range Fields {
		if f.Name == name && s.Has(f.Set) {
			return f.Set, true
		}
	}
	return 0, false
}
