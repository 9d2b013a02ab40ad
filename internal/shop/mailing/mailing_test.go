package mailing

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/inquiry"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/mailtest"
)

// wantAll fails the test unless the text has all parts.
func wantAll(t testing.TB, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s lacks %q:\n%s", what, part, text)
		}
	}
}

func TestOrderChanged_tellsTheCustomerAndTheShop(t *testing.T) {
	each(t, func(f *fixture) {
		f.set(Switches{Kinds: Kinds(), OrderPage: "https://shop.example/orders/{number}?id={id}"})
		f.start()
		e := contactEdit("Anna & Co", customerEmail)
		e.Delivery = order.DeliveryEdit{Address: new("1 High Street")}
		e.Comment = new("Ring <twice>")
		o := f.submit(e)
		f.mailServer.WaitForMessages(f, 2)

		m := f.mailTo(customerEmail)
		if m.Subject != "Your order 1: My shop" || !strings.HasPrefix(m.Header.Get("From"), `"My shop" <`) {
			f.Errorf("the mail to the customer is from %q: %q", m.Header.Get("From"), m.Subject)
		}
		wantAll(f, "the text", m.Text, "Hello Anna & Co,", "order 1 of ", "Lamp <b>", "2 × 1,234.56\u00a0USD",
			"Total: 2,469.12\u00a0USD", "Delivery address: 1 High Street",
			"https://shop.example/orders/1?id="+o.ID.String())
		wantAll(f, "the HTML", m.HTML, "Hello Anna &amp; Co,", "Lamp &lt;b&gt;", "2,469.12", "<table",
			`<a href="https://shop.example/orders/1?id=`)
		if strings.Contains(m.Text, "Ring") {
			f.Error("the mail to the customer has the comment")
		}

		m = f.mailTo(ownerEmail)
		wantAll(f, "the mail to the owner", m.Subject+m.Text, "New order 1, 2,469.12 USD", "Anna & Co",
			"+79123456789", customerEmail, "Ring <twice>", "https://admin.example/orders/"+o.ID.String())
		wantAll(f, "the HTML to the owner", m.HTML, "Ring &lt;twice&gt;")

		f.Write(func(tx store.Tx) error {
			if _, err := f.orders.Confirm(f.Context(), tx, f.Store, o.ID, nil, ""); err != nil {
				return err
			}
			_, err := f.orders.Cancel(f.Context(), tx, f.Store, o.ID, nil, "")
			return err
		})
		f.Clock.Advance(undoTime)

		subjects := ""
		for _, m := range f.mailServer.WaitForMessages(f, 3) {
			subjects += m.Subject + "\n"
		}
		wantAll(f, "the subjects", subjects, "Your order 1 is cancelled")
	})
}

// An order that gets several states within a minute tells of the newest one only.
func TestOrderChanged_tellsOnlyTheNewestState(t *testing.T) {
	each(t, func(f *fixture) {
		f.set(Switches{Kinds: []Kind{OrderConfirmed, OrderCompleted, OrderCancelled}})
		f.start()
		cancelled := f.submit(contactEdit("Anna", customerEmail))
		completed := f.submit(contactEdit("Boris", "boris@mail.example"))
		f.change(cancelled, f.orders.Confirm, f.orders.Cancel)
		f.change(completed, f.orders.Confirm, f.orders.Complete)

		f.Clock.Advance(undoTime)
		f.waitForJobs()
		for address, want := range map[string]string{customerEmail: "Your order 1 is cancelled: My shop",
			"boris@mail.example": "Your order 2 is completed: My shop"} {
			if m := f.mailTo(address); m.Subject != want {
				f.Errorf("the mail to %s is %q, want %q", address, m.Subject, want)
			}
		}
	})
}

