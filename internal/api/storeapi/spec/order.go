package spec

import (
	"slices"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/kit/schema"
	"vitrine/internal/shop/event/payload"
)

// These types are the JSON of an order and its parts, in responses and in events.
type (
	Order         = payload.Order
	OrderItem     = payload.OrderItem
	OrderContact  = payload.OrderContact
	OrderDelivery = payload.OrderDelivery
	OrderModifier = payload.OrderModifier
	OrderProblem  = payload.OrderProblem
)

// OrderInput is the body that creates or edits an order in the state draft.
type OrderInput struct {
	_ struct{} `doc:"What is in the cart. An order as it was read may be sent back."`

	Items    []OrderItemInput        `json:"items,omitempty" doc:"The full list, at most 1,000 lines. The same variant twice with the same modifiers is one line with the sum of both. All lines together have at most 2,000 modifiers."`
	Contact  OrderContactInput       `json:"contact,omitempty" doc:"Who orders, as far as it is known already."`
	Delivery OrderDeliveryInput      `json:"delivery,omitempty"`
	Comment  schema.Nullable[string] `json:"comment,omitempty" doc:"At most 10,000 characters."`
}

// OrderEdit is the body that edits an order.
type OrderEdit struct {
	_ struct{} `doc:"What is in the cart, or what changes in a submitted order. A cart as it was read may be sent back."`

	Items    []OrderItemInput                    `json:"items,omitempty" doc:"Of a draft. The full list, at most 1,000 lines. The same variant twice with the same modifiers is one line with the sum of both. All lines together have at most 2,000 modifiers."`
	Contact  OrderContactInput                   `json:"contact,omitempty" doc:"Who orders, as far as it is known already."`
	Delivery OrderDeliveryInput                  `json:"delivery,omitempty"`
	Comment  schema.Nullable[string]             `json:"comment,omitempty" doc:"At most 10,000 characters."`
	Tracking schema.Nullable[OrderTrackingInput] `json:"tracking,omitempty" doc:"Of a submitted order. How the goods travel, whole; null takes it away."`
	PaidAt   openapi.Moment                      `json:"paid_at,omitempty" doc:"Of a submitted order. When it was paid; null if it is not."`
	Tags     []string                            `json:"tags,omitempty" doc:"Of a submitted order. The full list of at most 20 words for groups of orders, each with at most 40 characters and without commas."`
}

// OrderTrackingInput says how the goods of an order travel, in requests.
type OrderTrackingInput struct {
	_ struct{} `doc:"How the goods travel. The customer sees it."`

	Number  schema.Nullable[string] `json:"number,omitempty" doc:"The number of the parcel: at most 100 characters." example:"RB123456785DE"`
	Carrier schema.Nullable[string] `json:"carrier,omitempty" doc:"At most 100 characters." example:"DHL"`
	URL     schema.Nullable[string] `json:"url,omitempty" doc:"A page that shows where the parcel is." example:"https://carrier.example/track/RB123456785DE"`
}

// OrderItemInput is a line of an order in requests.
type OrderItemInput struct {
	_ struct{} `doc:"How much of a variant is wanted, and with what. What it costs is said by the catalogue."`

	VariantID schema.ID                             `json:"variant_id" doc:"A variant that is in the shop."`
	Quantity  schema.Decimal                        `json:"quantity" doc:"More than 0, with at most 9 digits before the point and 3 decimals." example:"2"`
	Modifiers schema.Nullable[[]OrderModifierInput] `json:"modifiers,omitempty" doc:"What is added to each piece or chosen in it, at most 100. The same item twice counts as the sum of both. Of each group the sum of the quantities is from min to max, or 0 if the group is not required. Lines with different modifiers are different lines."`
}

// OrderModifierInput is a modifier of a line in requests.
type OrderModifierInput struct {
	_ struct{} `doc:"A modifier of the product, by the ids in modifiers of the product. An id may be sent as a number, too."`

	GroupID  openapi.ExternalIDInput `json:"group_id" doc:"The id of a group."`
	ItemID   openapi.ExternalIDInput `json:"item_id" doc:"The id of an item of that group."`
	Quantity schema.Nullable[int64]  `json:"quantity,omitempty" doc:"How many for one piece of the line: a whole number up to 999,999,999; 1 by default." minimum:"1" example:"1"`
}

