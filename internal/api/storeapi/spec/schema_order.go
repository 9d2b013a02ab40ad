package spec

import "vitrine/internal/api/httpapi/openapi"

// Order is a cart or an order, as it is read.
type Order struct {
	_ struct{} `doc:"A cart, which is an order in state draft, or what became of it. What nobody said is null."`

	ID          openapi.ID                           `json:"id"`
	Number      openapi.Nullable[int64]              `json:"number" doc:"Counts the submitted orders of the store; null for a draft." example:"1042"`
	State       string                               `json:"state" enum:"draft,submitted,confirmed,completed,cancelled" example:"submitted"`
	Items       []OrderItem                          `json:"items" doc:"One for each variant, in the order in which they were added."`
	Total       openapi.Money                        `json:"total" doc:"The sum over the items."`
	Currency    string                               `json:"currency" doc:"ISO 4217. That of the store, frozen when the order is submitted." example:"EUR"`
	Contact     OrderContact                         `json:"contact"`
	Delivery    OrderDelivery                        `json:"delivery"`
	Comment     openapi.Nullable[string]             `json:"comment" example:"Please wrap it."`
	CustomerID  openapi.Nullable[openapi.ID]         `json:"customer_id" doc:"The customer it belongs to; null for a guest's."`
	SubmittedAt openapi.Nullable[openapi.DateObject] `json:"submitted_at"`
	ConfirmedAt openapi.Nullable[openapi.DateObject] `json:"confirmed_at"`
	CompletedAt openapi.Nullable[openapi.DateObject] `json:"completed_at"`
	CancelledAt openapi.Nullable[openapi.DateObject] `json:"cancelled_at"`
	CreatedAt   openapi.DateObject                   `json:"created_at"`
	UpdatedAt   openapi.DateObject                   `json:"updated_at"`
	OrderToken  string                               `json:"order_token,omitempty" doc:"What a guest reaches the order by: the header X-Order-Token. Only present in the answer that makes the order; it is shown this once." example:"ot_4QZ7J3K5M2N6P7R2S3T4V5W6X7Y2Z3A4B5C6D7E2F3G4H5J6K7M2"`
}

// OrderItem is a line of an order, as it is read.
type OrderItem struct {
	_ struct{} `doc:"A line of an order. In a draft it shows the variant as it is now; from the submission on it is frozen."`

	ID        openapi.ID           `json:"id" doc:"The id of the item."`
	VariantID openapi.ID           `json:"variant_id"`
	ProductID openapi.ID           `json:"product_id"`
	Name      string               `json:"name" doc:"The name of the product with that of the variant." example:"T-shirt M"`
	SKU       string               `json:"sku" doc:"Empty where there is none." example:"TSHIRT-M"`
	Options   []VariantOptionValue `json:"options"`
	Price     openapi.Money        `json:"price" doc:"What one of it costs."`
	Quantity  openapi.Decimal      `json:"quantity" example:"2"`
	Total     openapi.Money        `json:"total" doc:"price times quantity, rounded to 4 decimals."`
}

// OrderContact is who ordered.
type OrderContact struct {
	_ struct{} `doc:"Who orders, and how to reach them."`

	Name  openapi.Nullable[string] `json:"name" example:"Anna"`
	Phone openapi.Nullable[string] `json:"phone" doc:"Its digits, behind a + if there was one." example:"+79123456789"`
	Email openapi.Nullable[string] `json:"email" example:"anna@example.com"`
}

// OrderDelivery is where the goods go.
type OrderDelivery struct {
	_ struct{} `doc:"Where the goods shall go."`

	Address openapi.Nullable[string] `json:"address" example:"12 Harbour Street, Kiel"`
	Comment openapi.Nullable[string] `json:"comment" example:"Second entrance"`
}

// OrderInput is the body that makes or edits a draft.
type OrderInput struct {
	_ struct{} `doc:"What is in the cart. An order as it was read may be sent back."`

	Items    []OrderItemInput         `json:"items,omitempty" doc:"The full list, at most 1,000 lines. The same variant twice is one line with the sum of both."`
	Contact  OrderContactInput        `json:"contact,omitempty" doc:"Who orders, as far as it is known already."`
	Delivery OrderDeliveryInput       `json:"delivery,omitempty"`
	Comment  openapi.Nullable[string] `json:"comment,omitempty" doc:"At most 10,000 characters."`
}

// OrderItemInput says how much of a variant is wanted.
type OrderItemInput struct {
	_ struct{} `doc:"How much of a variant is wanted. What it costs is said by the catalogue."`

	VariantID openapi.ID      `json:"variant_id" doc:"A variant that is in the shop."`
	Quantity  openapi.Decimal `json:"quantity" doc:"More than 0, with at most 9 digits before the point and 3 decimals." example:"2"`
}

// OrderItemEdit is the body that edits an item.
type OrderItemEdit struct {
	Quantity openapi.Decimal `json:"quantity" doc:"More than 0, with at most 9 digits before the point and 3 decimals." example:"3"`
}

// OrderContactInput is who orders, as it is sent.
type OrderContactInput struct {
	_ struct{} `doc:"Who orders, and how to reach them."`

	Name  openapi.Nullable[string] `json:"name,omitempty" doc:"At most 255 characters on one line."`
	Phone openapi.Nullable[string] `json:"phone,omitempty" doc:"7 to 15 digits, in whichever way they are written."`
	Email openapi.Nullable[string] `json:"email,omitempty" doc:"An e-mail address."`
}

// OrderDeliveryInput is where the goods shall go, as it is sent.
type OrderDeliveryInput struct {
	_ struct{} `doc:"Where the goods shall go."`

	Address openapi.Nullable[string] `json:"address,omitempty" doc:"At most 1,000 characters."`
	Comment openapi.Nullable[string] `json:"comment,omitempty" doc:"At most 10,000 characters."`
}

// OrderSubmission is the body that submits a draft.
type OrderSubmission struct {
	Contact   OrderContactInput        `json:"contact" doc:"A name, and a phone number or an e-mail address."`
	Delivery  OrderDeliveryInput       `json:"delivery,omitempty" doc:"Left out, it stays what the draft says."`
	Comment   openapi.Nullable[string] `json:"comment,omitempty" doc:"At most 10,000 characters. Left out, it stays what the draft says."`
	Recaptcha CaptchaToken             `json:"recaptcha,omitempty"`
}
