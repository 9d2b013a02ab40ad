package catalog

import (
	"time"

	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
)

// MaxDescription is how many characters a description may have.
const MaxDescription = 65536

// ProductID names a product.
type ProductID = id.Of[Product]

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
	// PriceFrom and PriceTo span the prices of the variants, archived ones aside; nil without any.
	PriceFrom, PriceTo *Money
	// Available is what is left of all variants together, archived ones aside; nil where no stock is kept of any of them.
	Available *Quantity
	// VariantCount is how many variants there are, archived ones aside.
	VariantCount int64
	// The rest is empty until FillCategories, FillFeatures, FillImages, FillModifiers and FillVariants read it. Of a category Key, ID
	// and Name are read.
	Categories []Category
	Features   []Carried
	Images     []Image
	Modifiers  string // JSON
	Variants   []Variant
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
	Categories  *[]CategoryID
	Features    *[]ValueRef
	Images      *[]ImageID // in the order in which they are shown
	Modifiers   *string    // as ReadModifiers gives them
	Variants    *[]VariantEdit
}

// VariantEdit is what a request says of one variant. As an element of an edit's variants it speaks of the variant of that ID, else of
// the one with that external id, else of a new one, which needs a price. Members that are nil stay; a list is the full list.
type VariantEdit struct {
	ID         VariantID
	ExternalID *string // "" takes it away
	Name       *string
	SKU        *string
	Price      *Money
	Options    *[]ValueRef
	Remainders *[]RemainderEdit
	// pending are options that are not there yet, which a push named beside those in Options.
	pending []ReferencePush
}

// RemainderEdit says how many of a variant a stock has.
type RemainderEdit struct {
	Stock    StockID
	Quantity Quantity
}

// Len is how many elements the lists have together.
func (e ProductEdit) Len() int {
	n := len(e.categories()) + len(e.features()) + len(e.images())
	for _, v := range e.variants() {
		n += 1 + v.Len()
	}
	return n
}

// Len is how many elements the lists have together.
func (e VariantEdit) Len() int { return len(e.options()) + len(e.remainders()) }

func (e ProductEdit) categories() []CategoryID    { return orEmpty(e.Categories) }
func (e ProductEdit) features() []ValueRef        { return orEmpty(e.Features) }
func (e ProductEdit) images() []ImageID           { return orEmpty(e.Images) }
func (e ProductEdit) variants() []VariantEdit     { return orEmpty(e.Variants) }
func (e VariantEdit) options() []ValueRef         { return orEmpty(e.Options) }
func (e VariantEdit) remainders() []RemainderEdit { return orEmpty(e.Remainders) }

// apply applies the edit's own members to the product.
func (p *Product) apply(e ProductEdit, at fieldPath, wrong *breaches) {
	if e.Name != nil {
		p.Name = *e.Name
	} else if p.Name == "" {
		wrong.add(at.member("name"), "required", "A product needs a name of 1 to 255 characters.")
	}
	if e.Description != nil {
		p.Description = *e.Description
	}
	if e.ExternalID != nil {
		p.ExternalID = externalIDOrNil(*e.ExternalID)
	}
}

// words is what a search finds the product by: its name, its external id and the skus of its variants. It begins with the words of the
// name, by which products are sorted.
func (p *Product) words(skus []string) (words, sortName string) {
	sortName = locale.SearchText(p.Name)
	if p.ExternalID != nil {
		words = locale.SearchText(*p.ExternalID)
	}
	return sortName + words + locale.SearchText(skus...), sortName
}
