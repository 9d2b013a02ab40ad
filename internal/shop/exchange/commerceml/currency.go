package commerceml

import "strings"

// currencyNames has the ISO 4217 codes of currencies by what 1C calls them, in lower case, without dots and spaces:
// names, signs, codes that were replaced, and the numeric codes of OKV. The letter ё is written as е.
var currencyNames = map[string]string{
	"руб": "RUB", "р": "RUB", "рубль": "RUB", "рубли": "RUB", "рублей": "RUB", "росруб": "RUB", "рубрф": "RUB",
	"российскийрубль": "RUB", "российскиерубли": "RUB", "₽": "RUB", "rur": "RUB", "rub": "RUB", "643": "RUB",
	"810": "RUB",

	"белруб": "BYN", "белорусскийрубль": "BYN", "белорусскиерубли": "BYN", "рубрб": "BYN", "br": "BYN", "byr": "BYN",
	"byb": "BYN", "933": "BYN", "974": "BYN", "112": "BYN",

	"тг": "KZT", "тнг": "KZT", "тенге": "KZT", "₸": "KZT", "398": "KZT",
	"грн": "UAH", "гривна": "UAH", "гривны": "UAH", "гривень": "UAH", "₴": "UAH", "980": "UAH",
	"сом": "KGS", "сомов": "KGS", "417": "KGS",
	"сум": "UZS", "сумов": "UZS", "860": "UZS",
	"сомони": "TJS", "972": "TJS",
	"драм": "AMD", "драмов": "AMD", "֏": "AMD", "051": "AMD", "51": "AMD",
	"лари": "GEL", "₾": "GEL", "981": "GEL",
	"манат": "AZN", "азнманат": "AZN", "₼": "AZN", "944": "AZN",
	"тмт": "TMT", "туркменскийманат": "TMT", "934": "TMT",
	"лей": "MDL", "леи": "MDL", "молдавскийлей": "MDL", "498": "MDL",
	"тугрик": "MNT", "₮": "MNT", "496": "MNT",

	"$": "USD", "долл": "USD", "доллар": "USD", "доллары": "USD", "долларов": "USD", "доллсша": "USD",
	"долларсша": "USD", "us$": "USD", "840": "USD",
	"€": "EUR", "евро": "EUR", "978": "EUR",
	"£": "GBP", "фунт": "GBP", "фунтстерлингов": "GBP", "826": "GBP",
	"¥": "CNY", "юань": "CNY", "юаней": "CNY", "китайскийюань": "CNY", "rmb": "CNY", "156": "CNY",
	"йена": "JPY", "иена": "JPY", "392": "JPY",
	"швфранк": "CHF", "швейцарскийфранк": "CHF", "756": "CHF",
	"злотый": "PLN", "злот": "PLN", "985": "PLN",
	"лира": "TRY", "турецкаялира": "TRY", "₺": "TRY", "949": "TRY",
	"дирхам": "AED", "784": "AED",
	"вона": "KRW", "₩": "KRW", "410": "KRW",
	"рупия": "INR", "₹": "INR", "356": "INR",
	"крона": "CZK", "203": "CZK",
}

// currencyCode returns the ISO 4217 code of a currency as 1C writes it, or "" for an empty text. A name that is not
// known is returned in upper case: it is no code of a store.
func currencyCode(text string) string {
	key := strings.Map(func(r rune) rune {
		switch r {
		case '.', ' ', '\u00a0', '\t', '\n', '\r':
			return -1
		case 'ё':
			return 'е'
		}
		return r
	}, strings.ToLower(text))
	if code, known := currencyNames[key]; known {
		return code
	}
	return strings.ToUpper(key)
}
