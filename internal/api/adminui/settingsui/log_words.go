package settingsui

import (
	"cmp"
	"strings"
	"time"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/productfield"
)

// fieldTexts has the names of fields in changes, in English. The names of members of products are in productfield.
var fieldTexts = map[string]string{
	"carts":                                  "Carts",
	"customers":                              "Customers",
	"inquiries":                              "Inquiries",
	"messages":                               "Messages",
	"orders":                                 "Orders",
	"profiles":                               "Profiles of others",
	"cors_origins":                           "Sites",
	"currency":                               "Currency",
	"email":                                  "E-mail address",
	"failures":                               "Failed sign-ins",
	"network":                                "Network",
	"expires_at":                             "Works until",
	"kind":                                   "Kind",
	"language":                               "Language",
	"locale":                                 "Language",
	"name":                                   "Name",
	"paths.category":                         "Paths of categories",
	"paths.product":                          "Paths of products",
	"public_remainders":                      "Show everybody what each warehouse has",
	"old_price_list":                         "Price list of old prices",
	"recaptcha.actions.callback_request":     "Asking for a call",
	"recaptcha.actions.feedback_request":     "Sending feedback",
	"recaptcha.actions.order_submission":     "Sending an order",
	"recaptcha.actions.passwordless_request": "Signing in with a code",
	"recaptcha.active":                       "Captcha",
	"recaptcha.extra_hosts":                  "Other hosts",
	"recaptcha.on_provider_error":            "When the provider does not answer",
	"recaptcha.provider":                     "Provider",
	"recaptcha.public_key":                   "Public key",
	"recaptcha.secret_key":                   "Secret key",
	"recaptcha.site_url":                     "Site of the captcha",
	"mail.order_received":                    "The order is received",
	"mail.order_confirmed":                   "The order is confirmed",
	"mail.order_completed":                   "The order is completed",
	"mail.order_cancelled":                   "The order is cancelled",
	"mail.new_order":                         "A new order",
	"mail.new_inquiry":                       "A new inquiry",
	"mail.exchange_failed":                   "The exchange with accounting fails",
	"mail.order_received.subject":            "Subject of the mail",
	"mail.order_received.text":               "Text of the mail",
	"mail.order_confirmed.subject":           "Subject of the mail",
	"mail.order_confirmed.text":              "Text of the mail",
	"mail.order_completed.subject":           "Subject of the mail",
	"mail.order_completed.text":              "Text of the mail",
	"mail.order_cancelled.subject":           "Subject of the mail",
	"mail.order_cancelled.text":              "Text of the mail",
	"mail.new_order.subject":                 "Subject of the mail",
	"mail.new_order.text":                    "Text of the mail",
	"mail.new_inquiry.subject":               "Subject of the mail",
	"mail.new_inquiry.text":                  "Text of the mail",
	"mail.exchange_failed.subject":           "Subject of the mail",
	"mail.exchange_failed.text":              "Text of the mail",
	"mail_server.address":                    "Mail server",
	"mail_server.encryption":                 "Mail server: encryption",
	"mail_server.user":                       "Mail server: user",
	"mail_server.from":                       "Mail server: sender",
	"mail_server.password":                   "Mail server: password",
	"mail.recipients":                        "Mail: addresses of the shop",
	"mail.unsubscribed":                      "Mail: unsubscribed",
	"mail.order_page":                        "Mail: address of an order’s page",
	"role":                                   "Role",
	"locks":                                  "Locked against pushes",
	"members":                                "Writes of products",
	"group":                                  "Customer group",
	"group_id":                               "Customer group",
	"scopes":                                 "May do",
	"site_url":                               "Address of the site",
	"address":                                "Postal address of the shop",
	"state":                                  "State",
	"synonyms":                               "Synonyms",
	"timezone":                               "Timezone",
	"to":                                     "Leads to",
	"action":                                 "Change",
	"image":                                  "Image",
	"canonical_category":                     "Main category",
	"category":                               "Category",
	"count":                                  "Number of products",
	"feature":                                "Feature",
	"format":                                 "Format",
	"mapping":                                "Columns",
	"price_list_id":                          "Prices",
	"filter.archived":                        "Archived",
	"filter.category":                        "Filter by category",
	"filter.in_stock":                        "In stock",
	"filter.origin":                          "Origin",
	"filter.price_from":                      "Price from",
	"filter.price_to":                        "Price to",
	"filter.q":                               "Search words",
	"filter.values":                          "Chosen values",
	"filterable":                             "Shown as a filter",
	"note":                                   "Note",
	"merged":                                 "Joined",
	"tags":                                   "Tags",
	"tracking.number":                        "Number of the parcel",
	"tracking.carrier":                       "Carrier",
	"tracking.url":                           "Link to the parcel",
	"paid_at":                                "Paid",
	"contact.name":                           "Name of the customer",
	"contact.phone":                          "Phone",
	"contact.email":                          "E-mail",
	"delivery.address":                       "Address of the delivery",
	"delivery.comment":                       "Delivery comment",
	"comment":                                "Comment",
	"lines":                                  "Line",
	"total":                                  "Total",
	"payment_number":                         "Number of the payment in 1C",
	"parent":                                 "Parent category",
	"pins":                                   "Pins",
	"place":                                  "Place",
	"selection":                              "Products chosen",
	"type":                                   "Type",
	"url":                                    "Address",
	"value":                                  "Value",
	"values":                                 "Values",
	"variants":                               "Variant",
	"webhook_types":                          "Events",
	"external_id":                            "Code in accounting",
	"columns":                                "Columns",
	"value_count":                            "Number of values",
}

