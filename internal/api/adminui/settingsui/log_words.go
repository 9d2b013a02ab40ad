package settingsui

import (
	"cmp"
	"strings"
	"time"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/audit"
)

//messages: "Own account changed"
//messages: "Sign-in failed" "Failed sign-ins" "Network" "Orders downloaded" "Data of a person downloaded" "Mailbox read" "Mailbox"
//messages: "New e-mail address asked for" "New e-mail address cancelled"
//messages: "Second step turned off"
//messages: "Second step turned on"
//messages: "Own password changed"
//messages: "New recovery codes made"
//messages: "Other browsers signed out"
//messages: "Signed in"
//messages: "Categories moved"
//messages: "Category created"
//messages: "Category deleted"
//messages: "Category edited"
//messages: "Category moved"
//messages: "Category renamed"
//messages: "Missed webhooks sent again"
//messages: "Webhook sent again"
//messages: "Feature created"
//messages: "Feature deleted"
//messages: "Feature edited"
//messages: "Feature renamed"
//messages: "Picture added"
//messages: "Picture edited"
//messages: "Pictures put in another order"
//messages: "Picture removed"
//messages: "Inquiry created"
//messages: "Inquiry done"
//messages: "Note on an inquiry changed"
//messages: "Inquiry reopened"
//messages: "Inquiry taken"
//messages: "Push tried again" "Work that was set aside was discarded" "Work that was set aside was tried again"
//messages: "Key changed" "Key created" "Values of a feature merged" "Values of an option merged" "Values merged"
//messages: "Key revoked"
//messages: "Key replaced"
//messages: "Test message sent"
//messages: "Member of the team changed"
//messages: "Member of the team added"
//messages: "Member of the team disabled"
//messages: "Member of the team enabled"
//messages: "Member of the team invited"
//messages: "Invitation accepted"
//messages: "Password reset"
//messages: "Member of the team removed"
//messages: "Member of the team signed out"
//messages: "Option created"
//messages: "Option deleted"
//messages: "Option edited"
//messages: "Option renamed"
//messages: "Order cancelled"
//messages: "Order completed"
//messages: "Order confirmed"
//messages: "Cart created"
//messages: "Cart changed"
//messages: "Order sent"
//messages: "Product archived"
//messages: "Product created"
//messages: "Product deleted"
//messages: "Product edited"
//messages: "Product restored"
//messages: "Variant added"
//messages: "Variant archived"
//messages: "Variant deleted"
//messages: "Variant edited"
//messages: "Variant restored"
//messages: "Many products changed"
//messages: "Webhook receiver created"
//messages: "Webhook receiver deleted"
//messages: "Webhook receiver disabled"
//messages: "Webhook receiver edited"
//messages: "Webhook receiver enabled"
//messages: "Secret of a webhook receiver replaced"
//messages: "Test webhook sent"
//messages: "Stock changed"
//messages: "Uploaded file applied"
//messages: "Uploaded file removed"
//messages: "Push reverted"
//messages: "File uploaded"
//messages: "Settings changed"
//messages: "Warehouse created"
//messages: "Warehouse deleted"
//messages: "Warehouse edited"
//messages: "Warehouse renamed"
//messages: "Store created"
//messages: "Ids for accounting given to what has none" "Exchange"
//messages: "Values added"
//messages: "Values put in another order"
//messages: "Values removed"
//messages: "Values renamed"
//messages: "Name"
//messages: "Timezone"
//messages: "Language"
//messages: "Currency"
//messages: "Address of the site"
//messages: "Sites"
//messages: "Show everybody what each warehouse has"
//messages: "Captcha"
//messages: "Provider"
//messages: "Public key"
//messages: "Secret key"
//messages: "Site of the captcha"
//messages: "Other hosts"
//messages: "When the provider does not answer"
//messages: "Signing in with a code"
//messages: "Sending an order"
//messages: "Sending feedback"
//messages: "Asking for a call"
//messages: "Role"
//messages: "E-mail address"
//messages: "State"
//messages: "Kind"
//messages: "May do" "Locked against pushes" "Writes of products"
//messages: "Works until"
//messages: "Description" "Id in accounting" "Modifiers" "Number of values"
//messages: "Change"
//messages: "Category"
//messages: "Number of products"
//messages: "Feature"
//messages: "Archived"
//messages: "Filter by category"
//messages: "In stock"
//messages: "Origin"
//messages: "Price from"
//messages: "Price to"
//messages: "Search words"
//messages: "Chosen values"
//messages: "Shown as a filter"
//messages: "Note"
//messages: "Parent category"
//messages: "Place"
//messages: "Products chosen"
//messages: "Type"
//messages: "Address"
//messages: "Value"
//messages: "Values"
//messages: "Variant"
//messages: "Events"
//messages: "Order"
//messages: "Inquiry"
//messages: "Product"
//messages: "Several products"
//messages: "Picture"
//messages: "Option"
//messages: "Feature"
//messages: "Category"
//messages: "Categories"
//messages: "Warehouse"
//messages: "Stock"
//messages: "Push"
//messages: "Webhook receiver"
//messages: "Webhook"
//messages: "Key"
//messages: "Member of the team"
//messages: "Own account"
//messages: "Settings"
//messages: "Store"
//messages: "Customer" "Customers" "Person erased" "Orders" "Carts" "Inquiries" "Messages" "Profiles of others"

