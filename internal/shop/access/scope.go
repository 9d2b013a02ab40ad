package access

import (
	"fmt"
	"slices"
	"strings"

	"vitrine/internal/kit/fault"
)

// Scope is one thing that a key may do; for an exchange token, one entity that it may push.
type Scope string

// What secret keys and operators may do.
const (
	CatalogRead   Scope = "catalog:read"
	CatalogWrite  Scope = "catalog:write"
	CustomersRead Scope = "customers:read"
	InquiriesRead Scope = "inquiries:read"
	KeysManage    Scope = "keys:manage"
	OrdersRead    Scope = "orders:read"
	OrdersWrite   Scope = "orders:write"
	StoreRead     Scope = "store:read"
	StoreWrite    Scope = "store:write"
	WebhooksRead  Scope = "webhooks:read"
	WebhooksWrite Scope = "webhooks:write"
)

// Storefront is what every visitor of a shop may do: fill a cart, submit an order, send feedback, ask for a call, sign in. It is not given
// out. Every key of the API has it, since the publishable one is known to everybody.
const Storefront Scope = "storefront"

// Profile is what a customer may do with what is their own: their profile and their session. Customer tokens have it and nobody else, those who may
// everything neither.
const Profile Scope = "profile"

// Everything is all scopes that the kind of credential can have, those of later versions too.
const Everything Scope = "*"

// Scopes are what one credential may do, sorted.
type Scopes []Scope

// APIScopes returns the scopes that a secret key can have, besides Everything.
func APIScopes() Scopes {
	return Scopes{CatalogRead, CatalogWrite, CustomersRead, InquiriesRead, KeysManage, OrdersRead, OrdersWrite, StoreRead, StoreWrite, WebhooksRead, WebhooksWrite}
}

// EntityScopes returns the scopes that an exchange token can have, besides Everything: the entities of the gate.
func EntityScopes() Scopes {
	return Scopes{"categories", "features", "prices", "products", "remainders", "stocks", "variant-options"}
}

// storefrontScopes are those of every publishable key and customer token, besides Storefront.
func storefrontScopes() Scopes { return Scopes{CatalogRead, StoreRead} }

// Has reports whether s is among the scopes, or all are.
func (have Scopes) Has(s Scope) bool {
	return slices.Contains(have, s) || slices.Contains(have, Everything)
}

// Text is how scopes are stored: sorted, with blanks between.
func (have Scopes) Text() string {
	words := make([]string, len(have))
	for i, s := range have {
		words[i] = string(s)
	}
	return strings.Join(words, " ")
}

func parseScopes(text string) Scopes {
	var scopes Scopes
	for word := range strings.FieldsSeq(text) {
		scopes = append(scopes, Scope(word))
	}
	return scopes
}

// chooseScopes returns the scopes of a new key of that kind: the words that were asked for, or the default where nil was.
// The fields name every word that is no scope.
func chooseScopes(kind Kind, words []string) (Scopes, []fault.Field) {
	known, byDefault := APIScopes(), Scopes{Everything}
	switch kind {
	case ExchangeToken:
		known = EntityScopes()
	case PublishableKey:
		known, byDefault = storefrontScopes(), storefrontScopes()
	}
	if words == nil {
		return byDefault, nil
	}
	if len(words) == 0 {
		return nil, []fault.Field{{Field: "scopes", Code: "required", Message: "The list is empty, so the key could do nothing. " + allowedScopes(kind, known)}}
	}
	var chosen Scopes
	var problems []fault.Field
	for i, word := range words {
		s := Scope(word)
		if !slices.Contains(known, s) && (s != Everything || kind == PublishableKey) {
			problems = append(problems, fault.Field{Field: fmt.Sprintf("scopes[%d]", i), Code: "unknown_scope", Message: "There is no such scope here. " + allowedScopes(kind, known)})
			continue
		}
		chosen = append(chosen, s)
	}
	if problems != nil {
		return nil, problems
	}
	slices.Sort(chosen)
	chosen = slices.Compact(chosen)
	if chosen.Has(Everything) {
		return Scopes{Everything}, nil
	}
	if kind == PublishableKey && len(chosen) != len(known) {
		return nil, []fault.Field{{Field: "scopes", Code: "not_allowed", Message: allowedScopes(kind, known)}}
	}
	return chosen, nil
}

// allowedScopes says which scopes a kind of key can have.
func allowedScopes(kind Kind, known Scopes) string {
	list := strings.ReplaceAll(known.Text(), " ", ", ")
	if kind == PublishableKey {
		return "A publishable key always has " + list + "; leave the list out."
	}
	return "Use some of " + list + `; or "*" for all, which is the default.`
}
