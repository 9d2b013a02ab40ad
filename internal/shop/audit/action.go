package audit

// Action is what was done: a noun and a verb in the past tense. Record accepts only actions that have words in
// ActionTexts.
type Action string

// The actions.
const (
	AccountChanged              Action = "account.changed"
	AccountCodesDisabled        Action = "account.codes_disabled"
	AccountCodesEnabled         Action = "account.codes_enabled"
	AccountEmailCancelled       Action = "account.email_cancelled"
	AccountEmailRequested       Action = "account.email_requested"
	AccountPasswordChanged      Action = "account.password_changed"
	AccountPasswordAsked        Action = "account.password_asked"
	AccountPasswordForgotten    Action = "account.password_forgotten"
	AccountRecoveryCodesRenewed Action = "account.recovery_codes_renewed"
	AccountSessionsEnded        Action = "account.sessions_ended"
	AccountSignInFailed         Action = "account.sign_in_failed"
	AccountSignedIn             Action = "account.signed_in"
	CategoryCreated             Action = "category.created"
	CategoryDeleted             Action = "category.deleted"
	CategoryEdited              Action = "category.edited"
	CategoryMoved               Action = "category.moved"
	CategoryRenamed             Action = "category.renamed"
	CustomerErased              Action = "customer.erased"
	CustomerExported            Action = "customer.exported"
	CustomerGroupCreated        Action = "customer_group.created"
	CustomerGroupDeleted        Action = "customer_group.deleted"
	CustomerGroupEdited         Action = "customer_group.edited"
	CustomerMoved               Action = "customer.moved"
	CustomerNoted               Action = "customer.noted"
	CustomersMerged             Action = "customer.merged"
	CustomersDownloaded         Action = "customers.downloaded"
	DeliveriesRecovered         Action = "deliveries.recovered"
	DeliveryRedelivered         Action = "delivery.redelivered"
	ExchangeIDsAssigned         Action = "exchange.ids_assigned"
	FeatureCreated              Action = "feature.created"
	FeatureDeleted              Action = "feature.deleted"
	FeatureEdited               Action = "feature.edited"
	FeatureRenamed              Action = "feature.renamed"
	FeedCreated                 Action = "feed.created"
	FeedDeleted                 Action = "feed.deleted"
	FeedEdited                  Action = "feed.edited"
	ImageAdded                  Action = "image.added"
	ImageEdited                 Action = "image.edited"
	ImageOrdered                Action = "image.ordered"
	ImageRemoved                Action = "image.removed"
	InquiryCreated              Action = "inquiry.created"
	InquiryDone                 Action = "inquiry.done"
	InquiryNoted                Action = "inquiry.noted"
	InquiryReopened             Action = "inquiry.reopened"
	InquiryTaken                Action = "inquiry.taken"
	JobDiscarded                Action = "job.discarded"
	JobRetried                  Action = "job.retried"
	KeyChanged                  Action = "key.changed"
	KeyCreated                  Action = "key.created"
	KeyRevoked                  Action = "key.revoked"
	KeyRotated                  Action = "key.rotated"
	MailboxRead                 Action = "mailbox.read"
	MessageTested               Action = "message.tested"
	OperatorChanged             Action = "operator.changed"
	OperatorCreated             Action = "operator.created"
	OperatorDisabled            Action = "operator.disabled"
	OperatorEnabled             Action = "operator.enabled"
	OperatorInvited             Action = "operator.invited"
	OperatorJoined              Action = "operator.joined"
	OperatorPasswordReset       Action = "operator.password_reset"
	OperatorRemoved             Action = "operator.removed"
	OperatorSessionsEnded       Action = "operator.sessions_ended"
	OptionCreated               Action = "option.created"
	OptionDeleted               Action = "option.deleted"
	OptionEdited                Action = "option.edited"
	OptionRenamed               Action = "option.renamed"
	OrderCancelled              Action = "order.cancelled"
	OrderCompleted              Action = "order.completed"
	OrderConfirmed              Action = "order.confirmed"
	OrderEntered                Action = "order.entered"
	OrderNoted                  Action = "order.noted"
	OrderReopened               Action = "order.reopened"
	OrderUnconfirmed            Action = "order.unconfirmed"
	OrderUpdated                Action = "order.updated"
	OrdersDownloaded            Action = "orders.downloaded"
	OrdersPrinted               Action = "orders.printed"
	PriceListCreated            Action = "price_list.created"
	PriceListDeleted            Action = "price_list.deleted"
	PriceListEdited             Action = "price_list.edited"
	PinsChanged                 Action = "pins.changed"
	ProductArchived             Action = "product.archived"
	ProductCreated              Action = "product.created"
	ProductDeleted              Action = "product.deleted"
	ProductEdited               Action = "product.edited"
	ProductPublished            Action = "product.published"
	ProductRestored             Action = "product.restored"
	ProductVariantAdded         Action = "product.variant_added"
	ProductVariantArchived      Action = "product.variant_archived"
	ProductVariantDeleted       Action = "product.variant_deleted"
	ProductVariantEdited        Action = "product.variant_edited"
	ProductVariantRestored      Action = "product.variant_restored"
	ProductsChanged             Action = "products.changed"
	ReceiverCreated             Action = "receiver.created"
	ReceiverDeleted             Action = "receiver.deleted"
	ReceiverDisabled            Action = "receiver.disabled"
	ReceiverEdited              Action = "receiver.edited"
	ReceiverEnabled             Action = "receiver.enabled"
	ReceiverSecretRotated       Action = "receiver.secret_rotated"
	ReceiverTested              Action = "receiver.tested"
	RedirectCreated             Action = "redirect.created"
	RedirectDeleted             Action = "redirect.deleted"
	RemainderChanged            Action = "remainder.changed"
	ListPricesChanged           Action = "list_prices.changed"
	ListViewCreated             Action = "list_view.created"
	ListViewDeleted             Action = "list_view.deleted"
	ListViewEdited              Action = "list_view.edited"
	RunApplied                  Action = "run.applied"
	RunColumnsChosen            Action = "run.columns_chosen"
	RunDiscarded                Action = "run.discarded"
	RunRetried                  Action = "run.retried"
	RunReverted                 Action = "run.reverted"
	RunUploaded                 Action = "run.uploaded"
	SettingsChanged             Action = "settings.changed"
	StockCreated                Action = "stock.created"
	StockDeleted                Action = "stock.deleted"
	StockEdited                 Action = "stock.edited"
	StockRenamed                Action = "stock.renamed"
	StoreExported               Action = "store.exported"
	StoreImported               Action = "store.imported"
	SynonymsChanged             Action = "synonyms.changed"
	ValuesAdded                 Action = "values.added"
	ValuesMerged                Action = "values.merged"
	ValuesOrdered               Action = "values.ordered"
	ValuesRemoved               Action = "values.removed"
	ValuesRenamed               Action = "values.renamed"
)

