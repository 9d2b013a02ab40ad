package catalog

import (
	"cmp"
	"context"
	"strings"

	"vitrine/internal/shop/money"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/seo"
	"vitrine/internal/shop/slug"
	"vitrine/internal/shop/store"
)

// Digest is a hash of the content of a pushed item. An item with the same digest as at its last push changes nothing.
type Digest [16]byte

// Mark says that an item archives or deletes something, instead of changing it.
type Mark string

// The marks. Only products are archived.
const (
	ArchivedMark Mark = "archived"
	DeletedMark  Mark = "deleted"
)

// Origin identifies an item of a run.
type Origin struct {
	RunKey int64
	Item   int64
}

// ProductPush is a pushed product, with ids of the accounting system. Nil keeps the stored value or list.
type ProductPush struct {
	ID     string
	Digest Digest
	// Mark, if it is not empty, archives or deletes the product; the other members are not used then.
	Mark Mark
	// Version is the version of the item in its source, or nil. It is not part of the pushed content.
	Version     *int64 `json:"-"`
	Name        *string
	Description *string
	Unit        *Unit
	VATRate     *money.VATRate
	Weight      *money.Weight
	Slug        *slug.Slug // "" makes a new one of the name
	SEO         *seo.Meta
	Categories  *[]string
	// CanonicalCategory is one of the categories. "" stands for the default: see package address.
	CanonicalCategory *string
	Features          *[]ReferencePush
	Modifiers         *string // as returned by ReadModifiers
	// Part is the part of the product that the item is about.
	Part PushPart
	// Article is the good's own article, which its variants without an SKU take over. It is empty if it is not known.
	Article string
	// GoodBarcodes are the good's own barcodes, in the goods part. They belong to its variant if it has only one. Nil
	// means that the item says nothing about them. Only mapped files have them.
	GoodBarcodes *Barcodes `json:"-"`
	// Headings says, in the goods part, that the good has no description now, and names the properties of which an
	// earlier item may have made one: a heading and a long text each. A description that begins so is removed; any
	// other, which people have written, stays. Only mapped files have it.
	Headings []string `json:"-"`
	// CompleteStock says, in the offers part, that the lists of remainders are complete: a variant that has such a list
	// has 0 in all other stocks.
	CompleteStock bool
	// CompletePrices says, in the offers part, that a variant has no other prices in a list than those that the item
	// has, if it has some: accounting has withdrawn the others.
	CompletePrices bool
	// Currencies are the currencies of the prices in lists, for those lists whose prices came in a known one. If a list
	// has another one, its prices are left out with a warning. Only mapped files have them.
	Currencies []ListCurrency `json:"-"`
	// EmptyStock, if not empty, is the external id of the stock in which new variants without remainders have 0, so
	// that they are not sold without limit. It is not part of the pushed content.
	EmptyStock string `json:"-"`
	Images     *ImagesPush
	// Single says that the product has exactly one variant. It is the only element of Variants and has no ID.
	Single   bool
	Variants *[]VariantPush
	// KeepVariants says that the product keeps the variants that are not in Variants. It is not part of the pushed
	// content: a file says it of all of its items.
	KeepVariants bool `json:"-"`
	// Compare says that the members are compared with what is stored even if the item has not all of them: it is of a
	// file. It is not part of the pushed content.
	Compare bool `json:"-"`
	// Misplaced are the names of members that belong to a variant, but stood on the product itself. They are not part
	// of the pushed content.
	Misplaced []string `json:"-"`
	// Owned are the members that the token of the push writes; 0 means all. The item has no other members: NotOwned are
	// those that were taken out of it. Both are not part of the pushed content.
	Owned    productfield.Set `json:"-"`
	NotOwned productfield.Set `json:"-"`
	// Free, if not nil, says what the quantities of Remainders are. All items of a batch that have quantities share it.
	// Whether there is one is part of the pushed content.
	Free *FreeStock `json:"-"`
	// Line is the digest of the line of a mapped file that the item was decoded from, as in PushedLine. It is zero if
	// the item must be decoded again when the same line comes again. It is not part of the pushed content.
	Line Digest `json:"-"`
	// Origin is the item of a run to which a failed download is reported. It is not part of the pushed content.
	Origin Origin `json:"-"`
}

