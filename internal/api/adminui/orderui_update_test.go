package adminui_test

import (
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/shop/access"
	"vitrine/internal/testkit/apitest"
)

// updateOrder sends a form of the page of an order, with these fields changed.
func (v *client) updateOrder(path string, changed url.Values) response {
	v.t.Helper()
	fields := url.Values{"version": {renderedOrderVersion(v.get(path).wantStatus(200).text)}}
	for name, values := range changed {
		fields[name] = values
	}
	return v.post(path+"/update", fields)
}

func renderedOrderVersion(text string) string {
	_, text, _ = strings.Cut(text, `name="version" value="`)
	version, _, _ := strings.Cut(text, `"`)
	return version
}

func TestOrder_hasNotesTagsAParcelAndAPayment(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		id := s.createShirts("Shirt", "AB-1").order(1, "Ann", "ann@example.com")
		path := "/orders/" + id
		v.get(path).contains("Not paid yet", "Enter the number of the parcel", "Only your team sees it.")

		v.toastAfter(v.updateOrder(path, url.Values{"note": {"Call <b>first</b>"}}), path).
			contains("The note is saved.", "Call &lt;b&gt;first", "Note changed")
		v.toastAfter(v.updateOrder(path, url.Values{"tags": {"Gift,  vip ,gift"}}), path).
			contains(`href="/orders?tag=Gift"`, "vip", "Tags")
		v.toastAfter(v.updateOrder(path, url.Values{"tracking.number": {"RB1"}, "tracking.carrier": {"DHL"},
			"tracking.url": {"https://dhl.example/RB1"}}), path).
			contains(`href="https://dhl.example/RB1"`, "<ins>RB1</ins>")
		v.toastAfter(v.updateOrder(path, url.Values{"paid": {"yes"}}), path).
			contains("The order is marked as paid.", "Not paid after all", `action="`+path+`/update"`)
		v.toastAfter(v.updateOrder(path, url.Values{"paid": {"no"}}), path).
			contains("Marked as not paid", "Not paid yet")
		v.get(path, "Accept-Language", "ru").contains("Номер посылки", "Метки", "Отмечен неоплаченным")

		v.get("/orders?tag=GIFT").contains("Only orders with the tag:", id, "<strong>1 order</strong>")
		v.get("/orders?tag=other").omits(id)
		v.get("/orders").contains(`href="/orders?tag=vip"`)
		v.get("/orders.csv").contains("Number of the parcel", "RB1", "Gift, vip", "Call <b>first</b>")

		shown := s.OK(200, "GET", "/v2/orders/"+id, nil, apitest.As(s.store.SecretKey))
		if shown.Text("data.tracking.number") != "RB1" || shown.Text("data.tags.1") != "vip" ||
			strings.Contains(string(shown.Body), "first") {
			t.Errorf("the API has %s", shown.Body)
		}

		viewer := s.withT(t).signIn(s.newOperator(access.Viewer), apitest.OperatorPassword)
		viewer.get(path).wantStatus(200).contains("vip", "RB1").omits("Mark as paid", `name="note"`)
		viewer.post(path+"/update", url.Values{"version": {"1"}, "paid": {"yes"}}).wantStatus(403)
	})
}

// What was typed stays in its field when the order has changed meanwhile, and when a field breaks a rule.
func TestOrder_keepsWhatWasTyped(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		path := "/orders/" + s.createShirts("Shirt", "AB-1").order(1, "Ann", "ann@example.com")
		old := renderedOrderVersion(v.get(path).text)
		v.updateOrder(path, url.Values{"note": {"first"}}).wantStatus(303)

		v.post(path+"/update", url.Values{"version": {old}, "note": {"second"}}).wantStatus(409).wantHTML().
			contains("Nothing was saved, because the order has changed meanwhile.", "The last change was by",
				">second<", "The stored note", "first")
		v.updateOrder(path, url.Values{"tracking.number": {"RB1"}, "tracking.carrier": {""},
			"tracking.url": {"nowhere"}}).wantStatus(422).contains(`id="tracking.url-wrong"`, `value="nowhere"`, "RB1")
		v.updateOrder(path, url.Values{"tags": {strings.Repeat("x", 41)}}).wantStatus(422).contains(`id="tags-wrong"`)
		v.post(path+"/update", url.Values{"note": {"x"}}).wantStatus(400).wantHTML()
	})
}

