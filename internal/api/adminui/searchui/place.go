package searchui

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/language"
	"vitrine/internal/shop/access"
)

// place is a page, a setting on a page, or a form that begins a job.
type place struct {
	// Title and Group are texts of the language of the request.
	Title, Group string
	URL          string
	Needs        access.Scope
	// Words are phrases with commas between them, by which people look for the place, in all languages: the words of
	// the title count too.
	Words string
}

// kind is the kind of places of a group of hits.
type kind struct {
	Name, Icon string
	IsActions  bool
	Places     []place
}

// kinds returns all places, those that begin a job first.
func kinds(v frame.View) []kind {
	return []kind{
		{v.T("Actions"), "plus", true, actionPlaces(v)},
		{v.T("Pages"), "file-text", false, slices.Concat(shopPlaces(v), connectionPlaces(v))},
		{v.T("Settings"), "settings", false, slices.Concat(settingPlaces(v), accountPlaces(v))},
	}
}

func actionPlaces(v frame.View) []place {
	return []place{
		{v.T("New order"), v.T("Orders"), "/orders/new", access.OrdersWrite,
			"new order, phone order, add an order, новый заказ, заказ по телефону, создать заказ, оформить заказ"},
		{v.T("New product"), v.T("Products"), "/products/new", access.CatalogWrite,
			"new product, add a product, create a product, новый товар, добавить товар, создать товар"},
		{v.T("Change many products in a table"), v.T("Products"), "/products/sheet", access.CatalogWrite,
			"sheet, table, bulk, excel, spreadsheet, таблица, массовое изменение, много товаров"},
		{v.T("Upload a file"), v.T("Exchange"), "/exchange/upload", access.CatalogWrite,
			"upload, import, csv, xlsx, price list file, загрузить файл, импорт, прайс, выгрузка"},
		{v.T("Invite a colleague"), v.T("Team"), "/settings/team/invite", access.OperatorsManage,
			"invite, new operator, add a person, пригласить, приглашение, новый сотрудник, добавить сотрудника"},
		{v.T("New key"), v.T("Keys"), "/keys/new", access.KeysManage,
			"new key, api key, token, новый ключ, токен, создать ключ"},
		{v.T("Add a receiver"), v.T("Webhooks"), "/webhooks/new", access.WebhooksWrite,
			"new receiver, new webhook, новый получатель, добавить получателя, вебхук"},
		{v.T("New feed"), v.T("Feeds"), "/settings/new-feed", access.CatalogWrite,
			"new feed, marketplace, новый фид, выгрузка на площадку, маркетплейс, яндекс маркет, google merchant"},
		{v.T("Erase or export a person"), v.T("Customers"), "/customers/erase", access.StoreWrite,
			"erase, delete a customer, gdpr, personal data, privacy, удалить покупателя, персональные данные, " +
				"152-фз, стереть, выгрузить данные"},
	}
}

func shopPlaces(v frame.View) []place {
	return []place{
		{v.T("Home"), "", "/", access.StoreRead,
			"home, start, figures, dashboard, revenue, statistics, главная, статистика, выручка, показатели, отчёт"},
		{v.T("Orders"), "", "/orders", access.OrdersRead, "orders, sales, заказы, продажи"},
		{v.T("Carts"), v.T("Orders"), "/orders?state=draft", access.OrdersRead,
			"carts, abandoned, drafts, корзины, брошенные корзины, черновики"},
		{v.T("Inquiries"), "", "/inquiries", access.InquiriesRead,
			"inquiries, feedback, callback, messages of customers, обращения, обратный звонок, вопросы, заявки"},
		{v.T("Customers"), "", "/customers", access.CustomersRead, "customers, clients, people, покупатели, клиенты"},
		{v.T("Customer groups"), v.T("Price lists"), "/customer-groups", access.CustomersRead,
			"customer groups, wholesale, discount, группы покупателей, опт, оптовые, скидка"},
		{v.T("Products"), "", "/products", access.CatalogRead, "products, goods, items, catalogue, товары, каталог"},
		{v.T("The shop as customers see it"), v.T("Products"), "/storefront", access.CatalogRead,
			"storefront, preview, showcase, витрина, предпросмотр, сайт"},
		{v.T("Categories"), "", "/categories", access.CatalogRead,
			"categories, sections, tree, категории, разделы, рубрики, дерево"},
		{v.T("Options"), "", "/options", access.CatalogRead,
			"options, variants, sizes, colours, опции, варианты, размеры, цвета, модификации"},
		{v.T("Features"), "", "/features", access.CatalogRead,
			"features, attributes, properties, filters, характеристики, свойства, атрибуты, фильтры"},
		{v.T("Price lists"), "", "/price-lists", access.CatalogRead,
			"price lists, prices, discounts, sale, wholesale, прайс-листы, цены, скидки, распродажа, опт"},
		{v.T("Stock"), "", "/stock", access.CatalogRead,
			"stock, quantities, inventory, sold out, остатки, склад, наличие, количество, закончились"},
		{v.T("Warehouses"), v.T("Stock"), "/stock/warehouses", access.CatalogRead,
			"warehouses, outlets, places, склады, точки, магазины"},
		{v.T("What people search for"), v.T("Search of the shop"), "/shop-search", access.CatalogRead,
			"search of the shop, queries, nothing found, поиск магазина, запросы, ничего не найдено"},
		{v.T("Synonyms"), v.T("Search of the shop"), "/shop-search/synonyms", access.CatalogRead,
			"synonyms, words, синонимы, слова поиска"},
		{v.T("Pinned products"), v.T("Search of the shop"), "/shop-search/pins", access.CatalogRead,
			"pins, pinned, first results, закреплённые товары, первые в поиске"},
		{v.T("Why products stand in this order"), v.T("Search of the shop"), "/shop-search/why", access.CatalogRead,
			"why, relevance, ranking, order of results, почему, порядок выдачи, ранжирование"},
	}
}

