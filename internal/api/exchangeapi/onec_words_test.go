package exchangeapi_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"

	"vitrine/internal/testkit/apitest"
)

// inRussian sets the language of the store.
func (c *oneC) inRussian() {
	c.t.Helper()
	if r := c.DoAdmin("PUT", "/api/store/settings", `{"locale": "ru"}`); r.Status != 200 {
		c.t.Fatalf("settings: %d %s", r.Status, r.Body)
	}
}

// decode1251 returns the text of an answer.
func decode1251(t *testing.T, text string) string {
	t.Helper()
	decoded, err := charmap.Windows1251.NewDecoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return decoded
}

func (c *oneC) wantLine(lines []string, want string) {
	c.t.Helper()
	if len(lines) < 2 || !strings.Contains(decode1251(c.t, lines[1]), want) {
		c.t.Errorf("the answer is %q, want a second line with %q", decode1251(c.t, strings.Join(lines, "|")), want)
	}
}

func TestCommerceML_secondLinesAreInTheLanguageOfTheStore(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.inRussian()
		c.begin()
		c.send("import.xml", goodsFile("false", good("p1", "Стол", ""), good("p2", "Стул", "")))
		c.wantLine(c.want("success", "import", nil, "filename", "import.xml"), "Применено 2 записи, с ошибкой: 0.")
		c.send("offers.xml", offersFile(offer("p1", "Стол", "дорого", "")))
		lines := c.want("success", "import", nil, "filename", "offers.xml")
		if len(lines) != 3 || !strings.HasPrefix(decode1251(c.t, lines[2]), "Предупреждений: 3.") {
			c.t.Errorf("after a price that is no number the answer is %q", decode1251(c.t, strings.Join(lines, "|")))
		}
		c.wantLine(c.want("failure", "import", nil, "filename", "other.xml"), "в этом обмене не пришёл")
		c.wantLine(c.want("failure", "dance", nil), "Режим")

		sale := saleOneC(c)
		c.wantLine(sale.want("success", "file", orderFile("", "77", ""), "filename", "orders.xml"),
			"77: В магазине нет заказа 77.")

		stranger := &oneC{Server: c.Server, t: c.t, password: "xt_wrong", kind: "catalog"}
		c.wantLine(stranger.want("failure", "checkauth", nil), "Пароль неверный.")
	})
}

// A file with nothing that is known says what it has, and its run lists it.
func TestCommerceML_aFileWithNothingKnownSaysSo(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.begin()
		c.send("rests.xml", oneCDocument(`<Остатки><Остаток>34</Остаток></Остатки>`))
		c.wantLine(c.want("success", "import", nil, "filename", "rests.xml"),
			"Nothing in the file is known here. It has: Остатки.")
		run := c.Get("/v2/sync-gate/runs", apitest.As(c.Exchange))
		if got := run.Text("data.0.not_kept"); got != `[{"count":1,"what":"Остатки"}]` {
			c.t.Errorf("the run has not kept %s", got)
		}
	})
}

func TestCommerceML_runsListWhatIsNotKept(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.exchange("import.xml", goodsFile("false", good("p1", "Стол", `<Комплектующие><Ид>x</Ид></Комплектующие>`),
			good("p2", "Стул", `<Комплектующие><Ид>x</Ид></Комплектующие>`)))
		run := c.Get("/v2/sync-gate/runs", apitest.As(c.Exchange))
		if got := run.Text("data.0.not_kept"); got != `[{"count":2,"what":"Комплектующие"}]` {
			c.t.Errorf("the run has not kept %s", got)
		}
	})
}

// Accounting is searched by name and article, not by GUID.
func TestCommerceML_warningsNameTheGoodAndItsArticle(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		names := func() (list []string) {
			run := c.Get("/v2/sync-gate/runs", apitest.As(c.Exchange)).Text("data.0.id")
			return c.Get("/v2/sync-gate/runs/"+run+"/warnings", apitest.As(c.Exchange)).Texts("data", "name")
		}
		c.exchange("import.xml", goodsFile("false", good("p1", "Стол", `<Артикул>A-1</Артикул><Вес>много</Вес>`)))
		if got := strings.Join(names(), "; "); got != "Стол (A-1)" {
			c.t.Errorf("the warning about goods names %q", got)
		}

		c.exchange("offers.xml", offersFile(offer("p1", "Стол", "дорого", "<Артикул>A-1</Артикул>")))
		if got := names(); len(got) == 0 || got[0] != "Стол (A-1)" {
			c.t.Errorf("the warnings about offers name %q", got)
		}

		// Files with prices have only ids.
		c.exchange("prices.xml", offersFile(offer("p1", "", "7", ""), offer("p1", "", "дорого", "")))
		if got := names(); len(got) == 0 || got[len(got)-1] != "Стол (A-1)" {
			c.t.Errorf("the warnings about prices name %q", got)
		}
	})
}

