package mailing

import "vitrine/internal/kit/locale"

// words are what the values of mails need in a language.
type words struct {
	tag, date, thousands, point, more string
}

const russian = "ru"

func wordsOf(l locale.Locale) words {
	if l.String() == russian {
		return words{tag: russian, date: "02.01.2006, 15:04", thousands: "\u00a0", point: ",",
			more: "… и ещё строк: %d"}
	}
	return words{tag: "en", date: "2 Jan 2006, 15:04", thousands: ",", point: ".", more: "… and %d more lines"}
}

// DefaultTemplate returns the program's own template of a kind, in Russian or English.
func DefaultTemplate(kind Kind, l locale.Locale) Template {
	if l.String() == russian {
		return russianTemplates[kind]
	}
	return englishTemplates[kind]
}

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
