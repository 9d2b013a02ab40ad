package adminapi

import (
	"maps"
	"slices"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/kit/schema"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/account"
)

// The tags that group operations in the OpenAPI document.
const (
	settingsTag  = "Store settings"
	keysTag      = "Keys"
	operatorsTag = "Operators"
	runsTag      = "Exchange runs"
	mailboxTag   = "Mailbox"
	webhooksTag  = "Webhooks"
)

// About returns the part of the OpenAPI document that describes the API as a whole.
func About(version string) openapi.About {
	return openapi.About{
		Title:   "Vitrine administration",
		Version: version, SecretOnly: true,

		Intro: "The administration of a Vitrine store, for programs: what the pages of this address do, as JSON.\n\n" +
			"    curl -H 'Authorization: Bearer sk_…' 'http://localhost:8081/api/store/settings'\n\n" +
			"It takes a secret key within its scopes, or the session of an operator who signed in at `/login`, " +
			"within their role. Publishable keys and exchange tokens " +
			"are refused with 403, whatever the route. A request with a session that changes something must come " +
			"from this origin.",

		Tags: []openapi.Tag{
			{Name: settingsTag,
				Description: "The name of the shop, its timezone, language and currency, " +
					"which pages may read the public API, and which operations a captcha protects. A change shows in " +
					"the next answer."},
			{Name: keysTag,
				Description: "Publishable keys, secret keys and exchange tokens. A token is shown once, " +
					"when it is made; only its hash is kept."},
			{Name: operatorsTag, Description: "Who administers the store, and who is asking."},
			{Name: runsTag,
				Description: "What became of the pushes to the exchange gate, whichever token they came with."},
			{Name: webhooksTag, Description: webhooksIntro},
			{Name: mailboxTag,
				Description: "What the store wrote to people while the program had no way to send it: mail without " +
					"`--smtp`, messages to phones without `--sms-url`."},
		},

		Docs: memberDocs(),
	}
}

// routeDocs returns the descriptions of all routes by method and path, such as "GET /api/me".
func routeDocs() map[string]httpapi.Route {
	docs := settingsDocs()
	maps.Copy(docs, keyDocs())
	maps.Copy(docs, operatorDocs())
	maps.Copy(docs, runDocs())
	maps.Copy(docs, mailboxDocs())
	maps.Copy(docs, receiverDocs())
	maps.Copy(docs, deliveryDocs())
	maps.Copy(docs, eventDocs())
	return docs
}