// OrderItemEdit is the body that edits an item of an order.
type OrderItemEdit struct {
	Quantity schema.Decimal `json:"quantity" doc:"More than 0, with at most 9 digits before the point and 3 decimals." example:"3"`
}

// OrderContactInput is the contact of an order in requests.
type OrderContactInput struct {
	_ struct{} `doc:"Who orders, and how to reach them."`

	Name  schema.Nullable[string] `json:"name,omitempty" doc:"At most 255 characters on one line."`
	Phone schema.Nullable[string] `json:"phone,omitempty" doc:"7 to 15 digits, in whichever way they are written."`
	Email schema.Nullable[string] `json:"email,omitempty" doc:"An e-mail address."`
}

// OrderDeliveryInput has the delivery address and a comment on the delivery, in requests.
type OrderDeliveryInput struct {
	_ struct{} `doc:"Where the goods shall go."`

	Address schema.Nullable[string] `json:"address,omitempty" doc:"At most 1,000 characters."`
	Comment schema.Nullable[string] `json:"comment,omitempty" doc:"At most 10,000 characters."`
}

// OrderSubmission is the body that submits an order in the state draft.
type OrderSubmission struct {
	Contact   OrderContactInput       `json:"contact" doc:"A name, and a phone number or an e-mail address."`
	Delivery  OrderDeliveryInput      `json:"delivery,omitempty" doc:"Left out, it stays what the draft says."`
	Comment   schema.Nullable[string] `json:"comment,omitempty" doc:"At most 10,000 characters. Left out, it stays what the draft says."`
	Recaptcha CaptchaToken            `json:"recaptcha,omitempty"`
}

// exampleWrappedShirts is a line with a modifier.
const exampleWrappedShirts = `{"variant_id":"` + exampleShirtM + `","quantity":2,"modifiers":[` +
	`{"group_id":"wrap","item_id":"paper","quantity":1}]}`

const orderAccessNote = " An order is reached by its customer's token, by the header `X-Order-Token`, " +
	"or with a secret key that may; for anybody else it is 404."

// exampleOrder returns an order in the given state.
func exampleOrder(state string) Order {
	o := Order{
		ID: exampleID("019a8269-f290-7c01-8e43-6f7a8b9c0d01"), State: state, Total: 4081_0000, Currency: "EUR",
		CreatedAt: exampleDate(), UpdatedAt: exampleDate(),
		Items: []OrderItem{{
			ID: exampleID("019a8269-f290-7c02-9f54-7a8b9c0d1e02"), VariantID: exampleID(exampleShirtM),
			ProductID: exampleID(exampleShirtID), Name: "T-shirt M", Slug: schema.NotNull("t-shirt"), SKU: "TSHIRT-M",
			Barcode: schema.NotNull("4600000000017"), VATRate: schema.NotNull[schema.Decimal]("20"),
			Unit:    schema.NotNull(payload.Unit{Code: schema.NotNull("796"), Name: "pcs"}),
			Options: payload.EncodeOptions(exampleOptions(exampleMedium())),
			Modifiers: payload.EncodeModifiers([]OrderModifier{{GroupID: "wrap", GroupName: "Gift wrap",
				ItemID: "paper", Name: "Paper", Price: 50_0000, Quantity: 1}}),
			Price: schema.NotNull(schema.Money(2040_5000)), Quantity: "2",
			Total: schema.NotNull(schema.Money(4081_0000)),
			Image: schema.NotNull("https://api.shop.example/images/019a8269-cf60-7d02-90b1-2a3b4c5d6e01/" +
				"019a8269-cf60-7d02-90b1-2a3b4c5d6e60/small.jpg"),
		}},
	}
	if state == "draft" {
		o.Items[0].Available = schema.NotNull[schema.Decimal]("3")
		o.Items[0].Problems = payload.EncodeProblems(nil)
		return o
	}

	date := schema.NotNull(exampleDate())
	o.Number = schema.NotNull[int64](1042)
	o.SubmittedAt = date
	o.Contact = OrderContact{Name: schema.NotNull("Anna"), Phone: schema.NotNull("+79123456789")}
	o.Delivery.Address = schema.NotNull("12 Harbour Street, Kiel")

	switch state {
	case "confirmed":
		o.ConfirmedAt = date
	case "completed":
		o.ConfirmedAt, o.CompletedAt = date, date
	case "cancelled":
		o.CancelledAt = date
	}

	return o
}

