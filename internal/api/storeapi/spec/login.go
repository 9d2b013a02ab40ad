package spec

import (
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/kit/schema"
)

// LoginRequest is the body that requests a login code.
type LoginRequest struct {
	_ struct{} `doc:"Whom the code is sent to: an e-mail address or a phone number, and not both."`

	Email     schema.Nullable[string] `json:"email,omitempty"`
	Phone     schema.Nullable[string] `json:"phone,omitempty" doc:"7 to 15 digits, in whichever way they are written."`
	Recaptcha CaptchaToken            `json:"recaptcha,omitempty"`
}

// LoginRequested is the response to a LoginRequest.
type LoginRequested struct {
	_ struct{} `doc:"A code is on its way. The answer is the same whether anybody is known by that address or not."`

	RequestID schema.ID   `json:"request_id" doc:"What the code is confirmed with."`
	ExpiresAt schema.Date `json:"expires_at" doc:"When the code stops working: after 10 minutes."`
}

// LoginConfirmation is the body that confirms a login code.
type LoginConfirmation struct {
	RequestID schema.ID `json:"request_id" doc:"That of the answer to the request for the code."`
	Code      string    `json:"code" doc:"The six digits." example:"042917"`
}

// CustomerSession is the response to a LoginConfirmation.
type CustomerSession struct {
	_ struct{} `doc:"A customer who has signed in."`

	Token     string      `json:"token" doc:"The customer token. It is shown this once; only its hash is kept."`
	ExpiresAt schema.Date `json:"expires_at" doc:"When the token stops working: after 30 days."`
	Customer  Customer    `json:"customer"`
}

const exampleLoginID = "019a8269-f290-7c02-9e42-6f7a8b9c0d02"

func loginDocs() map[string]httpapi.Route {
	return openapi.Group(customerTag, "", map[string]httpapi.Route{
		"POST /v2/auth/passwordless/request": {
			OperationID: "requestLoginCode", Summary: "Ask for a login code", Status: 202, Response: LoginRequested{},
			Description: "Sends a code of six digits by mail, or to a phone, " +
				"in the language of the store. It works for 10 minutes, can be tried 5 times, " +
				"and ends with the next one that is " +
				"asked for with the same address. The answer is the same whoever asks, " +
				"known or not. Where the store protects `passwordless_request`, " +
				"the body has the token of a captcha.\n\n" +
				"A store without a mail server keeps its mail in a mailbox, which the administration shows.",
			Body: LoginRequest{},
			BodyExamples: examples(bodyExample("By mail", `{"email":"anna@example.com"}`),
				bodyExample("To a phone, with a captcha",
					`{"phone":"+7 (912) 345-67-89","recaptcha":{"token":"03AFcWeA…"}}`)),
			ResponseExamples: examples(oneExample("The code is on its way",
				LoginRequested{RequestID: exampleID(exampleLoginID), ExpiresAt: exampleDate()})),
			Refusals: append(captchaRefusals(
				httpapi.Refusal{Status: 422, Code: "required", When: "neither `email` nor `phone` is given"},
				httpapi.Refusal{Status: 422, Code: "not_allowed", When: "both are given"},
				httpapi.Refusal{Status: 429, Code: "too_many_codes",
					When: "the same person asked for too many codes in the last hour"},
				httpapi.Refusal{Status: 429, Code: "too_many_codes_in_store",
					When: "the store has sent too many codes in the last hour (`--codes-per-store`)"},
				httpapi.Refusal{Status: 429, Code: "too_many_codes_in_country",
					When: "the store has sent too many codes to phone numbers of this country in the last hour " +
						"(`--codes-per-country`)"},
			), contactRefusals()...),
		},

		"POST /v2/auth/passwordless/confirm": {
			OperationID: "confirmLoginCode", Summary: "Sign in with a code", Response: CustomerSession{},
			Description: "Turns a code into a customer token, and makes the customer if they are new. The token may " +
				"do what a publishable key may, and reach the customer's own profile and " +
				"orders: it takes the key's place in `Authorization`. Orders that were submitted without signing in " +
				"become the customer's if their contact has an address that the customer signs in with.\n\n" +
				"Whoever has proven an address by a code signs in with it; what `PUT /v2/me` says is for reaching " +
				"people, and signs nobody in. With a customer token in `Authorization` the code " +
				"adds its address to that customer: they sign in with it from then on, " +
				"in place of the address of the same kind that they had, " +
				"and their profile shows it. To sign in as somebody else, " +
				"send the publishable key. An address that another customer has proven is 409: nothing changes, " +
				"and the code still works with the publishable key, as long as it lasts and has tries left.",
			Body: LoginConfirmation{},
			BodyExamples: examples(bodyExample("The code that came",
				`{"request_id":"`+exampleLoginID+`","code":"042917"}`)),
			ResponseExamples: examples(oneExample("Signed in",
				CustomerSession{Token: "ct_…x7Qz", ExpiresAt: exampleDate(), Customer: exampleCustomer()})),
			Refusals: []httpapi.Refusal{
				{Status: 401, Code: "invalid_code", When: "the code is wrong, used or expired, or was tried too often"},
				{Status: 409, Code: "email_taken",
					When: "it was confirmed with a customer token, and another customer signs in with this e-mail " +
						"address"},
				{Status: 409, Code: "phone_taken", When: "the same of a phone number"},
				{Status: 422, Code: "required", When: "`request_id` or `code` is missing or empty"},
				{Status: 422, Code: "invalid_id", When: "`request_id` is no UUID"},
			},
		},

		"DELETE /v2/auth/session": {
			OperationID: "signOut", Summary: "Sign out",
			Description: "Ends the session of the customer token that the request carries: it works no more.",
		},
	})
}