func settingsDocs() map[string]httpapi.Route {
	date := openapi.ExampleDate()

	settings := []httpapi.Example{openapi.ResourceExample("Settings", Settings{
		ID: openapi.ExampleID(exampleStoreID), Name: "North Shop", Timezone: "Europe/Moscow", Locale: "en",
		Currency: "EUR", SiteURL: "https://shop.example",
		Paths:       Paths{Product: "/p/{slug}", Category: "/c/{path}"},
		CORSOrigins: []string{"https://shop.example"}, CreatedAt: date, UpdatedAt: date,
		Recaptcha: Captcha{
			Active: true, Provider: "recaptcha_v3", PublicKey: "6Lc_public", SecretKeySet: true,
			ExtraHosts: []string{"www.shop.example"}, OnProviderError: "reject",
			Actions: []ProtectedAction{{ID: "order_submission", Threshold: 0.5}},
		},
		CommerceML: OneC{PriceType: "Розничная", Missing: "keep", Requisites: []string{"Вес"}},
	})}

	return openapi.Group(settingsTag, "", map[string]httpapi.Route{
		"GET /api/store/settings": {
			OperationID: "getSettings", Summary: "Read the settings", Response: Settings{}, HasETag: true,
			Description:      "Answers with the settings of the store that the key or the session belongs to.",
			ResponseExamples: settings,
		},
		"PUT /api/store/settings": {
			OperationID: "editSettings", Summary: "Change the settings", Response: Settings{}, HasETag: true,
			Body: SettingsEdit{},
			Description: "Changes the members that are sent and leaves the others, " +
				"inside `recaptcha` and `commerceml` too; `cors_origins`, " +
				"`extra_hosts` and `actions` are full lists. The next answer of the public API has its dates in the " +
				"new " +
				"timezone and language. What `GET` answered may be sent back.",
			BodyExamples: []httpapi.Example{
				{Name: "Another timezone and language", JSON: `{"timezone":"Asia/Almaty","locale":"kk"}`},
				{Name: "Protect orders and feedback by a captcha, feedback on trial",
					JSON: `{"site_url":"https://shop.example","recaptcha":{"active":true,"public_key":"6Lc_public",` +
						`"secret_key":"6Lc_secret",` +
						`"actions":[{"id":"order_submission","threshold":0.7},{"id":"feedback_request",` +
						`"shadow":true}]}}`},
				{Name: "Let two sites call from the browser",
					JSON: `{"cors_origins":["https://shop.example","http://localhost:3000"]}`},
			},
			ResponseExamples: settings,
			Refusals: []httpapi.Refusal{
				{Status: 422, Code: "unknown_timezone", When: "`timezone` is no IANA name."},
				{Status: 422, Code: "unknown_locale", When: "`locale` is no language that this server speaks."},
				{Status: 422, Code: "unknown_currency", When: "`currency` is no ISO 4217 code in upper case."},
				{Status: 422, Code: "invalid_url", When: "`site_url` is no absolute address."},
				{Status: 422, Code: "invalid_path", When: "A member of `paths` is no path with its placeholder."},
				{Status: 422, Code: "paths_overlap",
					When: "Products and categories would have the same paths."},
				{Status: 422, Code: "invalid_origin", When: "An element of `cors_origins` is no origin."},
				{Status: 422, Code: "required",
					When: "The captcha is to be active without a public key, a secret key or a site address."},
				{Status: 422, Code: "unknown_provider", When: "`recaptcha.provider` is none of the four."},
				{Status: 422, Code: "unknown_action",
					When: "An element of `recaptcha.actions` names no operation that can be protected."},
				{Status: 422, Code: "duplicate", When: "`recaptcha.actions` names an operation twice."},
				{Status: 422, Code: "out_of_range",
					When: "A threshold is not between 0 and 1, or `commerceml.package_minutes` not between 1 and " +
						"1440."},
				{Status: 422, Code: "unknown_value",
					When: "`commerceml.missing` is neither `keep` nor `archive`, " +
						"`commerceml.zero_price` neither `none` nor `free`, " +
						"or `commerceml.name_from` neither `name` nor `full_name`."},
				{Status: 422, Code: "invalid_host", When: "An element of `recaptcha.extra_hosts` is no host."},
			},
		},
	})
}

