package app_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/listview"
	"vitrine/internal/shop/privacy"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/storetest"
)

// canaries are parts of all that the person of the tests has told the shop, in lower case.
var canaries = []string{"quaxley", "canary", "9995550123"}

const (
	canaryEmail = "zeb.quaxley@canary-mail.example"
	canaryPhone = "+79995550123"
	submission  = `{"contact": {"name": "Zebulon Quaxley", "phone": "+79995550123", "email": "Zeb.Quaxley@canary-mail.example"},
		"delivery": {"address": "77 Canary Lane", "comment": "canary gate code"}, "comment": "canary comment"}`
)

// eraseShop is a shop in which a person has used everything.
type eraseShop struct {
	*apitest.Server
	t                       *testing.T
	variant, token, orderID string
	customerID              access.CustomerID
}

// fillWithPerson lets a person sign in, order as a customer and as a guest, leave carts, and send inquiries.
func fillWithPerson(t *testing.T, s *apitest.Server) *eraseShop {
	t.Helper()
	c := &eraseShop{Server: s, t: t}
	r := s.OK(201, "POST", "/v2/products", `{"name": "Shirt", "variants": [{"sku": "S-1", "price": 10.5}]}`)
	c.variant = r.Text("data.variants.0.id")
	visitor := apitest.As(s.Publishable)
	session := c.signIn("email", canaryEmail, visitor)
	c.token = session.Text("data.token")
	customer := apitest.As(c.token)
	session = c.signIn("phone", canaryPhone, customer)
	c.token = session.Text("data.token")
	customer = apitest.As(c.token)

	var err error
	if c.customerID, err = id.Parse[access.Customer](session.Text("data.customer.id")); err != nil {
		t.Fatal(err)
	}

	s.OK(200, "PUT", "/v2/me", `{"name": "Zebulon Quaxley"}`, customer)
	c.orderID = c.order(customer)
	for _, step := range []string{"confirm", "complete"} {
		s.OK(200, "POST", "/v2/orders/"+c.orderID+"/"+step, nil)
	}

	c.order(visitor) // as a guest
	c.cart(customer)
	draft := c.cart(visitor)
	s.OK(200, "PUT", "/v2/orders/"+draft.Text("data.id"), `{"contact": {"phone": "7 999 555 01 23"}}`, visitor,
		apitest.Header("X-Order-Token", draft.Text("data.order_token")))
	feedback := s.OK(201, "POST", "/v2/feedback",
		`{"name": "Zebulon Quaxley", "email": "ZEB.quaxley@canary-mail.example",
		"message": "canary message", "topic": "canary topic"}`, visitor).Text("data.id")
	s.OK(201, "POST", "/v2/interactions/callback", `{"name": "Zebulon Quaxley", "phone": "+7 999 555-01-23",
		"comment": "canary callback", "preferred_time": "canary evening"}`, visitor)
	s.Write(func(ctx context.Context, q database.Querier) error {
		tx := store.In(q, s.StoreID).By(store.Actor{Kind: store.ByCommand}, s.Clock.Now())
		return audit.Record(ctx, tx, audit.Entry{
			Action: "inquiry.noted", Object: audit.Object{Kind: "inquiry", ID: feedback, Label: "Zebulon Quaxley"},
			Changes: []audit.Change{{Field: "note", To: "canary note"}}})
	})

	s.OK(200, "PUT", "/v2/orders/"+c.orderID, `{"tracking": {"number": "canary parcel"}, "tags": ["canary tag"]}`)
	s.Write(func(ctx context.Context, q database.Querier) error {
		_, err := q.Exec(ctx, "UPDATE customers SET note = 'canary note' WHERE store_id = $1", s.StoreID)
		if err != nil {
			return err
		}
		_, err = q.Exec(ctx, "UPDATE orders SET note = 'canary note' WHERE store_id = $1 AND state = 'completed'",
			s.StoreID)
		if err != nil {
			return err
		}
		_, err = q.Exec(ctx, "INSERT INTO list_views (store_id, id, list, name, query, columns, is_default, version) "+
			"VALUES ($1, $2, 'orders', 'Zebulon Quaxley', 'q=zeb.quaxley%40canary-mail.example&state=all', '', $3, 1)",
			s.StoreID, id.New[listview.View](), false)
		if err != nil {
			return err
		}
		tx := store.In(q, s.StoreID).By(store.Actor{Kind: store.ByCommand}, s.Clock.Now())
		return audit.Record(ctx, tx, audit.Entry{
			Action: audit.OrderNoted, Object: audit.Object{Kind: "order", ID: c.orderID},
			Changes: []audit.Change{{Field: "note", To: "canary note"}}})
	})

	return c
}

