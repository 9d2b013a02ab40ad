package adminapi

import (
	"github.com/danielgtaylor/huma/v2"

	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/kit/schema"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/order"
)

// The types in the schema files define the JSON of responses and request bodies, and the OpenAPI document is generated
// from them. Responses are marshalled from these types. Request bodies are decoded by the read functions instead.

// Settings are the settings of a store in a response.
type Settings struct {
	_ struct{} `doc:"The settings of the store."`

	ID               schema.ID                  `json:"id"`
	Name             string                     `json:"name" example:"North Shop"`
	Timezone         string                     `json:"timezone" doc:"IANA name. All dates are shown in it." example:"Europe/Moscow"`
	Locale           string                     `json:"locale" doc:"The language of dates and of fixed words." enum:"en,ru,de,es,fr,uk,kk" example:"en"`
	Currency         string                     `json:"currency" doc:"ISO 4217. All prices are in it." example:"EUR"`
	SiteURL          string                     `json:"site_url" doc:"The address of the storefront; empty where none is set." example:"https://shop.example"`
	Address          string                     `json:"address" doc:"The postal address of the shop, which is printed on packing slips; empty where none is set." example:"1 Harbour Street, Hamburg"`
	Paths            Paths                      `json:"paths"`
	CORSOrigins      []string                   `json:"cors_origins" doc:"The origins whose pages may read answers of the public API. * allows all."`
	PublicRemainders bool                       `json:"public_remainders" doc:"Whether publishable keys and customers see the remainders of variants: what each stock has. What is available they always see."`
	OldPriceList     schema.Nullable[schema.ID] `json:"old_price_list" doc:"The price list whose prices are shown crossed out, as old_price of variants; null is none."`
	Recaptcha        Captcha                    `json:"recaptcha"`
	CommerceML       OneC                       `json:"commerceml"`
	CreatedAt        schema.Date                `json:"created_at"`
	UpdatedAt        schema.Date                `json:"updated_at"`
}

// SettingsEdit is the body of a request that changes the settings.
type SettingsEdit struct {
	Password         string                     `json:"password,omitempty" doc:"The operator's password. Required with a session to turn the captcha on or off, for its secret key, and for whatever weakens it; ignored with a key."`
	Name             string                     `json:"name,omitempty" doc:"1 to 255 characters." minLength:"1" example:"North Shop"`
	Timezone         string                     `json:"timezone,omitempty" doc:"An IANA name." example:"Europe/Moscow"`
	Locale           string                     `json:"locale,omitempty" doc:"The language of dates and of fixed words." enum:"en,ru,de,es,fr,uk,kk" example:"en"`
	Currency         string                     `json:"currency,omitempty" doc:"An ISO 4217 code in upper case." example:"EUR"`
	SiteURL          string                     `json:"site_url,omitempty" doc:"An absolute http or https address without a fragment; an empty one removes it." example:"https://shop.example"`
	Address          string                     `json:"address,omitempty" doc:"The postal address of the shop, at most 500 characters in any number of lines; an empty one removes it." example:"1 Harbour Street, Hamburg"`
	Paths            PathsEdit                  `json:"paths,omitempty" doc:"Members that are absent stay."`
	CORSOrigins      []string                   `json:"cors_origins,omitempty" doc:"The full list, at most 100: each a scheme, a host and perhaps a port, or * for all." maxItems:"100"`
	PublicRemainders bool                       `json:"public_remainders,omitempty" doc:"Whether publishable keys and customers see what each stock has of a variant."`
	OldPriceList     schema.Nullable[schema.ID] `json:"old_price_list,omitempty" doc:"A price list in the currency of the store, or null for none."`
	Recaptcha        CaptchaEdit                `json:"recaptcha,omitempty" doc:"Members that are absent stay."`
	CommerceML       OneCEdit                   `json:"commerceml,omitempty" doc:"Members that are absent stay."`
}

// Paths is the member paths of Settings.
type Paths struct {
	_ struct{} `doc:"The forms of the paths of the site, for GET /v2/resolve, the sitemap and JSON-LD. Paths of earlier forms redirect."`

	Product  string `json:"product" doc:"The path of a product: {slug} stands for its slug." default:"/p/{slug}" example:"/p/{slug}.html"`
	Category string `json:"category" doc:"The path of a category: {path} stands for the slugs from the root on, joined by slashes." default:"/c/{path}" example:"/c/{path}"`
}

