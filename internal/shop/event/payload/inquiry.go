package payload

import "vitrine/internal/kit/schema"

// Feedback is a message from a visitor to the shop.
type Feedback struct {
	_ struct{} `doc:"What a visitor of the shop wrote. Members that were sent beside these are given back among them, as they were sent."`

	ID        schema.ID               `json:"id"`
	Name      string                  `json:"name" example:"Anna"`
	Email     schema.Nullable[string] `json:"email" example:"anna@example.com"`
	Phone     schema.Nullable[string] `json:"phone" doc:"Its digits, behind a + if there was one." example:"+79123456789"`
	Message   string                  `json:"message" example:"Do you have this in blue?"`
	CreatedAt schema.Date             `json:"created_at"`
}

// Callback is a visitor's request to be called back.
type Callback struct {
	_ struct{} `doc:"A visitor's request to be called back."`

	ID            schema.ID               `json:"id"`
	Name          schema.Nullable[string] `json:"name" example:"Anna"`
	Phone         string                  `json:"phone" doc:"Its digits, behind a + if there was one." example:"+79123456789"`
	Comment       schema.Nullable[string] `json:"comment" example:"About order 1042"`
	PreferredTime schema.Nullable[string] `json:"preferred_time" doc:"In the visitor's own words." example:"after 18:00"`
	CreatedAt     schema.Date             `json:"created_at"`
}