func TestCommerceML_paymentNumberIsKept(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c = saleOneC(c)
		id := c.submit()
		c.query()
		c.want("success", "success", nil)
		if c.Get("/v2/orders/" + id).Has("data.payment_number") {
			c.t.Error("an order that is not paid has a payment number")
		}

		file := orderFile("91777ce0-81cc-11e4-a522-0050569c5934", "1", orderRequisite("Номер оплаты по 1С", "ПП-42"))
		c.want("success", "file", file, "filename", "orders.xml")
		r := c.Get("/v2/orders/" + id)
		if got := r.Text("data.payment_number"); got != "ПП-42" {
			c.t.Errorf("the payment number is %q", got)
		}
		if got := r.Text("data.state"); got != "submitted" {
			c.t.Errorf("a payment moved the order to %s", got)
		}
		for i, order := range c.Get("/v2/orders").Texts("data", "id") {
			if at := fmt.Sprintf("data.%d.payment_number", i); order == id && !c.Get("/v2/orders").Has(at) {
				c.t.Error("the list of orders lacks the payment number")
			}
		}

		c.want("success", "file", file, "filename", "orders.xml")
		if got := c.runs(2); got[0] != "orders 0 0 1 0 0" || got[1] != "orders 0 1 0 0 0" {
			c.t.Errorf("the runs are %v", got)
		}
		c.wantOrders("after a payment")
	})
}

// A guest pays, and does not see what accounting calls it.
func TestCommerceML_shoppersDoNotSeeThePaymentNumber(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c = saleOneC(c)
		variant := c.product("p1").Text("data.variants.0.id")
		cart := c.OK(201, "POST", "/v2/orders", fmt.Sprintf(`{"items": [{"variant_id": %q, "quantity": 1}]}`, variant),
			apitest.As(c.Publishable))
		guest := []apitest.RequestOption{apitest.As(c.Publishable),
			apitest.Header("X-Order-Token", cart.Text("data.order_token"))}
		path := "/v2/orders/" + cart.Text("data.id")
		c.OK(200, "POST", path+"/submit", `{"contact": {"name": "Анна", "phone": "+79990000000"}}`, guest...)

		c.want("success", "file", orderFile("", "1", orderRequisite("Номер оплаты по 1С", "ПП-42")), "filename",
			"orders.xml")
		if c.Get(path, guest...).Has("data.payment_number") || !c.Get(path).Has("data.payment_number") {
			c.t.Errorf("the guest's order is %s", c.Get(path, guest...).Body)
		}
	})
}

// The number of the parcel in accounting is that of the order, from the order or its shipment. An empty one takes
// nothing away, and it is not sent back to accounting.
func TestCommerceML_tellsTheNumberOfTheParcel(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c = saleOneC(c)
		id := c.submit()
		c.query()
		c.want("success", "success", nil)

		for _, file := range []struct{ content, number, carrier string }{
			{orderRequisite("Трек-номер", "  RA 123 "), "RA 123", "null"},
			{orderRequisite("Трек-номер", ""), "RA 123", "null"},
			{orderRequisite("Номер отправления", "RA-2") + orderRequisite("Перевозчик", "СДЭК"), "RA-2", "СДЭК"},
			{orderRequisite("Перевозчик", ""), "RA-2", "СДЭК"},
			{orderRequisite("Идентификатор отправления", "RA-3"), "RA-3", "СДЭК"},
		} {
			content := strings.ReplaceAll(file.content, "</ЗначенияРеквизитов><ЗначенияРеквизитов>", "") // one list
			c.want("success", "file", orderFile("", "1", content), "filename", "orders.xml")
			r := c.Get("/v2/orders/" + id)
			if r.Text("data.tracking.number") != file.number || r.Text("data.tracking.carrier") != file.carrier {
				c.t.Errorf("after %s the parcel is %s", file.content, r.Body)
			}
		}
		c.wantOrders("after numbers of parcels")
	})
}

// A payment in accounting marks the order as paid, once, and is not sent back to accounting.
func TestCommerceML_aPaymentMarksTheOrderAsPaid(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c = saleOneC(c)
		id := c.submit()
		c.query()
		c.want("success", "success", nil)

		for _, file := range []string{
			orderFile("", "1", orderRequisite("Номер оплаты по 1С", "")+orderRequisite("Дата оплаты по 1С", "T")),
			orderFile("", "1", orderRequisite("Оплачен", "false")),
		} {
			c.want("success", "file", file, "filename", "orders.xml")
			if c.Get("/v2/orders/"+id).Text("data.paid_at") != "null" {
				c.t.Errorf("an order without a payment is paid: %s", file)
			}
		}

		c.want("success", "file", orderFile("", "1", orderRequisite("Дата оплаты по 1С", "2026-11-02T10:00:00")),
			"filename", "orders.xml")
		const paid = "2026-11-02 10:00:00"
		if got := c.Get("/v2/orders/" + id).Text("data.paid_at.datetime"); got != paid {
			c.t.Errorf("the order was paid at %s", got)
		}
		c.want("success", "file", orderFile("", "1", orderRequisite("Номер оплаты по 1С", "ПП-1")+
			orderRequisite("Дата оплаты по 1С", "2026-11-05")), "filename", "orders.xml")
		if r := c.Get("/v2/orders/" + id); r.Text("data.paid_at.datetime") != paid ||
			r.Text("data.payment_number") != "ПП-1" {
			c.t.Errorf("after the second payment: %s", r.Body)
		}
		c.wantOrders("after payments")
	})
}
