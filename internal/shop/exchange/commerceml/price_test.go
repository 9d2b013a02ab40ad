package commerceml_test

import (
	"strings"
	"testing"

	"vitrine/internal/shop/exchange/commerceml"
)

// pricedFile returns a packet of offers with price types: id, name, currency.
func pricedFile(types [][3]string, offers ...string) string {
	text := `<ПакетПредложений СодержитТолькоИзменения="false"><ТипыЦен>`
	for _, t := range types {
		text += `<ТипЦены><Ид>` + t[0] + `</Ид><Наименование>` + t[1] + `</Наименование>`
		if t[2] != "" {
			text += `<Валюта>` + t[2] + `</Валюта>`
		}
		text += `</ТипЦены>`
	}
	return text + `</ТипыЦен><Предложения>` + strings.Join(offers, "") + `</Предложения></ПакетПредложений>`
}

// pricedOffer returns an offer with the prices.
func pricedOffer(id string, prices ...string) string {
	return `<Предложение><Ид>` + id + `</Ид><Цены>` + strings.Join(prices, "") + `</Цены></Предложение>`
}

func priceOf(typeID, price, more string) string {
	return `<Цена><ИдТипаЦены>` + typeID + `</ИдТипаЦены><ЦенаЗаЕдиницу>` + price + `</ЦенаЗаЕдиницу>` + more +
		`</Цена>`
}

// warningsOf returns the messages of the warnings with a code.
func warningsOf(t *testing.T, options commerceml.Options, memory *commerceml.Memory, body,
	code string) (messages []string) {
	t.Helper()
	to := target(new([]string))
	to.Item = func(it commerceml.Item) error {
		for _, w := range it.Warnings {
			if w.Code == code {
				messages = append(messages, w.Message)
			}
		}
		return nil
	}
	if _, err := commerceml.Convert(strings.NewReader(document(body)), options, memory, to); err != nil {
		t.Fatal(err)
	}
	return messages
}

var retailOnly = [][3]string{{"t1", "Розничная", "руб"}}

func TestConvertPrice_emptyAndZeroAreNull(t *testing.T) {
	for text, want := range map[string][2]string{ // by default, and if zero is free
		"":       {"null", "null"},
		"0":      {"null", "0"},
		"0,00":   {"null", "0"},
		"0.0000": {"null", "0"},
		"0,01":   {"0.01", "0.01"},
	} {
		for i, free := range []bool{false, true} {
			lines, _ := convert(t, commerceml.Options{Currency: "RUB", ZeroIsFree: free}, nil,
				pricedFile(retailOnly, pricedOffer("p", priceOf("t1", text, ""))))
			wantLines(t, lines, `prices {"variant_id":"p","product_id":"p","price":`+want[i]+`}`)
		}
	}

	lines, _ := convert(t, commerceml.Options{Currency: "RUB"}, nil, pricedFile(retailOnly,
		`<Предложение><Ид>p</Ид><Наименование>Стол</Наименование><Цены>`+priceOf("t1", "", "")+`</Цены></Предложение>`))
	wantLines(t, lines, `products offers {"id":"p","name":"Стол","variants":[{"id":"p","price":null}]}`)
}

// Two types, and most offers have only the second.
func TestConvertPrice_offersThatLackTheBaseTypeAreCounted(t *testing.T) {
	types := [][3]string{{"t1", "Розничные г. Чита", "руб"}, {"t2", "Розничные", "руб"}, {"t3", "Опт", "руб"}}
	file := pricedFile(types, pricedOffer("p", priceOf("t1", "5", "")), pricedOffer("q", priceOf("t2", "6", "")),
		pricedOffer("r", priceOf("t3", "7", ""), priceOf("t2", "7", "")), `<Предложение><Ид>s</Ид></Предложение>`)
	lines, _ := convert(t, commerceml.Options{Currency: "RUB"}, nil, file)
	wantLines(t, lines, `prices {"variant_id":"p","product_id":"p","price":5}`,
		`products seen {"id":"q"} !price_type_not_chosen !price_type_missing`)

	for setting, want := range map[string]string{
		"": "2 offers lack the price type Розничные г. Чита; they have Розничные, " +
			"Опт. Their prices were left as they are.",
		"t1": "2 offers lack the price type Розничные г. Чита; they have Розничные, " +
			"Опт. Their prices were left as they are.",
		"Чужая": "The chosen price type Чужая has not come from 1C. 3 offers have Розничные, Опт, " +
			"Розничные г. Чита instead; their prices were left as they are.",
		"РОЗН2?": "The chosen price type РОЗН2? has not come from 1C. 3 offers have Розничные, Опт, " +
			"Розничные г. Чита instead; their prices were left as they are.",
	} {
		got := warningsOf(t, commerceml.Options{Currency: "RUB", PriceType: setting}, &commerceml.Memory{}, file,
			"price_type_missing")
		if len(got) != 1 || got[0] != want {
			t.Errorf("price_type %q: %q, want %q", setting, got, want)
		}
	}
}

