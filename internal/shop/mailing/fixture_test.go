package mailing

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"testing"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/mail"
	"vitrine/internal/kit/queue"
	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/account"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/inquiry"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/notify"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/catalogtest"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/mailtest"
	"vitrine/internal/testkit/storetest"
)

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

const (
	ownerEmail    = "owner@shop.example"
	customerEmail = "anna@mail.example"
	imagesURL     = "https://images.example"
)

// fixture is a store whose mail goes to a server on loopback, with an owner and a product. Its clock follows the real
// time, and its queue runs once start is called.
type fixture struct {
	*storetest.Fixture
	*Service
	mailServer *mailtest.Server
	orders     *order.Service
	inquiries  *inquiry.Service
	product    catalog.Product
}

// Log calls the Log method of testing.TB.
func (f *fixture) Log(args ...any) { f.TB.Log(args...) }

func each(t *testing.T, fn func(f *fixture)) {
	t.Helper()
	storetest.Each(t, func(sf *storetest.Fixture) { fn(newFixture(sf)) })
}

func newFixture(sf *storetest.Fixture) *fixture {
	sf.Helper()
	sf.Clock.FollowRealTime()
	v, err := vault.ParseKey(strings.Repeat("0f", vault.KeySize))
	if err != nil {
		sf.Fatal(err)
	}

	f := &fixture{Fixture: sf, mailServer: mailtest.New(sf, mailtest.Config{})}
	smtp, err := mail.NewSMTP(f.mailServer.URL(nil), mail.SMTPConfig{})
	if err != nil {
		sf.Fatal(err)
	}

	log := slog.New(slog.DiscardHandler)
	jobs := queue.New(queue.Deps{DB: sf.DB, Now: sf.Clock.Now, Log: log})
	events := event.New(event.Deps{Now: sf.Clock.Now})
	products := catalogtest.New(sf)
	keys := access.New(access.Deps{DB: sf.DB, Stores: sf.Stores, Now: sf.Clock.Now})
	accounts := account.New(account.Deps{DB: sf.DB, Stores: sf.Stores, Keys: keys, Vault: v, Now: sf.Clock.Now,
		WeakHashes: true})
	f.orders = order.New(order.Deps{DB: sf.DB, Catalog: products.Service, Events: events, Now: sf.Clock.Now,
		Announce: func(ctx context.Context, tx store.Tx, t order.Transition) error {
			return f.OrderChanged(ctx, tx, t)
		}})
	f.inquiries = inquiry.New(inquiry.Deps{Events: events, Now: sf.Clock.Now,
		Announce: func(ctx context.Context, tx store.Tx, kind inquiry.Kind, inquiryID inquiry.ID) error {
			return f.InquirySubmitted(ctx, tx, kind, inquiryID)
		}})
	f.Service = New(Deps{DB: sf.DB, Queue: jobs, Vault: v, Stores: sf.Stores,
		Notify: notify.New(notify.Deps{DB: sf.DB, Queue: jobs, Vault: v, Now: sf.Clock.Now, Log: log, Mail: smtp}),
		Orders: f.orders, Inquiries: f.inquiries, Operators: accounts.Operators, Now: sf.Clock.Now,
		AdminURL: "https://admin.example", ImagesURL: imagesURL})
	jobs.Register(f.Kind())

	f.product = products.CreateProduct("Lamp <b>", 12_345_600, catalog.ProductEdit{
		Variants: &[]catalog.VariantEdit{{Price: new(money.NewPrice(12_345_600))}}})
	owner, err := accounts.Operators.Prepare(sf.Context(),
		account.NewOperator{Email: ownerEmail, Password: "correct horse battery", Role: access.Owner})
	if err != nil {
		sf.Fatal(err)
	}

	f.Write(func(tx store.Tx) error {
		_, err := accounts.Operators.Create(f.Context(), tx, owner)
		return err
	})
	return f
}

// start runs a new queue on the jobs, as a process that starts does, until stop is called.
func (f *fixture) start() (stop func()) {
	f.Helper()
	d := f.Deps
	d.Queue = queue.New(queue.Deps{DB: f.DB, Now: f.Now, Log: slog.New(slog.DiscardHandler)})
	d.Queue.Register(New(d).Kind())
	return f.Start(d.Queue.Run)
}

// submit submits an order of two lamps.
func (f *fixture) submit(e order.Edit) (o order.Order) {
	f.Helper()
	lines := []order.Line{{VariantID: f.product.Variants[0].ID, Quantity: 2000}}
	f.Write(func(tx store.Tx) (err error) {
		o, _, err = f.orders.Create(f.Context(), tx, f.Store, order.Edit{Items: &lines}, order.Caller{})
		if err != nil {
			return err
		}
		o, err = f.orders.Submit(f.Context(), tx, f.Store, o.ID, e, order.Caller{AllOrders: true}, "")
		return err
	})
	return o
}

// change changes the state of an order in several steps, each in a transaction of its own.
func (f *fixture) change(o order.Order, steps ...func(
	ctx context.Context, tx store.Tx, shop store.Store, id order.ID, pre fault.Precondition, imageBaseURL string,
) (order.Order, error)) {
	f.Helper()
	for _, step := range steps {
		f.Write(func(tx store.Tx) error {
			_, err := step(f.Context(), tx, f.Store, o.ID, nil, "")
			return err
		})
	}
}

// contactEdit returns an edit with the contact of an order.
func contactEdit(name, email string) order.Edit {
	return order.Edit{Contact: order.ContactEdit{Name: &name, Email: &email, Phone: new("+79123456789")}}
}

// set sets the switches of the store.
func (f *fixture) set(s Switches) {
	f.Helper()
	f.Write(func(tx store.Tx) error {
		_, err := f.UpdateSwitches(f.Context(), tx, s, nil)
		return err
	})
}

// mailTo returns the only message to an address.
func (f *fixture) mailTo(address string) mailtest.Message {
	f.Helper()
	var list []mailtest.Message
	for _, m := range f.mailServer.Messages() {
		if m.To[0] == address {
			list = append(list, m)
		}
	}
	if len(list) != 1 {
		f.Fatalf("%d messages to %s, want 1", len(list), address)
	}
	return list[0]
}

// waitForJobs waits until no job is left.
func (f *fixture) waitForJobs() {
	f.Helper()
	f.Eventually("the jobs end", func() bool { return f.Count("jobs") == 0 })
}

// fieldMessages returns the messages of the fields of a fault.
func fieldMessages(err error) (text string) {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		for _, field := range f.Fields {
			text += field.Field + " " + field.Message + "\n"
		}
	}
	return text
}
