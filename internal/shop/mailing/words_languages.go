package mailing

// germanOrderEnd is the end of all German mails about an order.
const germanOrderEnd = `
{{lines}}

Gesamtbetrag: {{total}}

Lieferadresse: {{address}}
Ihre Bestellung: {{order_page}}

{{shop}}
`

var germanTemplates = map[Kind]Template{
	OrderReceived: {"Ihre Bestellung {{number}}: {{shop}}", `Guten Tag, {{name}}!

Wir haben Ihre Bestellung {{number}} vom {{date}} erhalten. Sobald sie bestätigt ist, schreiben wir Ihnen wieder.
` + germanOrderEnd},
	OrderConfirmed: {"Ihre Bestellung {{number}} ist bestätigt: {{shop}}", `Guten Tag, {{name}}!

Ihre Bestellung {{number}} vom {{date}} ist bestätigt.
` + germanOrderEnd},
	OrderCompleted: {"Ihre Bestellung {{number}} ist abgeschlossen: {{shop}}", `Guten Tag, {{name}}!

Ihre Bestellung {{number}} vom {{date}} ist abgeschlossen. Vielen Dank für Ihren Einkauf.
` + germanOrderEnd},
	OrderCancelled: {"Ihre Bestellung {{number}} ist storniert: {{shop}}", `Guten Tag, {{name}}!

Ihre Bestellung {{number}} vom {{date}} ist storniert. Wenn Sie das nicht erwartet haben, wenden Sie sich bitte an den Shop.
` + germanOrderEnd},
	NewOrder: {"Neue Bestellung {{number}}, {{total}}", `Neue Bestellung {{number}} vom {{date}}

{{lines}}

Gesamtbetrag: {{total}}

Name: {{name}}
Telefon: {{phone}}
E-Mail: {{email}}
Lieferadresse: {{address}}
Zur Lieferung: {{delivery_comment}}
Kommentar: {{comment}}

{{administration}}
`},
	NewInquiry: {"Neue Anfrage: {{name}}", `Neue Anfrage vom {{date}}

Name: {{name}}
Telefon: {{phone}}
E-Mail: {{email}}
Wann anrufen: {{preferred_time}}

{{message}}

{{administration}}
`},
	ExchangeFailed: {"Der Datenaustausch von {{shop}} schlägt fehl", `Eine Übertragung ({{entity}}) ist am {{date}} fehlgeschlagen:

{{problem}}

{{administration}}
`},
}

// spanishOrderEnd is the end of all Spanish mails about an order.
const spanishOrderEnd = `
{{lines}}

Total: {{total}}

Dirección de entrega: {{address}}
Su pedido: {{order_page}}

{{shop}}
`

var spanishTemplates = map[Kind]Template{
	OrderReceived: {"Su pedido {{number}}: {{shop}}", `Hola, {{name}}:

Hemos recibido su pedido {{number}} del {{date}}. Le escribiremos de nuevo cuando esté confirmado.
` + spanishOrderEnd},
	OrderConfirmed: {"Su pedido {{number}} está confirmado: {{shop}}", `Hola, {{name}}:

Su pedido {{number}} del {{date}} está confirmado.
` + spanishOrderEnd},
	OrderCompleted: {"Su pedido {{number}} se ha completado: {{shop}}", `Hola, {{name}}:

Su pedido {{number}} del {{date}} se ha completado. Gracias por su compra.
` + spanishOrderEnd},
	OrderCancelled: {"Su pedido {{number}} se ha cancelado: {{shop}}", `Hola, {{name}}:

Su pedido {{number}} del {{date}} se ha cancelado. Si no lo esperaba, póngase en contacto con la tienda.
` + spanishOrderEnd},
	NewOrder: {"Nuevo pedido {{number}}, {{total}}", `Nuevo pedido {{number}} del {{date}}

{{lines}}

Total: {{total}}

Nombre: {{name}}
Teléfono: {{phone}}
Correo electrónico: {{email}}
Dirección de entrega: {{address}}
Sobre la entrega: {{delivery_comment}}
Comentario: {{comment}}

{{administration}}
`},
	NewInquiry: {"Nueva consulta: {{name}}", `Nueva consulta del {{date}}

Nombre: {{name}}
Teléfono: {{phone}}
Correo electrónico: {{email}}
Cuándo llamar: {{preferred_time}}

{{message}}

{{administration}}
`},
	ExchangeFailed: {"Falla el intercambio de datos de {{shop}}", `Una carga ({{entity}}) falló el {{date}}:

{{problem}}

{{administration}}
`},
}

// frenchOrderEnd is the end of all French mails about an order.
const frenchOrderEnd = `
{{lines}}

Total : {{total}}

Adresse de livraison : {{address}}
Votre commande : {{order_page}}

{{shop}}
`