// PathsEdit is the member paths of SettingsEdit.
type PathsEdit struct {
	Product  string `json:"product,omitempty" doc:"A path with {slug} in it, at most 200 bytes." example:"/p/{slug}.html"`
	Category string `json:"category,omitempty" doc:"A path with {path} in it, at most 200 bytes." example:"/c/{path}"`
}

// OneC is the member commerceml of Settings.
type OneC struct {
	_ struct{} `doc:"How files of 1C are read."`

	PriceType      string                 `json:"price_type" doc:"The id or the name of the price type whose prices the shop has. Empty is the first whose name has «розн» in it, else the first in the store's currency." example:"Розничная"`
	ZeroPrice      string                 `json:"zero_price" enum:"none,free" doc:"What a price of 0 means: none is that the variant has no price and is not for sale, free that it is free." default:"none"`
	NameFrom       string                 `json:"name_from" enum:"name,full_name" doc:"Which name of a good in 1C is the name of its product: the name, or the full name where the good has one." default:"name"`
	States         map[string]order.State `json:"states" doc:"Which states of orders the names of 1C mean, beside the names that 1C and Bitrix have by default: submitted, confirmed, completed or cancelled." example:"{\"Собран\": \"confirmed\"}"`
	Missing        string                 `json:"missing" enum:"keep,archive" doc:"What happens to products that a full catalogue of 1C does not have, and to variants that a full packet of offers does not have. archive archives them, unless they are more than a fifth of those of the catalogue."`
	PackageMinutes int64                  `json:"package_minutes" doc:"For missing=archive: how many minutes nothing of a catalogue must come until a full package of it counts as complete. mode=complete ends it at once." default:"30" minimum:"1" maximum:"1440"`
	StockIsFree    bool                   `json:"stock_is_free" doc:"Whether 1C sends stock without the goods of orders that it has taken: orders that it got by a query and confirmed. What these orders have reserved is then not subtracted once more." default:"true"`
	Requisites     []string               `json:"requisites" doc:"The names of the requisites that become features. Изготовитель is the manufacturer, which is the default."`
}

// OneCEdit is the member commerceml of a SettingsEdit.
type OneCEdit struct {
	PriceType      string            `json:"price_type,omitempty" doc:"The id or the name of the price type whose prices the shop has. Empty is the first whose name has «розн» in it, else the first in the store's currency." example:"Розничная"`
	ZeroPrice      string            `json:"zero_price,omitempty" enum:"none,free" doc:"What a price of 0 means: no price, or free."`
	NameFrom       string            `json:"name_from,omitempty" enum:"name,full_name" doc:"Which name of a good in 1C is the name of its product."`
	States         map[string]string `json:"states,omitempty" doc:"The full list of states of 1C with what they mean: submitted, confirmed, completed or cancelled. At most 200." example:"{\"Собран\": \"confirmed\"}"`
	Missing        string            `json:"missing,omitempty" enum:"keep,archive" doc:"What happens to products that a full catalogue of 1C does not have."`
	PackageMinutes int64             `json:"package_minutes,omitempty" doc:"How many minutes of silence end a full package." minimum:"1" maximum:"1440"`
	StockIsFree    bool              `json:"stock_is_free,omitempty" doc:"Whether 1C sends stock without the goods of orders that it has taken."`
	Requisites     []string          `json:"requisites,omitempty" maxItems:"100" doc:"The full list of the requisites that become features."`
}

// Key is an API key or an exchange token in a response. It does not contain the token itself.
type Key struct {
	_ struct{} `doc:"A key or an exchange token. The token itself is not kept and cannot be read."`

	ID         schema.ID                    `json:"id"`
	Kind       string                       `json:"kind" doc:"publishable reads the shop, secret does what its scopes allow, exchange pushes to the gate." enum:"publishable,secret,exchange" example:"secret"`
	Name       string                       `json:"name" doc:"What people know it by." example:"Warehouse"`
	Hint       string                       `json:"hint" doc:"The prefix of the token and its last four characters, to recognise it by." example:"sk_x7Qz"`
	Scopes     []access.Scope               `json:"scopes" doc:"What it may do, sorted; * is everything. Those of an exchange token are the entities that it may push, of which * is all; exchange:read for exports; and orders for the exchange of orders with 1C."`
	Members    schema.Nullable[[]string]    `json:"members" doc:"The members of products that an exchange token writes; it ignores others, with a warning not_owned. null is all of them."`
	GroupID    schema.Nullable[schema.ID]   `json:"group_id" doc:"The customer group of a publishable key: visitors who come by it, and have no group of their own, get its prices, also customers who signed in by it and carts made with it, while the key is neither revoked nor expired. null is none."`
	CreatedAt  schema.Date                  `json:"created_at"`
	ExpiresAt  schema.Nullable[schema.Date] `json:"expires_at" doc:"When it stops working; null is never."`
	RevokedAt  schema.Nullable[schema.Date] `json:"revoked_at" doc:"When it was revoked; null if it was not."`
	LastUsedAt schema.Nullable[schema.Date] `json:"last_used_at" doc:"When it was last used, up to a minute late; null is never."`
}

