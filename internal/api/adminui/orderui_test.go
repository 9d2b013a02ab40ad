package adminui_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/storetest"
)

// shirts is a product with five pieces in stock.
type shirts struct {
	s       *fixture
	variant string
	stock   string
}

func (s *fixture) createShirts(name, sku string) shirts {
	s.t.Helper()
	as := apitest.As(s.store.SecretKey)
	stock := s.OK(201, "POST", "/v2/stocks", `{"name":"Warehouse"}`, as).Text("data.id")
	product := s.OK(201, "POST", "/v2/products", map[string]any{"name": name, "variants": []any{map[string]any{
		"sku": sku, "price": 19.5, "remainders": []any{map[string]any{"stock_id": stock, "quantity": 5}}}}}, as)
	return shirts{s, product.Text("data.variants.0.id"), stock}
}

// order submits an order and returns its id.
func (p shirts) order(pieces int, name, email string) string {
	p.s.t.Helper()
	as := apitest.As(p.s.store.SecretKey)
	orderID := p.s.OK(201, "POST", "/v2/orders", fmt.Sprintf(`{"items":[{"variant_id":%q,"quantity":%d}]}`, p.variant,
		pieces),
		as).Text("data.id")
	p.s.OK(200, "POST", "/v2/orders/"+orderID+"/submit", map[string]any{
		"contact": map[string]any{"name": name, "email": email}, "delivery": map[string]any{"address": "1 Road"},
		"comment": "Ring twice"}, as)
	return orderID
}

// state returns the state of an order in the API.
func (p shirts) state(id string) string {
	p.s.t.Helper()
	return p.s.OK(200, "GET", "/v2/orders/"+id, nil, apitest.As(p.s.store.SecretKey)).Text("data.state")
}

// auditActions returns the actions of the log about an object, the oldest first, each with who did it.
func (s *fixture) auditActions(kind, id string) (actions []string) {
	s.t.Helper()
	err := s.App.DB.Read(s.t.Context(), func(q database.Querier) error {
		list, err := s.App.Audit.OfObject(s.t.Context(), store.In(q, s.store.StoreID), kind, id, 100)
		for _, e := range slices.Backward(list) {
			actions = append(actions, string(e.Action)+" "+e.Actor.Name)
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return actions
}

func TestOrders_areListedFoundAndSummed(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		v.get("/orders").wantStatus(200).contains("There are no orders yet.").omits("Export as a table")
		p := s.createShirts("Shirt", "AB-X9")
		first := p.order(1, `Anna <b>Bell</b>`, "anna@example.com")
		second := p.order(2, "Boris", "boris@example.com")
		s.OK(201, "POST", "/v2/orders", fmt.Sprintf(`{"items":[{"variant_id":%q,"quantity":3}]}`, p.variant),
			apitest.As(s.store.SecretKey))
		v.get("/orders").wantStatus(200).contains("Anna &lt;b&gt;Bell&lt;/b&gt;", "anna@example.com", "Boris",
			"<strong>2 orders</strong>", `<span class="count">2</span>`, "58.50").omits("<b>Bell", ">Cart<")
		v.get("/orders?state=draft").wantStatus(200).contains(">Cart<", "<strong>1 cart</strong>",
			"58.50").omits("Boris")

		for query, want := range map[string]string{
			"q=anna": first, "q=ANNA%40EXAMPLE.COM": first, "q=1": first, "q=Boris": second, "q=2": second,
		} {
			page := v.get("/orders?" + query).wantStatus(200)
			if got := strings.Count(page.text, `<th scope="row"><a class="order-link"`); got != 1 {
				t.Errorf("%s finds %d orders, want 1", query, got)
			}
			page.contains("/orders/"+want, "Clear")
		}

		v.get("/orders?q=1&state=completed").wantStatus(200).contains("Exactly this number", first)
		v.get("/orders?q=ab-x9").wantStatus(200).contains(first, second)
		v.get("/orders?q=nobody").wantStatus(200).contains("Nothing matches this search.", "Show all")
		v.get("/orders?from=2020-01-01&to=2020-01-02").wantStatus(200).contains("Nothing matches").omits(first)
		v.get("/orders?from=2020-01-01&state=submitted").wantStatus(200).contains(first, second)
		v.get("/orders?state=completed").wantStatus(200).contains("There are no orders in this state.")
		v.get("/orders?state=completed&q=anna").wantStatus(200).contains("Nothing matches this search.",
			`href="/orders?q=anna&amp;state=all"`, "Search all orders").omits(first)
		v.get("/orders?state=all&q=anna").wantStatus(200).contains(first, `name="state" value="all"`)

		for _, query := range []string{"state=lost", "before=1", "before=1.x",
			"after=1.2.3", "q=" + strings.Repeat("a", 2000), "before=99999999999999999999.1"} {
			v.get("/orders?" + query).wantStatus(400).wantHTML()
		}

		v.get("/orders?from=yesterday").wantStatus(422).contains(`id="from-wrong"`, "Write a day such as", first)
		v.get("/orders?to=2026-13-01", "Accept-Language", "ru").wantStatus(422).contains("Укажите день",
			"Период не применён")
		v.get("/orders?from=2026-01-02&to=2026-01-01").wantStatus(422).contains(`id="to-wrong"`, "before the first one",
			`value="2026-01-02"`)
		v.get("/orders.csv?from=yesterday").wantStatus(400)
		v.get("/orders", "Accept-Language", "ru").wantStatus(200).contains("Заказы", "2 заказа", "58,50")
	})
}

// The list shows the new orders first. If there are none, it says so and leads to all. A search without a state looks
// at all orders.
func TestOrders_showNewOnesFirst(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		p := s.createShirts("Shirt", "AB-12")
		first := p.order(1, "Anna", "anna@example.com")
		second := p.order(1, "Boris", "boris@example.com")
		s.OK(200, "POST", "/v2/orders/"+first+"/confirm", nil, apitest.As(s.store.SecretKey))

		v.get("/orders").wantStatus(200).contains(second, `href="/orders" aria-current="page"`,
			`href="/orders?state=all"`, "/orders.csv?state=submitted").omits(first, `name="state"`)
		v.get("/orders?state=all").wantStatus(200).contains(first, second)
		v.get("/orders?q=anna").wantStatus(200).contains(first)
		v.get("/orders?q=ring").wantStatus(200).contains(first, second) // a word of the comments

		v.post("/orders/confirm", url.Values{"id": {second}})
		v.get("/orders").wantStatus(200).wantHTML().contains("There are no new orders.", "All orders").
			omits(first, second)
		v.get("/orders", "Accept-Language", "ru").wantStatus(200).contains("Новых заказов нет.")
	})
}

