// Package order owns carts and orders: what a visitor wants to buy, in which state that is, and what is reserved for it. A cart is an order
// in state draft. What things cost and how many are left is the catalogue's.
package order

import (
	"math/bits"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/catalog"
)

// ID and ItemID name an order and one of its items.
type (
	ID     = id.Of[Order]
	ItemID = id.Of[Item]
)

// Order is what somebody wants to buy, or has bought.
type Order struct {
	Key   int64
	ID    ID
	State State
	// Number counts the submitted orders of a store; nil for a draft.
	Number *int64
	// CustomerKey and CustomerID are who it belongs to; nil for a guest's.
	CustomerKey *int64
	CustomerID  *access.CustomerID
	Contact     Contact
	Delivery    Delivery
	Comment     string
	// Currency is the store's when the order was submitted, or made as a draft.
	Currency string
	// Total is the sum over the items, MaxTotal where that is more. Of a draft it is known once its items are read.
	Total catalog.Money
	// Version grows with every change of the order.
	Version                                            int64
	SubmittedAt, ConfirmedAt, CompletedAt, CancelledAt *time.Time
	CreatedAt, UpdatedAt                               time.Time
	// Items are empty until they are read. They stand in the order in which they were added.
	Items []Item

	token []byte // the SHA-256 of its token
}

// Contact is who ordered; what is not known is empty.
type Contact struct{ Name, Phone, Email string }

// Delivery is where the goods shall go; what is not known is empty.
type Delivery struct{ Address, Comment string }

// Item is a line of an order. In a draft it shows the variant as the catalogue has it, or last had it; then it is frozen.
type Item struct {
	Key       int64
	ID        ItemID
	VariantID catalog.VariantID
	ProductID catalog.ProductID
	Name, SKU string
	Options   string // JSON: [{id, name, value: {id, name}}]
	Price     catalog.Money
	Quantity  catalog.Quantity

	variantKey int64
}

// MaxItems is how many lines an order may have. MaxTotal is the largest amount of money that there is; an order costs less.
const (
	MaxItems = 1000
	MaxTotal = catalog.Money(1e16 - 1)
)

// Total is what the line costs, rounded to the nearest unit of money and MaxTotal at most.
func (i *Item) Total() catalog.Money {
	const thousandths = 1000
	high, low := bits.Mul64(uint64(i.Price), uint64(i.Quantity))
	low, carry := bits.Add64(low, thousandths/2, 0)
	if high += carry; high >= thousandths {
		return MaxTotal
	}
	total, _ := bits.Div64(high, low, thousandths)
	return catalog.Money(min(total, uint64(MaxTotal)))
}

// sumItems returns what the items cost together, MaxTotal at most, and whether an order may cost that much.
func sumItems(items []Item) (total catalog.Money, fits bool) {
	for i := range items {
		total = min(total+items[i].Total(), MaxTotal)
	}
	return total, total < MaxTotal
}

// searchText is what a search finds the order by: a phone number with its + and without.
func (o *Order) searchText() string {
	number := ""
	if o.Number != nil {
		number = strconv.FormatInt(*o.Number, 10)
	}
	return locale.SearchText(number, o.Contact.Name, o.Contact.Phone, strings.TrimPrefix(o.Contact.Phone, "+"), o.Contact.Email)
}

// setOffer sets what the catalogue says of the item's variant.
func (i *Item) setOffer(o *catalog.Offer) {
	i.variantKey, i.VariantID, i.ProductID = o.Key, o.ID, o.ProductID
	i.Name, i.SKU, i.Price, i.Options = o.Name(), o.SKU, o.Price, optionsJSON(o.Options)
}
