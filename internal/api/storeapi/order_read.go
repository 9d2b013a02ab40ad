package storeapi

import (
	"io"

	"vitrine/internal/kit/contact"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/order"
)

// readOrder reads the body of a create or an edit of a draft. It ignores read-only members, so that a client may send
// back an order it has read.
func readOrder(body io.Reader) (order.Edit, error) {
	var e order.Edit
	r := wire.NewReader(body)
	err := r.Document(func(name string) {
		if name == "items" {
			e.Items = readList(r, readLine)
			return
		}
		readOrderMember(r, name, &e)
	})
	return e, err
}

// readSubmission reads the body of a submission and the captcha token. The contact must have a name, and a phone number
// or an e-mail address.
func readSubmission(body io.Reader) (e order.Edit, token *string, err error) {
	r := wire.NewReader(body)
	ok := r.Object(func(name string) {
		if name == "recaptcha" {
			token = readRecaptcha(r)
			return
		}
		readOrderMember(r, name, &e)
	})
	if ok && orNothing(e.Contact.Name) == "" {
		r.FailAt("contact.name", "required", "Say who orders: a name of 1 to %d characters.", order.MaxName)
	}
	if ok && orNothing(e.Contact.Phone) == "" && orNothing(e.Contact.Email) == "" {
		r.FailAt("contact.phone", "required", "Say how to reach who orders: a phone number here, or an e-mail address in contact.email.")
	}
	return e, token, r.End()
}

func readOrderMember(r *wire.Reader, name string, e *order.Edit) {
	switch name {
	case "contact":
		r.Object(func(name string) {
			switch name {
			case "name":
				e.Contact.Name = readOrderText(r, order.MaxName, oneLine)
			case "phone":
				s, _ := readContact(r, contact.CheckPhone)
				e.Contact.Phone = &s
			case "email":
				s, _ := readContact(r, contact.CheckEmail)
				e.Contact.Email = &s
			}
		})
	case "delivery":
		r.Object(func(name string) {
			switch name {
			case "address":
				e.Delivery.Address = readOrderText(r, order.MaxAddress, manyLines)
			case "comment":
				e.Delivery.Comment = readOrderText(r, order.MaxComment, manyLines)
			}
		})
	case "comment":
		e.Comment = readOrderText(r, order.MaxComment, manyLines)
	}
}

func readOrderText(r *wire.Reader, limit int, may breaks) *string {
	s, _ := readGiven(r, limit, may)
	return &s
}

func orNothing(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// readItem reads the body that adds an item: {variant_id, quantity}.
func readItem(body io.Reader) (order.Line, error) {
	r := wire.NewReader(body)
	l := readLine(r)
	return l, r.End()
}

// readItemEdit reads the body of an edit of an item. Only the quantity can change.
func readItemEdit(body io.Reader) (catalog.Quantity, error) {
	var n catalog.Quantity
	r := wire.NewReader(body)
	found := false
	ok := r.Object(func(name string) {
		if name == "quantity" {
			found = true
			n = readWanted(r)
		}
	})
	if ok && !found {
		r.FailAt("quantity", "required", "How many of it are wanted is needed here.")
	}
	return n, r.End()
}

// readLine reads {variant_id, quantity}. It ignores the read-only members of an item.
func readLine(r *wire.Reader) (l order.Line) {
	var variant, quantity bool
	ok := r.Object(func(name string) {
		switch name {
		case "variant_id":
			variant = true
			l.VariantID, _ = wire.ID[catalog.Variant](r)
		case "quantity":
			quantity = true
			l.Quantity = readWanted(r)
		}
	})
	if ok && !variant {
		r.FailAt("variant_id", "required", "The id of a variant is needed here.")
	}
	if ok && !quantity {
		r.FailAt("quantity", "required", "How many of it are wanted is needed here.")
	}
	return l
}

// readWanted reads a quantity, which must be more than 0.
func readWanted(r *wire.Reader) catalog.Quantity {
	n, ok := catalog.ReadQuantity(r)
	if ok && n == 0 {
		r.Failf("out_of_range", "A quantity must be more than 0. Leave the item out, or delete it, to have none.")
	}
	return n
}
