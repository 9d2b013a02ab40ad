// Package productfield names the members of a product that people can lock against pushes, and to which an exchange
// token can be limited. Packages catalog and exchange obey the locks and the limits.
package productfield

import "strings"

// Set is a set of members. The bits are stored in the database, so a member keeps its bit.
type Set int64

// The members. Price and Remainders are members of the variants; Variants stands for the list of variants and all other
// members of them.
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
)

// Lockable are the members that can be locked.
const Lockable = Name | Description | Images | Categories | Features | Price

// All are all members.
const All = Lockable | Variants | Remainders | Modifiers

// words are the names of the members, by the number of their bit.
var words = [...]string{
	"name", "description", "images", "categories", "features", "price", "variants", "remainders", "modifiers",
}

// Has reports whether the set has all members of other.
func (s Set) Has(other Set) bool { return s&other == other }

// Words returns the names of the members, in the order of the constants.
func (s Set) Words() []string {
	list := make([]string, 0, len(words))
	for i, word := range words {
		if s.Has(1 << i) {
			list = append(list, word)
		}
	}
	return list
}

// String returns the names of the members, separated by commas.
func (s Set) String() string { return strings.Join(s.Words(), ", ") }

// Find returns the member of the set with this name. It returns false if there is none.
func (s Set) Find(name string) (Set, bool) {
	for i, word := range words {
		if word == name && s.Has(1<<i) {
			return 1 << i, true
		}
	}
	return 0, false
}