// exampleNewOrder returns a new order with its order token, which only the response to the creation contains.
func exampleNewOrder() Order {
	o := exampleOrder("draft")
	o.OrderToken = "ot_4QZ7J3K5M2N6P7R2S3T4V5W6X7Y2Z3A4B5C6D7E2F3G4H5J6K7M2"
	return o
}

func orderTokenHeader() []httpapi.Param {
	return []httpapi.Param{{Name: "X-Order-Token", Description: "The `order_token` of the order, for guests."}}
}

func notADraft() httpapi.Refusal {
	return httpapi.Refusal{Status: 409, Code: "wrong_state", When: "the order is no draft any more"}
}

// orderLineRefusals returns the refusals of items with a variant and a quantity.
func orderLineRefusals(more ...httpapi.Refusal) []httpapi.Refusal {
	return append([]httpapi.Refusal{
		{Status: 422, Code: "required", When: "a `variant_id`, a `quantity`, a `group_id` or an `item_id` is missing"},
		{Status: 422, Code: "unknown_variant", When: "there is no such variant in the shop, or it is archived"},
		{Status: 409, Code: "not_for_sale", When: "a variant has no price; `errors` names its line"},
		{Status: 422, Code: "invalid_id", When: "an id is no UUID"},
		{Status: 422, Code: "wrong_type", When: "a member has another type than described"},
		{Status: 422, Code: "out_of_range",
			When: "a quantity is not more than 0, has too many digits, or is more than a visitor may order of a " +
				"variant in all lines; the quantity of a modifier is no whole number from 1; or the order would " +
				"cost too much"},
		{Status: 422, Code: "too_many",
			When: "there would be more than 1,000 lines, a line has more than 100 modifiers, or all together have " +
				"more than 2,000"},
		{Status: 422, Code: "unknown_modifier_group", When: "the product has no group of modifiers with a `group_id`"},
		{Status: 422, Code: "unknown_modifier", When: "the group has no item with an `item_id`"},
		{Status: 422, Code: "modifier_required",
			When: "nothing is chosen of a required group; the message names it"},
		{Status: 422, Code: "too_few_modifiers",
			When: "less than `min` is chosen of a group; the message names it"},
		{Status: 422, Code: "too_many_modifiers",
			When: "more than `max` is chosen of a group; the message names it"},
	}, more...)
}

// orderTextRefusals returns the refusals of the contact, the delivery and the comment of an order.
func orderTextRefusals(more ...httpapi.Refusal) []httpapi.Refusal {
	return append([]httpapi.Refusal{
		{Status: 422, Code: "too_long", When: "a text has more characters than described"},
		{Status: 422, Code: "control_character",
			When: "a text has a control character, or one that must be one line has a line break"},
		{Status: 422, Code: "invalid_phone", When: "`contact.phone` is not 7 to 15 digits"},
		{Status: 422, Code: "invalid_email", When: "`contact.email` is not an e-mail address"},
	}, more...)
}

