package commerceml_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/shop/catalog/pricelist"
	"vitrine/internal/shop/exchange/commerceml"
)

var withLists = commerceml.Options{Currency: "RUB", PriceLists: true}

var retailAndTrade = [][3]string{{"t1", "Розничная", "руб"}, {"t2", "Оптовая", ""}, {"t3", "Экспорт", "USD"}}

// Section 12, prices: each price type becomes a price list, with its currency, and the prices of an offer are prices in
// it, by МинКоличество. The rules of the base price stay.
func TestConvertPrice_typesArePriceLists(t *testing.T) {
	lists := []string{
		`price-lists {"id":"t1","name":"Розничная","currency":"RUB"}`,
		`price-lists {"id":"t2","name":"Оптовая","currency":"RUB"}`,
		`price-lists {"id":"t3","name":"Экспорт","currency":"USD"}`,
	}
	prices := []string{
		priceOf("t1", "10", ""), priceOf("t2", "9", ""),
		priceOf("t2", "8,5", `<МинКоличество>10</МинКоличество>`),
		priceOf("t2", "8", `<МинКоличество>12,5</МинКоличество>`), priceOf("t3", "0", ""), priceOf("unknown", "1", ""),
	}
	lines, _ := convert(t, withLists, nil, pricedFile(retailAndTrade, pricedOffer("p", prices...)))
	wantLines(t, keepLines(lines, "price"), append(lists,
		`prices {"variant_id":"p","product_id":"p","price":10}`,
		`prices {"variant_id":"p","product_id":"p","price_list_id":"t1","from_quantity":1,"price":10}`,
		`prices {"variant_id":"p","product_id":"p","price_list_id":"t2","from_quantity":1,"price":9}`,
		`prices {"variant_id":"p","product_id":"p","price_list_id":"t2","from_quantity":10,"price":8.5}`,
		`prices {"variant_id":"p","product_id":"p","price_list_id":"t2","from_quantity":12.5,"price":8}`,
		`prices {"variant_id":"p","product_id":"p","price_list_id":"t3","from_quantity":1,"price":null}`)...)

	lines, _ = convert(t, withLists, nil, pricedFile(retailAndTrade, `<Предложение><Ид>p</Ид><Наименование>Стол`+
		`</Наименование><Цены>`+priceOf("t1", "10", "")+priceOf("t2", "9", "")+`</Цены></Предложение>`))
	wantLines(t, keepLines(lines, "products offers"),
		`products offers {"id":"p","name":"Стол","variants":[{"id":"p","price":10,"prices":[`+
			`{"price_list_id":"t1","from_quantity":1,"price":10},`+
			`{"price_list_id":"t2","from_quantity":1,"price":9}]}]}`)
}

// keepLines returns the lines that begin with a text and have no warnings.
func keepLines(lines []string, begin string) (kept []string) {
	for _, line := range lines {
		if strings.HasPrefix(line, begin) {
			kept = append(kept, line)
		}
	}
	return kept
}

// A token that may not push price lists imports as before.
func TestConvertPrice_withoutPriceListsOtherTypesAreNotKept(t *testing.T) {
	options := commerceml.Options{Currency: "RUB"}
	lines, _ := convert(t, options, nil, pricedFile(retailAndTrade,
		pricedOffer("p", priceOf("t1", "10", ""), priceOf("t2", "9", ""))))
	wantLines(t, keepLines(lines, "price"), `prices {"variant_id":"p","product_id":"p","price":10}`)
}

