package frame

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"

	"vitrine/internal/api/wording"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

//go:embed messages
var embeddedMessages embed.FS

// languageCookie has the language that the operator has chosen. Without it the browser's languages decide.
const languageCookie = "__Host-vitrine-language"

// Languages returns the tags of the languages of the pages. English is the first: its texts are the keys of the others.
func Languages() []string { return wording.Languages() }

// catalogue has the texts of one language by the name of the part.
type catalogue struct {
	tag    language.Tag
	parts  map[string]map[string]translation
	faults *wording.Faults
}

// translation is a text by its plural form.
type translation = wording.Text

// loadLanguages returns the texts of all languages. It reads them once, and they never change.
var loadLanguages = sync.OnceValue(readLanguages)

// readLanguages reads messages/LANGUAGE/PART.json of all languages. English has none.
func readLanguages() (all []*catalogue) {
	for _, tag := range Languages() {
		c := &catalogue{tag: language.MustParse(tag), parts: map[string]map[string]translation{}}
		files, _ := fs.Glob(embeddedMessages, "messages/"+tag+"/*.json")
		for _, file := range files {
			var texts map[string]translation
			if err := json.Unmarshal(mustBuiltIn(embeddedMessages.ReadFile(file)), &texts); err != nil {
				panic("frame: " + file + ": " + err.Error())
			}
			c.parts[strings.TrimSuffix(path.Base(file), ".json")] = texts
		}
		c.faults = wording.OnPages(tag)
		all = append(all, c)
	}
	return all
}

// languageIndex returns the index of the language for a request: the chosen one, or the best for the browser.
func (f *Frame) languageIndex(r *http.Request) int {
	if c, err := r.Cookie(languageCookie); err == nil {
		if i := slices.Index(Languages(), c.Value); i >= 0 {
			return i
		}
	}

	accepted, _, err := language.ParseAcceptLanguage(r.Header.Get("Accept-Language"))
	if err != nil {
		return 0
	}

	for _, tag := range accepted {
		base, _ := tag.Base()
		if i := slices.Index(Languages(), base.String()); i >= 0 {
			return i
		}
	}

	return 0
}

// SetLanguage makes the browser ask for pages in a language. An unknown tag removes the choice.
func SetLanguage(w http.ResponseWriter, tag string) {
	c := &http.Cookie{Name: languageCookie, Value: tag, Path: "/", Secure: true, HttpOnly: true,
		SameSite: http.SameSiteLaxMode, MaxAge: 365 * 24 * 60 * 60}
	if !slices.Contains(Languages(), tag) {
		c.Value = ""
		c.MaxAge = -1
	}
	http.SetCookie(w, c)
}

// Language has the texts of one part in one language, and formats numbers and dates.
type Language struct {
	tag          language.Tag
	texts, other map[string]translation // the texts of the part, and of all parts
	faults       *wording.Faults
}

func (c *catalogue) forPart(part string) *Language {
	return &Language{tag: c.tag, texts: c.parts[part], other: c.parts["shared"], faults: c.faults}
}

// Tag returns the BCP 47 tag of the language.
func (l *Language) Tag() string { return l.tag.String() }

// T returns an English text in the language, with the values in place of its verbs, as in fmt.Sprintf. A text that is
// not translated stays English.
func (l *Language) T(english string, values ...any) string {
	format := english
	if m, ok := l.find(english); ok {
		format = m[plural.Other]
	}
	if len(values) == 0 {
		return format
	}
	return fmt.Sprintf(format, values...)
}

// Of returns an English word as it is said of something: "New" of an order, of several orders or of an inquiry can
// differ. The key of the text is "New (order)". English has the same word for all.
func (l *Language) Of(what, english string) string {
	if m, ok := l.find(english + " (" + what + ")"); ok {
		return m[plural.Other]
	}
	return english
}

// Plural returns the text for a count. English has two forms; the other languages have the forms of CLDR under the
// first of them. The count, formatted, is the first value of the text.
func (l *Language) Plural(count any, one, other string, values ...any) string {
	n := integer(count)
	format := other
	if n == 1 {
		format = one
	}
	if m, ok := l.find(one); ok {
		form := plural.Cardinal.MatchPlural(l.tag, int(n), 0, 0, 0, 0)
		format = cmp.Or(m[form], m[plural.Other])
	}
	return fmt.Sprintf(strings.Replace(format, "%d", "%s", 1), append([]any{l.Number(n)}, values...)...)
}

func (l *Language) find(english string) (translation, bool) {
	if m, ok := l.texts[english]; ok {
		return m, true
	}
	m, ok := l.other[english]
	return m, ok
}

// integer returns the value of any integer of a template.
func integer(v any) int64 {
	n, _ := strconv.ParseInt(fmt.Sprintf("%d", v), 10, 64)
	return n
}

// Number formats an integer of any type, with its thousands separated.
func (l *Language) Number(v any) string {
	n := integer(v)
	return l.grouped(strconv.FormatInt(n, 10))
}

