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
		`price-lists {"id":"t2","name":"Оптовая"}`,
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