// Section 12, prices: nonsense in a price of a list is a warning that names the offer and the type, and nothing else is
// lost.
func TestConvertPrice_nonsenseInListsIsAWarning(t *testing.T) {
	file := func(price string) string {
		return pricedFile(retailAndTrade, pricedOffer("p", priceOf("t1", "10", ""), priceOf("t2", "9", ""), price))
	}
	for code, price := range map[string]string{
		"invalid_price":    priceOf("t2", "много", `<МинКоличество>2</МинКоличество>`),
		"foreign_currency": priceOf("t2", "5", `<Валюта>USD</Валюта><МинКоличество>2</МинКоличество>`),
		"several_prices":   priceOf("t2", "7", ""),
		"invalid_quantity": priceOf("t2", "9", `<МинКоличество>1000000000</МинКоличество>`),
	} {
		warnings := warningsOf(t, withLists, &commerceml.Memory{}, file(price), code)
		if len(warnings) != 1 || !strings.Contains(warnings[0], "p") {
			t.Errorf("%s: the warnings are %q", code, warnings)
		}
		lines, _ := convert(t, withLists, nil, file(price))
		if n := len(keepLines(lines, `prices {"variant_id":"p","product_id":"p","price":10}`)); n != 1 {
			t.Errorf("%s: the base price is lost: %v", code, lines)
		}
	}

	odd := append(retailAndTrade, [3]string{"t4", "Внутренняя", "у.е."})
	offer := pricedOffer("p", priceOf("t1", "10", ""), priceOf("t4", "1", ""))
	warnings := warningsOf(t, withLists, &commerceml.Memory{}, pricedFile(odd, offer), "unknown_currency")
	if len(warnings) != 1 || !strings.Contains(warnings[0], "Внутренняя") {
		t.Errorf("the warnings are %q", warnings)
	}
}

// A price type past the number of lists of a store is a warning with its name. A name of 8 MiB is shortened.
func TestConvertPrice_typesPastTheLimitAreWarnings(t *testing.T) {
	types := [][3]string{{"t0", "Розничная " + strings.Repeat("x", 8<<20-300), "руб"}}
	for i := range pricelist.MaxLists {
		types = append(types, [3]string{fmt.Sprintf("t%d", i+1), fmt.Sprintf("Тип %d", i+1), ""})
	}
	offer := pricedOffer("p", priceOf("t0", "10", ""), priceOf("t1", "9", ""), priceOf("t100", "8", ""))
	lines, _ := convert(t, withLists, nil, pricedFile(types, offer))
	if n := len(keepLines(lines, "price-lists")); n != pricelist.MaxLists {
		t.Errorf("%d price lists, want %d", n, pricelist.MaxLists)
	}
	if n := len(keepLines(lines, "prices")); n != 3 {
		t.Errorf("%d prices, want 3: base, t0 and t1", n)
	}

	warnings := warningsOf(t, withLists, &commerceml.Memory{}, pricedFile(types, offer), "too_many_price_lists")
	if len(warnings) != 1 || !strings.Contains(warnings[0], "Тип 100") {
		t.Errorf("the warnings are %q", warnings)
	}
}

// minimum returns МинКоличество.
func minimum(quantity string) string {
	return `<МинКоличество>` + quantity + `</МинКоличество>`
}

// A price whose МинКоличество is nonsense is left out with a warning that names the offer, of the base type and of
// others, in any order. The good price of the offer stays: what is left out must not stand for 1.
func TestConvertPrice_nonsenseMinimumDoesNotReplaceThePriceForOne(t *testing.T) {
	for _, quantity := range []string{"много", "-5", "0", "1000000000", "0,0001"} {
		for _, typeID := range []string{"t1", "t2"} {
			for _, sound := range []string{"", minimum("1")} {
				good, bad := priceOf(typeID, "10", sound), priceOf(typeID, "3", minimum(quantity))
				for _, prices := range [][]string{{good, bad}, {bad, good}} {
					file := pricedFile(retailAndTrade, pricedOffer("p", prices...))
					lines, _ := convert(t, withLists, nil, file)
					for _, line := range lines {
						if strings.Contains(line, `"price":3`) {
							t.Errorf("МинКоличество %s of %s: %s", quantity, typeID, line)
						}
					}
					if typeID == "t1" && !strings.HasPrefix(keepLines(lines, "prices")[0],
						`prices {"variant_id":"p","product_id":"p","price":10}`) {
						t.Errorf("МинКоличество %s of the base type: %v", quantity, lines)
					}

					warnings := warningsOf(t, withLists, &commerceml.Memory{}, file, "invalid_quantity")
					if len(warnings) != 1 || !strings.Contains(warnings[0], "of the offer p") {
						t.Errorf("МинКоличество %s of %s: the warnings are %q", quantity, typeID, warnings)
					}
				}
			}
		}
	}

	// 0 alone is how some configurations write that there is no least quantity.
	zero := pricedOffer("p", priceOf("t2", "9", minimum("0")))
	lines, _ := convert(t, withLists, nil, pricedFile(retailAndTrade, zero))
	if n := len(keepLines(lines,
		`prices {"variant_id":"p","product_id":"p","price_list_id":"t2","from_quantity":1,"price":9}`)); n != 1 {
		t.Errorf("0 alone: %v", lines)
	}
}

