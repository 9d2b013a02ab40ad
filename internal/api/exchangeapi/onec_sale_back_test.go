package exchangeapi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// guid returns an id as 1C makes it.
func guid(n string) string { return "91777ce0-81cc-11e4-a522-0050569c59" + n }

// utDocument returns an order as 1C:УТ 11 sends it back: with its own id, the number of the site, and requisites, which
// are names and values.
func utDocument(id, number string, requisites ...string) string {
	text := `<Документ><Ид>` + id + `</Ид><Номер>` + number +
		`</Номер><Дата>2026-11-17</Дата><ХозОперация>Заказ товара</ХозОперация>` +
		`<Роль>Продавец</Роль><Валюта>руб</Валюта><Курс>1</Курс><Сумма>3981</Сумма><Контрагенты><Контрагент><Ид>` +
		guid("99") + `</Ид>` +
		`<Наименование>Анна</Наименование><Роль>Покупатель</Роль></Контрагент></Контрагенты><Время>12:00:00</Время>` +
		`<Товары><Товар>` +
		`<Ид>p1#a</Ид><Наименование>Стол</Наименование><ЦенаЗаЕдиницу>1990.5</ЦенаЗаЕдиницу>` +
		`<Количество>2</Количество><Сумма>3981</Сумма>` +
		`</Товар></Товары><ЗначенияРеквизитов><ЗначениеРеквизита><Наименование>Номер по 1С</Наименование>` +
		`<Значение>ТДУТ-000017</Значение>` +
		`</ЗначениеРеквизита><ЗначениеРеквизита><Наименование>Дата по 1С</Наименование>` +
		`<Значение>2026-11-17T12:00:00</Значение></ЗначениеРеквизита>`
	for pair := range slices.Chunk(requisites, 2) {
		text += `<ЗначениеРеквизита><Наименование>` + pair[0] + `</Наименование><Значение>` + pair[1] +
			`</Значение></ЗначениеРеквизита>`
	}

	return text + `</ЗначенияРеквизитов></Документ>`
}

// sendBack sends documents in one file and returns the lines after the verdict.
func (c *oneC) sendBack(documents ...string) []string {
	c.t.Helper()
	file := oneCDocument(strings.Join(documents, ""))
	return c.want("success", "file", file, "filename", "orders.xml")[1:]
}

// take makes 1C take all orders.
func (c *oneC) take() {
	c.t.Helper()
	c.query()
	c.want("success", "success", nil)
}

func (c *oneC) wantStates(what string, orders []string, want ...string) {
	c.t.Helper()
	var got []string
	for _, id := range orders {
		got = append(got, c.state(id))
	}
	if !slices.Equal(got, want) {
		c.t.Errorf("%s: the states are %v, want %v", what, got, want)
	}
}

func TestCommerceML_saleFindsOrdersThatHaveTheIDOf1C(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c = saleOneC(c)
		ids := []string{c.submit(), c.submit(), c.submit()}
		c.take()

		notes := c.sendBack(
			utDocument(guid("01"), "1", "ПометкаУдаления", "false", "Проведен", "true"),
			utDocument(guid("77"), "77", "Проведен", "true"),
			utDocument(guid("02"), "2", "ПометкаУдаления", "false", "Проведен", "true",
				"Номер отгрузки по 1С", "ТДУТ-000031", "Дата отгрузки по 1С", "2026-11-18T09:00:00"),
			utDocument(guid("03"), "3", "Проведен", "false", "Отменен", "true"))
		c.wantStates("after the first file", ids, "confirmed", "completed", "cancelled")
		if len(notes) != 1 || !strings.HasPrefix(notes[0], "77: ") {
			c.t.Errorf("an unknown order is told as %q", notes)
		}

		c.wantOrders("1C gets back what it has changed itself")

		// Without the number of the site, an order is known by the id under which it came.
		if notes := c.sendBack(utDocument(guid("01"), "", "Номер отгрузки по 1С", "ТДУТ-000032")); len(notes) != 0 {
			c.t.Errorf("an order that came before: %q", notes)
		}

		c.wantStates("after the second file", ids, "completed", "completed", "cancelled")

		// The same file again changes nothing.
		if notes := c.sendBack(utDocument(guid("01"), "1", "Проведен", "true", "Номер отгрузки по 1С",
			"ТДУТ-000032")); len(notes) != 0 {
			c.t.Errorf("a repeated document: %q", notes)
		}
	})
}