// actionTexts has what the log says about an action, in English.
var actionTexts = map[string]string{
	"account.changed":                "Own account changed",
	"account.codes_disabled":         "Second step turned off",
	"account.codes_enabled":          "Second step turned on",
	"account.email_cancelled":        "New e-mail address cancelled",
	"account.email_requested":        "New e-mail address asked for",
	"account.password_changed":       "Own password changed",
	"account.recovery_codes_renewed": "New recovery codes made",
	"account.sessions_ended":         "Other browsers signed out",
	"account.sign_in_failed":         "Sign-in failed",
	"account.signed_in":              "Signed in",
	"categories.moved":               "Categories moved",
	"category.created":               "Category created",
	"category.deleted":               "Category deleted",
	"category.edited":                "Category edited",
	"category.moved":                 "Category moved",
	"category.renamed":               "Category renamed",
	"customer.erased":                "Person erased",
	"customer.exported":              "Data of a person downloaded",
	"deliveries.recovered":           "Missed webhooks sent again",
	"delivery.redelivered":           "Webhook sent again",
	"exchange.ids_assigned":          "Ids for accounting given to what has none",
	"feature.created":                "Feature created",
	"feature.deleted":                "Feature deleted",
	"feature.edited":                 "Feature edited",
	"feature.merged":                 "Values of a feature merged",
	"feature.renamed":                "Feature renamed",
	"image.added":                    "Picture added",
	"image.edited":                   "Picture edited",
	"image.ordered":                  "Pictures put in another order",
	"image.removed":                  "Picture removed",
	"inquiry.created":                "Inquiry created",
	"inquiry.done":                   "Inquiry done",
	"inquiry.noted":                  "Note on an inquiry changed",
	"inquiry.reopened":               "Inquiry reopened",
	"inquiry.taken":                  "Inquiry taken",
	"job.discarded":                  "Work that was set aside was discarded",
	"job.retried":                    "Work that was set aside was tried again",
	"key.changed":                    "Key changed",
	"key.created":                    "Key created",
	"key.revoked":                    "Key revoked",
	"key.rotated":                    "Key replaced",
	"mailbox.read":                   "Mailbox read",
	"message.tested":                 "Test message sent",
	"operator.changed":               "Member of the team changed",
	"operator.created":               "Member of the team added",
	"operator.disabled":              "Member of the team disabled",
	"operator.enabled":               "Member of the team enabled",
	"operator.invited":               "Member of the team invited",
	"operator.joined":                "Invitation accepted",
	"operator.password_reset":        "Password reset",
	"operator.removed":               "Member of the team removed",
	"operator.sessions_ended":        "Member of the team signed out",
	"option.created":                 "Option created",
	"option.deleted":                 "Option deleted",
	"option.edited":                  "Option edited",
	"option.merged":                  "Values of an option merged",
	"option.renamed":                 "Option renamed",
	"order.cancelled":                "Order cancelled",
	"order.completed":                "Order completed",
	"order.confirmed":                "Order confirmed",
	"order.created":                  "Cart created",
	"order.edited":                   "Cart changed",
	"order.submitted":                "Order sent",
	"orders.downloaded":              "Orders downloaded",
	"product.archived":               "Product archived",
	"product.created":                "Product created",
	"product.deleted":                "Product deleted",
	"product.edited":                 "Product edited",
	"product.restored":               "Product restored",
	"product.variant_added":          "Variant added",
	"product.variant_archived":       "Variant archived",
	"product.variant_deleted":        "Variant deleted",
	"product.variant_edited":         "Variant edited",
	"product.variant_restored":       "Variant restored",
	"products.changed":               "Many products changed",
	"receiver.created":               "Webhook receiver created",
	"receiver.deleted":               "Webhook receiver deleted",
	"receiver.disabled":              "Webhook receiver disabled",
	"receiver.edited":                "Webhook receiver edited",
	"receiver.enabled":               "Webhook receiver enabled",
	"receiver.secret_rotated":        "Secret of a webhook receiver replaced",
	"receiver.tested":                "Test webhook sent",
	"remainder.changed":              "Stock changed",
	"run.applied":                    "Uploaded file applied",
	"run.discarded":                  "Uploaded file removed",
	"run.retried":                    "Push tried again",
	"run.reverted":                   "Push reverted",
	"run.uploaded":                   "File uploaded",
	"settings.changed":               "Settings changed",
	"stock.created":                  "Warehouse created",
	"stock.deleted":                  "Warehouse deleted",
	"stock.edited":                   "Warehouse edited",
	"stock.renamed":                  "Warehouse renamed",
	"store.created":                  "Store created",
	"values.added":                   "Values added",
	"values.merged":                  "Values merged",
	"values.ordered":                 "Values put in another order",
	"values.removed":                 "Values removed",
	"values.renamed":                 "Values renamed",
}