// actionWords returns an action in words. One that is not known is shown as it is stored.
func actionWords(l *frame.Language, action audit.Action) string {
	if text, ok := audit.ActionTexts[action]; ok {
		return l.T(text)
	}
	return strings.NewReplacer(".", ": ", "_", " ").Replace(string(action))
}

// fieldWords returns the name of a field in words. One that is not known is shown as it is stored.
func fieldWords(l *frame.Language, field string) string {
	if text, ok := fieldTexts[field]; ok {
		return l.T(text)
	}
	for _, f := range productfield.Fields {
		if f.Name == field {
			return l.T(f.Label)
		}
	}
	for _, member := range catalog.VariantScalars {
		if variant, ok := strings.CutSuffix(field, ": "+member.Words); ok {
			return l.T("%s: "+member.Words, variant)
		}
	}

	if variant, ok := strings.CutSuffix(field, ": code in accounting"); ok {
		return l.T("%s: code in accounting", variant)
	}
	return field // the name of a feature
}

// kindTexts has what an object is called whose name the log does not know, in English.
var kindTexts = map[string]string{
	"order":          "Order",
	"inquiry":        "Inquiry",
	"product":        "Product",
	"products":       "Several products",
	"image":          "Image",
	"product_image":  "Image",
	"option":         "Option",
	"feature":        "Feature",
	"category":       "Category",
	"categories":     "Categories",
	"stock":          "Warehouse",
	"remainder":      "Stock",
	"run":            "Push",
	"receiver":       "Webhook receiver",
	"delivery":       "Webhook",
	"key":            "Key",
	"operator":       "Member of the team",
	"account":        "Own account",
	"settings":       "Settings",
	"store":          "Store",
	"customer":       "Customer",
	"price_list":     "Price list",
	"exchange":       "Exchange",
	"customer_group": "Customer group",
	"orders":         "Orders",
	"customers":      "Customers",
	"mailbox":        "Mailbox",
	"synonyms":       "Synonyms",
	"pins":           "Pins",
	"redirect":       "Redirect",
	"feed":           "Feed",
	"list_view":      "View of a list",
}

// objectWords returns what the log calls an object: its label, or the word for its kind if it has no label. The label
// of an order is its number.
func objectWords(l *frame.Language, o audit.Object) string {
	if number, ok := strings.CutPrefix(o.Label, "№ "); ok && o.Kind == "order" {
		return l.T("Order %s", number)
	}
	if text, ok := kindTexts[o.Kind]; ok && o.Label == "" {
		return l.T(text)
	}
	return cmp.Or(o.Label, o.Kind)
}

// valueTexts has the names of values that are stored as codes, by the field, in English.
var valueTexts = map[string]map[string]string{
	"action": {"archive": "Archive", "restore": "Bring back from the archive", "add-category": "Add to a category",
		"remove-category": "Take out of a category", "set-feature": "Give a feature value",
		"remove-feature": "Take a feature value away", "set-cells": "Edited in a sheet",
		"unset-cells": "Edited in a sheet"},
	"selection": {"ticked": "ticked in the list", "all": "all that match the filters",
		"undo": "those of an earlier change"},
	"filterable":      {"yes": "yes", "no": "no"},
	"filter.in_stock": {"true": "yes", "1": "yes"},
	"filter.archived": {"true": "yes", "any": "archived or not"},
	"filter.origin":   {"pushed": "from accounting", "here": "made here"},
}

// stateTexts has the names of states, by the kind of the object, in English.
var stateTexts = map[string]map[string]string{
	"order": {"draft": "Cart", "submitted": "New", "confirmed": "Confirmed", "completed": "Completed",
		"cancelled": "Cancelled"},
	"inquiry": {"new": "New", "taken": "Taken", "done": "Done"},
}

// valueWords returns the value of a field in words. One that is not a code is shown as it is stored.
func (ui *UI) valueWords(r *httpapi.Request, kind, field, value string) string {
	l := ui.pages.Language(r)
	switch field {
	case "scopes":
		var names []string
		for scope := range strings.FieldsSeq(value) {
			names = append(names, scopeName(l, access.Scope(scope)))
		}
		return strings.Join(names, ", ")
	case "kind":
		return kindName(l, access.Kind(value))
	case "role":
		return roleName(l, access.Role(value))
	case "expires_at", "paid_at":
		if at, err := time.Parse(time.RFC3339, value); err == nil {
			return ui.pages.NewTimestamp(r, at).Text
		}
	case "total", "filter.price_from", "filter.price_to":
		return amountWords(l, value, r.Principal.Store.Currency)
	case "state":
		if text, ok := stateTexts[kind][value]; ok {
			return l.T(text)
		}
	}

	if text, ok := valueTexts[field][value]; ok {
		return l.T(text)
	}
	if strings.HasSuffix(field, ": price") { // of a variant
		return amountWords(l, value, r.Principal.Store.Currency)
	}

	return value
}

// amountWords returns an amount of money as people read it. One that is none is shown as it is stored.
func amountWords(l *frame.Language, value, currency string) string {
	price, wrong := money.ParsePrice(value)
	amount, ok := price.Amount()
	if wrong != nil || !ok {
		return value
	}
	return l.Money(amount, currency)
}
