package mailing

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/notify"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

// SetTemplate sets the subject and the text of a kind. A template that is the program's own, or empty, is not kept, so
// that the texts of later versions and of another language apply. It returns fault.Stale if pre does not accept the
// version, or fault.Invalid for the fields subject and text.
func (s *Service) SetTemplate(
	ctx context.Context, tx store.Tx, shop store.Store, kind Kind, t Template, pre fault.Precondition,
) (_ Settings, err error) {
	defer fault.AddContext(&err, "set the text of a mail of store %s", tx.StoreID())

	own := DefaultTemplate(kind, shop.Language())
	if t == (Template{}) {
		t = own
	}
	if t, err = CheckTemplate(kind, t); err != nil {
		return Settings{}, err
	}

	return s.update(ctx, tx, pre, func(settings *Settings) []audit.Change {
		before := settings.Template(kind, shop.Language())
		if settings.Templates == nil {
			settings.Templates = map[Kind]Template{}
		}
		settings.Templates[kind] = t
		if t == own {
			delete(settings.Templates, kind)
		}

		changes := audit.AppendChange(nil, "mail."+string(kind)+".subject", before.Subject, t.Subject)
		return audit.AppendChange(changes, "mail."+string(kind)+".text", before.Text, t.Text)
	})
}

// Preview returns the mail that a template makes of the newest order, or of an example. It has no recipient. It returns
// fault.Invalid for the fields subject and text.
func (s *Service) Preview(
	ctx context.Context, tx store.Tx, shop store.Store, kind Kind, t Template,
) (m notify.Message, err error) {
	defer fault.AddContext(&err, "preview a mail of store %s", tx.StoreID())

	if t, err = CheckTemplate(kind, t); err != nil {
		return m, err
	}
	settings, err := s.Settings(ctx, tx)
	if err != nil {
		return m, err
	}

	w := newWriter(shop, s.links(settings))
	switch kind {
	case NewInquiry:
		return w.message("", t, w.inquiry(inquiryTexts{ID: "1", Name: "Anna", Phone: "+49301234567",
			Email: "anna@shop.example", Message: "…", PreferredTime: "18:00", CreatedAt: s.Now()})), nil
	case ExchangeFailed:
		return w.message("", t, w.failure(Failure{Entity: "products", Problem: "…"}, s.Now())), nil
	case OrderReceived, OrderConfirmed, OrderCompleted, OrderCancelled, NewOrder:
	}

	o, err := s.exampleOrder(ctx, tx, shop)
	if err != nil {
		return m, err
	}
	return w.message("", t, w.order(&o, kind.ToCustomer())), nil
}

// exampleOrder returns the newest order of the store, or an order that does not exist.
func (s *Service) exampleOrder(ctx context.Context, tx store.Tx, shop store.Store) (order.Order, error) {
	newest, err := s.Orders.List(ctx, tx, shop, order.Filter{Submitted: true}, nil, 1)
	if err != nil {
		return order.Order{}, err
	}
	if len(newest.Orders) > 0 && newest.Orders[0].Contact.Name != order.ErasedName {
		err := s.Orders.FillItems(ctx, tx, shop, newest.Orders[:1])
		return newest.Orders[0], err
	}

	at := database.Moment(s.Now())
	price := money.NewPrice(sampleAmount)
	return order.Order{Number: new(int64(sampleNumber)), SubmittedAt: new(at.Add(-time.Minute)),
		Currency: shop.Currency, Total: sampleAmount,
		Contact:  order.Contact{Name: "Anna", Phone: "+49301234567", Email: "anna@shop.example"},
		Delivery: order.Delivery{Address: "1 High Street"},
		Items:    []order.Item{{Name: "Lamp", SKU: "LAMP-5", Quantity: onePiece, Price: price, Unit: catalog.Unit{}}},
	}, nil
}

const (
	sampleNumber = 1042
	sampleAmount = money.Money(166_6000)
	onePiece     = money.Quantity(1000)
)