var frenchTemplates = map[Kind]Template{
	OrderReceived: {"Votre commande {{number}} – {{shop}}", `Bonjour {{name}},

Nous avons bien reçu votre commande {{number}} du {{date}}. Nous vous écrirons de nouveau dès qu’elle sera confirmée.
` + frenchOrderEnd},
	OrderConfirmed: {"Votre commande {{number}} est confirmée – {{shop}}", `Bonjour {{name}},

Votre commande {{number}} du {{date}} est confirmée.
` + frenchOrderEnd},
	OrderCompleted: {"Votre commande {{number}} est terminée – {{shop}}", `Bonjour {{name}},

Votre commande {{number}} du {{date}} est terminée. Merci pour votre achat.
` + frenchOrderEnd},
	OrderCancelled: {"Votre commande {{number}} est annulée – {{shop}}", `Bonjour {{name}},

Votre commande {{number}} du {{date}} est annulée. Si vous ne vous y attendiez pas, contactez la boutique.
` + frenchOrderEnd},
	NewOrder: {"Nouvelle commande {{number}}, {{total}}", `Nouvelle commande {{number}} du {{date}}

{{lines}}

Total : {{total}}

Nom : {{name}}
Téléphone : {{phone}}
E-mail : {{email}}
Adresse de livraison : {{address}}
Au sujet de la livraison : {{delivery_comment}}
Commentaire : {{comment}}

{{administration}}
`},
	NewInquiry: {"Nouvelle demande – {{name}}", `Nouvelle demande du {{date}}

Nom : {{name}}
Téléphone : {{phone}}
E-mail : {{email}}
Quand appeler : {{preferred_time}}

{{message}}

{{administration}}
`},
	ExchangeFailed: {"L’échange de données de {{shop}} échoue", `Un envoi ({{entity}}) a échoué le {{date}} :

{{problem}}

{{administration}}
`},
}

// ukrainianOrderEnd is the end of all Ukrainian mails about an order.
const ukrainianOrderEnd = `
{{lines}}

Разом: {{total}}

Адреса доставки: {{address}}
Ваше замовлення: {{order_page}}

{{shop}}
`

var ukrainianTemplates = map[Kind]Template{
	OrderReceived: {"Ваше замовлення {{number}}: {{shop}}", `Вітаємо, {{name}}!

Ми отримали ваше замовлення {{number}} від {{date}}. Коли його буде підтверджено, ми напишемо ще раз.
` + ukrainianOrderEnd},
	OrderConfirmed: {"Ваше замовлення {{number}} підтверджено: {{shop}}", `Вітаємо, {{name}}!

Ваше замовлення {{number}} від {{date}} підтверджено.
` + ukrainianOrderEnd},
	OrderCompleted: {"Ваше замовлення {{number}} виконано: {{shop}}", `Вітаємо, {{name}}!

Ваше замовлення {{number}} від {{date}} виконано. Дякуємо за покупку.
` + ukrainianOrderEnd},
	OrderCancelled: {"Ваше замовлення {{number}} скасовано: {{shop}}", `Вітаємо, {{name}}!

Ваше замовлення {{number}} від {{date}} скасовано. Якщо ви цього не очікували, зв’яжіться з магазином.
` + ukrainianOrderEnd},
	NewOrder: {"Нове замовлення {{number}}, {{total}}", `Нове замовлення {{number}} від {{date}}

{{lines}}

Разом: {{total}}

Ім’я: {{name}}
Телефон: {{phone}}
Пошта: {{email}}
Адреса доставки: {{address}}
Про доставку: {{delivery_comment}}
Коментар: {{comment}}

{{administration}}
`},
	NewInquiry: {"Нове звернення: {{name}}", `Нове звернення від {{date}}

Ім’я: {{name}}
Телефон: {{phone}}
Пошта: {{email}}
Коли зателефонувати: {{preferred_time}}

{{message}}

{{administration}}
`},
	ExchangeFailed: {"Обмін магазину {{shop}} не працює", `Завантаження {{entity}} не вдалося {{date}}:

{{problem}}

{{administration}}
`},
}

// kazakhOrderEnd is the end of all Kazakh mails about an order.
const kazakhOrderEnd = `
{{lines}}

Жалпы сома: {{total}}

Жеткізу мекенжайы: {{address}}
Тапсырысыңыз: {{order_page}}

{{shop}}
`

var kazakhTemplates = map[Kind]Template{
	OrderReceived: {"Тапсырысыңыз {{number}}: {{shop}}", `Сәлеметсіз бе, {{name}}!

{{date}} берілген {{number}} нөмірлі тапсырысыңызды қабылдадық. Тапсырыс расталғанда тағы жазамыз.
` + kazakhOrderEnd},
	OrderConfirmed: {"Тапсырысыңыз {{number}} расталды: {{shop}}", `Сәлеметсіз бе, {{name}}!

{{date}} берілген {{number}} нөмірлі тапсырысыңыз расталды.
` + kazakhOrderEnd},
	OrderCompleted: {"Тапсырысыңыз {{number}} орындалды: {{shop}}", `Сәлеметсіз бе, {{name}}!

{{date}} берілген {{number}} нөмірлі тапсырысыңыз орындалды. Сатып алғаныңызға рақмет.
` + kazakhOrderEnd},
	OrderCancelled: {"Тапсырысыңыз {{number}} жойылды: {{shop}}", `Сәлеметсіз бе, {{name}}!

{{date}} берілген {{number}} нөмірлі тапсырысыңыз жойылды. Мұны күтпеген болсаңыз, дүкенге хабарласыңыз.
` + kazakhOrderEnd},
	NewOrder: {"Жаңа тапсырыс {{number}}, {{total}}", `Жаңа тапсырыс {{number}}, {{date}}

{{lines}}

Жалпы сома: {{total}}

Аты: {{name}}
Телефон: {{phone}}
Пошта: {{email}}
Жеткізу мекенжайы: {{address}}
Жеткізу туралы: {{delivery_comment}}
Түсініктеме: {{comment}}

{{administration}}
`},
	NewInquiry: {"Жаңа өтініш: {{name}}", `Жаңа өтініш, {{date}}

Аты: {{name}}
Телефон: {{phone}}
Пошта: {{email}}
Қашан қоңырау шалу керек: {{preferred_time}}

{{message}}

{{administration}}
`},
	ExchangeFailed: {"{{shop}} дүкенінің дерек алмасуы істемейді", `{{entity}} жүктелмеді, {{date}}:

{{problem}}

{{administration}}
`},
}
