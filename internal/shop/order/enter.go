package order

import (
	"context"
	"errors"
	"strings"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

// Entry is an order that somebody tells the shop, such as on the phone.
type Entry struct {
	// CustomerID is the customer who orders, for the prices of the customer's group; zero if nobody was chosen. Without
	// a customer, the order belongs to the guest with its address.
	CustomerID access.CustomerID
	// Update has the lines to order, none of which has an Item, the contact and what else is known. Its tags, tracking
	// and payment number are not used.
	Update
}

// Enter submits an order that somebody has told the shop. It has the faults of Create and Submit, whose fields name the
// lines as lines[n], and fault.Invalid for the field customer; after an error the transaction must be rolled back. The
// log says that the shop has entered the order. Nobody need confirm such an order: it is never cancelled by itself.
func (s *Service) Enter(
	ctx context.Context, tx store.Tx, shop store.Store, e Entry, imageBaseURL string,
) (_ Order, err error) {
	defer fault.AddContext(&err, "enter an order of store %s", shop.ID)

	if e.Update, err = e.checked(); err != nil {
		return Order{}, err
	}
	caller := Caller{AllOrders: true, enters: true}
	if !e.CustomerID.IsZero() {
		if caller, err = callerFor(ctx, tx, e.CustomerID); err != nil {
			return Order{}, err
		}
	}

	given := func(text *string) bool { return text != nil && *text != "" }
	if caller.CustomerKey == 0 && !given(e.Contact.Name) && !given(e.Contact.Phone) && !given(e.Contact.Email) {
		return Order{}, fault.OneField("contact.name", "required",
			"Say who orders: a name, a phone number or an e-mail address.")
	}

	o, _, err := s.Create(ctx, tx, shop, e.draft(), caller)
	if err != nil {
		return Order{}, nameLines(err)
	}

	sub := submission{caller: caller, imageBaseURL: imageBaseURL, update: e.Update, agreed: map[ItemID]money.Price{}}
	for i := range o.Items {
		sub.agreed[o.Items[i].ID] = o.Items[i].agreed
	}
	if o, err = (submitter{s, sub}).submit(ctx, tx, shop, o.ID); err != nil {
		return Order{}, nameLines(err)
	}
	return o, audit.Record(ctx, tx, audit.Entry{Action: audit.OrderEntered, Object: o.auditObject()})
}

// draft returns the lines as an edit of a draft.
func (e *Entry) draft() Edit {
	lines := make([]Line, len(e.Lines))
	for i, u := range e.Lines {
		lines[i] = Line{VariantID: u.Variant, Quantity: u.Quantity, Modifiers: u.Modifiers}
		if u.Price != nil {
			lines[i].Price = money.NewPrice(*u.Price)
		}
	}
	return Edit{Items: &lines}
}

// callerFor returns the caller for whom the shop enters an order of a customer. A guest cannot sign in, so an order of
// a guest has no customer.
func callerFor(ctx context.Context, tx store.Tx, customerID access.CustomerID) (Caller, error) {
	c, err := customer.Find(ctx, tx, customerID)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return Caller{}, fault.OneField("customer", "unknown_customer", "This customer does not exist any more.")
	case err != nil || c.Guest:
		return Caller{AllOrders: true, enters: true}, err
	}
	chain, err := selectCustomerChain(ctx, tx, c.Key)
	return Caller{AllOrders: true, enters: true, CustomerKey: c.Key, CustomerID: c.ID, Prices: chain}, err
}

// nameLines makes the fields of a fault name the lines of an entry instead of the items of a draft.
func nameLines(err error) error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return err
	}
	for i := range f.Fields {
		if rest, isItem := strings.CutPrefix(f.Fields[i].Field, "items["); isItem {
			f.Fields[i].Field = "lines[" + rest
		}
	}
	return err
}

// agree sets the price to that which the shop has agreed on, if there is one.
func (i *Item) agree() {
	if i.agreed.IsSet() {
		i.Price, i.PriceList = i.agreed, catalog.PriceListID{}
	}
}

// PricesFor returns what one piece of each offer costs a customer without modifiers. The key is 0 for a visitor.
func PricesFor(
	ctx context.Context, tx store.Tx, customerKey int64, offers []*catalog.Offer,
) (_ []money.Price, err error) {
	defer fault.AddContext(&err, "read the prices of a customer")

	items := make([]Item, len(offers))
	for i, offer := range offers {
		items[i].setOffer(offer)
		items[i].Quantity = onePiece
	}
	chain, err := selectCustomerChain(ctx, tx, customerKey)
	if err != nil {
		return nil, err
	}
	prices, err := readItemPrices(ctx, tx, chain, variantKeysOfItems(items))
	if err != nil {
		return nil, err
	}

	list := make([]money.Price, len(items))
	for i := range items {
		prices.apply(&items[i])
		list[i] = items[i].Price
	}
	return list, nil
}

const onePiece money.Quantity = 1000
