package exchangeapi_test

import (
	"strings"
	"testing"

	"vitrine/internal/shop/access"
	"vitrine/internal/testkit/apitest"
)

// currency sets the currency of the store.
func (c *oneC) currency(code string) {
	c.t.Helper()
	if r := c.DoAdmin("PUT", "/api/store/settings", `{"currency": "`+code+`"}`); r.Status != 200 {
		c.t.Fatalf("currency: %d %s", r.Status, r.Body)
	}
}

// wantPrices requires the prices of goods: names and prices, of which null is none.
func (c *oneC) wantPrices(what string, want ...string) {
	c.t.Helper()
	for i := 0; i < len(want); i += 2 {
		if got := c.product(want[i]).Text("data.variants.0.price"); got != want[i+1] {
			c.t.Errorf("%s: the price of %s is %q, want %q", what, want[i], got, want[i+1])
		}
	}
}

// typedPrices returns a packet of offers of two price types. An offer has an id and the prices of both; - is none.
func typedPrices(currency string, offers ...[3]string) string {
	text := `<ПакетПредложений СодержитТолькоИзменения="false"><ТипыЦен><ТипЦены><Ид>chita</Ид>` +
		`<Наименование>Розничные г. Чита</Наименование><Валюта>` + currency +
		`</Валюта></ТипЦены><ТипЦены><Ид>all</Ид><Наименование>Розничные</Наименование><Валюта>` + currency +
		`</Валюта></ТипЦены></ТипыЦен><Предложения>`
	for _, o := range offers {
		text += `<Предложение><Ид>` + o[0] + `</Ид><Наименование>Товар ` + o[0] + `</Наименование><Цены>`
		for i, price := range o[1:] {
			if price != "-" {
				text += `<Цена><Представление>` + price + ` за шт</Представление><ИдТипаЦены>` +
					[]string{"chita", "all"}[i] + `</ИдТипаЦены><ЦенаЗаЕдиницу>` + price +
					`</ЦенаЗаЕдиницу><Валюта>` + currency +
					`</Валюта><Единица>шт</Единица><Коэффициент>1</Коэффициент></Цена>`
			}
		}

		text += `</Цены><Количество>5</Количество></Предложение>`
	}

	return oneCDocument(text + `</Предложения></ПакетПредложений>`)
}

// Goods without a price are not sold for 0: the price type is missing, empty or 0.
func TestCommerceMLPrices_goodsWithoutAPriceAreNotForSale(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.currency("RUB")
		c.exchange("import.xml", goodsFile("true", good("a", "A", ""), good("b", "B", ""), good("c", "C", ""),
			good("d", "D", "")),
			"offers.xml", typedPrices("руб", [3]string{"a", "10", "11"}, [3]string{"b", "-", "12"},
				[3]string{"c", "", "13"}, [3]string{"d", "0", "14"}))
		c.wantPrices("new variants", "a", "10", "b", "null", "c", "null", "d", "null")

		messages := c.warnings("products", "price_type_missing")
		if len(messages) != 1 ||
			messages[0] != "1 offers lack the price type Розничные г. Чита; they have Розничные. Their prices were "+
				"left as they are." {
			c.t.Errorf("the warnings are %q", messages)
		}

		if messages := c.warnings("products", "price_type_not_chosen"); len(messages) != 1 {
			c.t.Errorf("the warnings of a type that is not chosen are %q", messages)
		}

		variant := c.product("c").Text("data.variants.0.id")
		if r := c.Do("POST", "/v2/orders", `{"items": [{"variant_id": "`+variant+
			`", "quantity": 1}]}`); r.Status != 409 || !strings.Contains(string(r.Body), "not_for_sale") {
			c.t.Errorf("an order without a price answers %d %s", r.Status, r.Body)
		}

		c.exchange("offers.xml", typedPrices("руб", [3]string{"a", "-", "11"}, [3]string{"b", "20", "12"},
			[3]string{"c", "-", "-"}))
		c.wantPrices("a price stays without its type", "a", "10", "b", "20", "c", "null")
		c.exchange("offers.xml", typedPrices("руб", [3]string{"a", "", "11"}, [3]string{"b", "0,00", "12"}))
		c.wantPrices("an empty price and 0 take it away", "a", "null", "b", "null")
		c.settings(`{"zero_price": "free"}`)
		c.exchange("offers.xml", typedPrices("руб", [3]string{"a", "", "11"}, [3]string{"b", "0,00", "12"}))
		c.wantPrices("0 is free", "a", "null", "b", "0")
	})
}

// Prices and nothing else, as version 3 sends them.
func TestCommerceMLPrices_pricesInAFileOfTheirOwn(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.currency("RUB")
		c.settings(`{"price_type": "retail"}`)
		c.exchange("import.xml", goodsFile("true", good("a", "A", "")), "offers.xml",
			offersFile(offer("a", "A", "10", "")))
		c.exchange("prices.xml", offersFile(offer("a", "", "0", "")))
		c.wantPrices("0 in a file of prices", "a", "null")
		c.exchange("prices.xml", offersFile(offer("a", "", "7", "")))
		c.wantPrices("a price again", "a", "7")
	})
}

// A type that is chosen before the first exchange may be one that 1C does not have.
func TestCommerceMLPrices_theChosenTypeDoesNotCome(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.currency("RUB")
		c.settings(`{"price_type": "Акционная"}`)
		c.exchange("import.xml", goodsFile("true", good("a", "A", "")), "offers.xml",
			offersFile(offer("a", "A", "10", "")))
		c.exchange("prices.xml", offersFile(offer("a", "", "8", "")))
		c.wantPrices("a type that 1C does not have", "a", "null")

		if messages := c.warnings("products", "price_type_missing"); len(messages) != 1 ||
			!strings.HasPrefix(messages[0], "The chosen price type Акционная has not come from 1C. 1 offers have ") {
			c.t.Errorf("the warnings are %q", messages)
		}
	})
}

