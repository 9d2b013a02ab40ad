package demo

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/inquiry"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

const (
	// soldProducts is how many products of the catalogue, from the first, are ordered.
	soldProducts = 300
	// keptPieces is how many pieces of a variant the orders leave.
	keptPieces = 2
	// triedOrders is the number of orders that somebody may have placed to try the shop.
	triedOrders = 20
	// inquiryHandler is the address of the operator who has answered the older inquiries.
	inquiryHandler = "anna@example.com"
)

// OrderOptions are the parameters of FillOrders.
type OrderOptions struct {
	// Products is the number of products of the seed's catalogue that the store has.
	Products int
	Language Language // "" for English
	Seed     uint64
	Orders   int
	// Now is the time before which everything happens.
	Now    time.Time
	Stores *store.Service
	// Progress, if not nil, is called with the number of orders done.
	Progress func(done int)
}

// OrderReport is the result of FillOrders.
type OrderReport struct {
	Orders, Customers, Inquiries int
	// Existed is true if the store had more than a few orders before: nothing was added.
	Existed bool
}

// FillOrders adds orders in all states, the customers who placed them, and inquiries, spread over the last three
// months, unless the store has more than a few orders. The products must exist. Orders take stock as any others do.
// After an error the report covers what is committed.
func FillOrders(
	ctx context.Context, db *database.DB, c *catalog.Service, storeID store.ID, o OrderOptions,
) (report OrderReport, err error) {
	f := orderFiller{db: db, storeID: storeID, clock: &planClock{}, report: &report, options: o,
		people: people(o.Language, o.Seed, max(8, o.Orders*2/5)), registered: map[int]customer.Customer{}}
	f.counts = store.NewDailyCounts(db, f.clock.now, slog.New(slog.DiscardHandler))
	events := event.New(event.Deps{Now: f.clock.now})
	f.orders = order.New(order.Deps{DB: db, Catalog: c, Events: events, Now: f.clock.now, Counts: f.counts})
	f.customers = customer.New(customer.Deps{DB: db, Stores: o.Stores, Now: f.clock.now})
	f.inquiries = inquiry.New(inquiry.Deps{Events: events, Now: f.clock.now})

	if err := f.read(ctx, c); err != nil || report.Existed {
		return report, err
	}
	for _, step := range f.steps() {
		f.clock.at = step.at
		if err := step.do(ctx); err != nil {
			return report, err
		}
	}
	return report, f.counts.Flush(ctx)
}

// planClock is the clock of the services: it shows when a step happens.
type planClock struct{ at time.Time }

func (c *planClock) now() time.Time { return c.at }

type orderFiller struct {
	db        *database.DB
	storeID   store.ID
	clock     *planClock
	counts    *store.DailyCounts
	orders    *order.Service
	customers *customer.Service
	inquiries *inquiry.Service
	options   OrderOptions
	report    *OrderReport

	shop       store.Store
	people     []person
	registered map[int]customer.Customer // by the index in people
	sold       []soldVariant
}

// soldVariant is a variant that is ordered. left is how many pieces may still be ordered.
type soldVariant struct {
	id   catalog.VariantID
	left int
}

// read reads the store and the variants that can be ordered.
func (f *orderFiller) read(ctx context.Context, c *catalog.Service) error {
	generator := NewGeneratorIn(f.options.Language, f.options.Seed)
	ids := make([]string, min(soldProducts, f.options.Products))
	for i := range ids {
		ids[i] = generator.ExternalID(i + 1)
	}

	return f.db.Read(ctx, func(q database.Querier) (err error) {
		tx := store.In(q, f.storeID)
		totals, err := f.orders.TotalsByState(ctx, tx, time.Time{}, time.Time{})
		if err != nil {
			return err
		}
		f.report.Existed = totals.Submitted().Orders > triedOrders
		if f.shop, err = f.options.Stores.FindIn(ctx, tx); err != nil {
			return err
		}

		keys, err := c.Products.KeysByExternalID(ctx, tx, ids)
		if err != nil {
			return err
		}
		sorted := make([]int64, 0, len(keys))
		for _, externalID := range ids {
			if key, ok := keys[externalID]; ok {
				sorted = append(sorted, key)
			}
		}

		f.sold, err = readSold(ctx, tx, c, sorted)
		return err
	})
}