func TestOrders_arePagedInBothDirections(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		s.insertOrders(120)
		v := s.owner()

		numbers := func(p response) string {
			list := strings.Split(p.text, `<a class="order-link" href="/orders/`)[1:]
			var first, last string
			for i, part := range list {
				_, rest, _ := strings.Cut(part, ">No. ")
				number, _, _ := strings.Cut(rest, "<")
				if i == 0 {
					first = number
				}
				last = number
			}

			return fmt.Sprint(len(list), " from ", first, " to ", last)
		}

		link := func(p response, rel string) string {
			return strings.ReplaceAll(p.between(`rel="`+rel+`" href="`, `"`), "&amp;", "&")
		}
		page := v.get("/orders?state=submitted").wantStatus(200)
		if got := numbers(page); got != "50 from 120 to 71" {
			t.Errorf("the first page has %s", got)
		}

		page.omits(`rel="prev"`)
		page = v.get(link(page, "next")).wantStatus(200)
		if got := numbers(page); got != "50 from 70 to 21" {
			t.Errorf("the second page has %s", got)
		}

		last := v.get(link(page, "next")).wantStatus(200).omits(`rel="next"`)
		if got := numbers(last); got != "20 from 20 to 1" {
			t.Errorf("the last page has %s", got)
		}
		if got := numbers(v.get(link(last, "prev"))); got != "50 from 70 to 21" {
			t.Errorf("before the last page is %s", got)
		}
	})
}

