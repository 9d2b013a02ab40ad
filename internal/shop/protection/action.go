package protection

import (
	"slices"

	"vitrine/internal/kit/locale"
)

// Action is an operation that a store can protect by a captcha. Its text is also the action name that the client passes
// to the provider when it creates a token.
type Action string

// The actions.
const (
	PasswordlessRequest Action = "passwordless_request"
	OrderSubmission     Action = "order_submission"
	FeedbackRequest     Action = "feedback_request"
	CallbackRequest     Action = "callback_request"
)

// Actions returns all actions.
func Actions() []Action {
	return []Action{PasswordlessRequest, OrderSubmission, FeedbackRequest, CallbackRequest}
}

// Name returns the name of the action in a language.
func (a Action) Name(l locale.Locale) string { return l.Label("captcha_action." + string(a)) }

func (a Action) valid() bool { return slices.Contains(Actions(), a) }