func (c *eraseShop) signIn(kind, address string, by apitest.RequestOption) *apitest.Response {
	c.t.Helper()
	requested := c.OK(202, "POST", "/v2/auth/passwordless/request", map[string]any{kind: address}, by)
	box := c.DoAdmin("GET", "/api/store/mailbox", nil)
	code := regexp.MustCompile(`\b\d{6}\b`).FindString(box.Text("data.0.text"))
	return c.OK(200, "POST", "/v2/auth/passwordless/confirm",
		map[string]any{"request_id": requested.Text("data.request_id"), "code": code}, by)
}

func (c *eraseShop) cart(by apitest.RequestOption) *apitest.Response {
	c.t.Helper()
	return c.OK(201, "POST", "/v2/orders", fmt.Sprintf(`{"items": [{"variant_id": %q, "quantity": 2}]}`, c.variant), by)
}

// order submits an order and returns its id.
func (c *eraseShop) order(by apitest.RequestOption) string {
	c.t.Helper()
	r := c.cart(by)
	options := []apitest.RequestOption{by}
	if r.Has("data.order_token") {
		options = append(options, apitest.Header("X-Order-Token", r.Text("data.order_token")))
	}
	c.OK(200, "POST", "/v2/orders/"+r.Text("data.id")+"/submit", submission, options...)
	return r.Text("data.id")
}

// sale returns the orders as 1C gets them.
func (c *eraseShop) sale() string {
	c.t.Helper()
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("1c:"+c.Exchange))
	auth := apitest.Header("Authorization", basic)
	const path = "/v2/sync-gate/commerceml?type=sale&mode="
	lines := strings.Split(string(c.Do("GET", path+"checkauth", nil, auth).Body), "\n")
	cookie := apitest.Header("Cookie", lines[1]+"="+lines[2])
	c.Do("GET", path+"init", nil, auth, cookie)
	r := c.Do("GET", path+"query", nil, auth, cookie)
	if r.Status != 200 || !strings.Contains(string(r.Body), "<Документ>") {
		c.t.Fatalf("the query of 1C returns %d %s", r.Status, r.Body)
	}
	return string(r.Body)
}

// idTexts are the forms in which a dump has an id.
func idTexts(storeID string) []string {
	return []string{storeID, "x" + strings.ReplaceAll(storeID, "-", "")}
}

// rowsOf returns the rows that belong to a store, or with others those that do not.
func rowsOf(d apitest.Dump, storeID string, others bool) apitest.Dump {
	of := apitest.Dump{}
	for table, rows := range d {
		of[table] = []string{}
		for _, row := range rows {
			belongs := false
			for _, text := range idTexts(storeID) {
				belongs = belongs || strings.Contains(row, text)
			}
			if belongs != others {
				of[table] = append(of[table], row)
			}
		}
	}
	return of
}

// tablesWith returns the tables that have a canary, as text or as bytes.
func tablesWith(d apitest.Dump) map[string]string {
	found := map[string]string{}
	for table, rows := range d {
		for _, row := range rows {
			text := strings.ToLower(row)
			for _, canary := range append(append([]string{}, canaries...), "Quaxley", "Canary") {
				if strings.Contains(text, strings.ToLower(canary)) ||
					strings.Contains(text, hex.EncodeToString([]byte(canary))) {
					found[table] = row
				}
			}
		}
	}
	return found
}