// insertOrders inserts submitted orders, each a second after the one before.
func (s *fixture) insertOrders(n int) {
	s.t.Helper()
	s.Write(func(ctx context.Context, q database.Querier) error {
		for i := range n {
			at := time.Date(2026, 1, 1, 0, 0, i, 0, time.UTC).UnixMicro()
			if _, err := q.Exec(ctx, `
INSERT INTO orders (store_id, id, number, state, token, name, phone, email, address, delivery_comment, comment,
	currency, total, words, version, submitted_at, created_at, updated_at)
VALUES ($1, $2, $3, 'submitted', $4, 'Anna', '', '', '', '', '', 'EUR', 10000, ' anna', 1, $5, $5, $5)`,
				s.store.StoreID, id.New[order.Order](), int64(i+1), []byte{1}, at); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestOrders_areExportedWithoutFormulas(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		p := s.createShirts("=HYPERLINK(\"x\")", "-5")
		p.order(1, "@SUM(1+1)", "anna@example.com")
		p.order(2, "Boris; \"Bob\", Jones", "boris@example.com")
		v := s.owner()
		file := v.get("/orders.csv").wantStatus(200)
		if got := file.Header.Get("Content-Type"); got != "text/csv; charset=utf-8" {
			t.Errorf("Content-Type is %q", got)
		}
		if !strings.Contains(file.Header.Get("Content-Disposition"), `attachment; filename="orders-`) {
			t.Errorf("Content-Disposition is %q", file.Header.Get("Content-Disposition"))
		}

		text, marked := strings.CutPrefix(file.text, "\ufeff")
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if !marked || err != nil || len(rows) != 3 || rows[0][0] != "Number" {
			t.Fatalf("the file is %q (%v)", file.text, err)
		}
		if got := rows[2][3]; got != "'@SUM(1+1)" {
			t.Errorf("the name is %q", got)
		}
		if got := rows[2][9]; !strings.HasPrefix(got, "'=HYPERLINK") || !strings.HasSuffix(got, "(-5) × 1") {
			t.Errorf("the items are %q", got)
		}

		if rows[1][0] != "2" || rows[1][1] != "New" || rows[1][10] != "39" {
			t.Errorf("the first order is %q", rows[1])
		}
		if got := v.get("/orders.csv?q=boris").wantStatus(200).text; strings.Contains(got, "SUM") {
			t.Errorf("the export of a search is %q", got)
		}

		// Spreadsheet programs in Russian separate cells by a semicolon and have a decimal comma.
		lines := csv.NewReader(strings.NewReader(strings.TrimPrefix(v.get("/orders.csv", "Accept-Language",
			"ru").wantStatus(200).text,
			"\ufeff")))
		lines.Comma = ';'
		if rows, err = lines.ReadAll(); err != nil || rows[0][0] != "Номер" || rows[2][10] != "19,5" ||
			rows[2][3] != "'@SUM(1+1)" {
			t.Errorf("the Russian file is %q (%v)", rows, err)
		}
	})
}

func TestOrders_exportHasTheFrozenMembersOfEachItem(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		as := apitest.As(s.store.SecretKey)
		list := s.OK(201, "POST", "/v2/price-lists", `{"name":"=Trade"}`, as).Text("data.id")
		group := s.OK(201, "POST", "/v2/customer-groups", `{"name":"Traders","price_lists":["`+list+`"]}`, as)
		trade := s.OK(201, "POST", "/v2/products", `{"name":"Cheese","unit":{"code":"166","name":"kg"},"vat_rate":7.5,
			"variants":[{"price":20,"barcodes":["4600000000017","4600000000024"],
				"price_lists":[{"price_list_id":"`+list+`","price":15}]}]}`, as).Text("data.variants.0.id")
		plain := s.OK(201, "POST", "/v2/products", `{"name":"Bag","variants":[{"price":1}]}`, as).
			Text("data.variants.0.id")
		key := s.DoAdmin("POST", "/api/store/keys",
			`{"kind":"publishable","group_id":"`+group.Text("data.id")+`"}`, as).Text("data.token")

		submit := func(items, key string) {
			t.Helper()
			cart := s.OK(201, "POST", "/v2/orders", `{"items":[`+items+`]}`, apitest.As(key)).Text("data.id")
			s.OK(200, "POST", "/v2/orders/"+cart+"/submit", `{"contact":{"name":"Anna","email":"a@example.com"}}`, as)
		}
		cheese := `{"variant_id":"` + trade + `","quantity":2}`
		bag := `{"variant_id":"` + plain + `","quantity":1}`
		submit(cheese+","+bag, key)
		submit(bag, s.store.SecretKey)
		s.Write(func(ctx context.Context, q database.Querier) error {
			_, err := q.Exec(ctx, `UPDATE orders SET payment_number = '=PP-42' WHERE store_id = $1 AND number = 1`,
				s.store.StoreID)
			return err
		})

		v := s.owner()
		wantColumns := func(language string, separator rune, want ...string) {
			t.Helper()
			text := v.get("/orders.csv", "Accept-Language", language).wantStatus(200).text
			lines := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
			lines.Comma = separator
			rows, err := lines.ReadAll()
			if err != nil {
				t.Fatal(err)
			}

			for i, row := range rows {
				if got := strings.Join(row[11:], " | "); got != want[i] {
					t.Errorf("line %d ends with %q, want %q", i, got, want[i])
				}
			}
		}

		const handling = " |  |  |  |  |  | " // nothing was added to the orders
		wantColumns("en", ',',
			"Currency | Units of the items | VAT rates of the items, % | Barcodes of the items | "+
				"Price lists of the items | Number of the payment in 1C | Paid | Carrier | Number of the parcel | "+
				"Link to the parcel | Tags | Note",
			"USD |  |  |  |  | "+handling,
			"USD | kg;  | 7.5;  | 4600000000017;  | '=Trade;  | '=PP-42"+handling)

		// The items are frozen: of a list that was deleted the order has the id.
		s.OK(204, "DELETE", "/v2/price-lists/"+list, nil, as)
		wantColumns("ru", ';',
			"Валюта | Единицы измерения позиций | Ставки НДС позиций, % | Штрихкоды позиций | "+
				"Прайс-листы позиций | Номер оплаты в 1С | Оплачен | Перевозчик | Номер посылки | Ссылка на посылку | "+
				"Метки | Заметка",
			"USD |  |  |  |  | "+handling,
			"USD | kg;  | 7,5;  | 4600000000017;  | "+list+";  | '=PP-42"+handling)
	})
}

