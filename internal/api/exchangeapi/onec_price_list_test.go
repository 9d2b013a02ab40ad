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

// Section 12, prices: 1C lists no price that was withdrawn, so the prices of a type that an offer has are all of them.
// Steps that it had before are removed, in offers and in files that have only prices. Types that an offer does not have
// stay, and so do the steps of one of which a price was left out.
func TestCommerceMLPrices_stepsThatWereWithdrawnAreRemoved(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.currency("RUB")
		c.exchange("import.xml", goodsFile("true", good("a", "A", ""), good("b", "B", "")))
		first := tradeFile("руб", tradeOffer("a", "A", "1000", "1", "100", "10", "90", "20", "80"),
			tradeOffer("b", "", "500", "1", "50", "10", "45", "20", "40"))
		c.exchange("offers.xml", first)

		retail := func(price string) string {
			return `"price_list_id":"retail","from_quantity":1,"price":` + price + `}`
		}
		trade := func(from, price string) string {
			return `"price_list_id":"trade","from_quantity":` + from + `,"price":` + price + `}`
		}
		c.wantListPrices(retail("1000"), trade("1", "100"), trade("10", "90"), trade("20", "80"),
			retail("500"), trade("1", "50"), trade("10", "45"), trade("20", "40"))

		second := tradeFile("руб", tradeOffer("a", "A", "1000", "1", "110", "20", "80"),
			tradeOffer("b", "", "500", "1", "50", "20", "40"))
		c.exchange("offers.xml", second)
		c.wantListPrices(retail("1000"), trade("1", "110"), trade("20", "80"),
			retail("500"), trade("1", "50"), trade("20", "40"))

		c.exchange("offers.xml", second)
		for _, run := range c.runs(2) {
			if !strings.Contains(run, " 0 0 ") {
				c.t.Errorf("the same exchange again is %s", run)
			}
		}

		// The steps come back, though the marks know this very file.
		c.exchange("offers.xml", first)
		c.wantListPrices(retail("1000"), trade("1", "100"), trade("10", "90"), trade("20", "80"),
			retail("500"), trade("1", "50"), trade("10", "45"), trade("20", "40"))

		c.exchange("offers.xml", tradeFile("руб", tradeOffer("a", "A", "1000"), tradeOffer("b", "", "501")))
		c.exchange("offers.xml", tradeFile("руб", tradeOffer("a", "A", "1000", "1", "101", "много", "3"),
			tradeOffer("b", "", "501", "1", "51", "10", "цена")))
		c.wantListPrices(retail("1000"), trade("1", "101"), trade("10", "90"), trade("20", "80"),
			retail("501"), trade("1", "51"), trade("10", "45"), trade("20", "40"))
	})
}

// A new shop has USD. Types that come without a currency have that of the shop, also after it was changed, and the
// owner gets a warning.
func TestCommerceMLPrices_listsOfTypesWithoutACurrencyFollowTheShop(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.currency("USD")
		c.exchange("import.xml", goodsFile("true", good("a", "A", "")), "offers.xml",
			tradeFile("", tradeOffer("a", "A", "1000", "1", "900")))
		c.currency("RUB")
		c.exchange("offers.xml", tradeFile("", tradeOffer("a", "A", "1000", "1", "950")))
		c.wantListPrices(`"price_list_id":"retail","from_quantity":1,"price":1000}`,
			`"price_list_id":"trade","from_quantity":1,"price":950}`)
		if messages := c.warnings("price-lists", "currency_changed"); len(messages) != 1 || messages[0] !=
			"The price list Оптовая had the currency USD and has RUB now. The prices that it has keep their numbers." {
			c.t.Errorf("the warnings are %q", messages)
		}
		c.tradeGroup() // which needs the currency of the shop
	})
}

// Once price types have come, only one of them can be chosen, by its id or its name: any other text would freeze the
// prices of the shop. What is set already may stay.
func TestCommerceMLPrices_onlyATypeThatCameCanBeChosen(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.settings(`{"price_type": "Акционная"}`)
		c.exchange("offers.xml", tradeFile("руб", tradeOffer("a", "A", "1000")))
		for _, chosen := range []string{"Акционная", "ОПТОВАЯ", "retail", ""} {
			c.settings(`{"price_type": "` + chosen + `"}`)
		}

		r := c.DoAdmin("PUT", "/api/store/settings", `{"commerceml": {"price_type": "Акционная"}}`)
		if r.Status != 422 || r.Text("errors.0.field") != "commerceml.price_type" ||
			r.Text("errors.0.message") != "No such price type has come from 1C; it has sent: Розничная, Оптовая." {
			c.t.Errorf("a type that has not come is %d %s", r.Status, r.Body)
		}
	})
}