func keyDocs() map[string]httpapi.Route {
	created := []httpapi.Example{openapi.ResourceExample("A key with its token",
		CreatedKey{Key: exampleKey(), Token: "sk_…x7Qz"})}
	exceeded := httpapi.Refusal{Status: 403, Code: "scope_exceeded",
		When: "The new key could do more than the secret key that it is made with."}
	outlived := httpapi.Refusal{Status: 403, Code: "expiry_exceeded",
		When: "The new key would outlive the secret key that it is made with."}
	password := passwordRefusals()

	return openapi.Group(keysTag, "key", map[string]httpapi.Route{
		"GET /api/store/keys": {
			OperationID: "listKeys", Summary: "List the keys", Response: Key{}, Paged: true,
			Description: "All keys and exchange tokens of the store, revoked and expired ones too, " +
				"the oldest first.",
			ResponseExamples: []httpapi.Example{openapi.ListExample("Keys", exampleKey())},
		},
		"POST /api/store/keys": {
			OperationID: "createKey", Summary: "Create a key", Status: 201, Response: CreatedKey{}, HasETag: true,
			Body: NewKey{},
			Description: "Makes a key and answers with its `token`, this once: nothing shows it again. A secret key " +
				"can make only keys that may do no more than itself and end no later; for an " +
				"exchange token it needs `catalog:write`. An operator with a session sends the password along.",
			BodyExamples: []httpapi.Example{
				{Name: "A secret key that writes the catalogue until the end of January",
					JSON: `{"kind":"secret","name":"Warehouse","scopes":["catalog:read","catalog:write"],` +
						`"expires_at":"2027-01-31T23:59:59+03:00"}`},
				{Name: "An exchange token for all entities", JSON: `{"kind":"exchange","name":"Accounting"}`},
				{Name: "An exchange token for 1C, with orders",
					JSON: `{"kind":"exchange","name":"1C","scopes":["*","orders"]}`},
			},
			ResponseExamples: created,
			Refusals: []httpapi.Refusal{
				exceeded, outlived, password[0], password[1],
				{Status: 422, Code: "unknown_kind", When: "`kind` is absent or none of the three."},
				{Status: 422, Code: "unknown_scope", When: "An element of `scopes` is no scope of that kind of key."},
				{Status: 422, Code: "in_the_past", When: "`expires_at` has passed."},
				{Status: 422, Code: "unknown_member",
					When: "An element of `members` is no member of a product; the message lists them."},
				{Status: 422, Code: "not_allowed", When: "`members` of a key that is no exchange token."},
			},
		},
		"PUT /api/store/keys/{id}": {
			OperationID: "editKey", Summary: "Change a key", Response: Key{}, HasETag: true, Body: KeyEdit{},
			Description: "Changes the name of a key, the members of products that an exchange token writes, or " +
				"the customer group of a publishable key. What is absent stays; all else about a key is fixed when " +
				"it is made.",
			BodyExamples:     jsonExample("Another name", `{"name":"Accounting"}`),
			ResponseExamples: []httpapi.Example{openapi.ResourceExample("A key", exampleKey())},
			Refusals: []httpapi.Refusal{
				exceeded, outlived,
				{Status: 422, Code: "unknown_member",
					When: "An element of `members` is no member of a product; the message lists them."},
				{Status: 422, Code: "not_allowed", When: "`members` of a key that is no exchange token."},
				{Status: 422, Code: "required", When: "`members` is empty, or `name` is."},
			},
		},
		"GET /api/store/keys/{id}": {
			OperationID: "getKey", Summary: "Read a key", Response: Key{}, HasETag: true,
			Description: "Answers with a key, without its token. The `ETag` changes when the key is changed, " +
				"when its end is set and when it is revoked, not when it is used.",
			ResponseExamples: []httpapi.Example{openapi.ResourceExample("A key", exampleKey())},
		},
		"POST /api/store/keys/{id}/rotate": {
			OperationID: "rotateKey", Summary: "Replace a key", Status: 201, Response: CreatedKey{}, HasETag: true,
			Body: Rotation{}, BodyOptional: true,
			Description: "Makes a new key of the same kind, name, scopes and members and answers with its `token`, " +
				"this once. The old key works on for `overlap_hours`, so that those who use it " +
				"have time to change. The body may be left out. Customers who signed in by the old key, and carts " +
				"made with it, have the prices of its customer group until it ends. With 720 hours every customer " +
				"has signed in again by then.",
			BodyExamples:     jsonExample("Two days to change", `{"overlap_hours":48}`),
			ResponseExamples: created,
			Refusals: []httpapi.Refusal{
				exceeded, outlived, password[0], password[1],
				{Status: 409, Code: "key_not_active", When: "The key is revoked or expired."},
				{Status: 422, Code: "out_of_range", When: "`overlap_hours` is no whole number from 0 to 720."},
			},
		},
		"DELETE /api/store/keys/{id}": {
			OperationID: "revokeKey", Summary: "Revoke a key",
			Description: "Ends a key at once. It stays in the list, with the time in `revoked_at`; revoking it again " +
				"changes nothing.",
		},
	})
}

// passwordRefusals are the problems of routes on which an operator with a session sends the password along.
func passwordRefusals() []httpapi.Refusal {
	return []httpapi.Refusal{
		{Status: 403, Code: account.PasswordRequired,
			When: "An operator with a session left out `password`. With a secret key it is not needed."},
		{Status: 403, Code: account.WrongPassword, When: "`password` is wrong."},
	}
}

func exampleOperator() Operator {
	return Operator{
		ID: openapi.ExampleID(exampleOperatorID), Email: "anna@shop.example", Role: "owner", State: "active",
		CreatedAt: openapi.ExampleDate(), UpdatedAt: openapi.ExampleDate(),
	}
}