func TestOrder_showsWhatHappenedAndWhoDidIt(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		good, bad := s.startReceiver(200), s.startReceiver(500)
		s.registerReceiver(good.URL)
		s.registerReceiver(bad.URL)
		p := s.createShirts("Shirt <i>", "AB-12")
		id := p.order(2, "Anna", "anna@example.com")
		v := s.owner()
		v.get("/orders/"+id).wantStatus(200).contains("Order No. 1", "Shirt &lt;i&gt;", "AB-12", "39", "Ring twice",
			"1 Road",
			"mailto:anna@example.com", "The customer ordered", "/orders/"+id+"/confirm").omits("/complete\"")
		v.eventuallyShows("/orders/"+id, "Failed, is tried again").contains("Delivered", "/deliveries/")
		question := v.get("/orders/"+id+"/confirm").wantStatus(200).
			contains("Confirm the order?", "Warehouse", "AB-12", good.URL, bad.URL)
		version := question.between(`name="version" value="`, `"`)
		form := url.Values{"version": {version}, "seen": {"submitted"}}
		v.post("/orders/"+id+"/confirm", form).wantRedirect("/orders/" + id)

		if got := p.state(id); got != "confirmed" {
			t.Errorf("the order is %s", got)
		}

		v.get("/orders/"+id).wantStatus(200).contains("Confirmed", "owner@north.example", "/orders/"+id+"/complete")
		v.get("/orders/" + id + "/confirm").wantRedirect("/orders/" + id)

		// A second operator, who opened the question before, is told what changed.
		other := s.signIn(s.newOperator(access.Manager), apitest.OperatorPassword)
		other.post("/orders/"+id+"/cancel", form).wantStatus(409).
			contains("Nothing was done", "it was “New” and is now “Confirmed”", "owner@north.example did that")

		if got := p.state(id); got != "confirmed" {
			t.Errorf("the order is %s after a change that was refused", got)
		}

		form.Set("version", v.get("/orders/"+id+"/complete").between(`name="version" value="`, `"`))
		other.post("/orders/"+id+"/complete", form).wantRedirect("/orders/" + id)
		v.post("/orders/"+id+"/complete", form).wantStatus(409)

		if got := strings.Join(s.auditActions("order", id), ", "); got !=
			"order.confirmed owner@north.example, order.completed second-manager@north.example" {
			t.Errorf("the log has %s", got)
		}

		v.get("/orders/"+id+"/print").wantStatus(200).contains("Order No. 1", "Shirt &lt;i&gt;", "data-print")

		for _, broken := range []url.Values{{}, {"version": {"x"}}, {"version": {""}, "seen": {"<b>"}}} {
			v.post("/orders/"+id+"/cancel", broken).wantStatus(400).wantHTML()
		}

		for _, path := range []string{"/orders/x", "/orders/" + s.store.StoreID.String(), "/orders/x/confirm",
			"/orders/" + s.store.StoreID.String() + "/print"} {
			v.get(path).wantStatus(404).wantHTML()
		}

		v.post("/orders/"+s.store.StoreID.String()+"/confirm", form).wantStatus(404)
	})
}