// fieldTexts has the names of fields in changes, in English.
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
	"public_remainders":                      "Show everybody what each warehouse has",
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
	"role":                                   "Role",
	"locks":                                  "Locked against pushes",
	"members":                                "Writes of products",
	"scopes":                                 "May do",
	"site_url":                               "Address of the site",
	"state":                                  "State",
	"timezone":                               "Timezone",
	"action":                                 "Change",
	"category":                               "Category",
	"count":                                  "Number of products",
	"feature":                                "Feature",
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
	"parent":                                 "Parent category",
	"place":                                  "Place",
	"selection":                              "Products chosen",
	"type":                                   "Type",
	"url":                                    "Address",
	"value":                                  "Value",
	"values":                                 "Values",
	"variants":                               "Variant",
	"webhook_types":                          "Events",
	"description":                            "Description",
	"external_id":                            "Id in accounting",
	"categories":                             "Categories",
	"features":                               "Features",
	"images":                                 "Pictures",
	"modifiers":                              "Modifiers",
	"value_count":                            "Number of values",
}

// actionWords returns an action in words. One that is not known is shown as it is stored.
func actionWords(l *frame.Language, action string) string {
	if text, ok := actionTexts[action]; ok {
		return l.T(text)
	}
	return strings.NewReplacer(".", ": ", "_", " ").Replace(action)
}

// fieldWords returns the name of a field in words. One that is not known is shown as it is stored.
func fieldWords(l *frame.Language, field string) string {
	if text, ok := fieldTexts[field]; ok {
		return l.T(text)
	}
	return l.T(field) // the English name of a field of products
}

// kindTexts has what an object is called whose name the log does not know, in English.
var kindTexts = map[string]string{
	"order":         "Order",
	"inquiry":       "Inquiry",
	"product":       "Product",
	"products":      "Several products",
	"image":         "Picture",
	"product_image": "Picture",
	"option":        "Option",
	"feature":       "Feature",
	"category":      "Category",
	"categories":    "Categories",
	"stock":         "Warehouse",
	"remainder":     "Stock",
	"run":           "Push",
	"receiver":      "Webhook receiver",
	"delivery":      "Webhook",
	"key":           "Key",
	"operator":      "Member of the team",
	"account":       "Own account",
	"settings":      "Settings",
	"store":         "Store",
	"customer":      "Customer",
	"exchange":      "Exchange",
	"orders":        "Orders",
	"mailbox":       "Mailbox",
}

// objectWords returns the name of an object, or what it is.
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
		"remove-feature": "Take a feature value away"},
	"selection":       {"ticked": "ticked in the list", "all": "all that match the filters", "undo": "those of an earlier change"},
	"filterable":      {"yes": "yes", "no": "no"},
	"filter.in_stock": {"true": "yes", "1": "yes"},
	"filter.archived": {"true": "yes", "any": "archived or not"},
	"filter.origin":   {"pushed": "from accounting", "here": "made here"},
}

//messages: "ticked in the list" "all that match the filters" "those of an earlier change" "archived or not"
//messages: "from accounting" "made here" "yes" "no" "Archive" "Bring back from the archive" "Add to a category"
//messages: "Take out of a category" "Give a feature value" "Take a feature value away" "Cart" "New" "Confirmed"
//messages: "Completed" "Cancelled" "Taken" "Done"

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
	case "expires_at":
		if at, err := time.Parse(time.RFC3339, value); err == nil {
			return ui.pages.NewTimestamp(r, at).Text
		}
	case "state":
		if text, ok := stateTexts[kind][value]; ok {
			return l.T(text)
		}
	}
	if text, ok := valueTexts[field][value]; ok {
		return l.T(text)
	}
	return value
}
