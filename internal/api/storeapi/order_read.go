package storeapi

import (
	"time"

	"vitrine/internal/kit/contact"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/modifier"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/rule"
)

// readOrderEdit reads the body of a request that creates or edits a draft. It ignores read-only members, so that a
// client may send back an order it has read.
func readOrderEdit(r *wire.Reader) (e order.Edit) {
	r.Object(func(name string) {
		if name == "items" {
			e.Items = wire.List(r, readOrderLine)
			return
		}
		readOrderMember(r, name, &e)
	})
	return e
}

// orderChange is the body of a request that edits an order.
type orderChange struct {
	order.Edit
	update order.Update
}

// readOrderChange reads the body of a request that edits an order. It ignores read-only members.
func readOrderChange(r *wire.Reader) (c orderChange) {
	r.Object(func(name string) {
		switch name {
		case "items":
			c.Items = wire.List(r, readOrderLine)
		case "tracking":
			c.update.Tracking = readTracking(r)
		case "paid_at":
			c.update.PaidAt = &time.Time{}
			if !r.Null() {
				*c.update.PaidAt, _ = wire.Moment(r)
			}

		case "tags":
			c.update.Tags = wire.ListUpTo(r, order.MaxTags, func(r *wire.Reader) string {
				tag, _ := r.String()
				return tag
			})
		default:
			readOrderMember(r, name, &c.Edit)
		}
	})
	return c
}

// readTracking reads {number, carrier, url}; null is none.
func readTracking(r *wire.Reader) *order.Tracking {
	var t order.Tracking
	if r.Null() {
		return &t
	}
	r.Object(func(name string) {
		switch name {
		case "number":
			t.Number, _ = readFormText(r, order.MaxTracking, singleLine)
		case "carrier":
			t.Carrier, _ = readFormText(r, order.MaxTracking, singleLine)
		case "url":
			t.URL, _ = readFormText(r, order.MaxTrackLink, singleLine)
		}
	})
	return &t
}

// readSubmission reads the body of a submission and the captcha token. The contact must have a name, and a phone number
// or an e-mail address. One that breaks a rule is not called missing, too.
func readSubmission(r *wire.Reader) (e order.Edit, token *string) {
	ok := r.Object(func(name string) {
		if name == "recaptcha" {
			token = readRecaptcha(r)
			return
		}
		readOrderMember(r, name, &e)
	})
	if ok && valueOrEmpty(e.Contact.Name) == "" && !r.Broken("contact.name") {
		r.FailAt("contact.name", "required", "Say who orders: a name of 1 to %d characters.", order.MaxName)
	}
	if ok && valueOrEmpty(e.Contact.Phone) == "" && valueOrEmpty(e.Contact.Email) == "" &&
		!r.Broken("contact.phone") && !r.Broken("contact.email") {
		r.FailAt("contact.phone", "required", "Give a phone number or an e-mail address.")
	}
	return e, token
}

func readOrderMember(r *wire.Reader, name string, e *order.Edit) {
	switch name {
	case "contact":
		r.Object(func(name string) {
			switch name {
			case "name":
				e.Contact.Name = formTextEdit(readFormText(r, order.MaxName, singleLine))
			case "phone":
				e.Contact.Phone = formTextEdit(readContact(r, contact.CheckPhone))
			case "email":
				e.Contact.Email = formTextEdit(readContact(r, contact.CheckEmail))
			}
		})

	case "delivery":
		r.Object(func(name string) {
			switch name {
			case "address":
				e.Delivery.Address = formTextEdit(readFormText(r, order.MaxAddress, multiLine))
			case "comment":
				e.Delivery.Comment = formTextEdit(readFormText(r, order.MaxComment, multiLine))
			}
		})

	case "comment":
		e.Comment = formTextEdit(readFormText(r, order.MaxComment, multiLine))
	}
}

func valueOrNil[T any](list *[]T) []T {
	if list == nil {
		return nil
	}
	return *list
}

func valueOrEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// readItemEdit reads the body of an edit of an item. Only the quantity can change.
func readItemEdit(r *wire.Reader) (n money.Quantity) {
	r.ObjectWith(func(name string) {
		if name == "quantity" {
			n = readItemQuantity(r)
		}
	}, quantityRequired())
	return n
}

// readOrderLine reads {variant_id, quantity, modifiers}. It ignores the read-only members of an item.
func readOrderLine(r *wire.Reader) (l order.Line) {
	r.ObjectWith(func(name string) {
		switch name {
		case "variant_id":
			l.VariantID, _ = wire.ID[catalog.Variant](r)
		case "quantity":
			l.Quantity = readItemQuantity(r)
		case "modifiers":
			if !r.Null() {
				l.Modifiers = valueOrNil(wire.ListUpTo(r, modifier.MaxChoices, readModifierChoice))
			}
		}
	}, wire.Required{Member: "variant_id", Message: "The id of a variant is needed here."}, quantityRequired())
	return l
}

// readModifierChoice reads {group_id, item_id, quantity}. It ignores the read-only members of a modifier.
func readModifierChoice(r *wire.Reader) modifier.Choice {
	c := modifier.Choice{Quantity: 1}
	r.ObjectWith(func(name string) {
		switch name {
		case "group_id":
			c.GroupID, _ = rule.ReadExternalID(r)
		case "item_id":
			c.ItemID, _ = rule.ReadExternalID(r)
		case "quantity":
			c.Quantity = readModifierQuantity(r)
		}
	}, wire.Required{Member: "group_id", Message: "The id of a group of modifiers is needed here."},
		wire.Required{Member: "item_id", Message: "The id of a modifier of the group is needed here."})
	return c
}

// readModifierQuantity reads how many of a modifier are chosen for one piece: a whole number from 1, or null for 1.
func readModifierQuantity(r *wire.Reader) int64 {
	if r.Null() {
		return 1
	}
	n, ok := r.Fixed(0, modifier.QuantityDigits)
	if ok && n < 1 {
		r.Failf("out_of_range",
			"The quantity of a modifier is a whole number from 1. Leave the modifier out to have none.")
	}
	return n
}

func quantityRequired() wire.Required {
	return wire.Required{Member: "quantity", Message: "How many of it are wanted is needed here."}
}

// readItemQuantity reads a quantity, which must be more than 0.
func readItemQuantity(r *wire.Reader) money.Quantity {
	n, ok := money.ReadQuantity(r)
	if ok && n == 0 {
		r.Failf("out_of_range", "A quantity must be more than 0. Leave the item out, or delete it, to have none.")
	}
	return n
}
