package locale

// labels holds the translations of API constants by key and language tag. A test checks that none is missing.
var labels = map[string]map[string]string{
	"field_type.select": {
		"en": "Selection", "ru": "Выбор", "de": "Auswahl", "es": "Selección", "fr": "Sélection", "uk": "Вибір",
		"kk": "Таңдау",
	},
	"field_type.range": {
		"en": "Range", "ru": "Диапазон", "de": "Bereich", "es": "Rango", "fr": "Plage", "uk": "Діапазон",
		"kk": "Аралық",
	},
	"range_type.float": {
		"en": "Decimal number", "ru": "Дробное число", "de": "Dezimalzahl", "es": "Número decimal",
		"fr": "Nombre décimal", "uk": "Дробове число", "kk": "Бөлшек сан",
	},
	"range_type.integer": {
		"en": "Whole number", "ru": "Целое число", "de": "Ganze Zahl", "es": "Número entero", "fr": "Nombre entier",
		"uk": "Ціле число", "kk": "Бүтін сан",
	},
	"captcha_action.passwordless_request": {
		"en": "Sign-in by a code", "ru": "Вход по коду", "de": "Anmeldung mit Code", "es": "Acceso con código",
		"fr": "Connexion par code", "uk": "Вхід за кодом", "kk": "Код арқылы кіру",
	},
	"captcha_action.order_submission": {
		"en": "Order submission", "ru": "Оформление заказа", "de": "Bestellung", "es": "Envío del pedido",
		"fr": "Envoi de la commande", "uk": "Оформлення замовлення", "kk": "Тапсырыс беру",
	},
	"captcha_action.feedback_request": {
		"en": "Feedback", "ru": "Обратная связь", "de": "Rückmeldung", "es": "Comentarios", "fr": "Avis",
		"uk": "Зворотний зв’язок", "kk": "Кері байланыс",
	},
	"captcha_action.callback_request": {
		"en": "Callback request", "ru": "Заказ звонка", "de": "Rückrufbitte", "es": "Solicitud de llamada",
		"fr": "Demande de rappel", "uk": "Замовлення дзвінка", "kk": "Қоңырауға тапсырыс",
	},
}