// The page of an order, its print and the CSV file say what was chosen in an item and what that costs, also after the
// product has lost its modifiers.
func TestOrder_showsModifiersAndWhatTheyCost(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		as := apitest.As(s.store.SecretKey)
		product := s.OK(201, "POST", "/v2/products", `{"name":"Tea","variants":[{"sku":"T-1","price":10}],"modifiers":[
			{"id":"g","name":"Gift wrap","items":[{"id":"b","name":"Box","price":4.9}]},
			{"id":"m","name":"Grind","items":[{"id":"f","name":"Fine"},{"id":"c","name":"=Coarse"}]}]}`, as)
		cart := s.OK(201, "POST", "/v2/orders", `{"items":[{"variant_id":"`+product.Text("data.variants.0.id")+`",
			"quantity":3,"modifiers":[{"group_id":"g","item_id":"b","quantity":2},
				{"group_id":"m","item_id":"c"}]}]}`, as).Text("data.id")
		s.OK(200, "POST", "/v2/orders/"+cart+"/submit", `{"contact":{"name":"Anna","email":"a@example.com"}}`, as)
		s.OK(200, "PUT", "/v2/products/"+product.Text("data.id"), `{"modifiers":null}`, as)

		v := s.owner()
		for _, path := range []string{"/orders/" + cart, "/orders/" + cart + "/print"} {
			v.get(path).wantStatus(200).wantHTML().
				contains("Gift wrap: Box × 2 · $4.90", " each<", "Grind: =Coarse<", "19.80", "59.40")
		}
		v.get("/orders.csv").wantStatus(200).
			contains("Tea, Gift wrap: Box × 2 (4.9), Grind: =Coarse (T-1) × 3", ",59.4,")
		v.get("/orders.csv", "Accept-Language", "ru").wantStatus(200).contains("Gift wrap: Box × 2 (4,9)", ";59,4;")
	})
}

func TestOrder_isNotChangedByAViewer(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		p := s.createShirts("Shirt", "AB-12")
		id := p.order(1, "Anna", "anna@example.com")
		viewer := s.signIn(s.newOperator(access.Viewer), apitest.OperatorPassword)
		viewer.get("/orders/"+id).wantStatus(200).omits("/confirm", "/cancel")
		for _, action := range []string{"unconfirm", "reopen"} {
			viewer.post("/orders/"+id+"/"+action, url.Values{"version": {"2"}}).wantStatus(403)
		}

		for _, action := range []string{"confirm", "complete", "cancel"} {
			viewer.get("/orders/" + id + "/" + action).wantStatus(403)
			viewer.post("/orders/"+id+"/"+action, url.Values{"version": {"2"}}).wantStatus(403)
		}

		inquiry := s.sendFeedback("Anna", "Hello")
		viewer.get("/inquiries/" + inquiry).wantStatus(200).omits("<form method=\"post\" action=\"/inquiries")
		for _, action := range []string{"take", "done", "reopen", "note"} {
			viewer.post("/inquiries/"+inquiry+"/"+action, url.Values{"version": {"1"}}).wantStatus(403)
		}

		if got := p.state(id); got != "submitted" {
			t.Errorf("the order is %s", got)
		}
	})
}

// sendFeedback sends feedback as a visitor and returns its id.
func (s *fixture) sendFeedback(name, message string) string {
	s.t.Helper()
	return s.OK(201, "POST", "/v2/feedback", map[string]any{"name": name, "email": "anna@example.com",
		"message": message, "topic": "<u>Sizes</u>", "rating": 5}, apitest.As(s.store.PublishableKey)).Text("data.id")
}