// readSold returns the variants of products that can be ordered, two of each product at most. Products with modifiers
// are left out, since some must be chosen.
func readSold(ctx context.Context, tx store.Tx, c *catalog.Service, keys []int64) ([]soldVariant, error) {
	var ids []catalog.VariantID
	for len(keys) > 0 {
		parts := view.Parts{Variants: true, NoRemainders: true}
		rows, n, err := view.ReadRows(ctx, tx, keys, parts, catalog.Live)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			for k := range min(2, len(rows[i].Variants)) {
				ids = append(ids, rows[i].Variants[k].ID)
			}
		}
		keys = keys[n:]
	}

	offers, err := c.Products.Offers(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
	var sold []soldVariant
	for _, variantID := range ids {
		offer := offers[variantID]
		if offer == nil || !offer.Live || !offer.Price.IsSet() || offer.HasModifiers {
			continue
		}
		left := 1000
		if offer.Available != nil {
			left = int(*offer.Available/money.Quantity(1000)) - keptPieces
		}
		if left > 0 {
			sold = append(sold, soldVariant{variantID, left})
		}
	}
	return sold, nil
}

// planStep is something that happens at a time.
type planStep struct {
	at time.Time
	do func(ctx context.Context) error
}

// steps returns all that happens, in the order of its time.
func (f *orderFiller) steps() []planStep {
	var steps []planStep
	add := func(at time.Time, do func(ctx context.Context) error) {
		if !at.IsZero() {
			steps = append(steps, planStep{at, do})
		}
	}

	o := &f.options
	plans := orderPlans(o.Language, o.Seed, o.Orders, len(f.people), o.Now)
	for i := range plans {
		p := &plans[i]
		placed := &placedOrder{orderFiller: f, plan: p}
		add(p.submitted, placed.submit)
		add(p.confirmed, placed.confirm)
		add(p.completed, placed.complete)
		add(p.cancelled, placed.cancel)
	}

	inquiries := inquiryPlans(o.Language, o.Seed, min(30, o.Orders/8+3), len(f.people), o.Now)
	for i := range inquiries {
		asked := &askedInquiry{orderFiller: f, plan: &inquiries[i]}
		add(asked.plan.at, asked.ask)
		add(asked.plan.done, asked.finish)
	}

	slices.SortStableFunc(steps, func(a, b planStep) int { return a.at.Compare(b.at) })
	return steps
}

// write runs fn in a transaction of the store.
func (f *orderFiller) write(ctx context.Context, fn func(tx store.Tx) error) error {
	return f.db.Write(ctx, func(q database.Querier) error { return fn(store.In(q, f.storeID)) })
}

// placedOrder is an order of which the first steps may have happened.
type placedOrder struct {
	*orderFiller
	plan *orderPlan
	id   order.ID // zero if it could not be submitted
}

// submit submits the order. Somebody else may have changed the catalogue; an order that is not possible any more is
// left out.
func (p *placedOrder) submit(ctx context.Context) error {
	lines := p.take()
	if len(lines) == 0 {
		return nil
	}

	who := &p.people[p.plan.person]
	caller, err := p.caller(ctx)
	if err != nil {
		return err
	}
	edit := order.Edit{Items: &lines, Contact: order.ContactEdit{Name: &who.name, Phone: &who.phone, Email: &who.email},
		Delivery: order.DeliveryEdit{Address: &who.address}, Comment: &p.plan.comment}

	err = p.write(ctx, func(tx store.Tx) error {
		placed, err := p.place(ctx, tx, edit, caller)
		if err != nil {
			return err
		}
		p.id = placed.ID

		u := order.Update{Tags: &[]string{}}
		if p.plan.tag != "" {
			u.Tags = &[]string{p.plan.tag}
		}
		if p.plan.note != "" && p.plan.cancelled.IsZero() {
			u.Note = &p.plan.note
		}
		_, err = p.orders.Update(ctx, tx, p.shop, p.id, u, nil, "")
		return err
	})
	if f, ok := errors.AsType[*fault.Error](err); ok && (f.Kind == fault.Conflict || f.Kind == fault.Invalid) {
		p.id = order.ID{}
		return nil
	}
	if err != nil {
		return err
	}

	p.report.Orders++
	if p.options.Progress != nil {
		p.options.Progress(p.report.Orders)
	}
	for range p.plan.person % 3 { // carts that nobody submits
		p.counts.Add(p.shop, order.CartsCount)
	}
	return nil
}

// place creates and submits the order, or enters it if the customer has called.
func (p *placedOrder) place(ctx context.Context, tx store.Tx, e order.Edit, caller order.Caller) (order.Order, error) {
	if p.plan.byPhone {
		u := order.Update{Contact: e.Contact, Delivery: e.Delivery, Comment: e.Comment}
		for _, line := range *e.Items {
			u.Lines = append(u.Lines, order.LineUpdate{Variant: line.VariantID, Quantity: line.Quantity,
				Modifiers: line.Modifiers})
		}
		return p.orders.Enter(ctx, tx, p.shop, order.Entry{Update: u}, "")
	}
	draft, token, err := p.orders.Create(ctx, tx, p.shop, e, caller)
	if err != nil {
		return order.Order{}, err
	}
	caller.Token = token
	return p.orders.Submit(ctx, tx, p.shop, draft.ID, order.Edit{}, caller, "")
}

