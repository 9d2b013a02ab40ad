package order

import (
	"math/bits"
	"time"

	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/modifier"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/pricing"
	"vitrine/internal/shop/slug"
)

// ID and ItemID identify an order and an item.
type (
	ID     = id.Of[Order]
	ItemID = id.Of[Item]
)

// Order is an order of a store. In state Draft it is a cart.
type Order struct {
	Key   int64
	ID    ID
	State State
	// Number counts the submitted orders of a store from 1. It is nil for a draft.
	Number *int64
	// CustomerKey and CustomerID are the row key and the id of the customer. Both are nil for a guest's order.
	CustomerKey *int64
	CustomerID  *access.CustomerID
	// GuestKey is the row key of the person under whom the administration shows an order without a customer: a guest or
	// a customer; 0 if the contact has no address, nil until it is known. It gives nobody access.
	GuestKey *int64
	// CredentialID is the key that made the draft; nil if an operator made it.
	CredentialID *access.KeyID
	Contact      Contact
	Delivery     Delivery
	Comment      string
	// PaymentNumber is the number of the payment in accounting; empty if accounting has told none. Shoppers do not see
	// it.
	PaymentNumber string
	// Note is what the shop has noted for itself, and Tags are its words for groups of orders. Shoppers see neither. A
	// draft has none, and neither Tracking nor PaidAt.
	Note string
	Tags []string
	// Tracking says how the goods travel. PaidAt is when the order was paid; nil if it is not, as far as the shop
	// knows.
	Tracking Tracking
	PaidAt   *time.Time
	// Currency is the store's currency at the submission. For a draft it is the currency at the creation, until
	// FillItems sets the current currency.
	Currency string
	// Total is the sum over the items that have a price, at most MaxTotal. The stored total of a draft is not up to
	// date; FillItems sets the current one.
	Total money.Money
	// Version grows by one with every change of the order.
	Version                                            int64
	SubmittedAt, ConfirmedAt, CompletedAt, CancelledAt *time.Time
	CreatedAt, UpdatedAt                               time.Time
	// Events are the ids of the events that announced the states, by state. Orders that reached a state before ids were
	// stored have none for it.
	Events map[State]event.ID
	// MoreEvents are the ids of further events of the order: those that announced its returns, and the states that it
	// left by them.
	MoreEvents []event.ID
	// Items are sorted by when they were added, oldest first. They are empty until FillItems reads them.
	Items []Item
	// problems are why the choices of items of a draft are no longer possible, by item.
	problems map[ItemID][]modifier.Problem
	// ImageBaseURL is the base URL of image files in the JSON of the order. Without it the JSON has no images.
	ImageBaseURL string
	// ForShop says that the JSON is for those who work in the shop: it has the tags, and the price lists that gave the
	// prices of the items.
	ForShop bool

	// prices are the price lists of a draft: of the group of its customer, else of the group of the key that made it.
	// They end with that key, at pricesEnd; nil if never.
	prices    pricing.Chain
	pricesEnd *time.Time
	token     []byte // SHA-256 of the order token
	// entered says that the shop has entered the order. It is only written: with the draft, and by Merges.
	entered bool
	taken   *int64 // the sequence of Take; nil if accounting has not taken the order
}

// personKey returns the row key of the person to whose totals the order belongs, or 0.
func (o *Order) personKey() int64 {
	switch {
	case o.CustomerKey != nil:
		return *o.CustomerKey
	case o.GuestKey != nil:
		return *o.GuestKey
	}
	return 0
}

// Contact is the person who orders. Unknown members are empty.
type Contact struct{ Name, Phone, Email string }

// Delivery is the destination of the goods. Unknown members are empty.
type Delivery struct{ Address, Comment string }

// Item is a line of an order. In a draft it shows the current name, SKU, barcode, unit, VAT rate, options and price of
// the variant, or the last ones if the variant was deleted. Submitting the order freezes them.
type Item struct {
	Key       int64
	ID        ItemID
	VariantID catalog.VariantID
	ProductID catalog.ProductID
	Name, SKU string
	Barcode   string // the first one; empty if the variant has none
	Unit      catalog.Unit
	VATRate   money.VATRate
	Options   string // JSON: [{id, name, value: {id, name}}]
	// Modifiers is what was chosen, as JSON: [{group_id, group_name, item_id, name, price, quantity}].
	Modifiers string
	// Price is what one piece costs with its modifiers. It is none in a draft if the variant is not for sale any more.
	Price money.Price
	// PriceList is the list that gave the price; zero if it is the price of the variant itself.
	PriceList catalog.PriceListID
	Quantity  money.Quantity
	// Available is how much of the variant is available to a draft, 0 if it is not sold any more; nil if its stock is
	// not kept, or if the order is not a draft.
	Available *money.Quantity
	// ThumbnailPath is the path of the small thumbnail of the product's first image at present; empty if the product
	// has none or was deleted.
	ThumbnailPath string
	// Slug is the present slug of the product; empty if the product has none or was deleted.
	Slug slug.Slug

	variantKey int64
	// agreed is the price that the shop has agreed on, while the order is entered.
	agreed money.Price
	// choice is modifier.Key of the modifiers. An order has one item for each variant and choice.
	choice string
}