func TestInquiries_areTakenNotedAndDone(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		v.get("/inquiries").wantStatus(200).contains("There are no new inquiries.")
		feedback := s.sendFeedback("Anna <b>", "Which size <script>?")
		callback := s.OK(201, "POST", "/v2/interactions/callback",
			`{"phone":"+7 912 345-67-89","preferred_time":"Evening"}`,
			apitest.As(s.store.PublishableKey)).Text("data.id")
		before := s.OK(200, "GET", "/v2/feedback/"+feedback, nil, apitest.As(s.store.SecretKey))
		v.get("/inquiries").wantStatus(200).contains("Anna &lt;b&gt;", "79123456789", "Which size &lt;script&gt;?",
			`<span class="count">2</span>`)
		v.get("/inquiries?q=size").wantStatus(200).contains(feedback).omits(callback, "Best time to call")
		v.get("/inquiries").wantStatus(200).contains("Best time to call: Evening") // whoever calls need not open it
		v.get("/inquiries/"+callback).wantStatus(200).contains("Call &#43;79123456789 back", "Evening",
			"They left no words.")
		page := v.get("/inquiries/"+feedback).wantStatus(200).
			contains("Message from Anna &lt;b&gt;", "topic", "&lt;u&gt;Sizes&lt;/u&gt;", "rating", "nobody yet",
				"Take it")
		form := url.Values{"version": {page.between(`name="version" value="`, `"`)}}
		v.post("/inquiries/"+feedback+"/take", form).wantRedirect("/inquiries/" + feedback)

		other := s.signIn(s.newOperator(access.Manager), apitest.OperatorPassword)
		other.post("/inquiries/"+feedback+"/take", form).wantStatus(409).
			contains("has changed meanwhile", "owner@north.example", "Take it over")
		form.Set("note", "Lost update?")
		other.post("/inquiries/"+feedback+"/note", form).wantStatus(409).contains("Lost update?", "still in the field")
		next := func(values ...string) url.Values {
			page := other.get("/inquiries/" + feedback).wantStatus(200)
			form := url.Values{"version": {page.between(`name="version" value="`, `"`)}}
			for i := 0; i+1 < len(values); i += 2 {
				form.Set(values[i], values[i+1])
			}
			return form
		}
		other.post("/inquiries/"+feedback+"/note", next("note", "Sent the <table>")).wantRedirect("/inquiries/" +
			feedback)
		other.post("/inquiries/"+feedback+"/note", next("note", strings.Repeat("x", 10_001))).wantStatus(422).
			contains("A note may have at most 10000 characters")
		other.post("/inquiries/"+feedback+"/done", next()).wantRedirect("/inquiries/" + feedback)
		other.post("/inquiries/"+feedback+"/done", next()).wantStatus(409)
		v.get("/inquiries?state=done").wantStatus(200).contains("Sent the &lt;table&gt;", "owner@north.example")
		v.get("/inquiries").wantStatus(200).omits(feedback)
		v.get("/inquiries?state=all").wantStatus(200).contains(feedback, callback)
		other.post("/inquiries/"+feedback+"/reopen", next()).wantRedirect("/inquiries/" + feedback)
		v.get("/inquiries?state=taken").wantStatus(200).contains(feedback)

		// Undoing a takeover gives the inquiry back to the one who had it.
		undo := other.post("/inquiries/"+feedback+"/take", next()).wantRedirect("/inquiries/" + feedback).undo()
		other.get("/inquiries/" + feedback).contains("second-manager@north.example").omits("Take it over")
		other.post(undo.Action, undo.Fields).wantRedirect("/inquiries/" + feedback)
		other.get("/inquiries/"+feedback).contains("Take it over", ">owner@north.example")

		// A form cannot name an operator who never had it.
		undo = other.post("/inquiries/"+feedback+"/take", next()).undo()
		undo.Fields.Set("previous", "stranger@north.example")
		other.post(undo.Action, undo.Fields).wantRedirect("/inquiries/" + feedback)
		other.get("/inquiries/" + feedback).contains("nobody yet").omits("stranger@")

		if got := strings.Join(s.auditActions("inquiry", feedback), ", "); got != "inquiry.taken owner@north.example, "+
			"inquiry.noted second-manager@north.example, inquiry.done second-manager@north.example, "+
			"inquiry.reopened second-manager@north.example, inquiry.taken second-manager@north.example, "+
			"inquiry.reopened second-manager@north.example, inquiry.taken second-manager@north.example, "+
			"inquiry.reopened second-manager@north.example" {
			t.Errorf("the log has %s", got)
		}

		// The API shows what the visitor has sent, and nothing of this.
		if got := s.OK(200, "GET", "/v2/feedback/"+feedback+"?dates=iso", nil, apitest.As(s.store.SecretKey)); got.Has(
			"data.state") || got.Has("data.note") || got.Text("data.message") != before.Text("data.message") {
			t.Errorf("the API shows %s", got.Body)
		}

		for _, path := range []string{"/inquiries?state=lost", "/inquiries?before=1.2", "/customers?after=x"} {
			v.get(path).wantStatus(400).wantHTML()
		}

		v.get("/inquiries/" + s.store.StoreID.String()).wantStatus(404).wantHTML()
		v.post("/inquiries/"+s.store.StoreID.String()+"/take", form).wantStatus(404)
	})
}

// createCustomer inserts a customer and returns the id.
func (s *fixture) createCustomer(email, name string) string {
	s.t.Helper()
	customerID := id.New[access.Customer]()
	s.Write(func(ctx context.Context, q database.Querier) error {
		var key int64
		words := locale.SearchText(email, name)
		err := database.QueryRow(ctx, q, `
INSERT INTO customers (store_id, id, email, login_email, name, words, version, created_at, updated_at)
VALUES ($1, $2, $3, $3, $4, $5, 1, $6, $6)
RETURNING key`, []any{s.store.StoreID, customerID, email, name, words, s.Clock.Now().UnixMicro()}, &key)
		if err != nil {
			return err
		}
		return store.SetSearchWords(ctx, store.In(q, s.store.StoreID), store.SearchedCustomers, key, "", words)
	})
	return customerID.String()
}