// A state that an operator undoes within a minute is told to nobody.
func TestOrderChanged_sendsNothingOfAnUndoneState(t *testing.T) {
	each(t, func(f *fixture) {
		f.set(Switches{Kinds: []Kind{OrderConfirmed, OrderCompleted, OrderCancelled}})
		f.start()
		undone := f.submit(contactEdit("Anna", customerEmail))
		kept := f.submit(contactEdit("Boris", "boris@mail.example"))
		returns := order.Returns{Orders: f.orders}
		f.change(undone, f.orders.Confirm, returns.Unconfirm, f.orders.Cancel, returns.Reopen, f.orders.Complete,
			returns.Reopen)
		f.change(kept, f.orders.Confirm, returns.Unconfirm, f.orders.Confirm)
		if n := f.Count("jobs"); n != 5 {
			f.Errorf("%d jobs wait, want 5", n)
		}

		f.Clock.Advance(undoTime)
		f.waitForJobs()
		if list := f.mailServer.Messages(); len(list) != 1 {
			f.Errorf("%d mails, want the last confirmation alone", len(list))
		}
		if m := f.mailTo("boris@mail.example"); m.Subject != "Your order 2 is confirmed: My shop" {
			f.Errorf("the mail is %q", m.Subject)
		}
	})
}

// What is switched off is not sent, neither if it is switched off between the order and its mail.
func TestOrderChanged_sendsNothingThatIsOff(t *testing.T) {
	each(t, func(f *fixture) {
		f.set(Switches{})
		f.submit(contactEdit("Anna", customerEmail))
		if n := f.Count("jobs"); n != 0 {
			f.Errorf("%d jobs for mails that are off", n)
		}

		f.set(Switches{Kinds: Kinds()})
		f.submit(contactEdit("Anna", customerEmail))
		f.set(Switches{Kinds: []Kind{NewOrder}, Recipients: []string{"orders@shop.example"}})
		f.submit(contactEdit("Anna", customerEmail))
		f.start()
		f.waitForJobs()

		for _, m := range f.mailServer.Messages() {
			if m.To[0] == customerEmail {
				f.Errorf("a mail was sent that is off: %s", m.Subject)
			}
		}
		f.mailTo("orders@shop.example")
	})
}

// A store that has set nothing sends all kinds if the server sends mail. The migration gives the stores that exist a
// row without any kind.
func TestSettings_ofANewStore(t *testing.T) {
	each(t, func(f *fixture) {
		f.Read(func(tx store.Tx) error {
			settings, err := f.Settings(f.Context(), tx)
			if len(settings.Kinds) != len(Kinds()) {
				f.Errorf("a new store sends %v", settings.Kinds)
			}

			f.Notify.Mail = nil
			settings, err = f.Settings(f.Context(), tx)
			if len(settings.Kinds) != 0 {
				f.Errorf("without a mail server a new store sends %v", settings.Kinds)
			}
			return err
		})

		f.Exec(`INSERT INTO mail_settings (store_id, switches, templates, version, updated_at)
VALUES ($1, '{}', '{}', 1, 0)`, f.Store.ID)
		f.Read(func(tx store.Tx) error {
			settings, err := f.Settings(f.Context(), tx)
			if len(settings.Kinds) != 0 || settings.Version != 1 {
				f.Errorf("a store from before sends %v", settings)
			}
			return err
		})
	})
}

// A worker that ends after the mail server has the content, and before it has replied, sends nothing a second time.
func TestMail_isNeverSentTwice(t *testing.T) {
	each(t, func(f *fixture) {
		f.set(Switches{Kinds: []Kind{OrderReceived}})
		contents := make(chan struct{}, 10)
		f.mailServer.OnCommand(func(line string) mailtest.Reaction {
			if line == mailtest.EndOfContent {
				contents <- struct{}{}
				return mailtest.Hang
			}
			return ""
		})

		stop := f.start()
		f.submit(contactEdit("Anna", customerEmail))
		<-contents
		stop()

		if f.Count("jobs") != 1 || f.Count("sent_mails") != 1 {
			f.Fatalf("%d jobs and %d records after the worker has ended", f.Count("jobs"), f.Count("sent_mails"))
		}
		f.mailServer.OnCommand(nil)
		f.Exec("UPDATE jobs SET due_at = 1")
		f.start()
		f.waitForJobs()

		if n := len(contents) + len(f.mailServer.Messages()); n != 0 {
			f.Errorf("the mail was sent %d times more", n)
		}
	})
}

