package exchangeapi_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
)

// lastRun returns the last run of the token with its errors and warnings.
func (c *oneC) lastRun() *apitest.Response {
	c.t.Helper()
	id := c.Get("/v2/sync-gate/runs", apitest.As(c.Exchange)).Text("data.0.id")
	return c.Get("/v2/sync-gate/runs/"+id, apitest.As(c.Exchange))
}

func TestCommerceML_aFileWithOrdersIsARun(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c = saleOneC(c)
		c.submit()
		c.submit()
		c.take()
		c.sendBack(
			utDocument(guid("01"), "1", "Проведен", "true"),
			utDocument(guid("77"), "77", "Проведен", "true"),
			utDocument("", "2"))

		r := c.lastRun()
		for path, want := range map[string]string{
			"entity": "orders", "status": "completed", "outcome": "with_errors", "received": "3", "created": "0",
			"updated": "1", "unchanged": "1", "failed": "1", "warnings": "0", "errors.0.index": "1",
			"errors.0.id": "77", "errors.0.code": "unknown_order",
		} {
			if got := r.Text("data." + path); got != want {
				c.t.Errorf("%s of the run is %q, want %q", path, got, want)
			}
		}

		c.want("failure", "file", oneCDocument("<Документ>")[:120], "filename", "orders.xml")
		if r := c.lastRun(); r.Text("data.status") != "failed" || r.Text("data.problem.code") != "malformed_xml" {
			c.t.Errorf("the run of a broken file is %s", r.Body)
		}
	})
}

func TestCommerceML_namesOfStates(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c = saleOneC(c)
		ids := []string{c.submit(), c.submit(), c.submit(), c.submit()}
		c.take()
		c.settings(`{"states": {" Собран  складом ": "confirmed", "Отгружен": "confirmed"}}`)
		c.sendBack(
			utDocument(guid("01"), "1", "Статус заказа", "собран складом"),
			utDocument(guid("02"), "2", "Статус заказа", "[F] Выполнен"),
			utDocument(guid("03"), "3", "Статус заказа", "Финальный статус"),
			utDocument(guid("04"), "4", "Статус заказа", "Отгружен"))
		c.wantStates("by name", ids, "confirmed", "completed", "submitted", "confirmed")

		r := c.lastRun()
		if r.Text("data.warnings") != "1" || r.Text("data.warnings_list.0.code") != "unknown_state" ||
			r.Text("data.warnings_list.0.id") != "3" ||
			!strings.Contains(r.Text("data.warnings_list.0.message"), "Финальный статус") {
			c.t.Errorf("an unknown state is told as %s", r.Body)
		}

		settings := c.DoAdmin("GET", "/api/store/settings", nil)
		if got := settings.Text("data.commerceml.states.Собран складом"); got != "confirmed" {
			c.t.Errorf("the setting is %q", got)
		}

		for _, states := range []string{`{"X": "sold"}`, `{"": "completed"}`,
			`{"` + strings.Repeat("я", 256) + `": "completed"}`} {
			r := c.DoAdmin("PUT", "/api/store/settings", `{"commerceml": {"states": `+states+`}}`)
			if r.Status != 422 || !strings.Contains(string(r.Body), "commerceml.states") {
				c.t.Errorf("%.40s: %d %s", states, r.Status, r.Body)
			}
		}
	})
}

func TestCommerceML_infoListsTheStates(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c = saleOneC(c)
		text := strings.Join(c.call("GET", "info", nil), "\n")
		for _, want := range []string{"<Справочник>", "<Статусы>", "<Ид>submitted</Ид>\n<Название>",
			"<Ид>confirmed</Ид>", "<Ид>completed</Ид>", "<Ид>cancelled</Ид>"} {
			if !strings.Contains(text, want) {
				c.t.Errorf("the answer lacks %s:\n%s", want, text)
			}
		}
	})
}

func TestCommerceML_warnsOfLinesThat1CHasChanged(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c = saleOneC(c)
		c.submit()
		c.take()

		same := utDocument(guid("01"), "1")
		c.sendBack(same)
		if got := c.lastRun().Text("data.warnings"); got != "0" {
			c.t.Errorf("an unchanged order has %s warnings", got)
		}

		changed := strings.NewReplacer("<Количество>2<", "<Количество>3<", "1990.5<", "1800<").Replace(same)
		added := strings.Replace(changed, "<Товары>", `<Товары><Товар><Ид>p9</Ид><Наименование>Лампа</Наименование>`+
			`<ЦенаЗаЕдиницу>10</ЦенаЗаЕдиницу><Количество>1</Количество></Товар>`, 1)
		c.sendBack(added)
		r := c.lastRun()
		message := r.Text("data.warnings_list.0.message")
		if r.Text("data.warnings_list.0.code") != "line_changed" ||
			!strings.Contains(message, "2 × 1990.5 → 3 × 1800; Лампа: 0 → 1 × 10") {
			c.t.Errorf("the warning is %s", r.Body)
		}
	})
}