func TestConvertPrice_severalTypesAndNoneChosen(t *testing.T) {
	file := pricedFile([][3]string{{"t1", "CLUB", ""}, {"t2", "Розничная", ""}},
		pricedOffer("p", priceOf("t1", "1", ""), priceOf("t2", "2", "")))
	got := warningsOf(t, commerceml.Options{}, &commerceml.Memory{}, file, "price_type_not_chosen")
	if len(got) != 1 || got[0] != "None of the price types of 1C (CLUB, "+
		"Розничная) is chosen in the settings of the exchange; Розничная was taken." {
		t.Errorf("none chosen: %q", got)
	}

	if got := warningsOf(t, commerceml.Options{PriceType: "t1"}, &commerceml.Memory{}, file,
		"price_type_not_chosen"); got != nil {
		t.Errorf("one chosen: %q", got)
	}

	if got := warningsOf(t, commerceml.Options{}, &commerceml.Memory{},
		pricedFile(retailOnly, pricedOffer("p", priceOf("t1", "1", ""))), "price_type_not_chosen"); got != nil {
		t.Errorf("one type: %q", got)
	}

	rests := pricedFile([][3]string{{"t1", "CLUB", ""}, {"t2", "Розничная", ""}},
		`<Предложение><Ид>p</Ид><Количество>1</Количество></Предложение>`)
	if got := warningsOf(t, commerceml.Options{}, &commerceml.Memory{}, rests, "price_type_not_chosen"); got != nil {
		t.Errorf("a file without prices: %q", got)
	}
}

func TestConvertPrice_baseType(t *testing.T) {
	for name, c := range map[string]struct {
		types [][3]string
		want  string
	}{
		"retail": {[][3]string{{"a", "5) Крупный Опт", "грн"}, {"b", "1) РОЗНИЦА", "грн"}},
			"b"},
		"retail in the store's currency": {[][3]string{{"a", "Розничная USD", "USD"}, {"b", "Розничная", "грн."}},
			"b"},
		"retail in another currency": {[][3]string{{"a", "Опт", "грн"}, {"b", "Розничная", "USD"}}, "b"},
		"the first in the store's": {[][3]string{{"a", "CLUB", "USD"}, {"b", "Базовая", "980"},
			{"c", "Опт", "uah"}}, "b"},
		"a type without a currency":       {[][3]string{{"a", "CLUB", "USD"}, {"b", "Базовая", ""}}, "b"},
		"none in the currency: the first": {[][3]string{{"a", "CLUB", "USD"}, {"b", "Базовая", "EUR"}}, "a"},
	} {
		memory := &commerceml.Memory{}
		convert(t, commerceml.Options{}, memory, pricedFile(c.types))
		if got, found := memory.BasePriceType("", "UAH"); !found || got.ID != c.want {
			t.Errorf("%s: %+v, want %s", name, got, c.want)
		}

		reversed := [][3]string{}
		for _, t := range c.types {
			reversed = append([][3]string{t}, reversed...)
		}

		convert(t, commerceml.Options{}, memory, pricedFile(reversed))
		if got, _ := memory.BasePriceType("", "UAH"); got.ID != c.want {
			t.Errorf("%s, after the order has changed: %+v, want %s", name, got, c.want)
		}
	}
}

