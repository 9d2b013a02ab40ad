package settingsui

import (
	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/shop/access"
)

// kindName says in words for whom a key is.
func kindName(l *frame.Language, k access.Kind) string {
	switch k {
	case access.PublishableKey:
		return l.T("the site of the shop")
	case access.SecretKey:
		return l.T("a program")
	case access.ExchangeToken:
		return l.T("accounting")
	}
	return string(k)
}

//messages: "everything"
//messages: "see products" "change products, categories and stock" "see customers" "see inquiries" "manage keys"
//messages: "manage the team" "see orders" "confirm, complete and cancel orders" "see the settings"
//messages: "change the settings" "see webhooks" "change webhooks"
//messages: "categories" "features" "prices" "products" "stock levels" "warehouses" "options" "price lists"
//messages: "all that accounting can send" "export the whole catalogue"
//messages: "read all orders with names, addresses and phones, and confirm, complete and cancel them"

// scopeTexts says in English what each scope of a key allows.
var scopeTexts = map[access.Scope]string{
	access.Everything:  "everything",
	access.CatalogRead: "see products", access.CatalogWrite: "change products, categories and stock",
	access.CustomersRead: "see customers", access.CustomersWrite: "put customers into groups",
	access.InquiriesRead: "see inquiries", access.KeysManage: "manage keys",
	access.OperatorsManage: "manage the team", access.OrdersRead: "see orders",
	access.OrdersWrite: "confirm, complete and cancel orders", access.StoreRead: "see the settings",
	access.StoreWrite: "change the settings", access.WebhooksRead: "see webhooks",
	access.WebhooksWrite: "change webhooks",
	"categories":         "categories", "features": "features", "prices": "prices", "products": "products",
	"remainders": "stock levels", "stocks": "warehouses", "variant-options": "options",
	"price-lists":         "price lists",
	access.ExchangeRead:   "export the whole catalogue",
	access.ExchangeOrders: "read all orders with names, addresses and phones, and confirm, complete and cancel them",
}

// keyScopeName says in words what a scope allows to a key of a kind.
func keyScopeName(l *frame.Language, kind access.Kind, s access.Scope) string {
	if kind == access.ExchangeToken && s == access.Everything {
		return l.T("all that accounting can send")
	}
	return scopeName(l, s)
}

// scopeName says in words what a scope allows. One that is not known is shown as it is stored.
func scopeName(l *frame.Language, s access.Scope) string {
	if text, ok := scopeTexts[s]; ok {
		return l.T(text)
	}
	return string(s)
}
