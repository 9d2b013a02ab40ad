package spec

import "vitrine/internal/api/httpapi"

const (
	exampleFeedbackID = "019a8269-e180-7b01-8c21-4d5e6f7a8b01"
	exampleCallbackID = "019a8269-e180-7b02-9d32-5e6f7a8b9c02"

	exampleFeedback = `{"id":"` + exampleFeedbackID + `","name":"Anna","email":"anna@example.com","phone":null,"message":"Do you have this in blue?","created_at":` + exampleDate + `}`
	exampleCallback = `{"id":"` + exampleCallbackID + `","name":"Anna","phone":"+79123456789","comment":null,"preferred_time":"after 18:00","created_at":` + exampleDate + `}`
)

// periodParams are those of lists that grow with time.
func periodParams() []httpapi.Param {
	return []httpapi.Param{
		{Name: "since", Example: "2026-11-14", Description: "Leaves what was made then or later: an ISO 8601 time with its offset, or a date, which is a day in the timezone of the store."},
		{Name: "until", Example: "2026-11-14T12:00:05Z", Description: "Leaves what was made then or earlier, in the same forms: the whole of that day, or of that second."},
	}
}

// captchaRefusals are those of operations that a store can protect by a captcha.
func captchaRefusals(more ...httpapi.Refusal) []httpapi.Refusal {
	return append([]httpapi.Refusal{
		{Status: 401, Code: "captcha_required", When: "the store protects this operation and `recaptcha.token` is missing or empty"},
		{Status: 401, Code: "captcha_failed", When: "the captcha's token was used before, is none, or its score is too low; get a new one"},
		{Status: 401, Code: "captcha_unavailable", When: "the captcha's provider gave no verdict; try again with a new token"},
	}, more...)
}

// formRefusals are those of what a visitor types in.
func formRefusals(required string) []httpapi.Refusal {
	return captchaRefusals(
		httpapi.Refusal{Status: 422, Code: "required", When: required},
		httpapi.Refusal{Status: 422, Code: "too_long", When: "a text has more characters than described"},
		httpapi.Refusal{Status: 422, Code: "wrong_type", When: "a member has another type than described"},
		httpapi.Refusal{Status: 422, Code: "control_character", When: "a text has a control character, or one that must be one line has a line break"},
		httpapi.Refusal{Status: 422, Code: "invalid_phone", When: "`phone` is not 7 to 15 digits"},
	)
}

func feedbackDocs() map[string]httpapi.Route {
	return map[string]httpapi.Route{
		"POST /v2/feedback": {
			OperationID: "sendFeedback", Tag: inquiryTag, Status: 201, Answer: Feedback{}, Tagged: true,
			Summary: "Send feedback",
			Description: "Keeps what a visitor of the shop writes, and emits `feedback.submitted`. Members that are not described, such as a rating or a topic, are kept and given " +
				"back as they were sent. Where the store protects `feedback_request`, the body has the token of a captcha.",
			Body: NewFeedback{}, BodyNeeded: true,
			BodyExamples:   example("A question", `{"name":"Anna","email":"anna@example.com","message":"Do you have this in blue?"}`),
			AnswerExamples: example("The feedback", `{"data":`+exampleFeedback+`}`),
			Refusals: append(formRefusals("`name` or `message` is missing or empty"),
				httpapi.Refusal{Status: 422, Code: "invalid_email", When: "`email` is not an e-mail address"}),
		},
		"GET /v2/feedback": {
			OperationID: "listFeedback", Tag: inquiryTag, Status: 200, Answer: Feedback{}, Listed: true,
			Summary:        "List feedback",
			Description:    "The feedback that the store got, the newest first.",
			Query:          append(periodParams(), searchParam("the name, the e-mail address, the phone number or the message")),
			AnswerExamples: example("All", `{"data":[`+exampleFeedback+`],`+exampleMeta+`1}}`),
		},
		"GET /v2/feedback/{id}": {
			OperationID: "getFeedback", Tag: inquiryTag, Status: 200, Answer: Feedback{}, Tagged: true,
			Summary:        "Read one piece of feedback",
			Description:    "One piece of feedback. It never changes.",
			InPath:         idOf("feedback"),
			AnswerExamples: example("The feedback", `{"data":`+exampleFeedback+`}`),
		},
	}
}

func callbackDocs() map[string]httpapi.Route {
	return map[string]httpapi.Route{
		"POST /v2/interactions/callback": {
			OperationID: "requestCallback", Tag: inquiryTag, Status: 201, Answer: Callback{}, Tagged: true,
			Summary: "Ask for a call",
			Description: "Keeps a visitor's request to be called back, and emits `callback.submitted`. Where the store protects `callback_request`, the body has the " +
				"token of a captcha.",
			Body: NewCallback{}, BodyNeeded: true,
			BodyExamples:   example("In the evening", `{"name":"Anna","phone":"+7 (912) 345-67-89","preferred_time":"after 18:00"}`),
			AnswerExamples: example("The request", `{"data":`+exampleCallback+`}`),
			Refusals:       formRefusals("`phone` is missing or empty"),
		},
		"GET /v2/interactions/callback": {
			OperationID: "listCallbacks", Tag: inquiryTag, Status: 200, Answer: Callback{}, Listed: true,
			Summary:        "List requests for a call",
			Description:    "The requests for a call that the store got, the newest first.",
			Query:          append(periodParams(), searchParam("the name, the phone number, the comment or the preferred time")),
			AnswerExamples: example("All", `{"data":[`+exampleCallback+`],`+exampleMeta+`1}}`),
		},
		"GET /v2/interactions/callback/{id}": {
			OperationID: "getCallback", Tag: inquiryTag, Status: 200, Answer: Callback{}, Tagged: true,
			Summary:        "Read one request for a call",
			Description:    "One request for a call. It never changes.",
			InPath:         idOf("request"),
			AnswerExamples: example("The request", `{"data":`+exampleCallback+`}`),
		},
	}
}
