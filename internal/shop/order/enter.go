package order

import (
	"context"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/store"
)

// Enter submits an order that somebody has told the shop, such as on the phone. It has the faults of Create and Submit;
// after an error the transaction must be rolled back. The log says that the shop has entered the order.
func (s *Service) Enter(
	ctx context.Context, tx store.Tx, shop store.Store, e Edit, imageBaseURL string,
) (_ Order, err error) {
	defer fault.AddContext(&err, "enter an order of store %s", shop.ID)

	given := func(text *string) bool { return text != nil && *text != "" }
	if !given(e.Contact.Name) && !given(e.Contact.Phone) && !given(e.Contact.Email) {
		return Order{}, fault.OneField("contact.name", "required",
			"Say who orders: a name, a phone number or an e-mail address.")
	}

	caller := Caller{AllOrders: true}
	o, _, err := s.Create(ctx, tx, shop, e, caller)
	if err != nil {
		return Order{}, err
	}
	if o, err = s.Submit(ctx, tx, shop, o.ID, Edit{}, caller, imageBaseURL); err != nil {
		return Order{}, err
	}
	return o, audit.Record(ctx, tx, audit.Entry{Action: audit.OrderEntered, Object: o.auditObject()})
}