// One number that is too large for the gate is left out alone, with a warning: the gate would refuse all offers of the
// good with it.
func TestConvertPrice_numbersTooLargeAreLeftOutAlone(t *testing.T) {
	const price, quantity = "1000000000000", "1000000000" // one digit more than money.MoneyDigits and QuantityDigits
	file := pricedFile(retailAndTrade, `<Предложение><Ид>p#1</Ид><Наименование>Стол</Наименование><Цены>`+
		priceOf("t1", price, "")+priceOf("t2", "9", "")+`</Цены><Склад ИдСклада="w" КоличествоНаСкладе="3"/>`+
		`<Склад ИдСклада="v" КоличествоНаСкладе="`+quantity+`"/></Предложение>`,
		`<Предложение><Ид>p#2</Ид><Наименование>Стол</Наименование><Цены>`+priceOf("t1", "10", "")+
			priceOf("t2", price, "")+`</Цены><Количество>`+quantity+`</Количество></Предложение>`)
	options := withLists
	options.HasQuantities = func() (bool, error) { return true, nil }
	lines, _ := convert(t, options, nil, file)
	text := strings.Join(lines, "\n")
	if strings.Contains(text, price) || strings.Contains(text, quantity) {
		t.Errorf("a number that is too large is in an item: %s", text)
	}
	for _, want := range []string{`"price_list_id":"t2","from_quantity":1,"price":9}`, `"price":10,"prices":[`,
		`"remainders":[{"stock_id":"w","quantity":3}]`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is lost: %s", want, text)
		}
	}

	for code, n := range map[string]int{"invalid_price": 2, "invalid_quantity": 2} {
		if got := warningsOf(t, options, &commerceml.Memory{}, file, code); len(got) != n {
			t.Errorf("%s: the warnings are %q, want %d", code, got, n)
		}
	}
}

// Of several prices for one quantity the last one counts, with a warning, also for the steps of the base type.
func TestConvertPrice_severalPricesOfAStepOfTheBaseTypeAreAWarning(t *testing.T) {
	for name, c := range map[string]struct {
		prices []string
		want   int
	}{
		"a step twice": {[]string{priceOf("t1", "10", minimum("1")), priceOf("t1", "9", minimum("10")),
			priceOf("t1", "8", minimum("10"))}, 1},
		"the base twice":           {[]string{priceOf("t1", "10", ""), priceOf("t1", "9", minimum("1"))}, 1},
		"twice the same":           {[]string{priceOf("t1", "10", ""), priceOf("t1", "10", "")}, 0},
		"different steps are fine": {[]string{priceOf("t1", "10", ""), priceOf("t1", "9", minimum("10"))}, 0},
	} {
		file := pricedFile(retailAndTrade, pricedOffer("p", c.prices...))
		got := warningsOf(t, withLists, &commerceml.Memory{}, file, "several_prices")

		if len(got) != c.want || c.want == 1 && !strings.Contains(got[0], "Розничная") {
			t.Errorf("%s: the warnings are %q, want %d", name, got, c.want)
		}
	}
}