// Money formats an amount with its currency, which English writes first: $166.60, CHF 166.60. The fraction has two
// digits unless it needs more.
func (l *Language) Money(amount money.Money, currency string) string {
	number := l.fixed(int64(amount), money.MoneyDecimals, 2)
	symbol := currencySymbol(currency)
	if l.Tag() == "ru" {
		return number + "\u00a0" + symbol
	}

	if last := symbol[len(symbol)-1]; 'A' <= last && last <= 'z' { // a code, not a sign
		symbol += "\u00a0"
	}
	if number, negative := strings.CutPrefix(number, minus); negative {
		return minus + symbol + number
	}

	return symbol + number
}

// minus is the sign of negative numbers.
const minus = "−"

// Price formats a price with its currency, or says that the variant is not for sale.
func (l *Language) Price(p money.Price, currency string) string {
	amount, ok := p.Amount()
	if !ok {
		return l.T("Not for sale")
	}
	return l.Money(amount, currency)
}

// DecimalComma reports whether the language has a comma where English has a decimal point.
func (l *Language) DecimalComma() bool { return strings.Contains(l.Decimal(500), ",") }

// Decimal formats a quantity of goods.
func (l *Language) Decimal(quantity money.Quantity) string {
	return l.fixed(int64(quantity), money.QuantityDecimals, 0)
}

// fixed formats a number of units of 10^-decimals with at least the given number of decimals.
func (l *Language) fixed(units int64, decimals, least int) string {
	sign := ""
	if units < 0 {
		sign = minus
		units = -units
	}

	digits := fmt.Sprintf("%0*d", decimals+1, units)
	whole := digits[:len(digits)-decimals]
	fraction := digits[len(digits)-decimals:]
	for len(fraction) > least && fraction[len(fraction)-1] == '0' {
		fraction = fraction[:len(fraction)-1]
	}

	if strings.Trim(fraction, "0") == "" {
		fraction = ""
	}

	text := sign + l.grouped(whole)
	if fraction == "" {
		return text
	}
	if l.Tag() == "ru" {
		return text + "," + fraction
	}

	return text + "." + fraction
}

// grouped separates the thousands of digits.
func (l *Language) grouped(digits string) string {
	separator := ","
	if l.Tag() == "ru" {
		separator = "\u00a0"
	}
	first := 0
	if strings.HasPrefix(digits, "-") {
		first = 1
	}
	for i := len(digits) - 3; i > first; i -= 3 {
		digits = digits[:i] + separator + digits[i:]
	}
	return digits
}

// currencySymbol returns the usual symbol of a currency, or its code.
func currencySymbol(code string) string {
	return cmp.Or(map[string]string{"RUB": "₽", "EUR": "€", "USD": "$", "GBP": "£", "KZT": "₸", "UAH": "₴", "BYN": "Br",
		"JPY": "¥", "CNY": "CN¥", "TRY": "₺", "INR": "₹", "GEL": "₾", "AMD": "֏"}[code], code)
}

func (l *Language) timestamp(s store.Store, at, now time.Time) Timestamp {
	local := at.In(s.Zone())
	return Timestamp{ISO: local.Format(time.RFC3339), Text: l.date(local) + local.Format(", 15:04"),
		Short: l.shortDate(local, now.In(s.Zone()))}
}

// shortDate formats a local time as lists show it: the time of a moment of today, the day and the month of one of this
// year, else the date.
func (l *Language) shortDate(local, now time.Time) string {
	switch {
	case local.Year() != now.Year():
		return l.date(local)
	case local.YearDay() == now.YearDay():
		return local.Format("15:04")
	}
	return l.dayAndMonth(local)
}

// date formats the day of a local time.
func (l *Language) date(local time.Time) string { return l.dayAndMonth(local) + local.Format(" 2006") }

// dayAndMonth formats the day of a local time without its year.
func (l *Language) dayAndMonth(local time.Time) string {
	if l.Tag() != "ru" {
		return local.Format("2 Jan")
	}
	months := [...]string{"янв.", "февр.", "марта", "апр.", "мая", "июня", "июля", "авг.", "сент.", "окт.", "нояб.",
		"дек."}
	return fmt.Sprintf("%d %s", local.Day(), months[local.Month()-1])
}

// Duration formats a duration with one or two units, rounded down.
func (l *Language) Duration(d time.Duration) string {
	d = max(d, 0)
	switch {
	case d < time.Second:
		return l.T("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return l.T("%s s", strings.Replace(fmt.Sprintf("%.1f", d.Truncate(100*time.Millisecond).Seconds()), ".",
			l.T("."), 1))
	case d < time.Minute:
		return l.T("%s s", strconv.Itoa(int(d.Seconds())))
	case d < time.Hour:
		return l.T("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return l.T("%d h %02d min", int(d.Hours()), int(d.Minutes())%60)
}