// take returns the lines of the order, of what is left of the variants.
func (p *placedOrder) take() []order.Line {
	var lines []order.Line
	for _, wanted := range p.plan.lines {
		for _, point := range wanted.points {
			if len(p.sold) == 0 {
				return nil
			}
			v := &p.sold[skewedAt(point, len(p.sold), 6)]

			known := slices.ContainsFunc(lines, func(l order.Line) bool { return l.VariantID == v.id })
			if known || v.left < wanted.quantity {
				continue
			}

			v.left -= wanted.quantity
			lines = append(lines, order.Line{VariantID: v.id, Quantity: money.Quantity(wanted.quantity * 1000)})
			break
		}
	}
	return lines
}

// caller returns who orders: a customer, who is registered before the first order, or a guest.
func (p *placedOrder) caller(ctx context.Context) (order.Caller, error) {
	who := &p.people[p.plan.person]
	if !who.signsIn || p.plan.byPhone {
		return order.Caller{}, nil
	}

	known, ok := p.registered[p.plan.person]
	if !ok {
		err := p.write(ctx, func(tx store.Tx) (err error) {
			known, err = p.customers.Register(ctx, tx, who.email, customer.Edit{Name: &who.name, Phone: &who.phone})
			return err
		})
		if err != nil {
			return order.Caller{}, err
		}
		p.registered[p.plan.person] = known
		p.report.Customers++
	}
	return order.Caller{CustomerKey: known.Key, CustomerID: known.ID}, nil
}

func (p *placedOrder) confirm(ctx context.Context) error {
	return p.change(ctx, func(tx store.Tx) error {
		if _, err := p.orders.Confirm(ctx, tx, p.shop, p.id, nil, ""); err != nil || !p.plan.paid {
			return err
		}
		_, err := p.orders.Update(ctx, tx, p.shop, p.id, order.Update{PaidAt: new(p.clock.now())}, nil, "")
		return err
	})
}

func (p *placedOrder) complete(ctx context.Context) error {
	return p.change(ctx, func(tx store.Tx) error {
		if p.plan.carrier != "" {
			u := order.Update{Tracking: &order.Tracking{Number: p.plan.trackingNumber, Carrier: p.plan.carrier}}
			if _, err := p.orders.Update(ctx, tx, p.shop, p.id, u, nil, ""); err != nil {
				return err
			}
		}
		_, err := p.orders.Complete(ctx, tx, p.shop, p.id, nil, "")
		return err
	})
}

func (p *placedOrder) cancel(ctx context.Context) error {
	return p.change(ctx, func(tx store.Tx) error {
		if p.plan.note != "" {
			u := order.Update{Note: &p.plan.note}
			if _, err := p.orders.Update(ctx, tx, p.shop, p.id, u, nil, ""); err != nil {
				return err
			}
		}
		_, err := p.orders.Cancel(ctx, tx, p.shop, p.id, nil, "")
		return err
	})
}

// change changes the order if it was submitted. An order that somebody has changed meanwhile stays as it is.
func (p *placedOrder) change(ctx context.Context, fn func(tx store.Tx) error) error {
	if p.id.IsZero() {
		return nil
	}
	err := p.write(ctx, fn)
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Kind == fault.Conflict {
		return nil
	}
	return err
}

// askedInquiry is an inquiry that may have been stored.
type askedInquiry struct {
	*orderFiller
	plan *inquiryPlan
	id   inquiry.ID
}

func (a *askedInquiry) ask(ctx context.Context) error {
	who := &a.people[a.plan.person]
	err := a.write(ctx, func(tx store.Tx) error {
		if a.plan.callback {
			c, err := a.inquiries.SubmitCallback(ctx, tx, a.shop, inquiry.Callback{Name: who.name, Phone: who.phone,
				Comment: a.plan.message, PreferredTime: a.plan.when})
			a.id = inquiry.ID(c.ID)
			return err
		}

		m, err := a.inquiries.SubmitFeedback(ctx, tx, a.shop, inquiry.Feedback{Name: who.name, Email: who.email,
			Phone: who.phone, Message: a.plan.message})
		a.id = inquiry.ID(m.ID)
		return err
	})
	if err == nil {
		a.report.Inquiries++
	}
	return err
}

func (a *askedInquiry) finish(ctx context.Context) error {
	return a.write(ctx, func(tx store.Tx) error {
		_, _, err := a.inquiries.Finish(ctx, tx, a.id, inquiryHandler, nil)
		return err
	})
}