// 1C's own sample: a wholesale type in USD first, retail in roubles second.
func TestConvertPrice_foreignCurrencyIsNeverTheBasePrice(t *testing.T) {
	types := [][3]string{{"t1", "Оптовая", "USD"}, {"t2", "Розничная", "руб"}}
	both := pricedOffer("p", priceOf("t1", "10", "<Валюта>USD</Валюта>"), priceOf("t2", "400", "<Валюта>руб</Валюта>"))
	lines, _ := convert(t, commerceml.Options{Currency: "RUB"}, nil, pricedFile(types, both))
	wantLines(t, lines, `prices {"variant_id":"p","product_id":"p","price":400}`,
		`products seen {"id":"p"} !price_type_not_chosen`)

	lines, _ = convert(t, commerceml.Options{Currency: "RUB", PriceType: "t1"}, nil, pricedFile(types, both))
	wantLines(t, lines, `products seen {"id":"p"} !foreign_currency`)
	got := warningsOf(t, commerceml.Options{Currency: "RUB", PriceType: "t1"}, &commerceml.Memory{}, pricedFile(types,
		`<Предложение><Ид>p</Ид><Наименование>Стол</Наименование><Цены>`+priceOf("t1", "10", "")+
			`</Цены></Предложение>`), "foreign_currency")
	if len(got) != 1 || got[0] != "The price 10 of the offer Стол (p) was left out: it is in USD, "+
		"and the store has RUB." {
		t.Errorf("the currency of the type: %q", got)
	}

	// The price's own currency counts before that of its type.
	lines, _ = convert(t, commerceml.Options{Currency: "RUB", PriceType: "t1"}, nil,
		pricedFile(types, pricedOffer("p", priceOf("t1", "10", "<Валюта>643</Валюта>"))))
	wantLines(t, lines, `prices {"variant_id":"p","product_id":"p","price":10}`)
}

func TestConvertPrice_namesOfCurrencies(t *testing.T) {
	for code, names := range map[string][]string{
		"RUB": {"руб", "руб.", "Руб", "р.", "RUR", "rub", "₽", "643", "810", "", "российский рубль"},
		"BYN": {"бел. руб.", "бел.руб", "BYR", "byn", "933"},
		"KZT": {"тг", "тг.", "KZT", "тенге", "₸", "398"},
		"UAH": {"грн", "грн.", "UAH", "980"},
		"USD": {"$", "долл", "долл.", "usd", "доллар США", "840"},
		"EUR": {"€", "евро", "Eur", "978"},
		"KGS": {"сом", "417"},
		"UZS": {"сум", "860"},
		"PLN": {"pln", "985"},
	} {
		for _, name := range names {
			lines, _ := convert(t, commerceml.Options{Currency: code}, nil,
				pricedFile([][3]string{{"t1", "Цена", name}}, pricedOffer("p", priceOf("t1", "10", ""))))
			wantLines(t, lines, `prices {"variant_id":"p","product_id":"p","price":10}`)

			if name == "" {
				continue
			}

			lines, _ = convert(t, commerceml.Options{Currency: "CHF"}, nil,
				pricedFile([][3]string{{"t1", "Цена", name}}, pricedOffer("p", priceOf("t1", "10", ""))))
			wantLines(t, lines, `products seen {"id":"p"} !foreign_currency`)
		}
	}

	lines, _ := convert(t, commerceml.Options{Currency: "RUB"}, nil,
		pricedFile([][3]string{{"t1", "Цена", "у.е."}}, pricedOffer("p", priceOf("t1", "10", ""))))
	wantLines(t, lines, `products seen {"id":"p"} !foreign_currency`)
}