// editForm returns the form that edits an order, with some fields changed.
func (v *client) editForm(path string, changed url.Values) url.Values {
	v.t.Helper()
	fields := apitest.FormFields(v.t, v.get(path+"/edit").wantStatus(200).text, path+"/edit")
	for name, values := range changed {
		fields[name] = values
	}
	return fields
}

func TestOrder_isEdited(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		p := s.createShirts("Shirt", "AB-1")
		other := s.createShirts("Lamp", "LAMP-5")
		id := p.order(1, "Ann", "ann@example.com")
		path := "/orders/" + id
		v.get(path).contains(`href="` + path + `/edit"`)
		v.get(path + "/edit").contains(`value="19.50"`)
		line := "line." + v.editForm(path, nil).Get("line")

		found := v.post(path+"/edit", v.editForm(path, url.Values{"find": {"1"}, "q": {"lamp"}, "comment": {"typed"}})).
			wantStatus(200).contains("LAMP-5", `name="found.`+other.variant+`.quantity"`, ">typed<")
		fields := apitest.FormFields(t, found.text, path+"/edit")
		fields.Set("found."+other.variant+".quantity", "2")
		fields.Set(line+".quantity", "3")
		fields.Set(line+".price", "18,25")
		fields.Set("contact.phone", "+49 30 1234567")
		v.toastAfter(v.post(path+"/edit", fields), path).contains("The order is changed.", "LAMP-5", "49301234567",
			"typed", "<del>Shirt (AB-1): 1 × 19.5</del>", "<ins>Shirt (AB-1): 3 × 18.25</ins>", "<ins>93.75</ins>")

		// Too much, and what is no number.
		v.post(path+"/edit", v.editForm(path, url.Values{line + ".quantity": {"6"}})).wantStatus(409).
			contains("There is not enough in stock: at most 5.", `value="6"`, `id="`+line+`-wrong"`)
		v.post(path+"/edit", v.editForm(path, url.Values{line + ".price": {"cheap"}, "contact.phone": {"1"}})).
			wantStatus(422).contains("A price is a number", `value="cheap"`, `id="contact.phone-wrong"`)
		v.post(path+"/edit", v.editForm(path, url.Values{line + ".quantity": {"6"}}), "Accept-Language", "ru").
			wantStatus(409).contains("не больше 5")

		// Somebody else was faster.
		old := v.editForm(path, url.Values{"comment": {"mine"}})
		v.post(path+"/edit", v.editForm(path, url.Values{"comment": {"theirs"}})).wantStatus(303)
		v.post(path+"/edit", old).wantStatus(409).contains("the order has changed meanwhile", ">mine<")

		removed := v.editForm(path, nil)
		for _, item := range removed["line"] {
			removed.Set("line."+item+".remove", "1")
		}
		v.post(path+"/edit", removed).wantStatus(422).contains("An order has at least one line.", "checked")

		s.OK(200, "POST", "/v2"+path+"/cancel", nil, apitest.As(s.store.SecretKey))
		v.get(path + "/edit").wantRedirect(path)
		v.post(path+"/edit", removed).wantStatus(409).wantHTML()
		viewer := s.withT(t).signIn(s.newOperator(access.Viewer), apitest.OperatorPassword)
		viewer.get(path + "/edit").wantStatus(403)
	})
}

