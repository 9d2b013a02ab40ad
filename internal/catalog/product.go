package catalog

import (
	"time"
)

// Money is an amount in units of 0.0001 of the store's currency: exact, no float anywhere.
type Money int64

// MoneyDecimals and MoneyDigits are the decimals of an amount and the most digits before its point.
const (
	MoneyDecimals = 4
	MoneyDigits   = 12
)

// MaxDescription is how many characters a description may have.
const MaxDescription = 65536

// Product is what is common to all its variants.
type Product struct {
	Key         int64
	ID          ProductID
	ExternalID  *string
	Name        string
	Description string
	// Version grows with every write of the product, and whenever it or a variant loses a deleted value.
	Version    int64
	ArchivedAt *time.Time
	CreatedAt  time.Time
	UpdatedAt  time.Time
	// PriceFrom and PriceTo span the prices of the variants; nil without any.
	PriceFrom, PriceTo *Money
	// VariantCount is how many variants there are, archived ones aside.
	VariantCount int64
	// Variants and Features are empty until FillVariants and FillFeatures read them.
	Variants []Variant
	Features []Carried
}

// Carried is a value of an attribute that a product (a feature) or a variant (an option) has. Of Value only ID and Name are read.
type Carried struct {
	AttributeID AttributeID
	Name        string // of the attribute
	FieldType   FieldType
	Value       Value
}

// ValueRef names a value that a product or a variant shall carry.
type ValueRef struct {
	Attribute AttributeID
	Value     ValueID
}

// ProductEdit is what a request says of a product. Members that are nil stay as they are; a list is the full list.
type ProductEdit struct {
	Name        *string
	Description *string
	ExternalID  *string // "" takes it away
	Features    *[]ValueRef
	Variants    *[]VariantEdit
}

// VariantEdit is one element of an edit's variants. It speaks of the variant of that ID, else of the one with that external id,
// else of a new one, which needs a price. Members that are nil stay.
type VariantEdit struct {
	ID         VariantID
	ExternalID *string // "" takes it away
	Name       *string
	SKU        *string
	Price      *Money
	Options    *[]ValueRef
}

// Len is how many elements the lists have together.
func (e ProductEdit) Len() int {
	n := len(e.features())
	for _, v := range e.variants() {
		n += 1 + len(v.options())
	}
	return n
}

func (e ProductEdit) features() []ValueRef    { return orEmpty(e.Features) }
func (e ProductEdit) variants() []VariantEdit { return orEmpty(e.Variants) }
func (e VariantEdit) options() []ValueRef     { return orEmpty(e.Options) }

func orEmpty[T any](list *[]T) []T {
	if list == nil {
		return nil
	}
	return *list
}

// asNew is the edit as a creation takes it: a new product has no variants that an id could name, so ids are ignored and a product
// that was read can be sent again as another one.
func (e ProductEdit) asNew() ProductEdit {
	if e.Variants == nil {
		return e
	}
	variants := make([]VariantEdit, len(*e.Variants))
	for i, v := range *e.Variants {
		v.ID = VariantID{}
		variants[i] = v
	}
	e.Variants = &variants
	return e
}

// settle applies the edit's own members to the product.
func (p *Product) settle(e ProductEdit, wrong *breaches) {
	if e.Name != nil {
		p.Name = *e.Name
	} else if p.Name == "" {
		wrong.add("name", "required", "A product needs a name of 1 to 255 characters.")
	}
	if e.Description != nil {
		p.Description = *e.Description
	}
	if e.ExternalID != nil {
		p.ExternalID = orNone(*e.ExternalID)
	}
}

// orNone is how an external id of an edit is kept.
func orNone(externalID string) *string {
	if externalID == "" {
		return nil
	}
	return &externalID
}

// words is what a search finds the product by: its name, its external id and the skus of its variants.
func (p *Product) words(skus []string) string {
	texts := append(make([]string, 0, len(skus)+2), p.Name)
	if p.ExternalID != nil {
		texts = append(texts, *p.ExternalID)
	}
	return searchText(append(texts, skus...)...)
}
