package mailing

import (
	"cmp"
	"fmt"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"

	"vitrine/internal/kit/locale"
)

// words are what mails need in a language.
type words struct {
	tag, date, thousands, point string
	// unsubscribe stands before the link by which somebody who works in the shop ends mails of a kind.
	unsubscribe string
	// more says how many lines of an order are left out, by the plural form of the number.
	more      map[plural.Form]string
	templates map[Kind]Template
}

const noBreakSpace = "\u00a0"

// wordsByLanguage has the words of every language that a store can have.
var wordsByLanguage = map[string]words{
	"en": {tag: "en", unsubscribe: "Stop mails of this kind",
		date: "2 Jan 2006, 15:04", thousands: ",", point: ".", templates: englishTemplates,
		more: map[plural.Form]string{plural.One: "… and %d more line", plural.Other: "… and %d more lines"}},
	"ru": {tag: "ru", unsubscribe: "Больше не присылать такие письма",
		date: "02.01.2006, 15:04", thousands: noBreakSpace, point: ",", templates: russianTemplates,
		more: map[plural.Form]string{plural.One: "… и ещё %d строка", plural.Few: "… и ещё %d строки",
			plural.Many: "… и ещё %d строк", plural.Other: "… и ещё %d строки"}},
	"de": {tag: "de", unsubscribe: "Solche Mails abbestellen",
		date: "02.01.2006, 15:04 Uhr", thousands: ".", point: ",", templates: germanTemplates,
		more: map[plural.Form]string{plural.One: "… und %d weitere Position",
			plural.Other: "… und %d weitere Positionen"}},
	"es": {tag: "es", unsubscribe: "Dejar de recibir estos correos",
		date: "02/01/2006, 15:04", thousands: ".", point: ",", templates: spanishTemplates,
		more: map[plural.Form]string{plural.One: "… y %d línea más", plural.Other: "… y %d líneas más"}},
	"fr": {tag: "fr", unsubscribe: "Ne plus recevoir ces e-mails",
		date: "02/01/2006 à 15:04", thousands: "\u202f", point: ",", templates: frenchTemplates,
		more: map[plural.Form]string{plural.One: "… et %d autre ligne", plural.Other: "… et %d autres lignes"}},
	"uk": {tag: "uk", unsubscribe: "Більше не надсилати такі листи",
		date: "02.01.2006, 15:04", thousands: noBreakSpace, point: ",", templates: ukrainianTemplates,
		more: map[plural.Form]string{plural.One: "… і ще %d рядок", plural.Few: "… і ще %d рядки",
			plural.Many: "… і ще %d рядків", plural.Other: "… і ще %d рядка"}},
	"kk": {tag: "kk", unsubscribe: "Мұндай хаттарды енді жібермеу",
		date: "02.01.2006, 15:04", thousands: noBreakSpace, point: ",", templates: kazakhTemplates,
		more: map[plural.Form]string{plural.Other: "… және тағы %d жол"}},
}

// wordsOf returns the words of a language, or the English ones.
func wordsOf(l locale.Locale) words {
	if w, ok := wordsByLanguage[l.String()]; ok {
		return w
	}
	return wordsByLanguage["en"]
}

// moreLines says how many lines are left out.
func (w words) moreLines(n int) string {
	form := plural.Cardinal.MatchPlural(language.Make(w.tag), n, 0, 0, 0, 0)
	return fmt.Sprintf(cmp.Or(w.more[form], w.more[plural.Other]), n)
}

// DefaultTemplate returns the program's own template of a kind in a language.
func DefaultTemplate(kind Kind, l locale.Locale) Template { return wordsOf(l).templates[kind] }

// orderEnd is the end of all English mails about an order.
const orderEnd = `
{{lines}}

Total: {{total}}

Delivery address: {{address}}
Your order: {{order_page}}

{{shop}}
`

var englishTemplates = map[Kind]Template{
	OrderReceived: {"Your order {{number}}: {{shop}}", `Hello {{name}},

We have received your order {{number}} of {{date}}. We will write again when it is confirmed.
` + orderEnd},
	OrderConfirmed: {"Your order {{number}} is confirmed: {{shop}}", `Hello {{name}},

Your order {{number}} of {{date}} is confirmed.
` + orderEnd},
	OrderCompleted: {"Your order {{number}} is completed: {{shop}}", `Hello {{name}},

Your order {{number}} of {{date}} is completed. Thank you for your purchase.
` + orderEnd},
	OrderCancelled: {"Your order {{number}} is cancelled: {{shop}}", `Hello {{name}},

Your order {{number}} of {{date}} is cancelled. If you did not expect this, answer the shop.
` + orderEnd},
	NewOrder: {"New order {{number}}, {{total}}", `New order {{number}} of {{date}}

{{lines}}

Total: {{total}}

Name: {{name}}
Phone: {{phone}}
E-mail: {{email}}
Delivery address: {{address}}
About the delivery: {{delivery_comment}}
Comment: {{comment}}

{{administration}}
`},
	NewInquiry: {"New inquiry: {{name}}", `New inquiry of {{date}}

Name: {{name}}
Phone: {{phone}}
E-mail: {{email}}
When to call: {{preferred_time}}

{{message}}

{{administration}}
`},
	ExchangeFailed: {"The exchange of {{shop}} fails", `A push of {{entity}} failed on {{date}}:

{{problem}}

{{administration}}
`},
}

// russianOrderEnd is the end of all Russian mails about an order.
const russianOrderEnd = `
{{lines}}

Итого: {{total}}

Адрес доставки: {{address}}
Ваш заказ: {{order_page}}

{{shop}}
`

var russianTemplates = map[Kind]Template{
	OrderReceived: {"Ваш заказ {{number}}: {{shop}}", `Здравствуйте, {{name}}!

Мы получили ваш заказ {{number}} от {{date}}. Когда он будет подтверждён, мы напишем ещё раз.
` + russianOrderEnd},
	OrderConfirmed: {"Ваш заказ {{number}} подтверждён: {{shop}}", `Здравствуйте, {{name}}!

Ваш заказ {{number}} от {{date}} подтверждён.
` + russianOrderEnd},
	OrderCompleted: {"Ваш заказ {{number}} выполнен: {{shop}}", `Здравствуйте, {{name}}!

Ваш заказ {{number}} от {{date}} выполнен. Спасибо за покупку.
` + russianOrderEnd},
	OrderCancelled: {"Ваш заказ {{number}} отменён: {{shop}}", `Здравствуйте, {{name}}!

Ваш заказ {{number}} от {{date}} отменён. Если вы этого не ждали, свяжитесь с магазином.
` + russianOrderEnd},
	NewOrder: {"Новый заказ {{number}}, {{total}}", `Новый заказ {{number}} от {{date}}

{{lines}}

Итого: {{total}}

Имя: {{name}}
Телефон: {{phone}}
Почта: {{email}}
Адрес доставки: {{address}}
О доставке: {{delivery_comment}}
Комментарий: {{comment}}

{{administration}}
`},
	NewInquiry: {"Новое обращение: {{name}}", `Новое обращение от {{date}}

Имя: {{name}}
Телефон: {{phone}}
Почта: {{email}}
Когда позвонить: {{preferred_time}}

{{message}}

{{administration}}
`},
	ExchangeFailed: {"Обмен магазина {{shop}} не работает", `Загрузка {{entity}} не удалась {{date}}:

{{problem}}

{{administration}}
`},
}
