package access

import (
	"strings"

	"vitrine/internal/kit/id"
	"vitrine/internal/shop/store"
)

// Principal is who makes a request, and the store that the request is about.
type Principal struct {
	Kind  Kind
	Store store.Store
	// CredentialID names the key or exchange token; zero for a session and for a customer token.
	CredentialID KeyID
	// Scopes are those of the key or exchange token; nil for a session, where the operator's role decides, and for a customer token.
	Scopes Scopes
	// Operator is who signed in; nil for a credential.
	Operator *Operator
	// CustomerKey and CustomerID are the customer of a customer token, by row and by name; both are zero for everybody else.
	CustomerKey int64
	CustomerID  CustomerID
}

// Customer stands for the people who buy, so that their ids have a type here; what is known of them is package customer's.
type Customer struct{}

// CustomerID names a customer.
type CustomerID = id.Of[Customer]

// May reports whether the principal may do s in its store. An exchange token may nothing of this, whatever its scopes: see MayPush.
func (p Principal) May(s Scope) bool {
	if s == Profile {
		return p.Kind == CustomerToken
	}
	switch p.Kind {
	case PublishableKey, CustomerToken:
		return s == Storefront || storefrontScopes().Has(s)
	case SecretKey:
		return s == Storefront || p.Scopes.Has(s)
	case OperatorSession:
		return p.Operator != nil && p.Operator.Role.may(s)
	case ExchangeToken:
	}
	return false
}

// MayPush reports whether the principal may push that entity through the exchange gate.
func (p Principal) MayPush(entity string) bool {
	return p.Kind == ExchangeToken && p.Scopes.Has(Scope(entity))
}

// Role says what an operator may do.
type Role string

// The roles: an owner may all, a manager all but change the store's settings, its keys and its webhooks, a viewer may read.
const (
	Owner   Role = "owner"
	Manager Role = "manager"
	Viewer  Role = "viewer"
)

func (r Role) may(s Scope) bool {
	switch r {
	case Owner:
		return true
	case Manager:
		return s != KeysManage && s != StoreWrite && s != WebhooksWrite
	case Viewer:
		return strings.HasSuffix(string(s), ":read")
	}
	return false
}