// A mail that the server has refused for now is sent again, once.
func TestMail_isSentAfterATemporaryRefusal(t *testing.T) {
	each(t, func(f *fixture) {
		f.set(Switches{Kinds: []Kind{OrderReceived}})
		refused := 0
		f.mailServer.OnCommand(func(line string) mailtest.Reaction {
			if line == mailtest.EndOfContent && refused == 0 {
				refused++
				return "451 4.3.0 Later"
			}
			return ""
		})

		f.submit(contactEdit("Anna", customerEmail))
		f.start()
		f.Eventually("the refusal is recorded", func() bool { return f.Count("jobs WHERE attempts > 0") == 1 })
		if n := f.Count("sent_mails"); n != 0 {
			f.Errorf("%d records of a mail that was refused", n)
		}
		f.mailServer.WaitForMessages(f, 1) // after five seconds
		f.waitForJobs()
	})
}

// Somebody who writes the address of another person into many orders makes the shop send a few mails to it.
func TestMail_isBoundedPerAddress(t *testing.T) {
	each(t, func(f *fixture) {
		f.set(Switches{Kinds: []Kind{OrderReceived}})
		for i := range maxToCustomer + 5 {
			f.submit(contactEdit("Anna", []string{customerEmail, "ANNA@mail.example", "anna+x@mail.example"}[i%3]))
		}
		f.submit(contactEdit("Boris", "boris@mail.example"))
		f.start()
		f.waitForJobs()

		f.mailTo("boris@mail.example")
		// Two attempts run at once, so that one more than the bound is possible on PostgreSQL.
		if n := len(f.mailServer.Messages()) - 1; n < maxToCustomer || n > maxToCustomer+1 {
			f.Errorf("%d mails to one address, want %d", n, maxToCustomer)
		}
	})
}

// Names and addresses of strangers inject neither headers nor HTML, and make no advertisement of a mail.
func TestMail_withHostileTexts(t *testing.T) {
	each(t, func(f *fixture) {
		f.set(Switches{Kinds: []Kind{OrderReceived, NewOrder}})
		e := contactEdit("Anna\r\nBcc: victim@mail.example\r\n\r\n<script>\u202e", customerEmail)
		e.Delivery = order.DeliveryEdit{Address: new("Win now: www.evil.example/<img src=x>"),
			Comment: new("{{number}}\r\n.\r\nMAIL FROM:<x@y.example>")}
		f.submit(e)
		f.start()

		for _, m := range f.mailServer.WaitForMessages(f, 2) {
			for name := range m.Header {
				switch name {
				case "From", "To", "Subject", "Date", "Message-Id", "Mime-Version", "Content-Type", "Auto-Submitted":
				case "List-Unsubscribe", "List-Unsubscribe-Post": // of the mail to the shop
					if m.To[0] == customerEmail {
						f.Errorf("the mail to the customer has the header %s", name)
					}
				default:
					f.Errorf("the mail has the header %s", name)
				}
			}
			html := strings.ReplaceAll(m.HTML, `<img src="`+imagesURL+`/`, "") // the pictures of the lines
			if len(m.To) != 1 || strings.Contains(html, "<script") || strings.Contains(html, "<img") {
				f.Errorf("the mail to %v is %s", m.To, m.HTML)
			}
		}

		if m := f.mailTo(customerEmail); strings.Contains(m.Text+m.HTML, "evil") {
			f.Errorf("the mail to the customer advertises:\n%s", m.Text)
		}
		wantAll(f, "the mail to the owner", f.mailTo(ownerEmail).Text, "{{number}}\n.\nMAIL FROM")
	})
}

// An order whose personal data was erased before its mail was sent is told to nobody, and the queue has no address of
// the person.
func TestMail_ofAnErasedOrderIsNotSent(t *testing.T) {
	each(t, func(f *fixture) {
		f.set(Switches{Kinds: Kinds()})
		o := f.submit(contactEdit("Anna", customerEmail))
		f.Write(func(tx store.Tx) error {
			_, err := order.Erase(f.Context(), tx, []int64{o.Key}, 0, f.Now())
			return err
		})
		f.start()
		f.waitForJobs()
		if list := f.mailServer.Messages(); len(list) != 0 {
			f.Errorf("%d mails about an erased order: %s", len(list), list[0].Text)
		}
	})
}