func connectionPlaces(v frame.View) []place {
	return []place{
		{v.T("Exchange"), "", "/exchange", access.CatalogRead,
			"exchange, pushes, runs, imports, accounting, обмен, загрузки, выгрузки, учёт"},
		{v.T("Connect accounting"), v.T("Exchange"), "/exchange/connect", access.KeysManage,
			"connect accounting, integration, erp, подключить учёт, интеграция, мой склад"},
		{v.T("Connect 1C"), v.T("Exchange"), "/exchange/1c", access.CatalogRead,
			"1c, 1с, exchange with 1c, price types, barcodes, обмен с 1с, виды цен, цены из 1с, штрихкоды, " +
				"commerceml, bitrix, битрикс, реквизиты"},
		{v.T("Awaited by products"), v.T("Exchange"), "/exchange/pending", access.CatalogRead,
			"pending, references, waiting, ожидают, ждут, ссылки"},
		{v.T("Webhooks"), "", "/webhooks", access.WebhooksRead,
			"webhooks, receivers, notifications, вебхуки, получатели, уведомления систем"},
		{v.T("Deliveries"), v.T("Webhooks"), "/deliveries", access.WebhooksRead,
			"deliveries, attempts, failed requests, доставки, попытки, отправки"},
		{v.T("Events"), v.T("Webhooks"), "/webhooks/events", access.WebhooksRead,
			"events, types, payload, события, типы событий"},
		{v.T("Check a signature"), v.T("Webhooks"), "/webhooks/check", access.WebhooksWrite,
			"signature, secret, check, подпись, проверить подпись, секрет"},
	}
}

func settingPlaces(v frame.View) []place {
	return []place{
		{v.T("Settings"), "", "/settings", access.StoreRead, "settings, preferences, настройки, параметры"},
		{v.T("Name of the shop"), v.T("Settings"), "/settings#name", access.StoreWrite,
			"name of the shop, rename, title, название магазина, имя магазина, переименовать"},
		{v.T("Timezone"), v.T("Settings"), "/settings#timezone", access.StoreWrite,
			"timezone, time zone, clock, dates, часовой пояс, время, даты"},
		{v.T("Language of the shop"), v.T("Settings"), "/settings#locale", access.StoreWrite,
			"language, locale, язык магазина, локаль"},
		{v.T("Currency"), v.T("Settings"), "/settings#currency", access.StoreWrite,
			"currency, money, roubles, euro, dollar, валюта, деньги, рубли, евро, доллар"},
		{v.T("Addresses of products and categories"), v.T("Settings"), "/settings#paths.product", access.StoreWrite,
			"address, url, slug, path, site, адрес сайта, адреса товаров, чпу, ссылки"},
		{v.T("Sites"), v.T("Settings"), "/settings/sites", access.StoreWrite,
			"sites, cors, origins, domain, сайты, домен, доступ с сайта"},
		{v.T("Captcha"), v.T("Settings"), "/settings/captcha", access.StoreWrite,
			"captcha, bots, spam, recaptcha, turnstile, smartcaptcha, protection, капча, боты, спам, защита"},
		{v.T("Messages"), v.T("Settings"), "/settings/messages", access.StoreWrite,
			"messages, mail, e-mail, smtp, sms, letters, templates, notifications, сообщения, почта, письма, смс, " +
				"шаблоны писем, уведомления"},
		{v.T("Mailbox"), v.T("Messages"), "/mailbox", access.KeysManage,
			"mailbox, sent mail, outbox, почтовый ящик, отправленные письма"},
		{v.T("Redirects"), v.T("Settings"), "/settings/redirects", access.CatalogRead,
			"redirects, 301, old addresses, seo, перенаправления, редиректы, старые адреса"},
		{v.T("Feeds"), v.T("Settings"), "/settings/feeds", access.CatalogRead,
			"feeds, marketplaces, yml, google merchant, фиды, маркетплейсы, яндекс маркет, площадки"},
		{v.T("Set aside"), v.T("Settings"), "/settings/jobs", access.StoreRead,
			"set aside, jobs, background, queue, failed jobs, отложенные, задания, фоновые задачи, очередь"},
		{v.T("Keys"), v.T("Settings"), "/keys", access.KeysManage,
			"keys, tokens, api, secret key, publishable key, ключи, токены, доступ по api"},
		{v.T("Team"), v.T("Settings"), "/settings/team", access.OperatorsManage,
			"team, operators, users, roles, permissions, colleagues, команда, сотрудники, пользователи, роли, права"},
		{v.T("Log"), v.T("Settings"), "/settings/log", access.OperatorsManage,
			"log, audit, history, who changed, журнал, аудит, история изменений, кто изменил"},
	}
}