func TestCommerceML_saleTakesTheNumberBeforeAnIDThatBelongedToAnotherOrder(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c = saleOneC(c)
		ids := []string{c.submit(), c.submit()}
		c.take()
		c.sendBack(utDocument(guid("01"), "1"))
		c.sendBack(utDocument(guid("01"), "2", "Проведен", "true"))
		c.wantStates("by number", ids, "submitted", "confirmed")
		c.sendBack(utDocument(guid("01"), "", "Отменен", "true"))
		c.wantStates("by the id, which moved to the second order", ids, "submitted", "cancelled")

		// A number with zeros is one that 1C gave to an order of its own.
		if notes := c.sendBack(utDocument(guid("05"), "000001", "Отменен", "true")); len(notes) != 1 {
			c.t.Errorf("an order of 1C's own is told as %q", notes)
		}

		// An id that is too long is not kept, and does not fail the exchange.
		if notes := c.sendBack(utDocument(strings.Repeat("я", 5000), "1", "Проведен", "true")); len(notes) != 0 {
			c.t.Errorf("a document with a long id: %q", notes)
		}

		c.wantStates("at the end", ids, "confirmed", "cancelled")
	})
}

func TestCommerceML_saleNeverFindsTheOrderOfAnotherStore(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c = saleOneC(c)
		id := c.submit()
		c.take()
		c.sendBack(utDocument(guid("01"), "1"))

		other := newOneC(c.t, c.WithKeys(c.Other))
		other.kind = "sale"
		other.begin()
		for _, d := range []string{utDocument(id, "", "Отменен", "true"),
			utDocument(guid("01"), "1", "Отменен", "true"),
			utDocument(guid("01"), "", "Отменен", "true")} {
			if notes := other.sendBack(d); len(notes) != 1 {
				c.t.Errorf("another store's order is told as %q", notes)
			}
		}

		c.wantStates("after documents to another store", []string{id}, "submitted")
	})
}

func TestCommerceML_saleWeighsWhatADocumentSays(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c = saleOneC(c)
		for n, d := range []struct {
			want       string
			requisites []string
		}{
			{"cancelled", []string{"Номер отгрузки по 1С", "17", "Статус заказа", "Выполнен", "Отменен", "true",
				"Проведен", "true"}},
			{"cancelled", []string{"ПометкаУдаления", "true", "Отменен", "false"}},
			{"completed", []string{"Номер отгрузки по 1С", "17", "Статус заказа", "Подтверждён", "ПометкаУдаления",
				"false"}},
			{"completed", []string{"Номер отгрузки по 1С", "", "Дата отгрузки по 1С", "2026-11-18T09:00:00", "Проведен",
				"true"}},
			{"completed", []string{"Отгружен", "true"}},
			// An order that is not shipped has an empty number and a date without a date.
			{"confirmed", []string{"Номер отгрузки по 1С", "", "Дата отгрузки по 1С", "T", "Проведен", "true"}},
			{"confirmed", []string{"Дата отгрузки по 1С", "0001-01-01T00:00:00", "Проведен", "true"}},
			{"confirmed", []string{"Номер оплаты по 1С", "5", "Дата оплаты по 1С", "2026-11-18T09:00:00", "Проведен",
				"true"}},
			{"completed", []string{"Статус заказа", "Отгружен"}},
			{"completed", []string{"Статус заказа", "Закрыт"}},
			{"completed", []string{"Статус заказа", "[F] Выполнен", "Проведен", "false"}},
			{"completed", []string{"Статуса заказа ИД", "F"}},
			{"cancelled", []string{"Статус заказа", "Отменен", "Проведен", "true"}},
			{"cancelled", []string{"Статус заказа", "[C] Отменён"}},
			{"confirmed", []string{"Статус заказа", "К выполнению"}},
			{"confirmed", []string{"Статус заказа", "[A] Принят"}},
			{"submitted", []string{"Статус заказа", "Новый", "Проведен", "true"}},
			{"confirmed", []string{"Статус заказа", "Какой-то", "Проведен", "true"}},
			{"submitted", []string{"Статус заказа", "Какой-то", "Проведен", "false"}},
		} {
			id := c.submit()
			number := c.Get("/v2/orders/" + id).Text("data.number")
			if notes := c.sendBack(utDocument(guid(string(rune('a'+n))+"1"), number,
				d.requisites...)); len(notes) != 0 {
				c.t.Errorf("%q: %q", d.requisites, notes)
			}

			if got := c.state(id); got != d.want {
				c.t.Errorf("%q makes the order %s, want %s", d.requisites, got, d.want)
			}
		}
	})
}

