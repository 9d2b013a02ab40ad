package order

import "vitrine/internal/shop/catalog"

// Line is how much of a variant somebody wants.
type Line struct {
	Variant  catalog.VariantID
	Quantity catalog.Quantity
}

// Edit is what a request says of a draft. Members that are nil stay as they are; items are the full list. A phone number and an e-mail
// address are in the form that package contact gives them, or empty.
type Edit struct {
	Items    *[]Line
	Contact  ContactEdit
	Delivery DeliveryEdit
	Comment  *string
}

// ContactEdit is what a request says of who orders.
type ContactEdit struct{ Name, Phone, Email *string }

// DeliveryEdit is what a request says of where the goods shall go.
type DeliveryEdit struct{ Address, Comment *string }

// The most characters that texts may have.
const (
	MaxName    = 255
	MaxAddress = 1000
	MaxComment = 10_000
)

// apply sets the members that the edit has, items aside.
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