// ActionTexts has what the log says about each action, in English. The administration translates it.
var ActionTexts = map[Action]string{
	AccountChanged:              "Own account changed",
	AccountCodesDisabled:        "Second step turned off",
	AccountCodesEnabled:         "Second step turned on",
	AccountEmailCancelled:       "New e-mail address cancelled",
	AccountEmailRequested:       "New e-mail address asked for",
	AccountPasswordChanged:      "Own password changed",
	AccountPasswordAsked:        "Link for a forgotten password sent",
	AccountPasswordForgotten:    "Forgotten password replaced by mail",
	AccountRecoveryCodesRenewed: "New recovery codes made",
	AccountSessionsEnded:        "Other browsers signed out",
	AccountSignInFailed:         "Sign-in failed",
	AccountSignedIn:             "Signed in",
	CategoryCreated:             "Category created",
	CategoryDeleted:             "Category deleted",
	CategoryEdited:              "Category edited",
	CategoryMoved:               "Category moved",
	CategoryRenamed:             "Category renamed",
	CustomerErased:              "Person erased",
	CustomerExported:            "Data of a person downloaded",
	CustomerGroupCreated:        "Customer group created",
	CustomerGroupDeleted:        "Customer group deleted",
	CustomerGroupEdited:         "Customer group edited",
	CustomerMoved:               "Customer moved to another group",
	CustomerNoted:               "Note on a customer changed",
	CustomersMerged:             "Customers joined",
	DeliveriesRecovered:         "Missed webhooks sent again",
	DeliveryRedelivered:         "Webhook sent again",
	ExchangeIDsAssigned:         "Ids for accounting given to what has none",
	FeatureCreated:              "Feature created",
	FeatureDeleted:              "Feature deleted",
	FeatureEdited:               "Feature edited",
	FeatureRenamed:              "Feature renamed",
	FeedCreated:                 "Feed created",
	FeedDeleted:                 "Feed deleted",
	FeedEdited:                  "Feed edited",
	ImageAdded:                  "Image added",
	ImageEdited:                 "Image edited",
	ImageOrdered:                "Images put in another order",
	ImageRemoved:                "Image removed",
	InquiryCreated:              "Inquiry created",
	InquiryDone:                 "Inquiry done",
	InquiryNoted:                "Note on an inquiry changed",
	InquiryReopened:             "Inquiry reopened",
	InquiryTaken:                "Inquiry taken",
	JobDiscarded:                "Work that was set aside was discarded",
	JobRetried:                  "Work that was set aside was tried again",
	KeyChanged:                  "Key changed",
	KeyCreated:                  "Key created",
	KeyRevoked:                  "Key revoked",
	KeyRotated:                  "Key replaced",
	MailboxRead:                 "Mailbox read",
	MessageTested:               "Test message sent",
	OperatorChanged:             "Member of the team changed",
	OperatorCreated:             "Member of the team added",
	OperatorDisabled:            "Member of the team disabled",
	OperatorEnabled:             "Member of the team enabled",
	OperatorInvited:             "Member of the team invited",
	OperatorJoined:              "Invitation accepted",
	OperatorPasswordReset:       "Password reset",
	OperatorRemoved:             "Member of the team removed",
	OperatorSessionsEnded:       "Member of the team signed out",
	OptionCreated:               "Option created",
	OptionDeleted:               "Option deleted",
	OptionEdited:                "Option edited",
	OptionRenamed:               "Option renamed",
	OrderCancelled:              "Order cancelled",
	OrderCompleted:              "Order completed",
	OrderConfirmed:              "Order confirmed",
	OrderEntered:                "Order entered",
	OrderNoted:                  "Note on an order changed",
	OrderReopened:               "Order reopened",
	OrderUnconfirmed:            "Confirmation of an order undone",
	OrderUpdated:                "Order changed",
	CustomersDownloaded:         "Customers downloaded",
	OrdersDownloaded:            "Orders downloaded",
	OrdersPrinted:               "Orders printed",
	PriceListCreated:            "Price list created",
	PriceListDeleted:            "Price list deleted",
	PriceListEdited:             "Price list edited",
	PinsChanged:                 "Pinned products of the search changed",
	ProductArchived:             "Product archived",
	ProductCreated:              "Product created",
	ProductDeleted:              "Product deleted",
	ProductEdited:               "Product edited",
	ProductPublished:            "Draft published",
	ProductRestored:             "Product restored",
	ProductVariantAdded:         "Variant added",
	ProductVariantArchived:      "Variant archived",
	ProductVariantDeleted:       "Variant deleted",
	ProductVariantEdited:        "Variant edited",
	ProductVariantRestored:      "Variant restored",
	ProductsChanged:             "Many products changed",
	ReceiverCreated:             "Webhook receiver created",
	ReceiverDeleted:             "Webhook receiver deleted",
	ReceiverDisabled:            "Webhook receiver disabled",
	ReceiverEdited:              "Webhook receiver edited",
	ReceiverEnabled:             "Webhook receiver enabled",
	ReceiverSecretRotated:       "Secret of a webhook receiver replaced",
	ReceiverTested:              "Test webhook sent",
	RedirectCreated:             "Redirect created",
	RedirectDeleted:             "Redirect deleted",
	RemainderChanged:            "Stock changed",
	ListPricesChanged:           "Prices in price lists changed",
	ListViewCreated:             "Shared view of a list saved",
	ListViewDeleted:             "Shared view of a list deleted",
	ListViewEdited:              "Shared view of a list changed",
	RunApplied:                  "Uploaded file applied",
	RunColumnsChosen:            "Columns of a file chosen",
	RunDiscarded:                "Uploaded file removed",
	RunRetried:                  "Push tried again",
	RunReverted:                 "Push reverted",
	RunUploaded:                 "File uploaded",
	SettingsChanged:             "Settings changed",
	StockCreated:                "Warehouse created",
	StockDeleted:                "Warehouse deleted",
	StockEdited:                 "Warehouse edited",
	StockRenamed:                "Warehouse renamed",
	StoreExported:               "Store exported to an archive",
	StoreImported:               "Store imported from an archive",
	SynonymsChanged:             "Synonyms of the search changed",
	ValuesAdded:                 "Values added",
	ValuesMerged:                "Values merged",
	ValuesOrdered:               "Values put in another order",
	ValuesRemoved:               "Values removed",
	ValuesRenamed:               "Values renamed",
}