func TestCommerceMLPrices_foreignCurrencyIsLeftOut(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.currency("RUB")
		c.exchange("import.xml", goodsFile("true", good("a", "A", "")), "offers.xml",
			typedPrices("руб.", [3]string{"a", "400", "-"}))
		c.wantPrices("roubles", "a", "400")
		c.exchange("offers.xml", typedPrices("USD", [3]string{"a", "10", "-"}))
		c.wantPrices("dollars", "a", "400")
		if messages := c.warnings("products", "foreign_currency"); len(messages) != 1 ||
			messages[0] != "The price 10 of the offer Товар a (a) was left out: it is in USD, and the store has RUB." {
			c.t.Errorf("the warnings are %q", messages)
		}
	})
}

// A token that may push only prices gets no failure because of warnings about a file.
func TestCommerceMLPrices_warningsNeedNoScope(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.exchange("import.xml", goodsFile("true", good("a", "A", "")), "offers.xml",
			offersFile(offer("a", "A", "10", "")))
		_, c.password = c.NewKey(access.NewKey{Kind: access.ExchangeToken, Name: "1C", Scopes: []string{"prices"}})
		c.exchange("prices.xml", offersFile(offer("a", "", "7", "")))
		c.wantPrices("only prices", "a", "7")
	})
}

func TestCommerceMLPrices_settingsAreChecked(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		for body, field := range map[string]string{`{"zero_price": "cheap"}`: "commerceml.zero_price",
			`{"package_minutes": 0}`:    "commerceml.package_minutes",
			`{"package_minutes": 1441}`: "commerceml.package_minutes",
			`{"package_minutes": 1.5}`:  "commerceml.package_minutes",
			`{"package_minutes": "x"}`:  "commerceml.package_minutes"} {
			r := c.DoAdmin("PUT", "/api/store/settings", `{"commerceml": `+body+`}`)
			if r.Status != 422 || r.Text("errors.0.field") != field {
				c.t.Errorf("%s: %d %s, want 422 for %s", body, r.Status, r.Body, field)
			}
		}

		c.settings(`{"zero_price": "free", "package_minutes": 5}`)
		r := c.DoAdmin("GET", "/api/store/settings", nil)
		if r.Text("data.commerceml.zero_price") != "free" || r.Text("data.commerceml.package_minutes") != "5" {
			c.t.Errorf("the settings are %s", r.Body)
		}
	})
}

// Section 12, prices: each price type is a price list, with the prices of the offers. The same exchange again changes
// nothing. The API writes prices of lists under price_lists of a variant; pairs that are not listed stay.
func TestCommerceMLPrices_typesArePriceLists(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.currency("RUB")
		files := []string{"import.xml", goodsFile("true", good("a", "A", "")),
			"offers.xml", typedPrices("руб", [3]string{"a", "10", "11"})}
		c.exchange(files...)
		lists := c.Get("/v2/price-lists")
		if got := strings.Join(lists.Texts("data", "name"), ", "); got != "Розничные г. Чита, Розничные" {
			c.t.Fatalf("the price lists are %s", got)
		}
		c.wantListPrices(`"price_list_id":"all","from_quantity":1,"price":11}`,
			`"price_list_id":"chita","from_quantity":1,"price":10}`)

		c.exchange(files...)
		for _, run := range c.runs(2) {
			if !strings.Contains(run, " 0 0 ") {
				c.t.Errorf("the same exchange again is %s", run)
			}
		}

		product := c.product("a")
		path := "/v2/products/" + product.Text("data.id") + "/variants/" + product.Text("data.variants.0.id")
		id := lists.Texts("data", "id")[1]
		r := c.Do("PUT", path, `{"price_lists": [{"price_list_id": "`+id+`", "price": null},
			{"price_list_id": "`+id+`", "from_quantity": 10, "price": 9.5}]}`)
		if r.Status != 200 {
			c.t.Fatalf("the edit is %d %s", r.Status, r.Body)
		}
		c.wantListPrices(`"price_list_id":"all","from_quantity":10,"price":9.5}`,
			`"price_list_id":"chita","from_quantity":1,"price":10}`)

		for price, field := range map[string]string{
			`"` + id + `", "from_quantity": 0, "price": 1`:   "from_quantity",
			`"` + id + `", "from_quantity": 1e9, "price": 1`: "from_quantity",
			`"` + id + `"`: "price",
			`"` + product.Text("data.id") + `", "price": 1`: "price_list_id",
		} {
			r := c.Do("PUT", path, `{"price_lists": [{"price_list_id": `+price+`}]}`)
			if r.Status != 422 || r.Text("errors.0.field") != "price_lists[0]."+field {
				c.t.Errorf("%s is %d %s, want 422 at %s", price, r.Status, r.Body, field)
			}
		}
	})
}

// wantListPrices compares the prices in price lists of the gate's export. Each wanted text is the end of an exported
// line, beginning with its member price_list_id.
func (c *oneC) wantListPrices(want ...string) {
	c.t.Helper()
	r := c.Get("/v2/sync-gate/prices", apitest.As(c.Exchange))
	var got []string
	for line := range strings.Lines(string(r.Body)) {
		if _, price, found := strings.Cut(strings.TrimSpace(line), `,"price_list_id"`); found {
			got = append(got, `"price_list_id"`+price)
		}
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		c.t.Errorf("the prices in lists are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