// MaxItems is the maximum number of items of an order. MaxTotal is the largest representable amount of money. Totals
// saturate at MaxTotal, so the total of a valid order is less. MaxModifiers is the maximum number of modifiers of all
// items of an order.
const (
	MaxItems     = 1000
	MaxModifiers = 2000
	MaxTotal     = money.Money(1e16 - 1)
)

// Total returns price times quantity, rounded half up to the unit of money.Money, and at most MaxTotal. An item
// without a price has no total.
func (i *Item) Total() money.Price {
	price, ok := i.Price.Amount()
	if !ok {
		return money.Price{}
	}
	const thousandths = 1000
	high, low := bits.Mul64(uint64(price), uint64(i.Quantity))
	low, carry := bits.Add64(low, thousandths/2, 0)
	if high += carry; high >= thousandths {
		return money.NewPrice(MaxTotal)
	}
	total, _ := bits.Div64(high, low, thousandths)
	return money.NewPrice(money.Money(min(total, uint64(MaxTotal))))
}

// sumItems returns the total of the items that have a price, at most MaxTotal, and whether it is below MaxTotal.
func sumItems(items []Item) (total money.Money, fits bool) {
	for i := range items {
		if line, ok := items[i].Total().Amount(); ok {
			total = min(total+line, MaxTotal)
		}
	}
	return total, total < MaxTotal
}

// setOffer sets the stored members that come from the catalogue: all but Key, ID, Quantity and what was chosen. The
// price is that of the variant itself, without modifiers.
func (i *Item) setOffer(o *catalog.Offer) {
	i.variantKey, i.VariantID, i.ProductID = o.Key, o.ID, o.ProductID
	i.Name, i.SKU, i.Price, i.Options = o.Name(), o.SKU, o.Price, encodeOptions(o.Options)
	i.Barcode, i.Unit, i.VATRate = o.Barcode, o.Unit, o.VATRate
	i.PriceList = catalog.PriceListID{}
}

// setAvailable sets how much of the variant is available to a draft. offer is nil if the variant was deleted.
func (i *Item) setAvailable(offer *catalog.Offer) {
	if i.Available = new(money.Quantity(0)); offer != nil && offer.Live {
		i.Available = offer.Available
	}
}

// Line is a request for a quantity of a variant with modifiers.
type Line struct {
	VariantID catalog.VariantID
	Quantity  money.Quantity
	// Modifiers are at most modifier.MaxChoices, with quantities from 1 to modifier.MaxQuantity.
	Modifiers []modifier.Choice
	// Price is what the shop has agreed on for one piece with its modifiers; none for the price of the shop. Only Enter
	// uses it.
	Price money.Price
}

// Size returns how much storage the line needs, in lines.
func (l Line) Size() int { return 1 + len(l.Modifiers) }

// Edit is a change of a draft. Members that are nil leave the draft's value unchanged. Items replaces the full list.
// The phone number and the e-mail address are empty or normalized by package contact.
type Edit struct {
	Items    *[]Line
	Contact  ContactEdit
	Delivery DeliveryEdit
	Comment  *string
}

// bytesPerLine is how many bytes of text need about as much storage as a line.
const bytesPerLine = 256

// Size returns how much storage the edit needs, in lines. Text counts as well as Items.
func (e Edit) Size() int {
	lines := 0
	if e.Items != nil {
		for _, line := range *e.Items {
			lines += line.Size()
		}
	}
	text := 0
	for _, t := range []*string{e.Contact.Name, e.Contact.Phone, e.Contact.Email, e.Delivery.Address,
		e.Delivery.Comment, e.Comment} {
		if t != nil {
			text += len(*t)
		}
	}
	return lines + text/bytesPerLine
}

// ContactEdit is a change of a draft's Contact.
type ContactEdit struct{ Name, Phone, Email *string }

// DeliveryEdit is a change of a draft's Delivery.
type DeliveryEdit struct{ Address, Comment *string }

// The maximum lengths of texts, in characters. MaxComment applies to the comment of the order and of the delivery.
const (
	MaxName    = 255
	MaxAddress = 1000
	MaxComment = 10_000
)

// apply sets the members of o that are not nil in the edit, except Items.
func (e *Edit) apply(o *Order) {
	for _, m := range []struct{ to, from *string }{
		{&o.Contact.Name, e.Contact.Name}, {&o.Contact.Phone, e.Contact.Phone}, {&o.Contact.Email, e.Contact.Email},
		{&o.Delivery.Address, e.Delivery.Address}, {&o.Delivery.Comment, e.Delivery.Comment}, {&o.Comment, e.Comment},
	} {
		if m.from != nil {
			*m.to = *m.from
		}
	}
}