func operatorDocs() map[string]httpapi.Route {
	one := []httpapi.Example{openapi.ResourceExample("An operator", exampleOperator())}
	unknownRole := httpapi.Refusal{Status: 422, Code: "unknown_role", When: "`role` is none of the three."}
	taken := httpapi.Refusal{Status: 422, Code: "taken",
		When: "An operator, of this store or another one, has the e-mail address."}
	invalidEmail := httpapi.Refusal{Status: 422, Code: "invalid_email", When: "`email` is not an e-mail address."}
	managed := append(passwordRefusals(),
		httpapi.Refusal{Status: 403, Code: "scope_exceeded",
			When: "The role of the operator, before or after the change, may do more than the credential."})
	granted := slices.Concat(managed, []httpapi.Refusal{{Status: 403, Code: "expiry_exceeded",
		When: "A key that expires cannot invite an operator, change a role or enable an operator: they outlive it."}})
	adminURL := httpapi.Refusal{Status: 409, Code: "admin_url_required",
		When: "Mail is to be sent, but the server was started without `--admin-url` and the request does not come " +
			"from a page of the administration: then it is not known where the link leads."}
	lastOwner := httpapi.Refusal{Status: 409, Code: "last_owner",
		When: "The store would have no owner who can sign in."}

	docs := openapi.Group(operatorsTag, "operator", map[string]httpapi.Route{
		"POST " + operatorsPath: {
			OperationID: "inviteOperator", Summary: "Invite an operator", Status: 201, Response: Operator{},
			HasETag: true, Body: NewOperator{},
			Description: "Makes an operator without a password and sends them a link by mail, " +
				"on which they choose one within 7 days. The link works once. Without `--smtp` the mail is in the " +
				"mailbox. " +
				"Somebody who has not accepted yet can be invited again: then only the new link works.",
			BodyExamples:     jsonExample("A manager", `{"email":"boris@shop.example","role":"manager"}`),
			ResponseExamples: one,
			Refusals:         slices.Concat(granted, []httpapi.Refusal{unknownRole, invalidEmail, taken, adminURL}),
		},
		"GET " + operatorsPath + "/{id}": {
			OperationID: "getOperator", Summary: "Read an operator", Response: Operator{}, HasETag: true,
			Description: "Answers with an operator.", ResponseExamples: one,
		},
		"PUT " + operatorsPath + "/{id}": {
			OperationID: "editOperator", Summary: "Change an operator", Response: Operator{}, HasETag: true,
			Body: OperatorEdit{},
			Description: "Changes the role, and disables or enables the operator. Disabling ends their sessions at " +
				"once. " +
				"Their e-mail address and password only they themselves can change, with `PUT /api/me`.",
			BodyExamples: []httpapi.Example{
				{Name: "Another role", JSON: `{"role":"viewer"}`},
				{Name: "Off-boarding", JSON: `{"state":"disabled"}`},
			},
			ResponseExamples: one,
			Refusals: slices.Concat(granted, []httpapi.Refusal{lastOwner, unknownRole,
				{Status: 422, Code: "unknown_state", When: "`state` is neither `active` nor `disabled`."}}),
		},
		"DELETE " + operatorsPath + "/{id}": {
			OperationID: "removeOperator", Summary: "Remove an operator", Body: Confirmation{}, BodyOptional: true,
			Description:  "Deletes an operator and ends their sessions at once. The keys that they made stay.",
			BodyExamples: jsonExample("With a session", `{"password":"correct horse battery"}`),
			Refusals:     slices.Concat(managed, []httpapi.Refusal{lastOwner}),
		},
		"PUT /api/me": {
			OperationID: "editMe", Summary: "Change your own account", Response: Account{}, HasETag: true,
			Body: ProfileEdit{},
			Description: "Changes the e-mail address or the password of the operator who is signed in. A new " +
				"password ends all their other sessions, and browsers in which they signed in are " +
				"not recognised any more; it cancels a pending e-mail address.\n\n" +
				"A new e-mail address counts once the link was opened that is sent to it; the present address is " +
				"told. Until then it is `pending_email`, for 24 hours. " +
				"Sending the same address again sends another link, and the one before stops working; sending the " +
				"present address cancels the pending one.",
			BodyExamples: []httpapi.Example{
				{Name: "Another password", JSON: `{"new_password":"battery staple","password":"correct horse"}`},
				{Name: "Another e-mail address", JSON: `{"email":"anna@north.example","password":"correct horse"}`},
			},
			ResponseExamples: []httpapi.Example{openapi.ResourceExample("A new e-mail address waits", Account{
				ID: openapi.ExampleID(exampleOperatorID), Email: "anna@shop.example",
				PendingEmail: schema.NotNull(PendingEmail{Email: "anna@north.example",
					ExpiresAt: openapi.ExampleDate()}),
				Role: "owner", State: "active", CreatedAt: openapi.ExampleDate(), UpdatedAt: openapi.ExampleDate(),
			})},
			Refusals: slices.Concat(passwordRefusals(), []httpapi.Refusal{invalidEmail, taken, adminURL,
				{Status: 409, Code: "mail_not_configured",
					When: "The server sends no mail, so it cannot check the address. Whoever runs it can make a link " +
						"with `vitrine admin change-email`."},
				{Status: 429, Code: "too_many_links", When: "A link was sent less than a minute ago."},
				{Status: 403, Code: "session_required", When: "The credential is a key, which has no account."},
				{Status: 422, Code: "too_short", When: "`new_password` has fewer than 8 characters."},
				{Status: 422, Code: "too_long", When: "`new_password` has more than 128 characters."}}),
		},
	})

	maps.Copy(docs, listOperatorDocs())
	return docs
}