// assignOrders assigns the orders of guests to the customers with the same e-mail address.
func (s *fixture) assignOrders() {
	s.t.Helper()
	s.Write(func(ctx context.Context, q database.Querier) error {
		// A worker may have counted the orders for guests.
		for _, sql := range []string{
			`DELETE FROM customer_totals WHERE store_id = $1`,
			`DELETE FROM customers WHERE store_id = $1 AND guest = TRUE`,
			`UPDATE orders
SET guest_key = NULL,
	customer_key = (SELECT c.key FROM customers c WHERE c.store_id = orders.store_id AND c.login_email = orders.email)
WHERE store_id = $1`,
			`INSERT INTO customer_totals (store_id, customer_key, currency, orders, whole, rest)
SELECT store_id, customer_key, currency, COUNT(*), SUM(total / 10000), SUM(total % 10000)
FROM orders
WHERE store_id = $1 AND customer_key IS NOT NULL AND submitted_at IS NOT NULL AND state <> 'cancelled'
GROUP BY store_id, customer_key, currency`,
		} {
			if _, err := q.Exec(ctx, sql, s.store.StoreID); err != nil {
				return err
			}
		}

		return nil
	})
}

func TestCustomers_areFoundWithTheirOrdersAndInquiries(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		v.get("/customers").wantStatus(200).contains("There are no customers yet.")

		anna := s.createCustomer("anna@example.com", "Anna <b>")
		s.createCustomer("boris@example.com", "")
		feedback := s.sendFeedback("Anna", "Hello")
		p := s.createShirts("Shirt", "AB-12")
		id := p.order(2, "Anna", "anna@example.com")
		s.assignOrders()
		v.get("/customers").wantStatus(200).contains("Anna &lt;b&gt;", "boris@example.com", "39")
		v.get("/customers?q=bor").wantStatus(200).contains("boris@").omits("anna@")
		v.get("/customers?q=zzz").wantStatus(200).contains("Nothing matches")
		v.get("/customers/"+anna).wantStatus(200).
			contains("Anna &lt;b&gt;", "anna@example.com", "No. 1", "/orders/"+id, "/inquiries/"+feedback, "39")
		v.get("/orders/" + id).wantStatus(200).contains("/customers/" + anna)
		v.get("/customers/" + id).wantStatus(404).wantHTML()
	})
}

// The page of a customer has a note of the shop, which two people cannot overwrite for each other, and what the orders
// say of the person.
func TestCustomers_haveNotesSumsAndAddresses(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		anna := s.createCustomer("anna@example.com", "Anna")
		s.createShirts("Shirt", "AB-12").order(2, "Anna Field", "anna@example.com")
		s.assignOrders()
		page := "/customers/" + anna
		v.get(page).wantStatus(200).contains("Anna Field", "From the last orders", "Last order", "Average order")

		version := func() string { return v.get(page).between(`name="version" value="`, `"`) }
		stale := version()
		note := func(version, text string) url.Values { return url.Values{"version": {version}, "note": {text}} }
		v.post(page+"/note", note(stale, " Calls <back> ")).wantRedirect(page)
		v.get(page).contains("Calls &lt;back&gt;")
		v.post(page+"/note", note(stale, "Another")).wantStatus(409).
			contains("Somebody else has changed this customer", "The stored note", "Another", "Calls &lt;back&gt;")
		v.post(page+"/note", note(version(), strings.Repeat("x", customer.MaxNote+1))).wantStatus(422).
			contains("The note was not saved.")
		v.get("/settings/log").contains("Note on a customer changed")
		s.signIn(s.newOperator(access.Viewer), apitest.OperatorPassword).post(page+"/note", note(version(), "x")).
			wantStatus(403)

		// The API does not show it.
		if got := s.OK(200, "GET", "/v2/customers/"+anna, nil, apitest.As(s.store.SecretKey)); got.Has("data.note") {
			t.Errorf("the API shows %s", got.Body)
		}
	})
}

// An owner sees what will be erased, downloads it, and erases the person. Managers cannot.
func TestCustomers_areErasedByOwners(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()

		anna := s.createCustomer("anna@example.com", "Anna <b>")
		p := s.createShirts("Shirt", "AB-12")
		id := p.order(2, "Anna", "anna@example.com")
		s.assignOrders()
		page := "/customers/erase?customer=" + anna
		v.get("/customers/"+anna).wantStatus(200).contains(page, "/customers/export?customer="+anna)
		v.get(page).wantStatus(200).contains("Anna &lt;b&gt;", "Orders: 1.", "This cannot be undone.",
			"Orders that are not completed or cancelled: 1.")
		v.get("/customers/erase?address=x").wantStatus(422).contains(`id="address-wrong"`)
		manager := s.signIn(s.newOperator(access.Manager), apitest.OperatorPassword)
		manager.get(page).wantStatus(403)
		manager.post("/customers/erase", url.Values{"customer": {anna}}).wantStatus(403)
		manager.get("/customers/" + anna).wantStatus(200).omits(page)
		v.get("/customers/export?customer="+anna).wantStatus(200).contains(`"email": "anna@example.com"`,
			`"sku": "AB-12"`)
		v.post("/customers/erase", url.Values{"customer": {anna}}).wantStatus(303)
		v.get("/customers").wantStatus(200).contains("There are no customers yet.")
		v.get("/orders/"+id).wantStatus(200).contains("[erased]", "AB-12").omits("anna@example.com")
		v.get(page).wantStatus(404).wantHTML()
		v.get("/customers/erase?address=anna@example.com").wantStatus(200).contains("nothing about this person")
		v.get("/settings/log").wantStatus(200).contains("Person erased").omits("anna@example.com")
	})
}

