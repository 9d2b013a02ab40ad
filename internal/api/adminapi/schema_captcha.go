package adminapi

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Captcha are the captcha settings of a store in a response.
type Captcha struct {
	_ struct{} `doc:"How the store protects its public operations by a captcha."`

	Active          bool              `json:"active" doc:"While it is false, nothing is protected."`
	Provider        string            `json:"provider" enum:"recaptcha_v3,turnstile,hcaptcha,smartcaptcha" example:"recaptcha_v3"`
	PublicKey       string            `json:"public_key" doc:"What storefronts make tokens with; empty where none is set."`
	SecretKeySet    bool              `json:"secret_key_set" doc:"Whether there is a secret key. The key itself is never shown."`
	SiteURL         string            `json:"site_url" doc:"The site that tokens must come from; empty where it is the store's site_url." example:"https://shop.example"`
	ExtraHosts      []string          `json:"extra_hosts" doc:"Other hosts that tokens may come from."`
	OnProviderError string            `json:"on_provider_error" doc:"What becomes of a request when the provider is too slow, cannot be reached or answers 5xx." enum:"reject,allow" example:"reject"`
	Actions         []ProtectedAction `json:"actions" doc:"The operations that are protected."`
}

// CaptchaEdit is the member recaptcha of a SettingsEdit.
type CaptchaEdit struct {
	Active          bool                  `json:"active,omitempty" doc:"It takes a public key, a secret key and a site address."`
	Provider        string                `json:"provider,omitempty" enum:"recaptcha_v3,turnstile,hcaptcha,smartcaptcha" example:"recaptcha_v3"`
	PublicKey       string                `json:"public_key,omitempty" doc:"An empty one removes it." maxLength:"512"`
	SecretKey       string                `json:"secret_key,omitempty" doc:"It is kept encrypted and never shown; an empty one removes it." maxLength:"512"`
	SiteURL         string                `json:"site_url,omitempty" doc:"An absolute http or https address; an empty one stands for the store's." example:"https://shop.example"`
	ExtraHosts      []string              `json:"extra_hosts,omitempty" doc:"The full list: names of hosts without a scheme." maxItems:"100"`
	OnProviderError string                `json:"on_provider_error,omitempty" doc:"allow lets time-outs, network errors and 5xx of the provider pass, nothing else." enum:"reject,allow" example:"reject"`
	Actions         []ProtectedActionEdit `json:"actions,omitempty" doc:"The full list, each action once."`
}

// ProtectedAction is an operation that a captcha protects.
type ProtectedAction struct {
	_ struct{} `doc:"How strictly an operation is protected."`

	ID        string `json:"id" enum:"passwordless_request,order_submission,feedback_request,callback_request" example:"order_submission"`
	Threshold score  `json:"threshold" doc:"The lowest score that is accepted, from 0 to 1." example:"0.5"`
	Shadow    bool   `json:"shadow" doc:"Tokens are verified and counted, and nobody is rejected."`
}

// ProtectedActionEdit is a ProtectedAction in the body of a request.
type ProtectedActionEdit struct {
	ID        string  `json:"id" enum:"passwordless_request,order_submission,feedback_request,callback_request" example:"order_submission"`
	Threshold float64 `json:"threshold,omitempty" doc:"From 0 to 1; by default 0.5." minimum:"0" maximum:"1" example:"0.5"`
	Shadow    bool    `json:"shadow,omitempty" doc:"By default false."`
}

// score is a number from 0 to 1. Its JSON has no exponent.
type score float64

// MarshalJSONTo implements json.MarshalerTo.
func (s score) MarshalJSONTo(e *jsontext.Encoder) error {
	return e.WriteValue(strconv.AppendFloat(e.AvailableBuffer(), float64(s), 'f', -1, 64))
}