// CreatedKey is a new key in a response. It is the only response that contains the token.
type CreatedKey struct {
	_ struct{} `doc:"A key just made. Its token is shown here and never again."`

	Key
	Token string `json:"token" doc:"The key itself. Keep it: only its hash is stored."`
}

// TransformSchema implements huma.SchemaTransformer.
func (CreatedKey) TransformSchema(r huma.Registry, s *huma.Schema) *huma.Schema {
	return openapi.WithoutDocs[Key](r, s)
}

// NewKey is the body of a request that creates a key.
type NewKey struct {
	Kind      string                     `json:"kind" enum:"publishable,secret,exchange" example:"secret"`
	Name      string                     `json:"name,omitempty" doc:"1 to 255 characters; by default the kind in words." minLength:"1" example:"Warehouse"`
	Scopes    []string                   `json:"scopes,omitempty" doc:"Of a secret key: catalog:read, catalog:write, customers:read, customers:write, inquiries:read, keys:manage, operators:manage, orders:read, orders:write, store:read, store:write, webhooks:read, webhooks:write. Of an exchange token: categories, exchange:read, features, orders (with 1C), price-lists, prices, products, remainders, stocks, variant-options. By default *, which is all of them, those of later versions too; of an exchange token all entities, but never exchange:read and orders, which must be named. A key gives only what it may do itself: entities need catalog:write, exchange:read needs catalog:read, orders needs orders:read and orders:write. A publishable key takes none."`
	Members   schema.Nullable[[]string]  `json:"members,omitempty" doc:"Of an exchange token: the members of products that it writes, of name, description, images, categories, features, price, variants, remainders, modifiers, unit, vat_rate, weight, barcodes, slug, seo. price, remainders and barcodes are those of the variants, price their prices in price lists, too; variants is their list with all else. By default null, which is all of them."`
	GroupID   schema.Nullable[schema.ID] `json:"group_id,omitempty" doc:"Of a publishable key: the customer group whose prices its visitors get. By default null, which is none. A key that makes it needs catalog:read."`
	ExpiresAt openapi.Moment             `json:"expires_at,omitempty" doc:"When it is to stop working; never by default. A key that expires cannot make one that outlives it."`
	Password  string                     `json:"password,omitempty" doc:"The operator's password. Required with a session, ignored with a key."`
}

// KeyEdit is the body of a request that changes a key.
type KeyEdit struct {
	Password string                     `json:"password,omitempty" doc:"The operator's password. Required with a session if the token then writes more, or if the customer group changes; ignored with a key."`
	Name     string                     `json:"name,omitempty" doc:"1 to 255 characters." minLength:"1" example:"Accounting"`
	Members  schema.Nullable[[]string]  `json:"members,omitempty" doc:"As members of a new key: the full list, or null for all. The next batch of a push that is under way obeys it."`
	GroupID  schema.Nullable[schema.ID] `json:"group_id,omitempty" doc:"As group_id of a new key; null takes it away. The next request obeys it."`
}

// Rotation is the body of a request that rotates a key.
type Rotation struct {
	OverlapHours int64  `json:"overlap_hours,omitempty" doc:"For how many hours the old key still works, from 0, which ends it at once, to 720." minimum:"0" maximum:"720" default:"24" example:"24"`
	Password     string `json:"password,omitempty" doc:"The operator's password. Required with a session, ignored with a key."`
}

// Confirmation is the body of a request that needs the operator's password and nothing else.
type Confirmation struct {
	Password string `json:"password,omitempty" doc:"The operator's password. Required with a session, ignored with a key."`
}