// PushedLine is a line of a mapped file that was not decoded. It changes nothing if its product was last pushed by the
// same line and was not changed since then.
type PushedLine struct {
	ID string
	// Part is GoodsPart or OffersPart.
	Part PushPart
	// Digest is the digest of the line, but for what is not part of the pushed content.
	Digest Digest
	// HasListPrices says that a variant may have prices in lists.
	HasListPrices bool
}

// HasCharacteristic reports whether an id belongs to an offer with a characteristic of the product.
func (p *ProductPush) HasCharacteristic(externalID string) bool {
	return strings.HasPrefix(externalID, p.ID+"#")
}

// CreatesNothing reports whether the item changes nothing if its product does not exist.
func (p *ProductPush) CreatesNothing() bool {
	return p.Part == WithdrawnPart || p.Part == ArchivedPart || p.Part == SeenPart
}

// OwnedMembers returns the members that the token of the push writes.
func (p *ProductPush) OwnedMembers() productfield.Set {
	if p.Owned == 0 {
		return productfield.All
	}
	return p.Owned
}

// VariantMember returns the path of a member of the i-th variant. The members of a single variant are members of the
// product itself, with the prefix variant_.
func (p ProductPush) VariantMember(i int, name string) string {
	if p.Single {
		return "variant_" + name
	}
	return rule.FieldPath("").Element("variants", i).Member(name)
}

// IsWhole reports whether the item has all members that an export always has.
func (p *ProductPush) IsWhole() bool {
	if !ProductScalars.AllSent(p) || p.Categories == nil || p.CanonicalCategory == nil ||
		p.Features == nil || p.Modifiers == nil ||
		p.Images == nil || p.Images.Mode != ReplaceImages || p.Variants == nil {
		return false
	}
	for i := range *p.Variants {
		v := &(*p.Variants)[i]
		if !VariantScalars.AllSent(v) || v.Options == nil || v.Remainders == nil || !v.HasExportedImages() {
			return false
		}
	}
	return true
}

// PushPart is the part of a product that a pushed item is about. 1C sends goods and their offers in separate files.
type PushPart string

// The parts.
const (
	// WholeProduct is the default: the item replaces each part of the product that it has.
	WholeProduct PushPart = ""
	// GoodsPart is all of a product but its variants.
	GoodsPart PushPart = "goods"
	// OffersPart adds and updates variants, and leaves others alone. Remainders in stocks that it does not name stay as
	// well, unless ProductPush.CompleteStock is set. It does not restore an archived product. A product that does not
	// exist is created archived, since its goods part has yet to come. The variant with the product's own id is
	// archived while there are variants with characteristics.
	OffersPart PushPart = "offers"
	// WithdrawnPart archives the variants that it names. One that does not exist stays so.
	WithdrawnPart PushPart = "withdrawn"
	// ArchivedPart archives the product. One that does not exist stays so.
	ArchivedPart PushPart = "archive"
	// SeenPart changes nothing. It keeps the product from counting as missing.
	SeenPart PushPart = "seen"
)

// Members returns the members of the part among those that a token writes.
func (part PushPart) Members(owned productfield.Set) productfield.Set {
	switch part {
	case GoodsPart:
		return owned &^ productfield.OfVariants
	case OffersPart, WithdrawnPart:
		return owned & productfield.OfVariants
	case WholeProduct, ArchivedPart, SeenPart:
	}
	return owned
}

// VariantPush is a pushed variant of a product.
type VariantPush struct {
	ID         string
	Name       *string
	SKU        *string
	Price      *money.Price
	Barcodes   *Barcodes
	Options    *[]ReferencePush
	Remainders *[]StockedPush
	// Prices are prices in price lists. Those that are not in it stay.
	Prices *[]PricedPush
	Images *ImagesPush
}

