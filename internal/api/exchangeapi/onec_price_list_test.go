package exchangeapi_test

import (
	"strings"
	"testing"
)

// tradeFile returns a packet of offers with the retail type in roubles and the wholesale type in a currency; none if it
// is empty.
func tradeFile(currency string, offers ...string) string {
	if currency != "" {
		currency = `<Валюта>` + currency + `</Валюта>`
	}
	return oneCDocument(`<ПакетПредложений СодержитТолькоИзменения="true"><ТипыЦен>` +
		`<ТипЦены><Ид>retail</Ид><Наименование>Розничная</Наименование><Валюта>руб</Валюта></ТипЦены>` +
		`<ТипЦены><Ид>trade</Ид><Наименование>Оптовая</Наименование>` + currency + `</ТипЦены></ТипыЦен>` +
		`<Предложения>` + strings.Join(offers, "") + `</Предложения></ПакетПредложений>`)
}

// tradeOffer returns an offer with a retail price, and with wholesale prices by quantity: quantities and prices. An
// offer without a name has only prices.
func tradeOffer(id, name, retail string, trade ...string) string {
	text := `<Предложение><Ид>` + id + `</Ид>`
	if name != "" {
		text += `<Наименование>` + name + `</Наименование>`
	}
	text += `<Цены><Цена><ИдТипаЦены>retail</ИдТипаЦены><ЦенаЗаЕдиницу>` + retail + `</ЦенаЗаЕдиницу></Цена>`
	for i := 0; i < len(trade); i += 2 {
		text += `<Цена><ИдТипаЦены>trade</ИдТипаЦены><ЦенаЗаЕдиницу>` + trade[i+1] + `</ЦенаЗаЕдиницу>` +
			`<МинКоличество>` + trade[i] + `</МинКоличество></Цена>`
	}
	return text + `</Цены></Предложение>`
}

// tradeGroup creates a customer group with the wholesale list, and returns its path.
func (c *oneC) tradeGroup() string {
	c.t.Helper()
	lists := c.Get("/v2/price-lists")
	for i, name := range lists.Texts("data", "name") {
		if name == "Оптовая" {
			r := c.Do("POST", "/v2/customer-groups", `{"name": "Дилеры", "price_lists": ["`+
				lists.Texts("data", "id")[i]+`"]}`)
			if r.Status != 201 {
				c.t.Fatalf("the group: %d %s", r.Status, r.Body)
			}
			return "/v2/customer-groups/" + r.Text("data.id")
		}
	}
	c.t.Fatalf("there is no wholesale list: %s", lists.Body)
	return ""
}

// Section 13: prices in another currency than their list has are left out, since the number would be an amount of the
// list's currency. All else of the file is applied.
func TestCommerceMLPrices_ofAnotherCurrencyThanTheListAreLeftOut(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.currency("RUB")
		c.exchange("import.xml", goodsFile("true", good("a", "A", ""), good("b", "B", "")), "offers.xml",
			tradeFile("руб", tradeOffer("a", "A", "1000", "1", "900"), tradeOffer("b", "B", "500", "1", "400")))
		group := c.tradeGroup()

		dollars := tradeFile("USD", tradeOffer("a", "A", "1001", "1", "10"), tradeOffer("b", "", "501", "1", "5"))
		c.exchange("offers.xml", dollars)
		c.wantPrices("retail prices", "a", "1001", "b", "501")
		roubles := []string{`"price_list_id":"retail","from_quantity":1,"price":1001}`,
			`"price_list_id":"trade","from_quantity":1,"price":900}`,
			`"price_list_id":"retail","from_quantity":1,"price":501}`,
			`"price_list_id":"trade","from_quantity":1,"price":400}`}
		c.wantListPrices(roubles...)
		for _, entity := range []string{"products", "prices"} {
			if messages := c.warnings(entity, "foreign_currency"); len(messages) != 1 || messages[0] !=
				"The prices in the price list Оптовая were left out: they are in USD, and the list has RUB." {
				c.t.Errorf("the warnings of %s are %q", entity, messages)
			}
		}

		// The list takes the currency of the type when no group uses it, and the same file brings its prices.
		if r := c.Do("DELETE", group, nil); r.Status != 204 {
			c.t.Fatalf("delete the group: %d %s", r.Status, r.Body)
		}
		c.exchange("offers.xml", dollars)
		c.wantListPrices(roubles[0], `"price_list_id":"trade","from_quantity":1,"price":10}`,
			roubles[2], `"price_list_id":"trade","from_quantity":1,"price":5}`)
	})
}
