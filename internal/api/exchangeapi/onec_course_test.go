package exchangeapi_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/testkit/apitest"
)

// A shop that runs on 1C:УТ 11, from the first exchange to the shipment: visitors see retail prices and what is left,
// dealers their prices by quantity, the scanner finds barcodes, a dealer's order travels to 1C and comes back shipped,
// and what is sold out stays sold out.
func TestCommerceML_courseOfAShopWithUT11(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.currency("RUB")
		sale := (&oneC{Server: c.Server, t: c.t, password: c.Exchange, kind: "sale"}).begin()

		goods := oneCDocument(`<Каталог СодержитТолькоИзменения="false"><Ид>cat</Ид><Товары>` +
			good("lamp", "Лампа", utGood) + good("bulb", "Лампочка", utGood) + `</Товары></Каталог>`)
		c.exchange("import0_1.xml", goods, "offers0_1.xml", utOffers(10, 0))

		dealers := c.tradeGroup()
		_, visitor := c.NewKey(access.NewKey{Kind: access.PublishableKey})
		group, err := id.Parse[access.CustomerGroup](strings.TrimPrefix(dealers, "/v2/customer-groups/"))
		if err != nil {
			c.t.Fatal(err)
		}
		_, dealer := c.NewKey(access.NewKey{Kind: access.PublishableKey, GroupID: &group})

		shows := func(what, key, want string) {
			c.t.Helper()
			r := c.OK(200, "GET", "/v2/products?with=variants,prices&sort=price&in_stock=true", nil, apitest.As(key))
			var got []string
			for i := range r.Len("data") {
				variant := fmt.Sprintf("data.%d.variants.0.", i)
				got = append(got, r.Text(fmt.Sprintf("data.%d.name", i))+" "+r.Text(variant+"price")+" of "+
					r.Text(variant+"available"))
			}
			if text := strings.Join(got, ", "); text != want {
				c.t.Errorf("%s: %q, want %q", what, text, want)
			}
		}
		shows("a visitor", visitor, "Лампа 1000 of 10")
		shows("a dealer", dealer, "Лампа 800 of 10")
		found := c.OK(200, "GET", "/v2/products?barcode=4601234567893", nil, apitest.As(visitor))
		if found.Len("data") != 1 || found.Text("data.0.vat_rate") != "20" || found.Text("data.0.unit.code") != "796" {
			c.t.Errorf("the barcode finds %s", found.Body)
		}

		variant := c.product("lamp").Text("data.variants.0.id")
		order := c.OK(201, "POST", "/v2/orders", `{"items": [{"variant_id": "`+variant+`", "quantity": 5}]}`,
			apitest.As(dealer))
		orderID := order.Text("data.id")
		c.OK(200, "POST", "/v2/orders/"+orderID+"/submit",
			`{"contact": {"name": "ООО Ромашка", "phone": "+79990000000"}, "delivery": {"address": "Москва"}}`)
		shows("after the order", visitor, "Лампа 1000 of 5")

		sent := strings.Join(sale.call("GET", "query", nil), "\n")
		for _, part := range []string{"<ЦенаЗаЕдиницу>700", "<Количество>5", "4601234567893", `Код="796"`} {
			if !strings.Contains(sent, part) {
				c.t.Errorf("1C does not get %s:\n%s", part, sent)
			}
		}
		sale.want("success", "success", nil)

		number := c.Get("/v2/orders/" + orderID).Text("data.number")
		c.exchange("import0_1.xml", goods, "offers0_1.xml", utOffers(5, 0))
		shows("after the stock of a 1C that has the order", visitor, "Лампа 1000 of 5")
		sale.sendBack(utDocument(guid("01"), number, "Проведен", "true"))
		sale.wantStates("posted", []string{orderID}, "confirmed")
		sale.sendBack(utDocument(guid("01"), number, "Проведен", "true", "Номер оплаты по 1С", "ТДУТ-000007",
			"Номер отгрузки по 1С", "ТДУТ-000031"))
		sale.wantStates("shipped", []string{orderID}, "completed")
		if got := c.Get("/v2/orders/" + orderID).Text("data.payment_number"); got != "ТДУТ-000007" {
			c.t.Errorf("the number of the payment is %q", got)
		}

		c.exchange("offers0_1.xml", utOffers(0, 7))
		shows("after the last lamp is sold and bulbs have come", dealer, "Лампочка 40 of 7")
	})
}

// utGood is what 1C:УТ 11 writes in each good besides its id and name.
const utGood = `<БазоваяЕдиница Код="796" НаименованиеПолное="Штука" МеждународноеСокращение="PCE">шт` +
	`</БазоваяЕдиница>` +
	`<СтавкиНалогов><СтавкаНалога><Наименование>НДС</Наименование><Ставка>20</Ставка></СтавкаНалога></СтавкиНалогов>`

// utOffers returns the offers of lamps and bulbs with two price types, as 1C:УТ 11 writes them: the total and the
// warehouses that have something; of what is sold out 0 and no warehouse.
func utOffers(lamps, bulbs int) string {
	price := func(of, amount, more string) string {
		return `<Цена><Представление>` + amount + ` руб за шт</Представление><ИдТипаЦены>` + of + `</ИдТипаЦены>` +
			`<ЦенаЗаЕдиницу>` + amount + `</ЦенаЗаЕдиницу><Валюта>руб</Валюта><Единица>шт</Единица>` +
			`<Коэффициент>1</Коэффициент>` + more + `</Цена>`
	}
	offer := func(id, name, barcode string, left int, prices string) string {
		text := `<Предложение><Ид>` + id + `</Ид>` + barcode + `<Наименование>` + name + `</Наименование><Цены>` +
			prices + fmt.Sprintf(`</Цены><Количество>%d</Количество>`, left)
		if left > 0 {
			text += fmt.Sprintf(`<Склад ИдСклада="w1" КоличествоНаСкладе="%d"/>`, left)
		}
		return text + `</Предложение>`
	}

	return oneCDocument(`<ПакетПредложений СодержитТолькоИзменения="false"><Ид>cat#</Ид><ИдКаталога>cat</ИдКаталога>` +
		`<ТипыЦен><ТипЦены><Ид>trade</Ид><Наименование>Оптовая</Наименование><Валюта>руб</Валюта></ТипЦены>` +
		`<ТипЦены><Ид>retail</Ид><Наименование>Розничная</Наименование><Валюта>руб</Валюта></ТипЦены></ТипыЦен>` +
		`<Склады><Склад><Ид>w1</Ид><Наименование>Магазин</Наименование></Склад></Склады><Предложения>` +
		offer("lamp", "Лампа", `<Штрихкод>4601234567893</Штрихкод>`, lamps, price("trade", "800", "")+
			price("trade", "700", `<МинКоличество>5</МинКоличество>`)+price("retail", "1000", "")) +
		offer("bulb", "Лампочка", "", bulbs, price("trade", "40", "")+price("retail", "50", "")) +
		`</Предложения></ПакетПредложений>`)
}
