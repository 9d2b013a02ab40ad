package protection

import (
	"cmp"
	"net/url"
	"slices"

	"vitrine/internal/kit/captcha"
	"vitrine/internal/kit/locale"
)

// Settings are the captcha settings of a store at the time of reading.
type Settings struct {
	Active    bool
	Provider  captcha.Provider
	PublicKey string // "" if not set
	SiteURL   string // "" means the store's site URL
	// ExtraHosts are normalized by captcha.NormalizeHost. The list is never nil in settings from the database.
	ExtraHosts      []string
	OnProviderError OnProviderError
	// Actions are the protected actions, without duplicates. The list is never nil in settings from the database.
	Actions []ProtectedAction

	secret []byte // encrypted by the vault; nil if not set
}

// SecretKeySet reports whether there is a secret key. The key itself cannot be read.
func (s Settings) SecretKeySet() bool { return s.secret != nil }

// OnProviderError decides about a request when the provider is unreachable, too slow, or reports an error of its own.
type OnProviderError string

// The values of OnProviderError.
const (
	RejectOnError OnProviderError = "reject"
	AllowOnError  OnProviderError = "allow"
)

// ProtectedAction holds the settings of one action.
type ProtectedAction struct {
	Action Action `json:"id"`
	// Threshold is the lowest accepted score, from 0 to 1.
	Threshold float64 `json:"threshold"`
	// Shadow means that tokens are verified and counted, but no request is rejected.
	Shadow bool `json:"shadow"`
}

// DefaultThreshold is the threshold of an action if none is given.
const DefaultThreshold = 0.5

// Required returns the actions for which clients must send a token. There are none while the captcha is inactive.
// Actions in shadow mode are included, because their tokens are verified.
func (s Settings) Required() []ProtectedAction {
	if !s.Active {
		return []ProtectedAction{}
	}
	return s.Actions
}

// protects reports whether an action is protected, and returns its settings.
func (s Settings) protects(a Action) (ProtectedAction, bool) {
	required := s.Required()
	i := slices.IndexFunc(required, func(p ProtectedAction) bool { return p.Action == a })
	if i < 0 {
		return ProtectedAction{}, false
	}
	return required[i], true
}

// Hosts returns the hosts on which a token may be created. storeSite is the site URL of the store.
func (s Settings) Hosts(storeSite string) []string {
	host, ok := hostOf(cmp.Or(s.SiteURL, storeSite))
	if !ok {
		return s.ExtraHosts
	}
	return append([]string{host}, s.ExtraHosts...)
}

// hostOf returns the normalized host of a URL.
func hostOf(address string) (string, bool) {
	u, err := url.Parse(address)
	if err != nil {
		return "", false
	}
	return captcha.NormalizeHost(u.Host)
}

// defaultSettings returns the settings of a store that has not set any.
func defaultSettings() Settings {
	return Settings{Provider: captcha.RecaptchaV3, ExtraHosts: []string{}, OnProviderError: RejectOnError,
		Actions: []ProtectedAction{}}
}

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
