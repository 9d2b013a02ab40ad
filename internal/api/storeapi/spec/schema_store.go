package spec

// StoreSettings is what a storefront must know of the settings.
type StoreSettings struct {
	_ struct{} `doc:"What a storefront must know of the settings."`

	Recaptcha Recaptcha `json:"recaptcha"`
}

// Recaptcha is which operations ask for a captcha token.
type Recaptcha struct {
	_ struct{} `doc:"Which operations ask for a captcha token."`

	Active    bool            `json:"active" doc:"While it is false, no operation asks for a token."`
	Version   string          `json:"version" doc:"The version of the captcha: one that gives scores." enum:"v3" example:"v3"`
	PublicKey string          `json:"public_key" doc:"What the captcha's script is started with; empty where none is set." example:"6Lc_public"`
	Actions   []CaptchaAction `json:"actions" doc:"The operations whose body must carry recaptcha.token."`
}

// CaptchaAction is an operation that asks for a captcha token.
type CaptchaAction struct {
	_ struct{} `doc:"An operation that asks for a captcha token."`

	ID   string `json:"id" doc:"What the token must be made for." enum:"passwordless_request,order_submission,feedback_request,callback_request" example:"order_submission"`
	Name string `json:"name" doc:"What it is called in the store's language." example:"Order submission"`
}

// CaptchaToken is the member recaptcha of a protected operation's body.
type CaptchaToken struct {
	_ struct{} `doc:"Asked for while the store protects the operation; otherwise not looked at."`

	Token string `json:"token" doc:"A token made for this operation; it works once."`
}