// Each item says that its prices in lists are all of 1C, unless one was left out. A file of prices says it once of each
// list, with all steps.
func TestConvertPrice_saysWhichPricesAreComplete(t *testing.T) {
	complete := func(offers ...string) (list []string) {
		to := target(new([]string))
		to.Item = func(it commerceml.Item) error {
			if strings.Contains(string(it.JSON), "price_list_id") {
				list = append(list, fmt.Sprint(it.CompletePrices, it.ListedSteps))
			}
			return nil
		}
		file := document(pricedFile(retailAndTrade, offers...))
		_, err := commerceml.Convert(strings.NewReader(file), withLists, &commerceml.Memory{}, to)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}

	bad := priceOf("t2", "5", minimum("много"))
	steps := priceOf("t2", "9", "") + priceOf("t2", "8", minimum("10"))
	wantLines(t, complete(pricedOffer("p", priceOf("t1", "10", ""), steps), pricedOffer("q", steps, bad)),
		"true [1000]", "true [1000 10000]", "false []", "false []", "false []")

	named := func(id, prices string) string {
		return `<Предложение><Ид>` + id + `</Ид><Наименование>Стол</Наименование><Цены>` + prices +
			`</Цены></Предложение>`
	}
	wantLines(t, complete(named("p#1", steps), named("p#2", ""), named("p#3", steps+bad), named("p#4", steps)),
		"true []", "false []", "true []")
}

// The lists of a store go to the types that 1C has. Types that have not come for long are forgotten when there is no
// room for new ones, and never before those that came later.
func TestConvertPrice_typesThatDoNotComeAnyMoreTakeNoList(t *testing.T) {
	memory := &commerceml.Memory{}
	typesOf := func(prefix string, n int) (types [][3]string) {
		for i := range n {
			types = append(types, [3]string{fmt.Sprintf("%s%d", prefix, i), prefix, "руб"})
		}
		return types
	}
	convert(t, withLists, memory, pricedFile(typesOf("dead", pricelist.MaxLists)))

	offer := pricedOffer("p", priceOf("live0", "10", ""), priceOf("live1", "9", ""))
	lines, _ := convert(t, withLists, memory, pricedFile(typesOf("live", 2), offer))
	if lists := len(keepLines(lines, "price-lists")); lists != 2 || len(keepLines(lines, "prices")) != 2 {
		t.Errorf("%d lists, and %v; want 2 lists with a price each", lists, keepLines(lines, "prices"))
	}
	lines, _ = convert(t, withLists, memory,
		`<ПакетПредложений><Предложения>`+offer+`</Предложения></ПакетПредложений>`)
	if n := len(keepLines(lines, "prices")); n != 2 {
		t.Errorf("a portion without types has %d prices in lists, want 2", n)
	}

	convert(t, withLists, memory, pricedFile(typesOf("dead", 1))) // it is alive
	for i := range 3 {
		file := pricedFile(typesOf(fmt.Sprintf("new%d_", i), 60))
		if got := warningsOf(t, withLists, memory, file, "too_many_price_types"); got != nil {
			t.Errorf("new types: %q", got)
		}
	}

	known := map[string]bool{}
	for _, of := range memory.PriceTypes {
		known[of.ID] = true
	}
	if !known["live0"] || !known["live1"] || !known["dead0"] || known["dead1"] || !known["new2_59"] {
		t.Errorf("the types that are remembered are %v", memory.PriceTypes)
	}
	if first := memory.PriceTypes[0].ID; first != "dead0" {
		t.Errorf("the first type is %s, want dead0, which keeps its place", first)
	}
}

// A type that came with a currency keeps it when a later file, such as one with prices alone, does not name it.
func TestConvertPrice_theCurrencyOfATypeIsRemembered(t *testing.T) {
	memory := &commerceml.Memory{}
	convert(t, withLists, memory, pricedFile(retailAndTrade))
	lines, _ := convert(t, withLists, memory, pricedFile([][3]string{{"t3", "Экспорт", ""}},
		pricedOffer("p", priceOf("t3", "10", ""))))
	wantLines(t, keepLines(lines, "price-lists"), `price-lists {"id":"t3","name":"Экспорт","currency":"USD"}`)
}