func orderDocs() map[string]httpapi.Route {
	return openapi.Group(orderTag, "order", map[string]httpapi.Route{
		"GET /v2/orders": {
			OperationID: "listOrders", Summary: "List orders", Response: Order{}, Paged: true,
			Description: "With a customer token the customer's own orders; with a secret key all of the store, " +
				"drafts among them. The newest come first. Other keys are 403: guests " +
				"read one order at a time.",
			QueryParams: append([]httpapi.Param{
				{Name: "state", Example: "submitted", Enum: []string{"draft", "submitted", "confirmed", "completed",
					"cancelled"},
					Description: "Leaves orders in this state: `draft`, `submitted`, `confirmed`, " +
						"`completed` or `cancelled`."},
			}, append(periodParams(),
				searchParam("the name, the phone number or the e-mail address of the contact, or be the number"))...),
			ResponseExamples: examples(listExample("What waits for the shop", exampleOrder("submitted"))),
			Refusals: []httpapi.Refusal{{Status: 403, Code: "forbidden",
				When: "the key may not read the orders of the store"}},
		},

		"POST /v2/orders": {
			OperationID: "createOrder", Summary: "Begin an order", Status: 201, Response: Order{}, HasETag: true,
			Description: "Makes a cart: an order in state `draft`. It may be empty. Names and prices come from the " +
				"catalogue, and follow it until the order is submitted; nothing is " +
				"reserved. The answer has an `order_token`, by which a guest reaches the order from then on. With a " +
				"customer token the order is the customer's.",
			Body: OrderInput{},
			BodyExamples: examples(bodyExample("Two shirts",
				`{"items":[{"variant_id":"`+exampleShirtM+`","quantity":2}]}`),
				bodyExample("Two shirts in gift wrap", `{"items":[`+exampleWrappedShirts+`]}`),
				bodyExample("An empty cart", `{}`)),
			ResponseExamples: examples(oneExample("The draft", exampleNewOrder())),
			Refusals: slices.Concat(orderLineRefusals(), orderTextRefusals(), []httpapi.Refusal{
				{Status: 429, Code: "too_many_carts",
					When: "the store has too many carts of guests, and all of them changed recently; a customer who " +
						"signed in can still begin one"}}),
		},

		"GET /v2/orders/{id}": {
			OperationID: "getOrder", Summary: "Read an order", Response: Order{}, HasETag: true,
			Description:  "One order with its items." + orderAccessNote,
			HeaderParams: orderTokenHeader(),
			ResponseExamples: examples(oneExample("A draft", exampleOrder("draft")),
				oneExample("A submitted order", exampleOrder("submitted"))),
		},

		"PUT /v2/orders/{id}": {
			OperationID: "editOrder", Summary: "Edit an order", Response: Order{}, HasETag: true, Body: OrderEdit{},
			Description: "Changes the members of a draft that are sent, those of `contact` and `delivery` one by " +
				"one. `items` is the full list; a variant that stays with the same modifiers keeps its item's id. A " +
				"secret key with the scope `orders:write` changes `tracking`, `paid_at` and `tags` of a submitted " +
				"order, and as long as it is neither completed nor cancelled `contact`, `delivery` and `comment`, " +
				"too. That emits `order.updated`." + orderAccessNote,
			HeaderParams: orderTokenHeader(),
			BodyExamples: examples(bodyExample("Other items",
				`{"items":[{"variant_id":"`+exampleShirtXL+`","quantity":1}]}`),
				bodyExample("Who orders", `{"contact":{"name":"Anna","email":"anna@example.com"}}`),
				bodyExample("It is paid and on its way", `{"paid_at":"2026-11-14T12:00:05+00:00","tracking":{"number":`+
					`"RB123456785DE","carrier":"DHL","url":"https://carrier.example/track/RB123456785DE"}}`)),
			ResponseExamples: examples(oneExample("The draft", exampleOrder("draft"))),
			Refusals: slices.Concat(orderLineRefusals(httpapi.Refusal{Status: 409, Code: "wrong_state",
				When: "the order is submitted and the body has `items`, or the key is no secret one; or the order is " +
					"completed or cancelled, and the body has more than what the shop adds"}),
				orderTextRefusals(
					httpapi.Refusal{Status: 422, Code: "invalid_url", When: "`tracking.url` is no address"},
					httpapi.Refusal{Status: 422, Code: "invalid_date", When: "`paid_at` is no date and time"},
					httpapi.Refusal{Status: 422, Code: "invalid", When: "a tag has a comma"})),
		},

		"POST /v2/orders/{id}/items": {
			OperationID: "addOrderItem", Summary: "Put something into a draft", Status: 201, Response: Order{},
			HasETag: true,
			Description: "Adds some of a variant and answers with the whole order. If the variant is in it " +
				"already with the same modifiers, its quantity grows by what is sent." + orderAccessNote,
			HeaderParams: orderTokenHeader(),
			Body:         OrderItemInput{},
			BodyExamples: examples(bodyExample("Two shirts", `{"variant_id":"`+exampleShirtM+`","quantity":2}`),
				bodyExample("Two shirts in gift wrap", exampleWrappedShirts)),
			ResponseExamples: examples(oneExample("The draft", exampleOrder("draft"))),
			Refusals:         orderLineRefusals(notADraft()),
		},

		"PUT /v2/orders/{id}/items/{item_id}": {
			OperationID: "editOrderItem", Summary: "Change how many are wanted", Response: Order{}, HasETag: true,
			Description: "Sets the quantity of an item and answers with the whole order. `If-Match` and ETag " +
				"are those of the order." + orderAccessNote,
			HeaderParams:     orderTokenHeader(),
			Body:             OrderItemEdit{},
			BodyExamples:     examples(bodyExample("Three", `{"quantity":3}`)),
			ResponseExamples: examples(oneExample("The draft", exampleOrder("draft"))),
			Refusals: []httpapi.Refusal{
				notADraft(), {Status: 422, Code: "required", When: "`quantity` is missing"},
				{Status: 422, Code: "wrong_type", When: "`quantity` is no number"},
				{Status: 422, Code: "out_of_range",
					When: "`quantity` is not more than 0, has too many digits, " +
						"or is more than a visitor may order; or the order would cost too much"},
			},
		},

		"DELETE /v2/orders/{id}/items/{item_id}": {
			OperationID: "removeOrderItem",
			Summary:     "Take something out of a draft",
			Description: "Deletes an item. `If-Match` names the ETag of the order. The request has no body." +
				orderAccessNote,
			HeaderParams: orderTokenHeader(),
			Refusals:     []httpapi.Refusal{notADraft()},
		},

		"POST /v2/orders/{id}/submit": {
			OperationID: "submitOrder", Summary: "Submit a draft", Response: Order{}, HasETag: true,
			Description: "Reserves the stock, freezes names and prices, " +
				"gives the order its number and emits `order.submitted`; all of it or nothing. A line may be filled " +
				"from several " +
				"stocks. Send an `Idempotency-Key`: then a request that is sent again, since its answer was lost, " +
				"is one order. A guest's draft that is submitted with a customer " +
				"token becomes the customer's. Where the store protects `order_submission`, " +
				"the body has the token of a captcha." + orderAccessNote,
			HeaderParams: orderTokenHeader(),
			Body:         OrderSubmission{},
			BodyExamples: examples(bodyExample("By phone",
				`{"contact":{"name":"Anna","phone":"+7 (912) 345-67-89"},"delivery":{"address":"12 Harbour Street, `+
					`Kiel"}}`)),
			ResponseExamples: examples(oneExample("The order", exampleOrder("submitted"))),
			Refusals: captchaRefusals(slices.Concat([]httpapi.Refusal{
				{Status: 409, Code: "out_of_stock",
					When: "too little is left of some items; `errors` names them as `items[n]`, " +
						"each with `available`: how many are left"},
				{Status: 409, Code: "unavailable",
					When: "some items are not in the shop any more; `errors` names them as `items[n]`"},
				{Status: 409, Code: "not_for_sale",
					When: "some items have no price any more; `errors` names them as `items[n]`"},
				{Status: 409, Code: "modifiers_unavailable",
					When: "what is chosen in some items is not possible any more; `errors` names them as " +
						"`items[n].modifiers`, with the codes of `problems`"},
				{Status: 409, Code: "order_empty", When: "there is nothing in the order"},
				{Status: 409, Code: "too_expensive", When: "the order costs more than an amount can say"}, notADraft(),
				{Status: 422, Code: "required",
					When: "`contact` has no name, or neither a phone number nor an e-mail address"},
				{Status: 422, Code: "wrong_type", When: "a member has another type than described"},
			}, orderTextRefusals())...),
		},

		"POST /v2/orders/{id}/confirm": {
			OperationID: "confirmOrder", Summary: "Confirm a submitted order", Response: Order{}, HasETag: true,
			Description: "Says that the shop takes the order on, and emits `order.confirmed`. What is reserved " +
				"stays so. No body is needed.",
			ResponseExamples: examples(oneExample("The order", exampleOrder("confirmed"))),
			Refusals: []httpapi.Refusal{{Status: 409, Code: "wrong_state",
				When: "the order is not `submitted`"}},
		},

		"POST /v2/orders/{id}/complete": {
			OperationID: "completeOrder", Summary: "Complete a confirmed order", Response: Order{}, HasETag: true,
			Description: "Takes what was reserved off the `quantity` of the stocks, " +
				"and emits `order.completed`. No body is needed.",
			ResponseExamples: examples(oneExample("The order", exampleOrder("completed"))),
			Refusals: []httpapi.Refusal{{Status: 409, Code: "wrong_state",
				When: "the order is not `confirmed`"}},
		},

		"POST /v2/orders/{id}/cancel": {
			OperationID: "cancelOrder", Summary: "Cancel an order", Response: Order{}, HasETag: true,
			Description:      "Gives back what was reserved, and emits `order.cancelled`. No body is needed.",
			ResponseExamples: examples(oneExample("The order", exampleOrder("cancelled"))),
			Refusals: []httpapi.Refusal{{Status: 409, Code: "wrong_state",
				When: "the order is neither `submitted` nor `confirmed`"}},
		},
	})
}
