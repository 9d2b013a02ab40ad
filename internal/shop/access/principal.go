package access

import (
	"strings"
	"time"

	"vitrine/internal/kit/id"
	"vitrine/internal/shop/store"
)

// Principal is the authenticated client of a request and the store that the request is about.
type Principal struct {
	Kind  Kind
	Store store.Store
	// CredentialID identifies the key or exchange token; zero for an operator session and for a customer token.
	CredentialID KeyID
	// KeyName is the name of the key or exchange token.
	KeyName string
	// Scopes are those of the key or exchange token; nil for an operator session, where the role decides, and for a
	// customer token.
	Scopes Scopes
	// Operator is the operator of a session; nil for all other kinds.
	Operator *Operator
	// SeveralStores says that the person of an operator session administers other stores, too.
	SeveralStores bool
	// CustomerKey and CustomerID are the row key and the id of the customer of a customer token; zero for all other
	// kinds.
	CustomerKey int64
	CustomerID  CustomerID
	// ExpiresAt is when the key expires; nil if it never does, and for all other kinds.
	ExpiresAt *time.Time
	// Versions are those of the store's catalogue after the request has arrived; nil for an operator session and for a
	// customer token.
	Versions *store.Versions

	session tokenHash // of an operator session
}

// Customer is the type argument of CustomerID. The data of customers belongs to package customer.
type Customer struct{}

// CustomerID identifies a customer.
type CustomerID = id.Of[Customer]

// May reports whether the principal has the scope in its store. An exchange token has none of these scopes; see
// MayExchange.
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

// MayExchange reports whether the principal is an exchange token with the scope: an entity that it may push,
// ExchangeRead or ExchangeOrders.
func (p Principal) MayExchange(s Scope) bool {
	return p.Kind == ExchangeToken && p.Scopes.hasExchange(s)
}

// Role determines the scopes of an operator.
type Role string

// The roles. An owner has all scopes. A manager has all except changing the store's settings, keys, operators and
// webhooks. A viewer may read.
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
		return s != KeysManage && s != OperatorsManage && s != StoreWrite && s != WebhooksWrite
	case Viewer:
		return strings.HasSuffix(string(s), ":read")
	}
	return false
}