func TestInquirySubmitted_tellsTheShop(t *testing.T) {
	each(t, func(f *fixture) {
		f.set(Switches{Kinds: []Kind{NewInquiry},
			Recipients: []string{"A@shop.example", "b@shop.example", "a@shop.example"}})
		f.start()
		f.Write(func(tx store.Tx) error {
			_, err := f.inquiries.SubmitCallback(f.Context(), tx, f.Store, inquiry.Callback{Name: "Anna",
				Phone: "+4930123", PreferredTime: "after six"})
			if err != nil {
				return err
			}
			_, err = f.inquiries.SubmitFeedback(f.Context(), tx, f.Store, inquiry.Feedback{Name: "Boris",
				Email: "boris@mail.example", Message: "Is it\nblue?"})
			return err
		})

		all := ""
		for _, m := range f.mailServer.WaitForMessages(f, 4) {
			all += m.To[0] + m.Subject + "\n" + m.Text
		}
		wantAll(f, "the mails", all, "A@shop.example", "b@shop.example", "New inquiry: Anna", "+4930123", "after six",
			"New inquiry: Boris", "Is it\nblue?", "https://admin.example/inquiries/")
	})
}

// An exchange that fails again and again is told twice a day.
func TestRunFailed_tellsTheShopOnce(t *testing.T) {
	each(t, func(f *fixture) {
		f.set(Switches{Kinds: []Kind{ExchangeFailed}})
		f.start()
		for i := range 3 {
			f.Write(func(tx store.Tx) error {
				return f.RunFailed(f.Context(), tx, Failure{RunID: [16]byte{byte(i + 1)}, Entity: "products",
					Problem: "The body ended early."})
			})
			f.waitForJobs()
		}
		m := f.mailTo(ownerEmail)
		wantAll(f, "the mail", m.Subject+m.Text, "The exchange of My shop fails", "products", "The body ended early.",
			"https://admin.example/exchange")
	})
}

func TestUpdateSwitches_refusesAndRecords(t *testing.T) {
	each(t, func(f *fixture) {
		for field, s := range map[string]Switches{
			"recipients": {Recipients: []string{"anna"}},
			"order_page": {OrderPage: "https://shop.example/orders"},
		} {
			err := f.TryWrite(func(tx store.Tx) error {
				_, err := f.UpdateSwitches(f.Context(), tx, s, nil)
				return err
			})
			if !strings.Contains(fieldMessages(err), " ") {
				f.Errorf("%s: %v", field, err)
			}
		}
		for _, page := range []string{"javascript:{id}", "/orders/{id}", "https://{id}@evil.example/{number}",
			"https://shop.example/{id}/{name}", "https://shop.example/{id}\nX"} {
			if checkOrderPage(page) == nil {
				f.Errorf("%q is accepted", page)
			}
		}

		f.Write(func(tx store.Tx) error {
			tx = tx.By(store.Actor{Kind: store.ByOperator, ID: "1", Name: ownerEmail}, time.Now())
			settings, err := f.UpdateSwitches(f.Context(), tx, Switches{Kinds: []Kind{NewOrder, "unknown"}}, nil)
			if len(settings.Kinds) != 1 || settings.Version != 1 {
				f.Errorf("the settings are %+v", settings)
			}
			return err
		})
		if n := f.Count("audit_entries WHERE action = 'settings.changed'"); n != 1 {
			f.Errorf("%d entries in the log, want 1", n)
		}
		err := f.TryWrite(func(tx store.Tx) error {
			_, err := f.UpdateSwitches(f.Context(), tx, Switches{}, func(version int64) bool { return version == 0 })
			return err
		})
		if err == nil {
			f.Error("an old version is accepted")
		}
	})
}