// modifiersDocument returns the document of the first order with lines of its only offer, each with quantity and price.
func modifiersDocument(lines ...[2]string) string {
	var goods strings.Builder
	for _, line := range lines {
		goods.WriteString(`<Товар><Ид>p1#a</Ид><Наименование>Стол</Наименование>`)
		if line[1] != "" {
			goods.WriteString(`<ЦенаЗаЕдиницу>` + line[1] + `</ЦенаЗаЕдиницу>`)
		}
		goods.WriteString(`<Количество>` + line[0] + `</Количество></Товар>`)
	}
	return orderFile(guid("01"), "1", `<ХозОперация>Заказ товара</ХозОперация><Товары>`+goods.String()+`</Товары>`)
}

// 1C knows no modifiers: it gets them as requisites of the line and in its price, and sends back lines that have the
// same id and several prices, which are no change.
func TestCommerceML_linesWithModifiers(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c = saleOneC(c)
		p := c.product("p1")
		c.OK(200, "PUT", "/v2/products/"+p.Text("data.id"), `{"modifiers": [`+
			`{"id": "a", "name": "ТипНоменклатуры", "items": [{"id": "b", "name": "Услуга", "price": 9.5}, `+
			`{"id": "c", "name": "<Плёнка>"}]}, {"id": "d", "name": "Доставка", `+
			`"items": [{"id": "e", "name": "Подъём", "price": 100}]}]}`)
		variant := p.Text("data.variants.0.id")
		id := c.OK(201, "POST", "/v2/orders", fmt.Sprintf(`{"items": [{"variant_id": %[1]q, "quantity": 2}, `+
			`{"variant_id": %[1]q, "quantity": 3, "modifiers": [{"group_id": "d", "item_id": "e"}, {"group_id": "a", `+
			`"item_id": "b", "quantity": 2}, {"group_id": "a", "item_id": "c"}]}]}`, variant)).Text("data.id")
		c.OK(200, "POST", "/v2/orders/"+id+"/submit", `{"contact": {"name": "Анна", "phone": "+79990000000"}}`)

		text := strings.Join(c.call("GET", "query", nil), "\n")
		for _, want := range []string{
			"<Наименование>СвойствоКорзины#ТипНоменклатуры</Наименование>\n" +
				"<Значение>Услуга × 2 (9.5), &lt;Плёнка&gt;</Значение>",
			"<Наименование>СвойствоКорзины#Доставка</Наименование>\n<Значение>Подъём (100)</Значение>",
			"<Наименование>ТипНоменклатуры</Наименование>\n<Значение>Товар</Значение>",
			"<ЦенаЗаЕдиницу>1990.5</ЦенаЗаЕдиницу>\n<Количество>2</Количество>\n<Сумма>3981</Сумма>",
			"<ЦенаЗаЕдиницу>2109.5</ЦенаЗаЕдиницу>\n<Количество>3</Количество>\n<Сумма>6328.5</Сумма>",
			"<Сумма>10309.5</Сумма>"} {
			if !strings.Contains(text, want) {
				c.t.Errorf("the document lacks %s:\n%s", want, text)
			}
		}
		c.want("success", "success", nil)

		for _, same := range [][][2]string{
			{{"2", "1990.5"}, {"3", "2109.5"}},
			{{"3", "2109.50"}, {"2", "1990.5"}},
			{{"1", "1990.5"}, {"3", "2109.5"}, {"1", "1990.5"}},
			{{"5", ""}},
			{{"5", "2061.9"}}, // one line with the average price
		} {
			c.want("success", "file", modifiersDocument(same...), "filename", "orders.xml")
			if r := c.lastRun(); r.Text("data.warnings") != "0" || r.Text("data.failed") != "0" {
				c.t.Errorf("%v: the run is %s", same, r.Body)
			}
		}
		c.want("success", "file", modifiersDocument([2]string{"2", "1990.5"}, [2]string{"3", "1990.5"}), "filename",
			"orders.xml")
		if message := c.lastRun().Text("data.warnings_list.0.message"); !strings.Contains(message,
			"2 × 1990.5 + 3 × 2109.5 → 5 × 1990.5") {
			c.t.Errorf("the warning is %s", message)
		}
	})
}