func listOperatorDocs() map[string]httpapi.Route {
	shop := StoreRef{ID: openapi.ExampleID(exampleStoreID), Name: "North Shop"}

	return openapi.Group(operatorsTag, "", map[string]httpapi.Route{
		"GET /api/store/operators": {
			OperationID: "listOperators", Summary: "List the operators", Response: Operator{}, Paged: true,
			Description:      "The people who can sign in to this store, the oldest first.",
			ResponseExamples: []httpapi.Example{openapi.ListExample("Operators", exampleOperator())},
		},
		"GET /api/me": {
			OperationID: "getMe", Summary: "Ask who is asking", Response: Me{},
			Description: "Answers with the store, and with what the key or the operator may do there.",
			ResponseExamples: []httpapi.Example{
				openapi.ResourceExample("An operator", Me{
					Kind: "operator", Store: shop, Scopes: []access.Scope{"catalog:read", "store:read"},
					Operator: schema.NotNull(OperatorRef{ID: openapi.ExampleID(exampleOperatorID),
						Email: "anna@shop.example", Role: "viewer"}),
				}),
				openapi.ResourceExample("A key", Me{
					Kind: "secret", Store: shop, Scopes: []access.Scope{"catalog:read", "catalog:write"},
					KeyID: schema.NotNull(openapi.ExampleID(exampleKeyID)),
				}),
			},
		},
	})
}

func jsonExample(name, text string) []httpapi.Example {
	return []httpapi.Example{{Name: name, JSON: text}}
}

// The ids that the examples of the document use.
const (
	exampleStoreID    = "019a8269-0000-7c11-8f2a-3d5b9e1c7a01"
	exampleKeyID      = "019a8269-1100-7a10-9d01-4b5c6d7e8f01"
	exampleOperatorID = "019a8269-2200-7b20-8e02-5c6d7e8f9a02"
)

func exampleKey() Key {
	date := openapi.ExampleDate()
	return Key{
		ID: openapi.ExampleID(exampleKeyID), Kind: "secret", Name: "Warehouse", Hint: "sk_x7Qz",
		Scopes:    []access.Scope{"catalog:read", "catalog:write"},
		CreatedAt: date, LastUsedAt: schema.NotNull(date),
	}
}

// exampleDateJSON is the date object in examples that are string constants of JSON.
const exampleDateJSON = `{"timezone":"Europe/Moscow","datetime_utc":"2026-11-14 12:00:05","datetime":"2026-11-14 ` +
	`15:00:05","datetime_at":"14.11.2026 at 15:00",` +
	`"date":"14.11.2026","diff":"2 minutes ago","timestamp":1794657605,"iso_utc":"2026-11-14T12:00:05+00:00",` +
	`"iso":"2026-11-14T15:00:05+03:00"}`