// waitForIndex waits until the search has the words of the orders, and the administration their people.
func (c *eraseShop) waitForIndex() {
	c.t.Helper()
	storetest.Eventually(c.t, "the orders have people", func() bool {
		for _, row := range rowsOf(c.DumpAll(), c.StoreID.String(), false)["orders"] {
			if strings.Contains(row, " guest_key=NULL") && strings.Contains(row, " customer_key=NULL") &&
				!strings.Contains(row, " state=draft") {
				return false
			}
		}
		return true
	})

	storetest.Eventually(c.t, "the search has the orders", func() bool {
		for _, row := range rowsOf(c.DumpAll(), c.StoreID.String(), false)["search_words"] {
			if strings.Contains(row, "order") && strings.Contains(row, "quaxley") {
				return true
			}
		}
		return false
	})
}

func TestErase_leavesNothingOfThePerson(t *testing.T) {
	t.Parallel()
	eachErase(t, func(t *testing.T, s *apitest.Server, data string) {
		receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusInternalServerError) // so that deliveries stay pending
			_, _ = io.Copy(w, r.Body)
		}))
		t.Cleanup(receiver.Close)
		s.OK(201, "POST", "/v2/products", `{"name": "Unrelated"}`)
		if r := s.DoAdmin("POST", "/api/store/webhook-receivers",
			map[string]any{"url": receiver.URL, "webhook_types": []string{"order.*", "feedback.submitted",
				"callback.submitted"}}); r.Status != 201 {
			t.Fatalf("creating a receiver returns %d %s", r.Status, r.Body)
		}

		other := fillWithPerson(t, s.WithKeys(s.Other))
		c := fillWithPerson(t, s)
		c.waitForIndex()
		other.waitForIndex()
		storetest.Eventually(t, "receivers have responded", func() bool {
			return tablesWith(rowsOf(c.DumpAll(), c.StoreID.String(), false))["attempts"] != ""
		})
		c.order(apitest.As(s.Publishable)) // its words may not be in the index yet
		before := c.DumpAll()

		for _, table := range []string{"customers", "orders", "search_words", "feedback", "callbacks",
			"events", "attempts", "mailbox", "login_requests", "audit_entries", "list_views"} {
			if tablesWith(rowsOf(before, c.StoreID.String(), false))[table] == "" {
				t.Errorf("the table %s has nothing of the person before the erasure", table)
			}
		}

		if sale := c.sale(); !strings.Contains(sale, "Quaxley") {
			t.Errorf("1C does not get the person: %s", sale)
		}

		order := c.Get("/v2/orders/" + c.orderID)
		subject := privacy.Subject{CustomerID: c.customerID}
		want := privacy.Report{Customers: 1, Orders: 3, OpenOrders: 2, Carts: 2, Inquiries: 2, Messages: 2}
		c.wantPreview(subject, want)

		got, err := s.App.Privacy.Erase(t.Context(), s.StoreID, store.Actor{Kind: store.ByCommand}, subject)
		want.OpenOrders = 0
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("erased %+v, %v; want %+v", got, err, want)
		}

		after := c.DumpAll()
		for table, row := range tablesWith(rowsOf(after, s.Other.StoreID.String(), true)) {
			t.Errorf("%s still has the person: %s", table, row)
		}

		for _, table := range []string{"customers", "orders", "search_words", "feedback", "callbacks",
			"events", "mailbox", "login_requests", "audit_entries", "customer_sessions", "customer_totals"} {
			one := func(d apitest.Dump) apitest.Dump {
				return apitest.Dump{table: rowsOf(d, s.Other.StoreID.String(), false)[table]}
			}
			if diff := one(before).Diff(one(after)); diff != "" {
				t.Errorf("the other store has changed:\n%s", diff)
			}
		}

		erased := c.Get("/v2/orders/" + c.orderID)
		for _, path := range []string{"data.number", "data.state", "data.total", "data.currency", "data.items.0.id",
			"data.items.0.sku", "data.items.0.price", "data.items.0.quantity", "data.items.0.total",
			"data.submitted_at.iso_utc", "data.completed_at.iso_utc"} {
			if order.Text(path) != erased.Text(path) {
				t.Errorf("%s was %s and is %s", path, order.Text(path), erased.Text(path))
			}
		}

		if erased.Text("data.contact.name") != "[erased]" || erased.Text("data.customer_id") != "null" {
			t.Errorf("the order is %s", erased.Body)
		}

		s.WantProblem("401 invalid_credential", "GET", "/v2/me", nil, apitest.As(c.token))
		if n := c.Get("/v2/orders?q=quaxley").Len("data"); n != 0 {
			t.Errorf("the search finds %d orders", n)
		}
		if n := c.Get("/v2/orders?q=S-1").Len("data"); n != 3 {
			t.Errorf("the search by SKU finds %d orders, want 3", n)
		}
		if sale := c.sale(); len(tablesWith(apitest.Dump{"sale": {sale}})) > 0 {
			t.Errorf("1C still gets the person: %s", sale)
		}

		// Again, nothing is found, and nothing changes.
		again, err := s.App.Privacy.Erase(t.Context(), s.StoreID, store.Actor{Kind: store.ByCommand},
			privacy.Subject{Email: canaryEmail, Phone: canaryPhone})
		if err != nil || !again.IsEmpty() {
			t.Errorf("a second erasure erases %+v, %v", again, err)
		}

		if fresh := c.signIn("email", canaryEmail, apitest.As(s.Publishable)); fresh.Text("data.customer.id") ==
			c.customerID.String() || fresh.Text("data.customer.name") != "null" {
			t.Errorf("a new login gets %s", fresh.Body)
		}

		wantNoCanaryInFiles(t, data)
	})
}

