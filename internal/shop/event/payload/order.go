// Package payload defines the JSON of orders and inquiries, which are both payloads of events and resources of the API.
// Responses, events, the OpenAPI documents and the schemas of events are generated from its types.
package payload

import "vitrine/internal/kit/schema"

// Order is an order, or a cart, which is an order in state draft.
type Order struct {
	_ struct{} `doc:"A cart, which is an order in state draft, or what became of it. What nobody said is null."`

	ID            schema.ID                      `json:"id"`
	Number        schema.Nullable[int64]         `json:"number" doc:"Counts the submitted orders of the store; null for a draft." example:"1042"`
	State         string                         `json:"state" enum:"draft,submitted,confirmed,completed,cancelled" example:"submitted"`
	Items         []OrderItem                    `json:"items" doc:"One for each variant with each choice of modifiers, in the order in which they were added."`
	Total         schema.Money                   `json:"total" doc:"The sum over the items that have a total."`
	Currency      string                         `json:"currency" doc:"ISO 4217. That of the store, frozen when the order is submitted." example:"EUR"`
	Contact       OrderContact                   `json:"contact"`
	Delivery      OrderDelivery                  `json:"delivery"`
	Comment       schema.Nullable[string]        `json:"comment" example:"Please wrap it."`
	PaymentNumber string                         `json:"payment_number,omitempty" doc:"The number of the payment in accounting. Only secret keys see it, and only once accounting has told it." example:"0000-000042"`
	Tracking      schema.Nullable[OrderTracking] `json:"tracking" doc:"How the goods travel; null if the shop has not said it."`
	PaidAt        schema.Nullable[schema.Date]   `json:"paid_at" doc:"When it was paid; null if it is not, as far as the shop knows."`
	Tags          *[]string                      `json:"tags,omitzero" doc:"The shop's words for groups of orders. Only secret keys and events have them."`
	CustomerID    schema.Nullable[schema.ID]     `json:"customer_id" doc:"The customer it belongs to; null for a guest's."`
	SubmittedAt   schema.Nullable[schema.Date]   `json:"submitted_at"`
	ConfirmedAt   schema.Nullable[schema.Date]   `json:"confirmed_at"`
	CompletedAt   schema.Nullable[schema.Date]   `json:"completed_at"`
	CancelledAt   schema.Nullable[schema.Date]   `json:"cancelled_at"`
	CreatedAt     schema.Date                    `json:"created_at"`
	UpdatedAt     schema.Date                    `json:"updated_at"`
	OrderToken    string                         `json:"order_token,omitempty" doc:"What a guest reaches the order by: the header X-Order-Token. Only present in the answer that makes the order; it is shown this once." example:"ot_4QZ7J3K5M2N6P7R2S3T4V5W6X7Y2Z3A4B5C6D7E2F3G4H5J6K7M2"`
}

var (
	orderEncoder     = schema.NewEncoder[Order]()
	optionsEncoder   = schema.NewEncoder[[]VariantOptionValue]()
	modifiersEncoder = schema.NewEncoder[[]OrderModifier]()
	problemsEncoder  = schema.NewEncoder[[]OrderProblem]()
)

// Append appends the order as JSON to b and returns the extended buffer.
func (o *Order) Append(b []byte) []byte { return orderEncoder.Append(b, o) }

// OrderItem is a line of an order.
type OrderItem struct {
	_ struct{} `doc:"A line of an order. In a draft it shows the variant as it is now; from the submission on it is frozen."`

	ID          schema.ID                            `json:"id" doc:"The id of the item."`
	VariantID   schema.ID                            `json:"variant_id"`
	ProductID   schema.ID                            `json:"product_id"`
	Name        string                               `json:"name" doc:"The name of the product with that of the variant." example:"T-shirt M"`
	Slug        schema.Nullable[string]              `json:"slug" doc:"The address of the product in the shop at present; null if the product was deleted." example:"t-shirt"`
	SKU         string                               `json:"sku" doc:"Empty where there is none." example:"TSHIRT-M"`
	Barcode     schema.Nullable[string]              `json:"barcode" doc:"The first barcode of the variant; null where it has none." example:"4600000000017"`
	Unit        schema.Nullable[Unit]                `json:"unit" doc:"What quantity counts; null where it is not known."`
	VATRate     schema.Nullable[schema.Decimal]      `json:"vat_rate" doc:"The rate of value-added tax that the price includes, in percent; null without VAT." example:"20"`
	Options     schema.Encoded[[]VariantOptionValue] `json:"options"`
	Modifiers   schema.Encoded[[]OrderModifier]      `json:"modifiers" doc:"What was added to it or chosen in it, in the order of the product's groups."`
	Price       schema.Nullable[schema.Money]        `json:"price" doc:"What one of it costs, with its modifiers. In a draft it is null if the variant is not for sale any more: the order cannot be submitted with it. Never null once the order is submitted."`
	PriceListID *schema.Nullable[schema.ID]          `json:"price_list_id,omitzero" doc:"The price list that gave the price; null if it is the price of the variant itself. Only secret keys and events have it."`
	Quantity    schema.Decimal                       `json:"quantity" example:"2"`
	Total       schema.Nullable[schema.Money]        `json:"total" doc:"price times quantity, rounded to 4 decimals; null if price is."`
	Problems    schema.Encoded[[]OrderProblem]       `json:"problems,omitzero" doc:"Why the choice of modifiers is no longer possible; empty if it is. The order cannot be submitted with a problem. Only lines of drafts have the member."`
	Image       schema.Nullable[string]              `json:"image" doc:"The address of the small thumbnail (160 pixels) of the product's first image; null without one. In events it begins with the public address that the operator has set, or else with the one at which a client with a secret key changed the order. Without such an address it is null in events." example:"https://api.shop.example/images/019a8269-cf60-7d02-90b1-2a3b4c5d6e01/019a8269-cf60-7d02-90b1-2a3b4c5d6e60/small.jpg"`
	Available   schema.Nullable[schema.Decimal]      `json:"available" doc:"In a draft how many are available, as on the variant: null if its stock is not kept, 0 if it is not sold any more. Null once the order is submitted." example:"3"`
}

