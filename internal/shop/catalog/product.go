package catalog

import (
	"slices"
	"time"

	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/seo"
	"vitrine/internal/shop/slug"
)

// MaxDescription is the maximum number of characters in a description.
const MaxDescription = 65536

// ProductID identifies a product.
type ProductID = id.Of[Product]

// Product is a product: the data that all its variants share.
type Product struct {
	Key         int64
	ID          ProductID
	ExternalID  *string
	Name        string
	Description string
	Unit        Unit
	VATRate     money.VATRate
	Weight      money.Weight
	// Slug is the present slug; it is empty until the worker of package firstslug gives an old product one.
	Slug slug.Slug
	SEO  seo.Meta
	// Version increases with every write of the product, and whenever it or one of its variants loses a value.
	Version    int64
	ArchivedAt *time.Time
	// Draft says that the product is archived because it has not been on sale yet.
	Draft     bool
	CreatedAt time.Time
	UpdatedAt time.Time
	// Locks are the members that pushes leave alone.
	Locks productfield.Set
	// PriceFrom and PriceTo are the lowest and the highest price of the variants that are not archived; nil if none of
	// them has a price.
	PriceFrom, PriceTo *money.Money
	// Available is the sum of Available of all variants that are not archived; nil if none of them has a remainder.
	Available *money.Quantity
	// VariantCount is the number of variants that are not archived.
	VariantCount int64
	// The fields below are filled by ReadRows, if its Parts select them. FillImages fills Images, too.
	Images    []Image
	Modifiers string // JSON
	Variants  []Variant
}

// ProductScalars are the scalar members of products. docs/architecture.md says what else a new member needs.
var ProductScalars = Scalars[Product, ProductEdit, ProductPush]{
	newScalar("name", productfield.Name, textType(rule.Name, rule.ReadName),
		func(p *Product) *string { return &p.Name },
		func(e *ProductEdit) **string { return &e.Name },
		func(p *ProductPush) **string { return &p.Name }),
	newScalar("description", productfield.Description, proseType(MaxDescription),
		func(p *Product) *string { return &p.Description },
		func(e *ProductEdit) **string { return &e.Description },
		func(p *ProductPush) **string { return &p.Description }),
	newScalar("unit", productfield.Unit, unitType(),
		func(p *Product) *Unit { return &p.Unit },
		func(e *ProductEdit) **Unit { return &e.Unit },
		func(p *ProductPush) **Unit { return &p.Unit }),
	newScalar("vat_rate", productfield.VATRate, optionalType[money.Percent](),
		func(p *Product) *money.VATRate { return &p.VATRate },
		func(e *ProductEdit) **money.VATRate { return &e.VATRate },
		func(p *ProductPush) **money.VATRate { return &p.VATRate }),
	newScalar("weight", productfield.Weight, optionalType[money.Grams](),
		func(p *Product) *money.Weight { return &p.Weight },
		func(e *ProductEdit) **money.Weight { return &e.Weight },
		func(p *ProductPush) **money.Weight { return &p.Weight }),
	newScalar("slug", productfield.Slug, slugType(),
		func(p *Product) *slug.Slug { return &p.Slug },
		func(e *ProductEdit) **slug.Slug { return &e.Slug },
		func(p *ProductPush) **slug.Slug { return &p.Slug }),
	newScalar("seo", productfield.SEO, seoType(),
		func(p *Product) *seo.Meta { return &p.SEO },
		func(e *ProductEdit) **seo.Meta { return &e.SEO },
		func(p *ProductPush) **seo.Meta { return &p.SEO }),
}

// AttributeValue is a feature of a product or an option of a variant. Of Value only ID and Name are filled.
type AttributeValue struct {
	AttributeID AttributeID
	Name        string // of the attribute
	FieldType   FieldType
	Value       Value
}

// ValueRef refers to a value that a product or a variant is to have.
type ValueRef struct {
	Attribute AttributeID
	Value     ValueID
}

