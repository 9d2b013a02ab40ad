package protection

import (
	"net/url"
	"slices"

	"vitrine/internal/kit/captcha"
)

// Settings say how a store protects its public operations, as they were when they were read.
type Settings struct {
	Active    bool
	Provider  captcha.Provider
	PublicKey string // "" where none is set
	SiteURL   string // "" where it is the store's
	// ExtraHosts are in the form that captcha.Host gives. Never nil in settings that were read.
	ExtraHosts      []string
	OnProviderError OnProviderError
	// Actions are those that are protected, each once. Never nil in settings that were read.
	Actions []ProtectedAction

	secret []byte // sealed; nil where none is set
}

// SecretKeySet reports whether there is a secret key. The key itself is never shown.
func (s Settings) SecretKeySet() bool { return s.secret != nil }

// OnProviderError says what becomes of a request when the provider cannot be reached, is too slow, or says that it is broken.
type OnProviderError string

// What can become of it.
const (
	RejectOnError OnProviderError = "reject"
	AllowOnError  OnProviderError = "allow"
)

// ProtectedAction is how strictly an action is protected.
type ProtectedAction struct {
	Action Action `json:"id"`
	// Threshold is the lowest score that is accepted, from 0 to 1.
	Threshold float64 `json:"threshold"`
	// Shadow has tokens verified and counted, and nobody rejected.
	Shadow bool `json:"shadow"`
}

// DefaultThreshold is the one of an action for which none is given.
const DefaultThreshold = 0.5

// Required are the actions that ask for a token: none while the captcha is inactive. Those in shadow mode are among them, since there would
// be nothing to verify if clients sent no tokens.
func (s Settings) Required() []ProtectedAction {
	if !s.Active {
		return []ProtectedAction{}
	}
	return s.Actions
}

// protects returns how an action is protected, and whether it is.
func (s Settings) protects(a Action) (ProtectedAction, bool) {
	required := s.Required()
	i := slices.IndexFunc(required, func(p ProtectedAction) bool { return p.Action == a })
	if i < 0 {
		return ProtectedAction{}, false
	}
	return required[i], true
}

// hosts are those that a token may come from, given the address of the store's site.
func (s Settings) hosts(storeSite string) []string {
	site := s.SiteURL
	if site == "" {
		site = storeSite
	}
	host, ok := hostOf(site)
	if !ok {
		return s.ExtraHosts
	}
	return append([]string{host}, s.ExtraHosts...)
}

// hostOf is the host of an address, in the form in which hosts are compared.
func hostOf(address string) (string, bool) {
	u, err := url.Parse(address)
	if err != nil {
		return "", false
	}
	return captcha.NormalizeHost(u.Host)
}

// defaultSettings is what a store has that never set anything.
func defaultSettings() Settings {
	return Settings{Provider: captcha.RecaptchaV3, ExtraHosts: []string{}, OnProviderError: RejectOnError, Actions: []ProtectedAction{}}
}
