package catalog

import (
	"time"

	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/rule"
)

// VariantID identifies a variant.
type VariantID = id.Of[Variant]

// Variant is a variant of a product: what a buyer puts into a cart.
type Variant struct {
	Key        int64
	ProductKey int64
	ID         VariantID
	ExternalID *string
	Name       string
	SKU        string
	// Price is none if the variant is not for sale.
	Price    money.Price
	Barcodes Barcodes
	// Available is the available quantity in all stocks together; nil if no stock has a remainder of the variant.
	Available  *money.Quantity
	ArchivedAt *time.Time
	// Options and Remainders are empty until they are filled in, in the order in which options and stocks were created.
	Options    []AttributeValue
	Remainders []Remainder
	// Images are empty until they are filled in, in display order. Their dates and owners are not filled in.
	Images []Image
}

// VariantScalars are the scalar members of variants. docs/architecture.md says what else a new member needs.
var VariantScalars = Scalars[Variant, VariantEdit, VariantPush]{
	newScalar("name", productfield.Variants, labelType(),
		func(v *Variant) *string { return &v.Name },
		func(e *VariantEdit) **string { return &e.Name },
		func(p *VariantPush) **string { return &p.Name }),
	newScalar("sku", productfield.Variants, labelType(),
		func(v *Variant) *string { return &v.SKU },
		func(e *VariantEdit) **string { return &e.SKU },
		func(p *VariantPush) **string { return &p.SKU }).called("SKU"),
	newScalar("price", productfield.Price, optionalType[money.Money](),
		func(v *Variant) *money.Price { return &v.Price },
		func(e *VariantEdit) **money.Price { return &e.Price },
		func(p *VariantPush) **money.Price { return &p.Price }),
	newScalar("barcodes", productfield.Barcodes, barcodesType(),
		func(v *Variant) *Barcodes { return &v.Barcodes },
		func(e *VariantEdit) **Barcodes { return &e.Barcodes },
		func(p *VariantPush) **Barcodes { return &p.Barcodes }),
}

// apply applies the scalar members of an edit, and adds the rules that it breaks to wrong.
func (v *Variant) apply(e *VariantEdit, at rule.FieldPath, wrong *rule.Violations) {
	VariantScalars.assign(v, e, at, wrong)
	wrong.AssignExternalID(&v.ExternalID, e.ExternalID, at)
	for i, m := range write.OrEmpty(e.Remainders) {
		if broken := m.Quantity.Check(); broken != nil {
			wrong.Check(at.Element("remainders", i), "quantity", broken)
		}
	}

	for i, p := range write.OrEmpty(e.Prices) {
		if broken := CheckFromQuantity(p.FromQuantity); broken != nil {
			wrong.Check(at.Element("price_lists", i), "from_quantity", broken)
		}
		if broken := p.Price.Check(); broken != nil {
			wrong.Check(at.Element("price_lists", i), "price", broken)
		}
	}
}

// Archived selects products or variants by whether they are archived.
type Archived int

// Live selects the objects that are not archived, OnlyArchived the archived ones, and AnyArchived all.
// OnlyDrafts selects those archived products that are drafts; only lists of products know it.
const (
	Live Archived = iota
	OnlyArchived
	AnyArchived
	OnlyDrafts
)

// matches reports whether the filter selects an object with this archiving time. A time of nil means not archived.
func (which Archived) matches(archivedAt *time.Time) bool {
	return which == AnyArchived || (which != Live) == (archivedAt != nil)
}

// StoredVariant is the row of a variant. A unique index covers the product, the combination and duplicateMark (the
// column twin). duplicateMark is 0 for the first variant with a combination. For a duplicate, which the removal of an
// option value may leave, it is the variant's own key.
type StoredVariant struct {
	Variant
	Combination   string // the digest of its options, or "" if it has none
	duplicateMark int64
}

// appendCodes appends what the variant is found by besides its product: its SKU and its barcodes.
func (v *Variant) appendCodes(codes []string) []string {
	return append(append(codes, v.SKU), v.Barcodes.List()...)
}

func (v *Variant) Live() bool { return v.ArchivedAt == nil }
