package protection

import (
	"slices"

	"vitrine/internal/kit/locale"
)

// Action is an operation that a store can protect by a captcha; its text is what a token must have been made for.
type Action string

// The operations that can be protected.
const (
	PasswordlessRequest Action = "passwordless_request"
	OrderSubmission     Action = "order_submission"
	FeedbackRequest     Action = "feedback_request"
	CallbackRequest     Action = "callback_request"
)

// Actions lists all of them.
func Actions() []Action {
	return []Action{PasswordlessRequest, OrderSubmission, FeedbackRequest, CallbackRequest}
}

// Name is what people of that language call the action.
func (a Action) Name(l locale.Locale) string { return l.Label("captcha_action." + string(a)) }

func (a Action) known() bool { return slices.Contains(Actions(), a) }
