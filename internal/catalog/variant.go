package catalog

import "time"

// Variant is one thing a buyer can put into a cart.
type Variant struct {
	Key        int64
	ProductKey int64
	ID         VariantID
	ExternalID *string
	Name       string
	SKU        string
	Price      Money
	ArchivedAt *time.Time
	// Options is empty until FillVariants reads it.
	Options []Carried
}

// storedVariant is a variant as its row says, with what keeps combinations apart.
type storedVariant struct {
	Variant
	combination string // the digest of its options, "" without any
	twin        int64
}

func (v *storedVariant) live() bool { return v.ArchivedAt == nil }
