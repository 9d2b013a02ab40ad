package order

import "vitrine/internal/shop/catalog"

// Line is a request for a quantity of a variant.
type Line struct {
	VariantID catalog.VariantID
	Quantity  catalog.Quantity
}

// Edit is a change of a draft. Members that are nil leave the draft's value unchanged. Items replaces the full list.
// The phone number and the e-mail address are empty or normalized by package contact.
type Edit struct {
	Items    *[]Line
	Contact  ContactEdit
	Delivery DeliveryEdit
	Comment  *string
}

// ContactEdit is a change of a draft's Contact.
type ContactEdit struct{ Name, Phone, Email *string }

// DeliveryEdit is a change of a draft's Delivery.
type DeliveryEdit struct{ Address, Comment *string }

// The maximum lengths of texts, in characters. MaxComment holds for both comments.
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
