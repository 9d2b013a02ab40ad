package privacy

import (
	"context"
	"maps"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/inquiry"
	"vitrine/internal/shop/listview"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
)

// Erase erases a person from a store and returns what it has erased. It deletes the customer with the login codes and
// sessions, the carts, inquiries and stored messages, and replaces the personal data in orders, in the payloads of
// events, and in the log. Numbers, items and totals of orders stay.
//
// The data of nearly every person fits one transaction. If there is more than chunkSize of something, Erase uses
// several transactions, of which the last one deletes the customer; a call after a failure continues. Each of them is
// recorded in the log, under a random id. It returns fault.NotFound if the subject's customer does not exist.
func (s *Service) Erase(
	ctx context.Context, storeID store.ID, by store.Actor, subject Subject,
) (total Report, err error) {
	return s.erase(ctx, storeID, by, subject, nil)
}

// erase does what Erase does. If mayErase is not nil, it is called in each transaction, with what that transaction
// erases locked; its error ends the erasure.
func (s *Service) erase(
	ctx context.Context, storeID store.ID, by store.Actor, subject Subject,
	mayErase func(context.Context, store.Tx, *belongings) error,
) (total Report, err error) {
	defer fault.AddContext(&err, "erase a person of store %s", storeID)

	opaque := id.New[Subject]()
	for more := true; more; {
		var r Report
		err := s.DB.Write(ctx, func(q database.Querier) (err error) {
			tx := store.In(q, storeID).By(by, s.Now())
			if r, more, err = s.eraseChunk(ctx, tx, subject, mayErase); err != nil || r.IsEmpty() {
				return err
			}
			return audit.Record(ctx, tx, audit.Entry{Action: audit.CustomerErased,
				Object: audit.Object{Kind: "customer", ID: opaque.String()}, Changes: r.changes()})
		})
		if err != nil {
			return total, err
		}

		total.add(r)
	}

	return total, nil
}

// belongings is what a store has of a person.
type belongings struct {
	person
	// orders are the row keys of the orders and carts, as orderKeys returns them.
	orders    map[int64][]int64
	inquiries []inquiry.Inquiry
}

// findBelongings returns what the subject has, with up to limit inquiries. read is customer.Find or customer.Lock.
func findBelongings(
	ctx context.Context, tx store.Tx, subject Subject, limit int,
	read func(context.Context, store.Tx, customer.ID) (customer.Customer, error),
) (b belongings, err error) {
	if b.person, err = find(ctx, tx, subject, read); err != nil {
		return b, err
	}
	if b.orders, err = b.orderKeys(ctx, tx); err != nil {
		return b, err
	}
	b.inquiries, err = inquiry.OfPerson(ctx, tx, b.addresses, limit)
	return b, err
}

// eraseChunk erases up to chunkSize orders and inquiries of the person. If nothing of them is left, it erases the rest;
// otherwise it returns true.
func (s *Service) eraseChunk(
	ctx context.Context, tx store.Tx, subject Subject, mayErase func(context.Context, store.Tx, *belongings) error,
) (r Report, more bool, err error) {
	limit := chunkSize
	if mayErase != nil {
		limit = maxInquiries // which it looks at
	}

	p, err := findBelongings(ctx, tx, subject, limit, customer.Lock)
	if err != nil {
		return r, false, err
	}

	if mayErase != nil {
		if err := mayErase(ctx, tx, &p); err != nil {
			return r, false, err
		}
	}

	for i := range p.customers {
		if err := customer.EndSessions(ctx, tx, p.customers[i].Key); err != nil {
			return r, false, err
		}
	}

	left := chunkSize
	for _, customerKey := range slices.Sorted(maps.Keys(p.orders)) {
		chunk := p.orders[customerKey]
		if len(chunk) > left {
			chunk = chunk[:left]
			more = true
		}

		left -= len(chunk)
		part, err := s.eraseOrders(ctx, tx, chunk, customerKey)
		if err != nil {
			return r, false, err
		}

		r.add(part)
	}

	inquiries := p.inquiries[:min(chunkSize, len(p.inquiries))]
	if err := s.eraseInquiries(ctx, tx, inquiries); err != nil {
		return r, false, err
	}

	r.Inquiries = len(inquiries)
	if more = more || len(inquiries) == chunkSize; more {
		return r, true, nil
	}

	rest, err := s.eraseRest(ctx, tx, p.person)
	r.add(rest)
	return r, false, err
}

// eraseRest erases what is left when the orders and inquiries are erased.
func (s *Service) eraseRest(ctx context.Context, tx store.Tx, p person) (r Report, err error) {
	messages, err := s.Notify.DeleteMessagesTo(ctx, tx, p.addresses)
	if err != nil {
		return r, err
	}

	r.Messages = int(messages)
	var ids, names []string
	for i := range p.customers {
		names = append(names, p.customers[i].Name)
	}
	if err := listview.Forget(ctx, tx, p.addresses, names); err != nil {
		return r, err
	}

	for _, c := range p.customers {
		if err := order.ForgetCustomer(ctx, tx, c.Key); err != nil {
			return r, err
		}
		if err := customer.Erase(ctx, tx, c); err != nil {
			return r, err
		}
		ids = append(ids, c.ID.String())
		r.Customers++
	}

	if r.Profiles, err = customer.ForgetAddresses(ctx, tx, p.addresses, database.Moment(s.Now())); err != nil {
		return r, err
	}

	return r, s.Audit.Redact(ctx, tx, "customer", ids)
}

// eraseOrders erases the personal data of orders, of their events and of the responses to these.
func (s *Service) eraseOrders(
	ctx context.Context, tx store.Tx, keys []int64, customerKey int64,
) (r Report, err error) {
	if len(keys) == 0 {
		return r, nil
	}
	erased, err := order.Erase(ctx, tx, keys, customerKey, database.Moment(s.Now()))
	if err != nil {
		return r, err
	}
	sequences, err := event.RedactOrders(ctx, tx, erased.Events, order.ErasedName)
	if err != nil {
		return r, err
	}
	r.Orders = len(erased.Orders)
	r.Carts = erased.Carts
	if err := webhook.ForgetResponses(ctx, tx, sequences); err != nil {
		return r, err
	}

	ids := make([]string, len(erased.Orders))
	for i := range erased.Orders {
		ids[i] = erased.Orders[i].String()
	}
	return r, s.Audit.Redact(ctx, tx, "order", ids)
}

// eraseInquiries deletes inquiries, and what events, responses to these and the log have of them.
func (s *Service) eraseInquiries(ctx context.Context, tx store.Tx, list []inquiry.Inquiry) error {
	if len(list) == 0 {
		return nil
	}
	if err := inquiry.Erase(ctx, tx, list); err != nil {
		return err
	}

	sequences, err := event.RedactInquiries(ctx, tx, list,
		func(i inquiry.Inquiry) [16]byte { return i.ID.Bytes() }, order.ErasedName)
	if err != nil {
		return err
	}
	if err := webhook.ForgetResponses(ctx, tx, sequences); err != nil {
		return err
	}

	ids := make([]string, len(list))
	for i := range list {
		ids[i] = list[i].ID.String()
	}

	return s.Audit.Redact(ctx, tx, "inquiry", ids)
}