func TestOrders_areEnteredByTheShop(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		p := s.createShirts("Shirt", "AB-1")
		v.get("/orders").contains(`href="/orders/new"`)
		v.get("/orders/new").wantStatus(200).contains("New order", "Add products").omits("What was ordered")

		found := v.post("/orders/new", url.Values{"find": {"1"}, "q": {"shirt"}, "contact.name": {"Zoe"}}).
			wantStatus(200).contains("AB-1", `value="Zoe"`)
		fields := apitest.FormFields(t, found.text, "/orders/new")
		quantity := "found." + p.variant + ".quantity"
		fields.Set(quantity, "9")
		v.post("/orders/new", fields).wantStatus(409).
			contains("Only 5 left.", `id="found.`+p.variant+`-wrong"`, `value="9"`)
		fields.Set(quantity, "")
		v.post("/orders/new", fields).wantStatus(409).contains("There is nothing in this order.")
		fields.Set(quantity, "2")
		fields.Set("contact.name", "")
		v.post("/orders/new", fields).wantStatus(422).contains(`id="contact.name-wrong"`)
		fields.Set("contact.name", "Zoe")

		r := v.post("/orders/new", fields).wantStatus(303)
		v.get(r.Header.Get("Location")).wantStatus(200).
			contains("Order No. 1", "Zoe", "The shop entered the order", "AB-1")
		v.get("/stock?state=reserved").contains("AB-1")
		viewer := s.withT(t).signIn(s.newOperator(access.Viewer), apitest.OperatorPassword)
		viewer.get("/orders").omits(`href="/orders/new"`)
		viewer.get("/orders/new").wantStatus(403)
	})
}

// An order for a customer has the prices of the customer's group, unless the shop agreed on another one, and what the
// shop notes; modifiers that a product needs are asked for.
func TestOrders_areEnteredForACustomer(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		p := s.createShirts("Shirt", "AB-1")
		as := apitest.As(s.store.SecretKey)
		list := s.OK(201, "POST", "/v2/price-lists", `{"name":"Wholesale"}`, as).Text("data.id")
		group := s.OK(201, "POST", "/v2/customer-groups", `{"name":"Traders","price_lists":["`+list+`"]}`, as).
			Text("data.id")
		product := s.OK(200, "GET", "/v2/products?q=Shirt", nil, as).Text("data.0.id")
		s.OK(200, "PUT", "/v2/products/"+product, map[string]any{"modifiers": []any{map[string]any{"id": "size",
			"name": "Size", "required": true, "max": 1, "items": []any{map[string]any{"id": "l", "name": "Large",
				"price": 3}}}}}, as)
		s.OK(200, "PUT", "/v2/products/"+product+"/variants/"+p.variant,
			map[string]any{"price_lists": []any{map[string]any{"price_list_id": list, "price": 11}}}, as)
		anna := s.createCustomer("anna@mail.example", "Anna")
		s.OK(200, "PUT", "/v2/customers/"+anna, map[string]any{"group_id": group}, as)

		v.get("/customers/" + anna).contains(`href="/orders/new?customer=` + anna + `"`)
		v.post("/orders/new", url.Values{"find": {"1"}, "person": {"anna"}}).wantStatus(200).
			contains(`name="choose" value="` + anna + `"`)
		found := v.post("/orders/new", url.Values{"choose": {anna}, "q": {"shirt"}, "note": {"Calls back"}}).
			wantStatus(200).contains(`value="anna@mail.example"`, "prices of the group “Traders”", "$11", "Large",
			"required", "Calls back")
		v.post("/orders/new", url.Values{"nobody": {"1"}, "customer": {anna}, "q": {"shirt"}}).wantStatus(200).
			contains("$19.50").omits("Traders")

		fields := apitest.FormFields(t, found.text, "/orders/new")
		field := "found." + p.variant
		fields.Set(field+".quantity", "2")
		v.post("/orders/new", fields).wantStatus(422).contains("Choose at least 1 of “Size”", field+"-wrong")
		fields.Set(field+".choice", "size/l")
		fields.Set("paid", "1")
		r := v.post("/orders/new", fields).wantStatus(303)
		v.get(r.Header.Get("Location")).wantStatus(200).
			contains("$28", "Large", "/customers/"+anna, "Calls back", "Not paid after all")

		fields.Set(field+".price", "10")
		r = v.post("/orders/new", fields).wantStatus(303)
		v.get(r.Header.Get("Location")).wantStatus(200).contains("$20", "Large")
	})
}