// An order knows which mails went to whom, and which the mail server has refused for good. The erasure of the order
// forgets them.
func TestMail_isInTheHistoryOfTheOrder(t *testing.T) {
	each(t, func(f *fixture) {
		f.set(Switches{Kinds: []Kind{OrderReceived, NewOrder}})
		f.mailServer.OnCommand(func(line string) mailtest.Reaction {
			if strings.Contains(line, "refused@mail.example") {
				return "550 5.1.1 There is nobody of this name"
			}
			return ""
		})
		f.start()
		sent := f.submit(contactEdit("Anna", customerEmail))
		refused := f.submit(contactEdit("Boris", "refused@mail.example"))
		f.waitForJobs()

		mails := func(o order.Order) (text string) {
			f.Helper()
			f.Read(func(tx store.Tx) error {
				list, err := order.Mails(f.Context(), tx, o.Key, 10)
				for _, m := range list {
					text += fmt.Sprintln(m.Kind, m.To, m.Failed)
				}
				return err
			})
			return text
		}
		wantAll(f, "the mails", mails(sent), "order_received "+customerEmail+" false", "new_order "+ownerEmail+" false")
		wantAll(f, "the refused mails", mails(refused), "order_received refused@mail.example true")

		f.Write(func(tx store.Tx) error {
			_, err := order.Erase(f.Context(), tx, []int64{sent.Key}, 0, f.Now())
			return err
		})
		if got := mails(sent); got != "" {
			f.Errorf("the erased order still has %s", got)
		}
	})
}

// Mails to those who work in the shop can be ended by the link in them, with one click of a mail program, for their
// kind and address alone. Mails to customers cannot.
func TestMail_toTheShopCanBeUnsubscribed(t *testing.T) {
	each(t, func(f *fixture) {
		f.set(Switches{Kinds: Kinds(), Recipients: []string{"Ann@shop.example", "bob@shop.example"}})
		f.start()
		f.submit(contactEdit("Anna", customerEmail))
		f.mailServer.WaitForMessages(f, 3)

		if h := f.mailTo(customerEmail).Header; h.Get("List-Unsubscribe")+h.Get("List-Unsubscribe-Post") != "" {
			f.Errorf("a mail to a customer can be unsubscribed: %v", h)
		}
		m := f.mailTo("Ann@shop.example")
		address := strings.Trim(m.Header.Get("List-Unsubscribe"), "<>")
		token, ok := strings.CutPrefix(address, f.AdminURL+UnsubscribePath)
		if !ok || m.Header.Get("List-Unsubscribe-Post") != "List-Unsubscribe=One-Click" {
			f.Fatalf("the headers are %v", m.Header)
		}
		wantAll(f, "the text", m.Text, "Stop mails of this kind: "+address)
		wantAll(f, "the HTML", m.HTML, `<a href="`+address+`">`)

		l, err := f.OpenLink(token)
		if err != nil || l.To != "ann@shop.example" && l.To != "Ann@shop.example" || l.Kind != NewOrder {
			f.Fatalf("the link is about %+v, %v", l, err)
		}
		for range 2 { // a second time changes nothing
			f.WriteUnscoped(func(q database.Querier) error { return f.Unsubscribe(f.Context(), q, l) })
		}
		if n := f.Count("audit_entries WHERE changes LIKE '%mail.unsubscribed%'"); n != 1 {
			f.Errorf("%d entries of the log", n)
		}

		f.submit(contactEdit("Anna", "second@mail.example"))
		f.waitForJobs()
		for _, to := range []struct {
			address string
			mails   int
		}{{"Ann@shop.example", 1}, {"bob@shop.example", 2}} {
			n := 0
			for _, m := range f.mailServer.Messages() {
				if m.To[0] == to.address && strings.HasPrefix(m.Subject, "New order") {
					n++
				}
			}
			if n != to.mails {
				f.Errorf("%s got %d mails about orders, want %d", to.address, n, to.mails)
			}
		}

		// An owner switches them on again; nobody can be unsubscribed that way.
		f.set(Switches{Kinds: Kinds(), Unsubscribed: []Unsubscribed{{Address: "bob@shop.example",
			Kinds: []Kind{NewOrder}}}})
		f.Read(func(tx store.Tx) error {
			settings, err := f.Settings(f.Context(), tx)
			if settings.Unsubscribed != nil {
				f.Errorf("unsubscribed are %+v", settings.Unsubscribed)
			}
			return err
		})
	})
}

// A link with another token, or for a mail to a customer, is not there.
func TestOpenLink_knowsItsOwnTokensOnly(t *testing.T) {
	each(t, func(f *fixture) {
		customers, err := f.Token(Link{f.Store.ID, OrderReceived, customerEmail})
		if err != nil {
			f.Fatal(err)
		}
		for _, token := range []string{"", "x", "%", customers} {
			if _, err := f.OpenLink(token); fault.KindOf(err) != fault.NotFound {
				f.Errorf("%q: %v", token, err)
			}
		}
	})
}
