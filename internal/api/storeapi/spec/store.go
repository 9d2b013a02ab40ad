package spec

import (
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/kit/schema"
)

// Store is the store of the key with which a request was sent.
type Store struct {
	_ struct{} `doc:"The shop that the key belongs to."`

	ID        schema.ID      `json:"id"`
	Name      string         `json:"name" example:"North Shop"`
	Timezone  string         `json:"timezone" doc:"IANA name. All dates are shown in it." example:"Europe/Moscow"`
	Locale    string         `json:"locale" doc:"The language of dates and of fixed words." enum:"en,ru,de,es,fr,uk,kk" example:"en"`
	Currency  string         `json:"currency" doc:"ISO 4217. All prices are in it." example:"EUR"`
	SiteURL   string         `json:"site_url" doc:"The address of the storefront; empty where none is set." example:"https://shop.example"`
	Paths     StorePaths     `json:"paths"`
	CreatedAt schema.Date    `json:"created_at"`
	UpdatedAt schema.Date    `json:"updated_at"`
	Settings  *StoreSettings `json:"settings,omitempty" doc:"Present only when the request passes with=settings."`
}

// StorePaths has the forms of the paths of the site.
type StorePaths struct {
	_ struct{} `doc:"The forms of the paths of the site, which GET /v2/resolve reads."`

	Product  string `json:"product" doc:"The path of a product: {slug} stands for its slug." example:"/p/{slug}"`
	Category string `json:"category" doc:"The path of a category: {path} stands for the slugs from the root on, joined by slashes." example:"/c/{path}"`
}

// StoreSettings has the settings that a storefront needs.
type StoreSettings struct {
	_ struct{} `doc:"What a storefront must know of the settings."`

	Recaptcha Recaptcha `json:"recaptcha"`
}

// Recaptcha has the settings of the captcha and the operations that require a captcha token.
type Recaptcha struct {
	_ struct{} `doc:"Which operations ask for a captcha token."`

	Active    bool            `json:"active" doc:"While it is false, no operation asks for a token."`
	Version   string          `json:"version" doc:"The version of the captcha: one that gives scores." enum:"v3" example:"v3"`
	Provider  string          `json:"provider" doc:"Whose script makes the tokens." enum:"recaptcha_v3,turnstile,hcaptcha,smartcaptcha" example:"recaptcha_v3"`
	PublicKey string          `json:"public_key" doc:"What the captcha's script is started with; empty where none is set." example:"6Lc_public"`
	Actions   []CaptchaAction `json:"actions" doc:"The operations whose body must carry recaptcha.token."`
}

// CaptchaAction is an operation that requires a captcha token.
type CaptchaAction struct {
	_ struct{} `doc:"An operation that asks for a captcha token."`

	ID   string `json:"id" doc:"What the token must be made for." enum:"passwordless_request,order_submission,feedback_request,callback_request" example:"order_submission"`
	Name string `json:"name" doc:"What it is called in the store's language." example:"Order submission"`
}

// CaptchaToken is the member recaptcha in the body of a protected operation.
type CaptchaToken struct {
	_ struct{} `doc:"Asked for while the store protects the operation; otherwise not looked at."`

	Token string `json:"token" doc:"A token made for this operation; it works once."`
}

// captchaRefusals returns the refusals of operations that a store can protect with a captcha, and appends those in
// more.
func captchaRefusals(more ...httpapi.Refusal) []httpapi.Refusal {
	return append([]httpapi.Refusal{
		{Status: 401, Code: "captcha_required",
			When: "the store protects this operation and `recaptcha.token` is missing or empty"},
		{Status: 401, Code: "captcha_failed",
			When: "the captcha's token was used before, is none, or its score is too low; get a new one"},
		{Status: 401, Code: "captcha_unavailable",
			When: "the captcha's provider gave no verdict; try again with a new token"},
	}, more...)
}

func exampleStore(settings *StoreSettings) Store {
	return Store{
		ID: exampleID(exampleStoreID), Name: "North Shop", Timezone: "Europe/Moscow", Locale: "en", Currency: "EUR",
		SiteURL:   "https://shop.example",
		Paths:     StorePaths{Product: "/p/{slug}", Category: "/c/{path}"},
		CreatedAt: exampleDate(), UpdatedAt: exampleDate(), Settings: settings,
	}
}

func storeDocs() map[string]httpapi.Route {
	return openapi.Group(storeTag, "", map[string]httpapi.Route{
		"GET /v2/store": {
			OperationID: "getStore", Summary: "Read the store", Response: Store{}, HasETag: true,
			Description: "Answers with the shop that the key belongs to. A storefront reads its currency, " +
				"language and timezone here, and this is the " +
				"quickest way to see whether a key works.\n\nWith `with=settings` it says which operations ask for a " +
				"captcha token: those in `settings.recaptcha.actions`.",

			QueryParams: []httpapi.Param{{Name: "with", Values: []string{"settings"}, Example: "settings",
				Description: "`settings` puts the settings that a storefront needs into the answer."}},

			ResponseExamples: examples(oneExample("A store", exampleStore(nil)),
				oneExample("A store with its settings", exampleStore(&StoreSettings{Recaptcha: Recaptcha{
					Active: true, Version: "v3", Provider: "recaptcha_v3", PublicKey: "6Lc_public",
					Actions: []CaptchaAction{{ID: "order_submission", Name: "Order submission"}},
				}}))),
		},
	})
}