// HasExportedImages reports whether the images are as an export has them, which names those of few variants.
func (v *VariantPush) HasExportedImages() bool {
	return v.Images == nil || v.Images.Mode == ReplaceImages
}

// PricedPush is the pushed price of a variant in a price list, which is given by its external id. A price without an
// amount is removed.
type PricedPush struct {
	List         string
	FromQuantity money.Quantity
	Price        money.Price
}

// ListCurrency is the currency, an ISO 4217 code, in which prices of a list came. List is its external id.
type ListCurrency struct {
	List     string `json:"list"`
	Currency string `json:"currency"`
}

// Compare orders by list, then by quantity.
func (p PricedPush) Compare(other PricedPush) int {
	return cmp.Or(strings.Compare(p.List, other.List), cmp.Compare(p.FromQuantity, other.FromQuantity))
}

// StockedPush is the pushed quantity of a variant in one stock.
type StockedPush struct {
	Stock    string
	Quantity money.Quantity
}

func (m StockedPush) Compare(other StockedPush) int {
	if order := strings.Compare(m.Stock, other.Stock); order != 0 {
		return order
	}
	return int(max(-1, min(m.Quantity-other.Quantity, 1)))
}

// ReferencePush refers to a value of an attribute by the accounting system's ids.
type ReferencePush struct {
	Attribute string
	Value     string
}

// Compare orders by the id of the attribute, then by the id of the value.
func (r ReferencePush) Compare(other ReferencePush) int {
	return cmp.Or(cmp.Compare(r.Attribute, other.Attribute), cmp.Compare(r.Value, other.Value))
}

// ImagesPush is the pushed list of the images of a product or a variant.
type ImagesPush struct {
	Mode ImagesMode
	List []ImagePush
}

// ImagesMode says what happens to the images of a product or a variant when a push has a list of images for it.
type ImagesMode string

// AddImages adds the listed images, ReplaceImages also removes all others, RemoveImages removes all and ignores the
// list.
const (
	AddImages     ImagesMode = "add"
	ReplaceImages ImagesMode = "replace"
	RemoveImages  ImagesMode = "remove"
)

// ImagePush is an image at a URL, or an uploaded image, given by its id or its external id.
type ImagePush struct {
	URL string
	ID  string
}

// AttributePush is a pushed option or feature. ID is the accounting system's id. A nil member keeps the stored value.
type AttributePush struct {
	ID     string
	Digest Digest
	// Mark, if it is DeletedMark, deletes the thing; the other members are not used then.
	Mark Mark `json:",omitzero"`
	// Version is the version of the item in its source, or nil. It is not part of the pushed content.
	Version    *int64 `json:"-"`
	Name       *string
	Filterable *bool
	FieldType  *FieldType
	RangeType  *RangeType
	// Values are matched by ID: a value that the attribute has is renamed, any other is appended. The IDs are distinct.
	// Stored values that are not in the list stay.
	Values []ValuePush
	// Removed lists the external ids of the values to delete.
	Removed []string
	// TakesTexts says that values may have come as texts before they had ids. A new value is then an alias of the value
	// with the same TextValueID, if there is one.
	TakesTexts bool `json:"-"`
}

// TextValueID returns the external id of a value that accounting sends as a text without an id.
func TextValueID(name string) string { return strings.ToLower(name) }

// IsWhole reports whether the item has all members that an export has, and removes no values.
func (p *AttributePush) IsWhole(kind Kind) bool {
	return p.Name != nil && len(p.Removed) == 0 && (kind == Option || p.Filterable != nil && p.FieldType != nil)
}

// ValuePush is a pushed value of an attribute.
type ValuePush struct{ ID, Name string }

