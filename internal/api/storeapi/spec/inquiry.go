package spec

import (
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/kit/schema"
	"vitrine/internal/shop/event/payload"
)

// These types are the JSON of inquiries, in responses and in events.
type (
	Feedback = payload.Feedback
	Callback = payload.Callback
)

// NewFeedback is the body that sends feedback.
type NewFeedback struct {
	_ struct{} `doc:"What a visitor writes. Other members are kept and given back as they were sent: up to 16 KiB together."`

	Name      string                  `json:"name" doc:"Who writes: 1 to 255 characters on one line."`
	Email     schema.Nullable[string] `json:"email,omitempty" doc:"Where to answer. Empty is the same as absent."`
	Phone     schema.Nullable[string] `json:"phone,omitempty" doc:"7 to 15 digits, in whichever way they are written. Empty is the same as absent."`
	Message   string                  `json:"message" doc:"1 to 10,000 characters."`
	Recaptcha CaptchaToken            `json:"recaptcha,omitempty"`
}

// NewCallback is the body that requests a call.
type NewCallback struct {
	Name          schema.Nullable[string] `json:"name,omitempty" doc:"At most 255 characters on one line."`
	Phone         string                  `json:"phone" doc:"The number to call: 7 to 15 digits, in whichever way they are written."`
	Comment       schema.Nullable[string] `json:"comment,omitempty" doc:"At most 10,000 characters."`
	PreferredTime schema.Nullable[string] `json:"preferred_time,omitempty" doc:"When to call, in the visitor's own words: at most 255 characters on one line."`
	Recaptcha     CaptchaToken            `json:"recaptcha,omitempty"`
}

func exampleFeedback() Feedback {
	return Feedback{
		ID: exampleID("019a8269-e180-7b01-8c21-4d5e6f7a8b01"), Name: "Anna", Email: schema.NotNull("anna@example.com"),
		Message:   "Do you have this in blue?",
		CreatedAt: exampleDate(),
	}
}

func exampleCallback() Callback {
	return Callback{
		ID: exampleID("019a8269-e180-7b02-9d32-5e6f7a8b9c02"), Name: schema.NotNull("Anna"), Phone: "+79123456789",
		PreferredTime: schema.NotNull("after 18:00"),
		CreatedAt:     exampleDate(),
	}
}

// formRefusals returns the refusals of forms that visitors fill in. The argument required says when the code
// "required" is returned.
func formRefusals(required string) []httpapi.Refusal {
	return captchaRefusals(
		httpapi.Refusal{Status: 422, Code: "required", When: required},
		httpapi.Refusal{Status: 422, Code: "too_long", When: "a text has more characters than described"},
		httpapi.Refusal{Status: 422, Code: "wrong_type", When: "a member has another type than described"},
		httpapi.Refusal{Status: 422, Code: "control_character",
			When: "a text has a control character, or one that must be one line has a line break"},
		httpapi.Refusal{Status: 422, Code: "invalid_phone", When: "`phone` is not 7 to 15 digits"},
	)
}

func feedbackDocs() map[string]httpapi.Route {
	return openapi.Group(inquiryTag, "feedback", map[string]httpapi.Route{
		"POST /v2/feedback": {
			OperationID: "sendFeedback", Summary: "Send feedback", Status: 201, Response: Feedback{}, HasETag: true,
			Description: "Keeps what a visitor of the shop writes, and emits `feedback.submitted`. Members that are " +
				"not described, such as a rating or a topic, are kept and given " +
				"back as they were sent. Where the store protects `feedback_request`, " +
				"the body has the token of a captcha.",
			Body: NewFeedback{},
			BodyExamples: examples(bodyExample("A question",
				`{"name":"Anna","email":"anna@example.com","message":"Do you have this in blue?"}`)),
			ResponseExamples: examples(oneExample("The feedback", exampleFeedback())),
			Refusals: append(formRefusals("`name` or `message` is missing or empty"),
				httpapi.Refusal{Status: 422, Code: "invalid_email", When: "`email` is not an e-mail address"}),
		},

		"GET /v2/feedback": {
			OperationID: "listFeedback", Summary: "List feedback", Response: Feedback{}, Paged: true,
			Description: "The feedback that the store got, the newest first.",
			QueryParams: append(periodParams(),
				searchParam("the name, the e-mail address, the phone number or the message")),
			ResponseExamples: examples(listExample("All", exampleFeedback())),
		},

		"GET /v2/feedback/{id}": {
			OperationID: "getFeedback", Summary: "Read one piece of feedback", Response: Feedback{}, HasETag: true,
			Description:      "One piece of feedback. It never changes.",
			ResponseExamples: examples(oneExample("The feedback", exampleFeedback())),
		},
	})
}

func callbackDocs() map[string]httpapi.Route {
	return openapi.Group(inquiryTag, "request", map[string]httpapi.Route{
		"POST /v2/interactions/callback": {
			OperationID: "requestCallback", Summary: "Ask for a call", Status: 201, Response: Callback{}, HasETag: true,
			Description: "Keeps a visitor's request to be called back, and emits `callback.submitted`. Where the " +
				"store protects `callback_request`, the body has the " +
				"token of a captcha.",
			Body: NewCallback{},
			BodyExamples: examples(bodyExample("In the evening",
				`{"name":"Anna","phone":"+7 (912) 345-67-89","preferred_time":"after 18:00"}`)),
			ResponseExamples: examples(oneExample("The request", exampleCallback())),
			Refusals:         formRefusals("`phone` is missing or empty"),
		},

		"GET /v2/interactions/callback": {
			OperationID: "listCallbacks", Summary: "List requests for a call", Response: Callback{}, Paged: true,
			Description: "The requests for a call that the store got, the newest first.",
			QueryParams: append(periodParams(),
				searchParam("the name, the phone number, the comment or the preferred time")),
			ResponseExamples: examples(listExample("All", exampleCallback())),
		},

		"GET /v2/interactions/callback/{id}": {
			OperationID: "getCallback", Summary: "Read one request for a call", Response: Callback{}, HasETag: true,
			Description:      "One request for a call. It never changes.",
			ResponseExamples: examples(oneExample("The request", exampleCallback())),
		},
	})
}
