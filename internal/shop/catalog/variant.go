package catalog

import (
	"time"

	"vitrine/internal/kit/id"
)

// VariantID names a variant.
type VariantID = id.Of[Variant]

// Variant is one thing a buyer can put into a cart.
type Variant struct {
	Key        int64
	ProductKey int64
	ID         VariantID
	ExternalID *string
	Name       string
	SKU        string
	Price      Money
	// Available is what is left in all stocks together; nil where no stock is kept.
	Available  *Quantity
	ArchivedAt *time.Time
	// Options and Remainders are empty until they are read with the variant. They stand in the order of the options' and stocks' making.
	Options    []Carried
	Remainders []Remainder
}

// Archived says which products or variants are meant.
type Archived int

// What is meant: only what is in the shop, only what was taken out of it, or both.
const (
	Live Archived = iota
	OnlyArchived
	AnyArchived
)

// matches reports whether something that was archived then, or not, is meant.
func (which Archived) matches(archivedAt *time.Time) bool {
	return which == AnyArchived || (which == OnlyArchived) == (archivedAt != nil)
}

// storedVariant is a variant as its row says, with what keeps combinations apart.
type storedVariant struct {
	Variant
	combination  string // the digest of its options, "" without any
	duplicateKey int64
}

func (v *Variant) live() bool { return v.ArchivedAt == nil }
