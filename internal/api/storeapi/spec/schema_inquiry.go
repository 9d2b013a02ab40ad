package spec

import "vitrine/internal/api/httpapi/openapi"

// Feedback is what a visitor wrote, as it is read.
type Feedback struct {
	_ struct{} `doc:"What a visitor of the shop wrote. Members that were sent beside these are given back among them, as they were sent."`

	ID        openapi.ID               `json:"id"`
	Name      string                   `json:"name" example:"Anna"`
	Email     openapi.Nullable[string] `json:"email" example:"anna@example.com"`
	Phone     openapi.Nullable[string] `json:"phone" doc:"Its digits, behind a + if there was one." example:"+79123456789"`
	Message   string                   `json:"message" example:"Do you have this in blue?"`
	CreatedAt openapi.DateObject       `json:"created_at"`
}

// NewFeedback is the body that sends feedback.
type NewFeedback struct {
	_ struct{} `doc:"What a visitor writes. Other members are kept and given back as they were sent: up to 16 KiB together."`

	Name      string                   `json:"name" doc:"Who writes: 1 to 255 characters on one line."`
	Email     openapi.Nullable[string] `json:"email,omitempty" doc:"Where to answer. Empty is the same as absent."`
	Phone     openapi.Nullable[string] `json:"phone,omitempty" doc:"7 to 15 digits, in whichever way they are written. Empty is the same as absent."`
	Message   string                   `json:"message" doc:"1 to 10,000 characters."`
	Recaptcha CaptchaToken             `json:"recaptcha,omitempty"`
}

// Callback is a request for a call, as it is read.
type Callback struct {
	_ struct{} `doc:"A visitor's request to be called back."`

	ID            openapi.ID               `json:"id"`
	Name          openapi.Nullable[string] `json:"name" example:"Anna"`
	Phone         string                   `json:"phone" doc:"Its digits, behind a + if there was one." example:"+79123456789"`
	Comment       openapi.Nullable[string] `json:"comment" example:"About order 1042"`
	PreferredTime openapi.Nullable[string] `json:"preferred_time" doc:"In the visitor's own words." example:"after 18:00"`
	CreatedAt     openapi.DateObject       `json:"created_at"`
}

// NewCallback is the body that asks for a call.
type NewCallback struct {
	Name          openapi.Nullable[string] `json:"name,omitempty" doc:"At most 255 characters on one line."`
	Phone         string                   `json:"phone" doc:"The number to call: 7 to 15 digits, in whichever way they are written."`
	Comment       openapi.Nullable[string] `json:"comment,omitempty" doc:"At most 10,000 characters."`
	PreferredTime openapi.Nullable[string] `json:"preferred_time,omitempty" doc:"When to call, in the visitor's own words: at most 255 characters on one line."`
	Recaptcha     CaptchaToken             `json:"recaptcha,omitempty"`
}