// The module of Bitrix for 1C sends an order, its payments and its shipments as documents of one container.
func TestCommerceML_saleReadsShipmentsAndPaymentsAsDocuments(t *testing.T) {
	t.Parallel()
	const goods = `<Товары><Товар><Ид>p1#a</Ид><Количество>%</Количество></Товар><Товар><Ид>ORDER_DELIVERY</Ид>` +
		`<Количество>1</Количество>` +
		`<ЗначенияРеквизитов><ЗначениеРеквизита><Наименование>ТипНоменклатуры</Наименование>` +
		`<Значение>Услуга</Значение></ЗначениеРеквизита></ЗначенияРеквизитов></Товар></Товары>`
	document := func(operation, base, quantity, more string) string {
		return `<Документ><Ид>` + guid("77") + `</Ид><Номер>501</Номер><ХозОперация>` + operation +
			`</ХозОперация><Основание>` + base + `</Основание>` +
			strings.ReplaceAll(goods, "%", quantity) + more + `</Документ>`
	}
	shipped := orderRequisite("Отгружен", "true")

	eachOneC(t, func(c *oneC) {
		c = saleOneC(c)
		ids := []string{c.submit(), c.submit(), c.submit(), c.submit()}
		c.take()

		notes := c.sendBack(
			`<Контейнер>`+utDocument(guid("01"), "1", "Проведен", "true")+document("Отпуск товара", "1", "2", shipped)+
				document("Выплата безналичных денег", "1", "2", `<ПометкаУдаления>true</ПометкаУдаления>`)+
				`</Контейнер>`,
			`<Контейнер>`+utDocument(guid("02"), "2", "Проведен", "true")+
				document("Отпуск товара", guid("02"), "1", shipped)+`</Контейнер>`,
			`<Контейнер>`+utDocument(guid("03"), "3", "Проведен", "true")+
				document("Отпуск товара", ids[2], "2", shipped+`<ПометкаУдаления>true</ПометкаУдаления>`)+
				`</Контейнер>`,
			strings.Replace(utDocument(guid("04"), "4", "Проведен", "true"), `</Документ>`,
				`<ПодчиненныеДокументы><ПодчиненныйДокумент>`+
					`<ХозОперация>Отпуск товара</ХозОперация>`+shipped+
					`</ПодчиненныйДокумент></ПодчиненныеДокументы></Документ>`, 1))
		if len(notes) != 0 {
			c.t.Errorf("the documents are told as %q", notes)
		}

		// The second is shipped in part, and the shipment of the third was deleted.
		c.wantStates("after containers", ids, "completed", "confirmed", "confirmed", "completed")

		if notes := c.sendBack(document("Отпуск товара", "99", "2", shipped)); len(notes) != 1 ||
			!strings.HasPrefix(notes[0], "99: ") {
			c.t.Errorf("a shipment of an unknown order is told as %q", notes)
		}
	})
}

func TestCommerceML_saleIsLogged(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c = saleOneC(c)
		id := c.submit()
		c.take()
		c.sendBack(utDocument(guid("01"), "1", "Номер отгрузки по 1С", "17"))
		c.sendBack(utDocument(guid("01"), "1", "Номер отгрузки по 1С", "17"))

		var got []string
		c.Write(func(ctx context, q database.Querier) error {
			log, err := c.App.Audit.OfObject(ctx, store.In(q, c.StoreID), "order", id, 10)
			for _, e := range log {
				got = append(got, fmt.Sprintf("%s %s %s %+v", e.Actor.Kind, e.Action, e.Object.Label, e.Changes))
			}
			return err
		})
		slices.Sort(got)

		want := []string{"token order.completed № 1 [{Field:state From:confirmed To:completed}]",
			"token order.confirmed № 1 [{Field:state From:submitted To:confirmed}]"}
		if !slices.Equal(got, want) {
			c.t.Errorf("the log has %q, want %q", got, want)
		}
	})
}

// The log says which token of 1C changed an order, and once an hour that it has read the orders.
func TestL1_logNamesTheTokenThatReadsAndChangesOrders(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c = saleOneC(c)
		id := c.submit()
		c.take()
		c.take()
		c.sendBack(utDocument(guid("01"), "1", "Отменен", "true"))
		c.wantStates("after the cancellation", []string{id}, "cancelled")

		var got []string
		for _, e := range c.LogEntries() {
			if e.Action == "order.cancelled" && e.Object.ID == id || e.Action == "orders.downloaded" {
				got = append(got, string(e.Action)+" "+string(e.Actor.Kind))
			}
		}

		slices.Sort(got)
		if want := []string{"order.cancelled token", "orders.downloaded token"}; !slices.Equal(got, want) {
			c.t.Errorf("the log has %q, want %q", got, want)
		}
	})
}

// The refusal rolled back what the document says otherwise, each time that 1C sent it.
func TestCommerceML_saleKeepsTheIDOfADocumentThatIsRefused(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c = saleOneC(c)
		ids := []string{c.submit()}
		c.take()
		c.sendBack(utDocument("", "1", "Отменен", "true"))
		c.wantStates("after the cancellation", ids, "cancelled")

		notes := c.sendBack(utDocument(guid("01"), "1", "Проведен", "true"))
		if len(notes) != 1 || !strings.Contains(notes[0], "This order is cancelled") {
			c.t.Errorf("a cancelled order that is confirmed: %q", notes)
		}

		// Without the number, the order is known by the id only.
		notes = c.sendBack(utDocument(guid("01"), "", "Проведен", "true"))
		if len(notes) != 1 || !strings.Contains(notes[0], "This order is cancelled") {
			c.t.Errorf("the id of 1C was not kept: %q", notes)
		}

		c.wantStates("after the refusals", ids, "cancelled")
	})
}