// In a real Chromium an operator finds a new order, confirms and completes it, and the receiver is told.
func TestBrowser_completesAnOrder(t *testing.T) {
	t.Parallel()
	for _, scripts := range []bool{true, false} {
		t.Run(fmt.Sprintf("scripts=%v", scripts), func(t *testing.T) {
			t.Parallel()
			s := newFixture(t, database.SQLite)
			s.registerReceiver(s.startReceiver(200).URL)
			p := s.createShirts("Shirt with a name that is so long that it needs several lines on a phone", "AB-12")
			id := p.order(2, "Anna", "anna@example.com")
			p.order(1, "Boris", "boris@example.com")
			b := newTab(t, scripts)
			base := strings.Replace(s.AdminURL, "127.0.0.1", "localhost", 1)
			b.do(chromedp.Navigate(base+"/orders"), chromedp.WaitVisible(chromedp.ID("email")))
			b.signIn(s.store.AdminEmail, s.store.AdminPassword)
			b.do(chromedp.WaitVisible(chromedp.ID("q")))
			b.wantFitsPhone("the orders")
			b.do(chromedp.SendKeys(chromedp.ID("q"), "anna"), b.press("Find"),
				chromedp.WaitVisible(`//strong[normalize-space()="1 order"]`), b.follow("No. 1"),
				chromedp.WaitVisible(chromedp.CSS(".order-steps")))
			b.wantFitsPhone("the order")
			b.do(b.press("Confirm"), chromedp.WaitVisible(chromedp.CSS(".toast")), b.press("Undo"),
				chromedp.WaitVisible(`//*[contains(., "The order is new again.")]`))
			b.do(b.press("Confirm"), chromedp.WaitVisible(`//*[contains(., "The order is confirmed.")]`))
			b.do(b.follow("Complete"), chromedp.WaitVisible(chromedp.CSS(".order-effects")))
			b.wantFitsPhone("the question")
			b.do(b.press("Complete the order"), chromedp.WaitVisible(`//h1//*[.="Completed"]`))

			if got := p.state(id); got != "completed" {
				t.Errorf("the order is %s", got)
			}

			storetest.Eventually(t, "the receiver is told of the order", func() bool {
				return strings.Count(s.owner().get("/orders/"+id).text, ">Delivered<") == 3
			})
			b.do(b.follow("Print"), chromedp.WaitVisible(chromedp.CSS("main .facts")))
			b.wantFitsPhone("the printed order")

			if messages := b.consoleMessages(); len(messages) > 0 {
				t.Errorf("the console shows %q", messages)
			}
		})
	}
}

// In a real Chromium an operator takes an inquiry, notes something, finishes it and undoes that.
func TestBrowser_handlesAnInquiry(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	id := s.sendFeedback("Anna", "Which size?")
	b := newTab(t, true)
	base := strings.Replace(s.AdminURL, "127.0.0.1", "localhost", 1)
	b.do(chromedp.Navigate(base+"/inquiries"), chromedp.WaitVisible(chromedp.ID("email")))
	b.signIn(s.store.AdminEmail, s.store.AdminPassword)
	b.do(b.follow("Anna"), chromedp.WaitVisible(chromedp.ID("note")))
	b.wantFitsPhone("the inquiry")
	b.do(b.press("Take it"), chromedp.WaitVisible(chromedp.CSS(".toast")),
		chromedp.SendKeys(chromedp.ID("note"), "Told her M"), b.press("Save the note"),
		chromedp.WaitVisible(`//*[.="The note is saved."]`), b.press("Done"), chromedp.WaitVisible(`//h1//*[.="Done"]`),
		b.press("Undo"), chromedp.WaitVisible(`//h1//*[.="Taken"]`))

	if got := strings.Join(s.auditActions("inquiry", id), ", "); got != strings.ReplaceAll(
		"inquiry.taken X, inquiry.noted X, inquiry.done X, inquiry.reopened X", "X", s.store.AdminEmail) {
		t.Errorf("the log has %s", got)
	}

	if messages := b.consoleMessages(); len(messages) > 0 {
		t.Errorf("the console shows %q", messages)
	}
}
