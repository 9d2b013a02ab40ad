package exchangeapi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// saleOneC exchanges goods, so that orders can be submitted, and returns a client for orders.
func saleOneC(c *oneC) *oneC {
	c.exchange("import.xml", goodsFile("true", good("p1", "Стол &amp; стул", "")), "offers.xml",
		offersFile(offer("p1#a", "Стол &amp; стул (43)", "1990,50", `<Количество>100</Количество>`, "Размер", "43")))
	return (&oneC{Server: c.Server, t: c.t, password: c.Exchange, kind: "sale"}).begin()
}

// submit submits an order and returns its id.
func (c *oneC) submit() string {
	c.t.Helper()
	variant := c.product("p1").Text("data.variants.0.id")
	r := c.OK(201, "POST", "/v2/orders", fmt.Sprintf(`{"items": [{"variant_id": %q, "quantity": 2}]}`, variant))
	id := r.Text("data.id")
	c.OK(200, "POST", "/v2/orders/"+id+"/submit",
		`{"contact": {"name": "Анна <b>", "phone": "+79990000000"}, "delivery": {"address": "Москва"}}`)
	return id
}

// query returns the ids of the orders that 1C gets.
func (c *oneC) query() (ids []string) {
	c.t.Helper()
	text := strings.Join(c.call("GET", "query", nil), "\n")
	for _, part := range strings.Split(text, "<Документ>\n<Ид>")[1:] {
		id, _, _ := strings.Cut(part, "<")
		ids = append(ids, id)
	}
	return ids
}

func (c *oneC) wantOrders(what string, want ...string) {
	c.t.Helper()
	got := c.query()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		c.t.Errorf("%s: 1C gets the orders %v, want %v", what, got, want)
	}
}

func (c *oneC) state(order string) string {
	c.t.Helper()
	return c.Get("/v2/orders/" + order).Text("data.state")
}

func orderFile(id, number, more string) string {
	return oneCDocument(`<Документ><Ид>` + id + `</Ид><Номер>` + number + `</Номер>` + more + `</Документ>`)
}

func orderRequisite(name, value string) string {
	return `<ЗначенияРеквизитов><ЗначениеРеквизита><Наименование>` + name + `</Наименование><Значение>` + value +
		`</Значение></ЗначениеРеквизита></ЗначенияРеквизитов>`
}

func TestCommerceML_saleGivesTheSameOrdersUntilSuccess(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c = saleOneC(c)
		c.wantOrders("before any order")
		first := c.submit()
		c.wantOrders("after a submission", first)
		c.begin().wantOrders("after a crash of 1C", first)
		second := c.submit() // between query and success
		c.want("success", "success", nil)
		c.wantOrders("after success", second)
		c.want("success", "success", nil)
		c.wantOrders("after the second success")
		c.OK(200, "POST", "/v2/orders/"+first+"/confirm", `{}`)
		c.wantOrders("after a change here", first)
	})
}

func TestCommerceML_saleWritesTheOrder(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c = saleOneC(c)
		id := c.submit()
		text := strings.Join(c.call("GET", "query", nil), "\n")
		for _, want := range []string{"<Ид>" + id + "</Ид>", "<Номер>1</Номер>", "<Ид>p1#a</Ид>",
			"<ЦенаЗаЕдиницу>1990.5</ЦенаЗаЕдиницу>",
			"<Количество>2</Количество>", "<Сумма>3981</Сумма>", "Анна &lt;b&gt;", "Стол &amp; стул"} {
			if !strings.Contains(text, want) {
				c.t.Errorf("the document lacks %s:\n%s", want, text)
			}
		}
	})
}

func TestCommerceML_saleMovesOrdersAndGivesThemNotBack(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c = saleOneC(c)
		a, b, d := c.submit(), c.submit(), c.submit()
		c.query()
		c.want("success", "success", nil)
		c.want("success", "file", orderFile(a, "1", orderRequisite("Статус заказа", "Выполнен")), "filename",
			"orders.xml")
		c.want("success", "file", orderFile(b, "2", orderRequisite("ПометкаУдаления", "true")), "filename",
			"orders.xml")
		c.want("success", "file", orderFile("", "3", orderRequisite("Проведен", "true")), "filename", "orders.xml")

		if got := []string{c.state(a), c.state(b), c.state(d)}; !slices.Equal(got,
			[]string{"completed", "cancelled", "confirmed"}) {
			c.t.Errorf("the states are %v", got)
		}

		c.wantOrders("after 1C has changed them")
		lines := c.want("success", "file", orderFile(b, "2", orderRequisite("Статус заказа", "confirmed")), "filename",
			"orders.xml")
		if len(lines) != 2 || !strings.Contains(lines[1], "cancelled") {
			c.t.Errorf("a change that is not possible: %q", lines)
		}

		c.OK(200, "POST", "/v2/orders/"+d+"/cancel", `{}`)
		c.wantOrders("after a change here", d)
	})
}
