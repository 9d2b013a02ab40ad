package privacy

import (
	"context"
	"slices"

	"vitrine/internal/kit/contact"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/inquiry"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

const (
	// chunkSize is the number of orders, and the number of inquiries, that one transaction erases.
	chunkSize = 100
	// maxInquiries limits the inquiries that a preview counts and an export contains.
	maxInquiries = 10_000
	// maxOtherAddresses limits the addresses of a preview.
	maxOtherAddresses = 10
)

// person is a subject with the customers, guests and addresses that belong to it.
type person struct {
	subject   Subject
	customers []customer.Customer
	addresses contact.Set
}

// find returns the person. The login addresses of a customer belong to the person. The contact addresses do not, since
// nobody has verified them. Guests with one of the addresses belong to the person, too. To a guest who is the subject
// belongs the e-mail address, or else the phone number, of the first order. read is customer.Find or customer.Lock.
// find returns fault.NotFound if the subject's customer does not exist.
func find(
	ctx context.Context, tx store.Tx, s Subject,
	read func(context.Context, store.Tx, customer.ID) (customer.Customer, error),
) (p person, err error) {
	p.subject = s
	addresses, ids := []string{s.Email, s.Phone}, []customer.ID{}
	if !s.CustomerID.IsZero() {
		ids = append(ids, s.CustomerID)
	}

	others, err := customer.WithLogin(ctx, tx, contact.SetOf(addresses...))
	if err != nil {
		return p, err
	}

	for i := range others {
		if others[i].ID != s.CustomerID {
			ids = append(ids, others[i].ID)
		}
	}

	for _, customerID := range ids { // one, or two if the addresses belong to two accounts
		c, err := read(ctx, tx, customerID)
		if err != nil {
			return p, err
		}
		p.customers = append(p.customers, c)
		addresses = append(addresses, c.ProvenAddresses().Words()...)
		if c.Guest {
			addresses = append(addresses, c.Addresses()[0])
		}
	}

	guests, err := customer.GuestsWith(ctx, tx, addresses)
	if err != nil {
		return p, err
	}
	for i := range guests {
		if guests[i].ID != s.CustomerID {
			p.customers = append(p.customers, guests[i])
		}
	}

	p.addresses = contact.SetOf(addresses...)
	return p, nil
}

// orderKeys returns the row keys of the orders and carts of the person by the customer that they belong to; 0 stands
// for those that were found by an address only.
func (p *person) orderKeys(ctx context.Context, tx store.Tx) (map[int64][]int64, error) {
	keys, known := map[int64][]int64{}, map[int64]bool{}
	for i := range p.customers {
		c := &p.customers[i]
		if c.Guest && c.ID != p.subject.CustomerID {
			continue // the orders with the addresses are the person's, not all of the guest's
		}

		list, err := keysOfOrders(ctx, tx, c)
		if err != nil {
			return nil, err
		}
		keys[c.Key] = list
		for _, key := range list {
			known[key] = true
		}
	}

	list, err := order.KeysOf(ctx, tx, 0, p.addresses)
	keys[0] = slices.DeleteFunc(list, func(key int64) bool { return known[key] })
	return keys, err
}

// keysOfOrders returns the row keys of the orders of a customer, and of those that are shown under the customer or a
// guest, such as those of people whom the shop has joined.
func keysOfOrders(ctx context.Context, tx store.Tx, c *customer.Customer) ([]int64, error) {
	shown, err := order.KeysOfGuest(ctx, tx, c.Key)
	if err != nil || c.Guest {
		return shown, err
	}
	own, err := order.KeysOf(ctx, tx, c.Key, contact.Set{})
	keys := append(own, shown...)
	slices.Sort(keys)
	return slices.Compact(keys), err
}

// eachOrder calls fn for the orders and carts of the person.
func (p *person) eachOrder(ctx context.Context, tx store.Tx, fn func(o *order.Order)) error {
	keys, err := p.orderKeys(ctx, tx)
	if err != nil {
		return err
	}
	for chunk := range slices.Chunk(slices.Sorted(flatten(keys)), chunkSize) {
		orders, err := order.Personal(ctx, tx, chunk)
		if err != nil {
			return err
		}
		for i := range orders {
			fn(&orders[i])
		}
	}
	return nil
}

// Preview counts what Erase would erase. The transaction should be a snapshot.
func (s *Service) Preview(ctx context.Context, tx store.Tx, subject Subject) (r Report, err error) {
	defer fault.AddContext(&err, "preview the erasure of a person in store %s", tx.StoreID())

	p, err := find(ctx, tx, subject, customer.Find)
	if err != nil {
		return Report{}, err
	}

	r.Customers = len(p.customers)
	mention := func(addresses ...string) {
		for _, a := range addresses {
			if a != "" && !p.addresses.Has(a) && !slices.Contains(r.Addresses, a) &&
				len(r.Addresses) < maxOtherAddresses {
				r.Addresses = append(r.Addresses, a)
			}
		}
	}
	for i := range p.customers {
		mention(p.customers[i].Addresses()...)
	}

	err = p.eachOrder(ctx, tx, func(o *order.Order) {
		switch o.State {
		case order.Draft:
			r.Carts++
		case order.Submitted, order.Confirmed:
			r.OpenOrders++
			r.Orders++
		case order.Completed, order.Cancelled:
			r.Orders++
		}

		mention(o.Contact.Email, o.Contact.Phone)
	})
	if err != nil {
		return Report{}, err
	}

	inquiries, err := inquiry.OfPerson(ctx, tx, p.addresses, maxInquiries)
	if err != nil {
		return Report{}, err
	}

	r.Inquiries = len(inquiries)
	for i := range inquiries {
		mention(inquiries[i].Email, inquiries[i].Phone)
	}

	profiles, err := customer.WithContact(ctx, tx, p.addresses)
	if err != nil {
		return Report{}, err
	}

	r.Profiles = len(profiles)
	messages, err := s.Notify.MessagesTo(ctx, tx, p.addresses)
	r.Messages = len(messages)

	return r, err
}
