package access

import (
	"fmt"
	"slices"
	"strings"

	"vitrine/internal/kit/fault"
)

// Scope is one permission of a key; for an exchange token, one entity that it may push, ExchangeRead or ExchangeOrders.
type Scope string

// The scopes of secret keys and operators.
const (
	CatalogRead     Scope = "catalog:read"
	CatalogWrite    Scope = "catalog:write"
	CustomersRead   Scope = "customers:read"
	CustomersWrite  Scope = "customers:write"
	InquiriesRead   Scope = "inquiries:read"
	KeysManage      Scope = "keys:manage"
	OperatorsManage Scope = "operators:manage"
	OrdersRead      Scope = "orders:read"
	OrdersWrite     Scope = "orders:write"
	StoreRead       Scope = "store:read"
	StoreWrite      Scope = "store:write"
	WebhooksRead    Scope = "webhooks:read"
	WebhooksWrite   Scope = "webhooks:write"
)

// ExchangeRead lets an exchange token read exports of all entities. Everything does not include it.
const ExchangeRead Scope = "exchange:read"

// ExchangeOrders lets an exchange token read the orders with their customers, and change their states, as 1C does.
// Everything does not include it.
const ExchangeOrders Scope = "orders"

// Storefront is what every visitor of a shop may do: fill a cart, submit an order, send feedback, request a call, sign
// in. It cannot be granted. Every API key has it, since the publishable key is public.
const Storefront Scope = "storefront"

// Profile covers the profile and the session of a customer. Only customer tokens have it; Everything does not include
// it.
const Profile Scope = "profile"

// Everything stands for all scopes of a secret key, and for all entities of an exchange token, including those of later
// versions.
const Everything Scope = "*"

// Scopes are the sorted scopes of one credential.
type Scopes []Scope

// APIScopes returns the scopes that a secret key can have, besides Everything.
func APIScopes() Scopes {
	return Scopes{CatalogRead, CatalogWrite, CustomersRead, CustomersWrite, InquiriesRead, KeysManage, OperatorsManage,
		OrdersRead, OrdersWrite, StoreRead, StoreWrite, WebhooksRead, WebhooksWrite}
}

// EntityScopes returns the entities of the exchange gate. Each is the scope that a token needs to push it.
func EntityScopes() Scopes {
	return Scopes{"categories", "features", "price-lists", "prices", "products", "remainders", "stocks",
		"variant-options"}
}

// ExchangeScopes returns the scopes that an exchange token can have, besides Everything.
func ExchangeScopes() Scopes { return append(EntityScopes(), ExchangeRead, ExchangeOrders) }

// FullExchange returns the scopes of an exchange token that may do all that a token can do.
func FullExchange() Scopes { return Scopes{Everything, ExchangeRead, ExchangeOrders} }

// storefrontScopes returns the scopes of every publishable key and customer token, besides Storefront.
func storefrontScopes() Scopes { return Scopes{CatalogRead, StoreRead} }

// Has reports whether the scopes of a secret key contain s or Everything.
func (have Scopes) Has(s Scope) bool {
	return slices.Contains(have, s) || slices.Contains(have, Everything)
}

// hasExchange reports whether the scopes of an exchange token contain s. Everything contains the entities only.
func (have Scopes) hasExchange(s Scope) bool {
	return slices.Contains(have, s) || slices.Contains(have, Everything) && slices.Contains(EntityScopes(), s)
}

// Words returns the scopes as texts.
func (have Scopes) Words() []string {
	words := make([]string, len(have))
	for i, s := range have {
		words[i] = string(s)
	}
	return words
}

// Text returns the scopes as they are stored: sorted and separated by spaces.
func (have Scopes) Text() string { return strings.Join(have.Words(), " ") }

func parseScopes(text string) Scopes {
	var scopes Scopes
	for word := range strings.FieldsSeq(text) {
		scopes = append(scopes, Scope(word))
	}
	return scopes
}

// chooseScopes returns the scopes of a new key: the requested ones, or the default of the kind if none were requested
// (nil). The fields list every requested text that is not a scope of this kind.
func chooseScopes(kind Kind, requested []string) (Scopes, []fault.Field) {
	known := scopesOf(kind)
	byDefault := Scopes{Everything}
	if kind == PublishableKey {
		byDefault = known
	}

	if requested == nil {
		return byDefault, nil
	}

	if len(requested) == 0 {
		return nil, []fault.Field{{Field: "scopes", Code: "required",
			Message: "The list is empty, so the key could do nothing. " + allowedScopes(kind, known)}}
	}

	var chosen Scopes
	var problems []fault.Field
	for i, word := range requested {
		s := Scope(word)
		if !slices.Contains(known, s) && (s != Everything || kind == PublishableKey) {
			problems = append(problems, fault.NewField(fmt.Sprintf("scopes[%d]", i), "unknown_scope",
				"There is no such scope here. %s", allowedScopes(kind, known)))
			continue
		}
		chosen = append(chosen, s)
	}

	if problems != nil {
		return nil, problems
	}

	slices.Sort(chosen)
	chosen = slices.Compact(chosen)
	if slices.Contains(chosen, Everything) {
		return chosen.withEverything(kind), nil
	}
	if kind == PublishableKey && len(chosen) != len(known) {
		return nil, []fault.Field{{Field: "scopes", Code: "not_allowed", Message: allowedScopes(kind, known)}}
	}

	return chosen, nil
}

// withEverything returns Everything with the scopes of the kind that it does not include.
func (have Scopes) withEverything(kind Kind) Scopes {
	return slices.DeleteFunc(have, func(s Scope) bool {
		return s != Everything && (kind != ExchangeToken || slices.Contains(EntityScopes(), s))
	})
}

// scopesOf returns the scopes that a kind of key can have, besides Everything.
func scopesOf(kind Kind) Scopes {
	switch kind {
	case ExchangeToken:
		return ExchangeScopes()
	case PublishableKey:
		return storefrontScopes()
	}
	return APIScopes()
}

// allowedScopes returns the end of an error message, which lists the scopes that a kind of key can have.
func allowedScopes(kind Kind, known Scopes) string {
	list := strings.ReplaceAll(known.Text(), " ", ", ")
	switch kind {
	case PublishableKey:
		return "A publishable key always has " + list + "; leave the list out."
	case ExchangeToken:
		return "Use some of " + list + `; "*", which is the default, stands for the entities, not for ` +
			string(ExchangeRead) + " and " + string(ExchangeOrders) + "."
	}
	return "Use some of " + list + `; or "*" for all, which is the default.`
}