// eachErase runs a test on both databases, with the data directory of the server.
func eachErase(t *testing.T, fn func(t *testing.T, s *apitest.Server, data string)) {
	for _, engine := range []string{database.SQLite, database.Postgres} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			var data string
			s := apitest.StartServer(t, engine, apitest.DevMode(),
				apitest.WithConfig(func(cfg *config.Serve) { data = cfg.Data }))
			fn(t, s, data)
		})
	}
}

// wantNoCanaryInFiles looks at all files but those of the database.
func wantNoCanaryInFiles(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if found := tablesWith(apitest.Dump{path: {string(content)}}); len(found) > 0 {
			t.Errorf("the file %s has the person", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A guest is erased by the addresses of the orders, also in chunks: the person has more orders than one transaction
// erases. Those of a customer who orders for the person stay with that customer.
func TestErase_findsGuestsByAddress(t *testing.T) {
	t.Parallel()
	eachErase(t, func(t *testing.T, s *apitest.Server, _ string) {
		c := &eraseShop{Server: s, t: t}
		c.variant = s.OK(201, "POST", "/v2/products", `{"name": "Shirt", "variants": [{"sku": "S-1", "price": 1}]}`).
			Text("data.variants.0.id")
		for range 101 {
			c.order(apitest.As(s.Publishable))
		}

		session := c.signIn("email", "anna@example.com", apitest.As(s.Publishable))
		anna := apitest.As(session.Text("data.token"))
		s.OK(200, "PUT", "/v2/me", `{"phone": "+79995550123"}`, anna)
		gift := c.order(anna)

		subject, err := privacy.Subject{Phone: "7 999 555-01-23"}.Check()
		if err != nil {
			t.Fatal(err)
		}

		c.waitForIndex() // the guest is a customer of the administration, too
		c.wantPreview(subject, privacy.Report{Customers: 1, Orders: 102, OpenOrders: 102, Profiles: 1,
			Addresses: []string{"Zeb.Quaxley@canary-mail.example"}})
		got, err := s.App.Privacy.Erase(t.Context(), s.StoreID, store.Actor{Kind: store.ByCommand}, subject)
		want := privacy.Report{Customers: 1, Orders: 102, Profiles: 1}
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("erased %+v, %v; want %+v", got, err, want)
		}

		for table, row := range tablesWith(c.DumpAll()) {
			t.Errorf("%s still has the person: %s", table, row)
		}

		if got := s.Get("/v2/orders/"+gift, anna).Text("data.customer_id"); got != session.Text("data.customer.id") {
			t.Errorf("the order for the person belongs to %s", got)
		}
		if n := len(rowsOf(c.DumpAll(), s.StoreID.String(), false)["audit_entries"]); n < 2 {
			t.Errorf("the log has %d entries, want one for each of two transactions", n)
		}
	})
}

// What is older than the retentions is erased; what is newer stays.
func TestRetention_erasesOldPersonalData(t *testing.T) {
	t.Parallel()
	eachErase(t, func(t *testing.T, s *apitest.Server, _ string) {
		c := fillWithPerson(t, s)
		c.waitForIndex()
		const year = 365 * 24 * time.Hour
		people := *s.App.Privacy
		people.InquiryRetention = year
		people.CustomerRetention = year
		people.OrderRetention = year
		run := func(what string, erase func(context.Context) error) apitest.Dump {
			if err := erase(t.Context()); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			return c.DumpAll()
		}
		before := c.DumpAll()

		for what, erase := range map[string]func(context.Context) error{"inquiries": people.EraseOldInquiries,
			"customers": people.EraseInactiveCustomers, "orders": people.EraseOldOrders} {
			now := run(what, erase)
			for _, table := range []string{"customers", "orders", "feedback", "callbacks", "events"} {
				if diff := (apitest.Dump{table: before[table]}).Diff(now); diff != "" {
					t.Errorf("%s: erased too early:\n%s", what, diff)
				}
			}
		}

		s.Clock.Advance(year + 24*time.Hour)
		if d := run("inquiries", people.EraseOldInquiries); len(d["feedback"])+len(d["callbacks"]) != 0 {
			t.Errorf("inquiries are left: %v", d["feedback"])
		}

		run("orders", people.EraseOldOrders)
		finished := s.Get("/v2/orders/" + c.orderID)
		open := s.Get("/v2/orders?state=submitted")
		if finished.Text("data.contact.name") != "[erased]" || finished.Text("data.customer_id") == "null" ||
			open.Text("data.0.contact.name") != "Zebulon Quaxley" {
			t.Errorf("the finished order is %s, the open one %s", finished.Body, open.Body)
		}

		// The guest's order with the same address is not finished, so the customer stays until it is.
		if d := run("customers", people.EraseInactiveCustomers); len(d["customers"]) != 1 {
			t.Errorf("the customers are %v", d["customers"])
		}

		s.OK(200, "POST", "/v2/orders/"+open.Text("data.0.id")+"/cancel", nil)
		s.Clock.Advance(year + 24*time.Hour)

		for table, row := range tablesWith(run("customers", people.EraseInactiveCustomers)) {
			t.Errorf("%s still has the person: %s", table, row)
		}
	})
}

func (c *eraseShop) wantPreview(subject privacy.Subject, want privacy.Report) {
	c.t.Helper()
	err := c.App.DB.Snapshot(c.t.Context(), func(q database.Querier) error {
		got, err := c.App.Privacy.Preview(c.t.Context(), store.In(q, c.StoreID), subject)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			c.t.Errorf("the preview is %+v, want %+v", got, want)
		}
		return err
	})
	if err != nil {
		c.t.Error(err)
	}
}