// OrderModifier is a modifier of a line of an order.
type OrderModifier struct {
	_ struct{} `doc:"What was added to one piece of a line, or chosen in it. In a draft it shows the product as it is now; from the submission on it is frozen."`

	GroupID   string       `json:"group_id" doc:"The id of the group in modifiers of the product, always as a string." example:"wrap"`
	GroupName string       `json:"group_name" example:"Gift wrap"`
	ItemID    string       `json:"item_id" doc:"The id of the item in its group, always as a string." example:"paper"`
	Name      string       `json:"name" example:"Paper"`
	Price     schema.Money `json:"price" doc:"What one of it costs; 0 if it has no price. The price of the line includes price times quantity."`
	Quantity  int64        `json:"quantity" doc:"How many for one piece of the line." example:"1"`
}

// OrderProblem says why a line of a draft cannot be submitted.
type OrderProblem struct {
	_ struct{} `doc:"Why a line cannot be submitted as it is."`

	Code    string `json:"code" doc:"unknown_modifier_group, unknown_modifier, modifier_required, too_few_modifiers, too_many_modifiers, or out_of_range if the line would cost more than an amount can say." example:"unknown_modifier"`
	Message string `json:"message" doc:"For people." example:"“Gift wrap: Paper” is not available any more."`
}

// Unit is the unit in which a product is sold.
type Unit struct {
	_ struct{} `doc:"The unit in which a product is sold."`

	Code schema.Nullable[string] `json:"code" doc:"The code of OKEI; null where it is not known." example:"796"`
	Name string                  `json:"name" example:"pcs"`
}

// OrderContact is the contact data of the customer in an order.
type OrderContact struct {
	_ struct{} `doc:"Who orders, and how to reach them."`

	Name  schema.Nullable[string] `json:"name" example:"Anna"`
	Phone schema.Nullable[string] `json:"phone" doc:"Its digits, behind a + if there was one." example:"+79123456789"`
	Email schema.Nullable[string] `json:"email" example:"anna@example.com"`
}

// OrderTracking says how the goods of an order travel.
type OrderTracking struct {
	_ struct{} `doc:"How the goods travel. What nobody said is null."`

	Number  schema.Nullable[string] `json:"number" doc:"The number of the parcel." example:"RB123456785DE"`
	Carrier schema.Nullable[string] `json:"carrier" example:"DHL"`
	URL     schema.Nullable[string] `json:"url" doc:"A page that shows where the parcel is." example:"https://carrier.example/track/RB123456785DE"`
}

// OrderDelivery is the delivery address of an order and a comment on it.
type OrderDelivery struct {
	_ struct{} `doc:"Where the goods shall go."`

	Address schema.Nullable[string] `json:"address" example:"12 Harbour Street, Kiel"`
	Comment schema.Nullable[string] `json:"comment" example:"Second entrance"`
}

// VariantOptionValue is an option of a variant with its value.
type VariantOptionValue struct {
	_ struct{} `doc:"An option of a variant with its value."`

	ID    schema.ID   `json:"id" doc:"The id of the option."`
	Name  string      `json:"name" doc:"The name of the option." example:"Size"`
	Value OptionValue `json:"value"`
}

// OptionValue is one value of an option.
type OptionValue struct {
	_ struct{} `doc:"One value of a variant option."`

	ID         schema.ID `json:"id"`
	ExternalID string    `json:"external_id,omitempty" doc:"Its id in another system, unique among the values of the option; only present where it has one." example:"1C-SIZE-XL"`
	Name       string    `json:"name" doc:"Always a string, also where a number was sent." example:"XL"`
}

// EncodeModifiers encodes the modifiers of a line as JSON.
func EncodeModifiers(list []OrderModifier) schema.Encoded[[]OrderModifier] {
	return schema.Encoded[[]OrderModifier](modifiersEncoder.Append(nil, &list))
}

// EncodeProblems encodes the problems of a line as JSON.
func EncodeProblems(list []OrderProblem) schema.Encoded[[]OrderProblem] {
	return schema.Encoded[[]OrderProblem](problemsEncoder.Append(nil, &list))
}

// EncodeOptions encodes the options of a variant as JSON.
func EncodeOptions(list []VariantOptionValue) schema.Encoded[[]VariantOptionValue] {
	return schema.Encoded[[]VariantOptionValue](optionsEncoder.Append(nil, &list))
}