// Operator is a person who administers the store, in a response.
type Operator struct {
	_ struct{} `doc:"A person who administers the store."`

	ID        schema.ID   `json:"id"`
	Email     string      `json:"email" doc:"What they sign in with." example:"anna@shop.example"`
	Role      string      `json:"role" doc:"An owner may do everything; a manager everything except changing the settings, the keys, the operators and the webhooks; a viewer may only read." enum:"owner,manager,viewer" example:"owner"`
	State     string      `json:"state" doc:"An invited operator has set no password yet; a disabled one cannot sign in." enum:"active,invited,disabled" example:"active"`
	CreatedAt schema.Date `json:"created_at"`
	UpdatedAt schema.Date `json:"updated_at"`
}

// Account is the operator who is signed in, in the response of PUT /api/me.
type Account struct {
	_ struct{} `doc:"The operator who is signed in."`

	ID           schema.ID                     `json:"id"`
	Email        string                        `json:"email" doc:"What you sign in with." example:"anna@shop.example"`
	PendingEmail schema.Nullable[PendingEmail] `json:"pending_email" doc:"The new e-mail address that waits for its confirmation, or null."`
	Role         string                        `json:"role" enum:"owner,manager,viewer" example:"owner"`
	State        string                        `json:"state" enum:"active,invited,disabled" example:"active"`
	CreatedAt    schema.Date                   `json:"created_at"`
	UpdatedAt    schema.Date                   `json:"updated_at"`
}

// PendingEmail is a new e-mail address that counts once the link was opened that was sent to it.
type PendingEmail struct {
	_ struct{} `doc:"A new e-mail address, which counts once the link was opened that was sent to it."`

	Email     string      `json:"email" example:"anna@north.example"`
	ExpiresAt schema.Date `json:"expires_at" doc:"Until when the link works."`
}

// NewOperator is the body of a request that invites an operator.
type NewOperator struct {
	Email    string `json:"email" doc:"Where the invitation is sent, and what they sign in with." example:"boris@shop.example"`
	Role     string `json:"role" enum:"owner,manager,viewer" example:"manager"`
	Password string `json:"password,omitempty" doc:"Your own password. Required with a session, ignored with a key."`
}

// OperatorEdit is the body of a request that changes an operator.
type OperatorEdit struct {
	Role     string `json:"role,omitempty" enum:"owner,manager,viewer" example:"viewer"`
	State    string `json:"state,omitempty" doc:"disabled ends all sessions of the operator and lets them sign in no more; active takes that back." enum:"active,disabled" example:"disabled"`
	Password string `json:"password,omitempty" doc:"Your own password. Required with a session, ignored with a key."`
}

// ProfileEdit is the body of a request by which operators change their own account.
type ProfileEdit struct {
	Email       string `json:"email,omitempty" doc:"What you will sign in with. It counts once the link was opened that is sent to it. The same address again sends a new link; the address that you have cancels a pending one." example:"anna@shop.example"`
	NewPassword string `json:"new_password,omitempty" doc:"8 to 128 characters. All your other sessions end." minLength:"8" maxLength:"128"`
	Password    string `json:"password" doc:"Your present password."`
}

// Me is the caller in the response of GET /api/me: a key or an operator.
type Me struct {
	_ struct{} `doc:"Who is asking."`

	Kind     string                       `json:"kind" doc:"How they are known: by a secret key or by an operator's session." enum:"secret,operator" example:"operator"`
	Store    StoreRef                     `json:"store"`
	Scopes   []access.Scope               `json:"scopes" doc:"What they may do in the store, one by one."`
	KeyID    schema.Nullable[schema.ID]   `json:"key_id" doc:"The key; null with a session."`
	Operator schema.Nullable[OperatorRef] `json:"operator" doc:"Who is signed in; null with a key."`
}

// StoreRef is the store of the caller in [Me].
type StoreRef struct {
	ID   schema.ID `json:"id"`
	Name string    `json:"name" example:"North Shop"`
}

// OperatorRef is the operator in [Me] whose session authenticates the request.
type OperatorRef struct {
	ID           schema.ID                     `json:"id"`
	Email        string                        `json:"email" example:"anna@shop.example"`
	PendingEmail schema.Nullable[PendingEmail] `json:"pending_email" doc:"The new e-mail address that waits for its confirmation, or null."`
	Role         string                        `json:"role" enum:"owner,manager,viewer" example:"owner"`
}
