package frame

import (
	"testing"
	"time"

	"golang.org/x/text/language"

	"vitrine/internal/shop/money"
)

func testLanguage(tag string) *Language {
	for _, c := range loadLanguages() {
		if c.tag == language.MustParse(tag) {
			return c.forPart("frame")
		}
	}
	panic("no language " + tag)
}

func TestLanguage_formatsNumbersAmountsAndDurations(t *testing.T) {
	english, russian := testLanguage("en"), testLanguage("ru")
	noon := time.Date(2026, 5, 9, 12, 0, 0, 0, time.UTC)

	for _, c := range []struct{ got, want string }{
		{english.Number(0), "0"}, {english.Number(int64(-999)), "-999"}, {english.Number(-1000), "-1,000"},
		{english.Number(uint8(7)), "7"}, {english.Number(1048576), "1,048,576"},
		{russian.Number(1048576), "1\u00a0048\u00a0576"},
		{english.Money(money.Money(12345000), "EUR"), "€1,234.50"},
		{english.Money(money.Money(-12345000), "USD"), "−$1,234.50"},
		{english.Money(money.Money(50000), "CHF"), "CHF\u00a05"},
		{english.Money(money.Money(5), "XTS"), "XTS\u00a00.0005"},
		{russian.Money(money.Money(12340000), "RUB"), "1\u00a0234\u00a0₽"},
		{russian.Money(money.Money(-12345000), "RUB"), "−1\u00a0234,50\u00a0₽"},
		{english.Decimal(1500), "1.5"}, {russian.Decimal(1500), "1,5"}, {english.Decimal(2000), "2"},
		{english.Duration(-time.Second), "0 ms"}, {english.Duration(41 * time.Millisecond), "41 ms"},
		{english.Duration(9990 * time.Millisecond), "9.9 s"}, {russian.Duration(9990 * time.Millisecond), "9,9 с"},
		{english.Duration(59999 * time.Millisecond), "59 s"}, {english.Duration(754 * time.Second), "12 min 34 s"},
		{english.Duration(time.Hour + 3*time.Minute + 59*time.Second), "1 h 03 min"},
		{russian.date(time.Date(2026, 5, 9, 0, 0, 0, 0, time.UTC)), "9 мая 2026"},
		{english.date(time.Date(2026, 5, 9, 0, 0, 0, 0, time.UTC)), "9 May 2026"},
		{english.shortDate(noon, noon.Add(-12*time.Hour)), "12:00"},
		{english.shortDate(noon, noon.AddDate(0, 0, 1)), "9 May"},
		{russian.shortDate(noon, noon.AddDate(0, 0, 1)), "9 мая"},
		{english.shortDate(noon, noon.AddDate(1, 0, 0)), "9 May 2026"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestLanguage_choosesThePluralForm(t *testing.T) {
	russian := testLanguage("ru")
	russian.texts = map[string]translation{}
	var m translation
	if err := m.UnmarshalJSON([]byte(`{"one": "%d заказ", "few": "%d заказа", "many": "%d заказов", ` +
		`"other": "%d заказа"}`)); err != nil {
		t.Fatal(err)
	}

	russian.texts["%d order"] = m

	for n, want := range map[int]string{1: "1 заказ", 2: "2 заказа", 5: "5 заказов", 11: "11 заказов", 21: "21 заказ",
		1001: "1\u00a0001 заказ"} {
		if got := russian.Plural(n, "%d order", "%d orders"); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}

	english := testLanguage("en")
	if got := english.Plural(1, "%d order of %s", "%d orders of %s", "Ann"); got != "1 order of Ann" {
		t.Errorf("got %q", got)
	}
	if got := english.Plural(2000, "%d order", "%d orders"); got != "2,000 orders" {
		t.Errorf("got %q", got)
	}
	if err := m.UnmarshalJSON([]byte(`{"several": "x"}`)); err == nil {
		t.Error("a plural form that CLDR does not have was accepted")
	}
}