func accountPlaces(v frame.View) []place {
	return []place{
		{v.T("Your account"), "", "/account", httpapi.AnyScope,
			"account, profile, me, аккаунт, профиль, учётная запись, кабинет"},
		{v.T("Your e-mail address"), v.T("Your account"), "/account#email", httpapi.AnyScope,
			"e-mail, email, address, моя почта, электронная почта, адрес почты"},
		{v.T("Your password"), v.T("Your account"), "/account#new_password", httpapi.AnyScope,
			"password, sign in, login, пароль, вход, сменить пароль, логин"},
		{v.T("Second step of the sign-in"), v.T("Your account"), "/account#codes", httpapi.AnyScope,
			"two-factor, 2fa, totp, authenticator, codes, двухфакторная, коды, аутентификатор, второй фактор"},
		{v.T("Language of these pages"), v.T("Your account"), "/account#language", httpapi.AnyScope,
			"language, english, russian, язык, русский, английский, интерфейс"},
		{v.T("Where you are signed in"), v.T("Your account"), "/account#sessions", httpapi.AnyScope,
			"sessions, devices, browsers, sign out, сеансы, устройства, браузеры, выйти"},
	}
}

// findPlaces returns the places that the operator may open and that have every word of the search, one group for each
// kind. If tolerant is set, words may have typing errors and may have been typed with another keyboard layout. An empty
// search finds all places.
func findPlaces(v frame.View, q string, tolerant bool) (groups []group) {
	typed := typedFields(q, tolerant)
	for _, k := range kinds(v) {
		g := group{Name: k.Name, Icon: k.Icon, IsActions: k.IsActions}
		for _, p := range k.Places {
			if p.Needs != httpapi.AnyScope && !v.May(string(p.Needs)) || q != "" && len(typed) == 0 {
				continue
			}
			if hasBeginnings(placeWords(p.Title+" "+p.Group+" "+p.Words), typed, tolerant) {
				g.Hits = append(g.Hits, hit{Title: p.Title, Detail: p.Group, URL: p.URL, Exact: p.isCalled(q)})
			}
		}
		groups = append(groups, g)
	}

	return groups
}

// typedField is a part of a search between spaces: its folded words and, if it may have been typed with another
// keyboard layout, the words that it would have been.
type typedField [][]string

// typedFields returns the fields of a search that have words.
func typedFields(q string, layouts bool) (fields []typedField) {
	for _, text := range strings.Fields(q) {
		var field typedField
		if words := placeWords(text); len(words) > 0 {
			field = append(field, words)
		}

		if layouts {
			for _, other := range language.OtherLayouts(text) {
				if words := placeWords(other); len(words) > 0 {
					field = append(field, words)
				}
			}
		}

		if len(field) > 0 {
			fields = append(fields, field)
		}
	}
	return fields
}

// isCalled reports whether a search is the title or one of the phrases of the place.
func (p place) isCalled(q string) bool {
	name := strings.Join(placeWords(q), " ")
	if name == "" {
		return false
	}
	return slices.ContainsFunc(append(strings.Split(p.Words, ","), p.Title), func(phrase string) bool {
		return strings.Join(placeWords(phrase), " ") == name
	})
}

// placeWords returns the folded words of a text without those that only join others.
func placeWords(text string) (words []string) {
	for _, word := range strings.FieldsFunc(language.Fold(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		if !language.IsFunctionWord(word) {
			words = append(words, word)
		}
	}
	return words
}

// hasBeginnings reports whether all words of one reading of each field are beginnings of the words, or nearly so.
func hasBeginnings(words []string, typed []typedField, tolerant bool) bool {
	begins := func(form string) bool {
		return slices.ContainsFunc(words, func(word string) bool {
			return strings.HasPrefix(word, form) || tolerant && nearlyBegins(word, form)
		})
	}

	for _, field := range typed {
		if !slices.ContainsFunc(field, func(reading []string) bool {
			return !slices.ContainsFunc(reading, func(form string) bool { return !begins(form) })
		}) {
			return false
		}
	}

	return true
}

// nearlyBegins reports whether a typed word is the beginning of a word, with as many typing errors as its length
// allows.
func nearlyBegins(word, typed string) bool {
	limit := language.MaxErrors(typed)
	if limit == 0 {
		return false
	}

	length := utf8.RuneCountInString(typed)
	runes := []rune(word)
	for n := max(1, length-limit); n <= min(len(runes), length+limit); n++ {
		if language.Distance(typed, string(runes[:n]), limit) <= limit {
			return true
		}
	}
	return false
}
