package spec

import "vitrine/internal/api/httpapi/openapi"

// Customer is somebody who has signed in at the shop, as it is read.
type Customer struct {
	_ struct{} `doc:"Somebody who has signed in at the shop."`

	ID        openapi.ID               `json:"id"`
	Name      openapi.Nullable[string] `json:"name" doc:"Null until the customer tells it." example:"Anna"`
	Email     openapi.Nullable[string] `json:"email" doc:"Where the customer wants mail; it need not be proven." example:"anna@example.com"`
	Phone     openapi.Nullable[string] `json:"phone" doc:"Where the customer wants calls; it need not be proven. Its digits, behind a + if there was one." example:"+79123456789"`
	Login     CustomerLogin            `json:"login"`
	CreatedAt openapi.DateObject       `json:"created_at" doc:"When the customer first signed in."`
	UpdatedAt openapi.DateObject       `json:"updated_at" doc:"When the profile was last written."`
}

// CustomerLogin is what a customer signs in with.
type CustomerLogin struct {
	_ struct{} `doc:"What the customer signs in with: proven by codes that were sent there, and no other customer's. There is always one of the two."`

	Email openapi.Nullable[string] `json:"email" doc:"In small letters." example:"anna@example.com"`
	Phone openapi.Nullable[string] `json:"phone" example:"+79123456789"`
}

// ProfileEdit is the body that edits a profile.
type ProfileEdit struct {
	Name  openapi.Nullable[string] `json:"name,omitempty" doc:"At most 255 characters on one line; null or empty takes it away."`
	Email openapi.Nullable[string] `json:"email,omitempty" doc:"Where the customer wants mail. Null or empty takes it away. It does not sign in."`
	Phone openapi.Nullable[string] `json:"phone,omitempty" doc:"7 to 15 digits, in whichever way they are written. Null or empty takes it away. It does not sign in."`
}

// LoginRequest is the body that asks for a login code.
type LoginRequest struct {
	_ struct{} `doc:"Whom the code is sent to: an e-mail address or a phone number, and not both."`

	Email     openapi.Nullable[string] `json:"email,omitempty"`
	Phone     openapi.Nullable[string] `json:"phone,omitempty" doc:"7 to 15 digits, in whichever way they are written."`
	Recaptcha CaptchaToken             `json:"recaptcha,omitempty"`
}

// LoginRequested is the answer to whoever asks for a code.
type LoginRequested struct {
	_ struct{} `doc:"A code is on its way. The answer is the same whether anybody is known by that address or not."`

	RequestID openapi.ID         `json:"request_id" doc:"What the code is confirmed with."`
	ExpiresAt openapi.DateObject `json:"expires_at" doc:"When the code stops working: after 10 minutes."`
}

// LoginConfirmation is the body that confirms a code.
type LoginConfirmation struct {
	RequestID openapi.ID `json:"request_id" doc:"That of the answer to the request for the code."`
	Code      string     `json:"code" doc:"The six digits." example:"042917"`
}

// CustomerSession is what a customer who has signed in gets.
type CustomerSession struct {
	_ struct{} `doc:"A customer who has signed in."`

	Token     string             `json:"token" doc:"The customer token. It is shown this once; only its hash is kept."`
	ExpiresAt openapi.DateObject `json:"expires_at" doc:"When the token stops working: after 30 days."`
	Customer  Customer           `json:"customer"`
}