// CategoryPush is a pushed category, identified by the accounting system's id. A nil member keeps the stored value.
type CategoryPush struct {
	ID     string
	Digest Digest
	// Mark, if it is DeletedMark, deletes the thing; the other members are not used then.
	Mark Mark `json:",omitzero"`
	// Version is the version of the item in its source, or nil. It is not part of the pushed content.
	Version *int64 `json:"-"`
	Name    *string
	Parent  *string
	Root    bool       // moves the category to the root; Parent is nil then
	Slug    *slug.Slug `json:",omitzero"` // "" makes a new one of the name
	SEO     *seo.Meta  `json:",omitzero"`
	// Description is plain text, which may be empty.
	Description *string `json:",omitzero"`
}

// NamesParent reports whether the item sets the category's parent or moves the category to the root.
func (p *CategoryPush) NamesParent() bool { return p.Parent != nil || p.Root }

// StockPush is a pushed stock, identified by the accounting system's id. A nil name keeps the stored one.
type StockPush struct {
	ID     string
	Digest Digest
	// Mark, if it is DeletedMark, deletes the thing; the other members are not used then.
	Mark Mark `json:",omitzero"`
	// Version is the version of the item in its source, or nil. It is not part of the pushed content.
	Version *int64 `json:"-"`
	Name    *string
}

// PriceListPush is a pushed price list, identified by the accounting system's id. A nil member keeps the stored value.
type PriceListPush struct {
	ID     string
	Digest Digest
	// Mark, if it is DeletedMark, deletes the thing; the other members are not used then.
	Mark Mark `json:",omitzero"`
	// Version is the version of the item in its source, or nil. It is not part of the pushed content.
	Version  *int64 `json:"-"`
	Name     *string
	Currency *string
}

// PricePush is a pushed price. Variant and Product are external ids.
type PricePush struct {
	Variant string
	Product *string // nil means any product
	Price   money.Price
	// List is the external id of the price list; it is empty for the price of the variant itself. FromQuantity is 0
	// then.
	List         string
	FromQuantity money.Quantity
	// Currency is the currency of the price, an ISO 4217 code, or empty if it is not known. If List has another one,
	// the price is left out with a warning. Only mapped files have it.
	Currency string
	// Complete says that the variant has no other prices in List than this one and those from the quantities Listed on:
	// the others are removed. Only mapped files have it.
	Complete bool
	Listed   []money.Quantity
	// NotOwned means that the token of the push does not write prices, so that the item is ignored with a warning.
	NotOwned bool
	// Creates says that a variant which does not exist is created: see findOrCreateVariants of package push. It needs
	// Product.
	Creates bool
	// EmptyStock, if not empty, is the stock in which such a variant has 0.
	EmptyStock string
}

// RemainderPush is the pushed quantity of a variant in a stock. Variant, Product and Stock are external ids.
type RemainderPush struct {
	Variant  string
	Product  *string // nil means any product
	Stock    string
	Quantity money.Quantity
	// NotOwned means that the token of the push does not write remainders, so that the item is ignored with a warning.
	NotOwned bool
	// Free, if not nil, says what Quantity is. All items of a batch share it.
	Free *FreeStock
	// Creates says that a variant which does not exist is created: see findOrCreateVariants of package push. It needs
	// Product.
	Creates bool
	// Complete says that the variant has nothing in stocks other than Stock and Listed: its remainders there become 0.
	Complete bool
	Listed   []string
}

// FreeStock says that the quantities of a pushed item are what is left after the orders that accounting has taken:
// these orders have reserved goods here, and accounting has set the same goods aside. Without it, what is reserved here
// would be subtracted twice.
type FreeStock struct {
	// TakenUpTo says which orders accounting had taken when it sent the item, see order.Service.Take.
	TakenUpTo int64
}

// Taken is what orders that accounting has taken have reserved of a variant in a stock. Quantity is what the orders
// that were taken by a sequence have reserved, and Later what the other orders have. Variant and Stock are row keys.
type Taken struct {
	Variant, Stock  int64
	Quantity, Later money.Quantity
}

// TakenReservations reads what orders that accounting has taken have reserved of variants, with one element for each
// variant and stock.
type TakenReservations func(
	ctx context.Context, tx store.Tx, variantKeys []int64, takenUpTo int64,
) ([]Taken, error)