// ProductEdit is an edit of a product. Nil members leave their fields unchanged. A list replaces the whole list.
type ProductEdit struct {
	Name        *string
	Description *string
	Unit        *Unit
	VATRate     *money.VATRate
	Weight      *money.Weight
	Slug        *slug.Slug // "" makes a new one of the name
	SEO         *seo.Meta
	ExternalID  *string // "" removes it
	Categories  *[]CategoryID
	// CanonicalCategory is one of the categories that the product has after the edit. The zero id stands for the
	// default: see package address.
	CanonicalCategory *CategoryID
	Features          *[]ValueRef
	Images            *[]ImageID // in display order
	Modifiers         *string    // as returned by ReadModifiers
	Variants          *[]VariantEdit
	Locks             *productfield.Set
}

// VariantEdit is an edit of one variant. In a product's edit it refers to the variant with this ID or, without an ID,
// to the variant with this external id. If it has neither, or no variant has the external id, it adds a variant, which
// needs a Price, be it one without an amount. Nil members leave their fields unchanged. A list replaces the whole list.
type VariantEdit struct {
	ID         VariantID
	ExternalID *string // "" removes it
	Name       *string
	SKU        *string
	Price      *money.Price
	Barcodes   *Barcodes
	Options    *[]ValueRef
	Remainders *[]RemainderEdit
	// Images are in display order: the variant's own, and others of its product.
	Images *[]ImageID
	// Prices are prices in price lists. Unlike other lists, it leaves prices that are not in it unchanged.
	Prices *[]ListPriceEdit
	// Pending are the options of a push whose values do not exist yet; Options has the others.
	Pending []ReferencePush
}

// RemainderEdit sets the quantity of a variant in a stock.
type RemainderEdit struct {
	Stock    StockID
	Quantity money.Quantity
}

// ListPriceEdit sets the price of a variant in a price list, or removes it if it has no amount.
type ListPriceEdit struct {
	List         PriceListID
	FromQuantity money.Quantity
	Price        money.Price
}

// Len returns the number of elements of all lists together.
func (e ProductEdit) Len() int {
	n := len(write.OrEmpty(e.Categories)) + len(write.OrEmpty(e.Features)) + len(write.OrEmpty(e.Images))
	for _, v := range write.OrEmpty(e.Variants) {
		n += 1 + v.Len()
	}
	return n
}

// Len returns the number of elements of all lists together.
func (e VariantEdit) Len() int {
	return len(write.OrEmpty(e.Options)) + len(write.OrEmpty(e.Remainders)) + len(write.OrEmpty(e.Prices)) +
		len(write.OrEmpty(e.Images))
}

// writesImages reports whether the edit writes images of the product or of a variant.
func (e ProductEdit) writesImages() bool {
	return e.Images != nil || slices.ContainsFunc(write.OrEmpty(e.Variants),
		func(v VariantEdit) bool { return v.Images != nil })
}

// Check returns fault.Invalid naming the rules that the edit breaks whatever is stored. Use cases check the same: Check
// is for a caller that reports broken rules of its own at the same time.
func (e ProductEdit) Check() error {
	var wrong rule.Violations
	new(Product).apply(&e, "", &wrong)
	for i, v := range write.OrEmpty(e.Variants) {
		new(Variant).apply(&v, rule.FieldPath("").Element("variants", i), &wrong)
	}
	return wrong.Fault()
}

// apply applies the edit's scalar members to the product, and adds broken rules to wrong.
func (p *Product) apply(e *ProductEdit, at rule.FieldPath, wrong *rule.Violations) {
	ProductScalars.assign(p, e, at, wrong)
	wrong.AssignExternalID(&p.ExternalID, e.ExternalID, at)
	write.Assign(&p.Locks, e.Locks)
}

// words returns the search text of the product: its name, its external id and the codes of its variants, which are
// their SKUs and barcodes. The search text starts with sortName, the words of the name, by which products are sorted.
func (p *Product) words(codes []string) (words, sortName string) {
	sortName = locale.SearchText(p.Name)
	if p.ExternalID != nil {
		words = locale.SearchText(*p.ExternalID)
	}
	return sortName + words + locale.SearchText(codes...), sortName
}