func TestConvertPrice_ofSeveralTheLastCounts(t *testing.T) {
	for name, c := range map[string]struct {
		prices []string
		want   string
	}{
		"two of one type": {[]string{priceOf("t1", "27700", ""), priceOf("t1", "21900", "")},
			`price":21900} !several_prices`},
		"the same twice": {[]string{priceOf("t1", "5", ""), priceOf("t1", "5", "")}, `price":5}`},
		"steps": {[]string{priceOf("t1", "9", "<МинКоличество>10</МинКоличество>"),
			priceOf("t1", "10", "<МинКоличество>1</МинКоличество>")}, `price":10}`},
		"steps, the first twice": {[]string{priceOf("t1", "9", "<МинКоличество>10</МинКоличество>"),
			priceOf("t1", "10", ""), priceOf("t1", "11", "")}, `price":11} !several_prices`},
		"two steps of one quantity": {[]string{priceOf("t1", "9", "<МинКоличество>10</МинКоличество>"),
			priceOf("t1", "8", "<МинКоличество>10</МинКоличество>"), priceOf("t1", "10", "")}, `price":10}`},
		"the second is foreign": {[]string{priceOf("t1", "400", ""), priceOf("t1", "5", "<Валюта>USD</Валюта>")},
			`price":400} !foreign_currency`},
		"the second is not a number": {[]string{priceOf("t1", "400", ""), priceOf("t1", "договорная", "")},
			`price":400} !invalid_price`},
	} {
		lines, _ := convert(t, commerceml.Options{Currency: "RUB"}, nil,
			pricedFile(retailOnly, pricedOffer("p", c.prices...)))

		if len(lines) != 1 || lines[0] != `prices {"variant_id":"p","product_id":"p","`+c.want {
			t.Errorf("%s: %q, want %s", name, lines, c.want)
		}
	}
}

// The coefficient is that of the unit, not of the price.
func TestConvertPrice_ignoresTheCoefficient(t *testing.T) {
	for factor, warning := range map[string]string{"10": " !coefficient_ignored", "0,5": " !coefficient_ignored",
		"x": " !coefficient_ignored", "1": "", "1,000": "", "": ""} {
		lines, _ := convert(t, commerceml.Options{Currency: "RUB"}, nil,
			pricedFile(retailOnly,
				pricedOffer("p", priceOf("t1", "500", "<Единица>упак</Единица><Коэффициент>"+factor+"</Коэффициент>"))))
		wantLines(t, lines, `prices {"variant_id":"p","product_id":"p","price":500}`+warning)
	}
}

func TestConvert_groupsWithTheStatusDeleted(t *testing.T) {
	for _, group := range []string{`<Группа Статус="Удален"><Ид>g</Ид><Наименование>Обувь</Наименование></Группа>`,
		`<Группа><Ид>g</Ид><Наименование>Обувь</Наименование><Статус>Удалён</Статус></Группа>`} {
		lines, _ := convert(t, commerceml.Options{}, nil, `<Классификатор><Группы>`+group+`</Группы></Классификатор>`)
		wantLines(t, lines, `categories {"id":"g","name":"Обувь","parent_id":null} !deletion_ignored`)
	}
}

// The last price was taken, which may be that of wholesale.
func TestConvertPrice_severalTypesOfWhichNoneIsKnownLeaveThePrices(t *testing.T) {
	retail, trade := priceOf("t1", "100", ""), priceOf("t2", "80", "")

	packet := func(offers ...string) string {
		return `<ПакетПредложений><Предложения>` + strings.Join(offers, "") + `</Предложения></ПакетПредложений>`
	}
	for name, c := range map[string]struct {
		options commerceml.Options
		file    string
		want    []string
	}{
		"several": {commerceml.Options{}, packet(pricedOffer("p", retail, trade), pricedOffer("q", trade)),
			[]string{`products seen {"id":"p"} !price_type_not_chosen`}},
		"another later": {commerceml.Options{}, packet(pricedOffer("p", retail), pricedOffer("q", trade)),
			[]string{`prices {"variant_id":"p","product_id":"p","price":100}`,
				`products seen {"id":"p"} !price_type_not_chosen`}},
		"one": {commerceml.Options{}, packet(pricedOffer("p", retail), pricedOffer("q", retail)),
			[]string{`prices {"variant_id":"p","product_id":"p","price":100}`,
				`prices {"variant_id":"q","product_id":"q","price":100}`}},
		"chosen": {commerceml.Options{PriceType: "t1"}, packet(pricedOffer("p", retail, trade)),
			[]string{`prices {"variant_id":"p","product_id":"p","price":100}`}},
	} {
		t.Run(name, func(t *testing.T) {
			lines, _ := convert(t, c.options, nil, c.file)
			wantLines(t, lines, c.want...)
		})
	}
}
