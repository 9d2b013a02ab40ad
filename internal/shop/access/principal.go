package access

import (
	"strings"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/pricing"
	"vitrine/internal/shop/store"
)

// Principal is the authenticated client of a request and the store that the request is about.
type Principal struct {
	Kind  Kind
	Store store.Store
	// CredentialID identifies the key or exchange token; zero for all other kinds.
	CredentialID KeyID
	// KeyName is the name of the key or exchange token.
	KeyName string
	// Scopes are the scopes of the key or exchange token; nil for an operator session, where the role decides, and for
	// a customer token.
	Scopes Scopes
	// Operator is the operator of a session; nil for all other kinds.
	Operator *Operator
	// Session identifies an operator session; zero for all other kinds.
	Session TokenHash
	// SeveralStores says that the person of an operator session administers other stores, too.
	SeveralStores bool
	// CustomerKey and CustomerID are the row key and the id of the customer of a customer token; zero for all other
	// kinds.
	CustomerKey int64
	CustomerID  CustomerID
	// ExpiresAt is when the key expires; nil if it never does, and for all other kinds.
	ExpiresAt *time.Time
	// CameBy identifies the key by which the customer of a customer token signed in; zero if it is not known, and for
	// all other kinds.
	CameBy KeyID
	// FeedName is the name of the feed that a feed key reads; "" for all other kinds.
	FeedName string
	// Prices are the price lists that the principal gets prices of: of the group of the customer, else of the group of
	// the key, or of the key by which the customer signed in while that is active. Secret keys and operators get the
	// prices of the variants themselves.
	Prices pricing.Chain
	// Versions are the versions of the store's catalogue, read after the request has arrived; nil for an operator
	// session.
	Versions *store.Versions
}

// Customer is the type argument of CustomerID. The data of customers belongs to package customer.
type Customer struct{}

// CustomerID identifies a customer.
type CustomerID = id.Of[Customer]

// CustomerGroup is the type argument of GroupID. The data of groups belongs to package pricelist.
type CustomerGroup struct{}

// GroupID identifies a customer group.
type GroupID = id.Of[CustomerGroup]

// UnknownGroup returns fault.Invalid for a field with the id of a group that the store does not have.
func UnknownGroup(field string) error {
	return fault.Fields([]fault.Field{fault.NewField(field, "unknown_customer_group",
		"This store has no customer group with this id.")})
}

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
	case ExchangeToken, FeedKey:
	}
	return false
}

// IsShopper reports whether the credential is one that everybody who visits a shop can get.
func (p Principal) IsShopper() bool { return p.Kind == PublishableKey || p.Kind == CustomerToken }

// EntryKey returns the key that the principal has, or by which the customer signed in, or nil if it is not known.
func (p Principal) EntryKey() *KeyID {
	for _, keyID := range []KeyID{p.CredentialID, p.CameBy} {
		if !keyID.IsZero() {
			return &keyID
		}
	}
	return nil
}

// MayExchange reports whether the principal is an exchange token with the scope: an entity that it may push,
// ExchangeRead or ExchangeOrders.
func (p Principal) MayExchange(s Scope) bool {
	return p.Kind == ExchangeToken && p.Scopes.hasExchange(s)
}

// MayGrant returns a Denied fault if the principal cannot give the role to an operator: scope_exceeded as MayManage
// does, and expiry_exceeded for a key that expires, because the role does not. Otherwise the holder of such a key could
// invite themselves and so keep its scopes.
func (p Principal) MayGrant(role Role) error {
	if p.ExpiresAt != nil {
		return fault.New(fault.Denied, "expiry_exceeded",
			"A key that expires cannot invite operators, give them a role or enable them, because they outlive it; "+
				"this one expires at %s.", p.ExpiresAt.UTC().Format(time.RFC3339))
	}
	return p.MayManage(role)
}

// MayManage returns the Denied fault scope_exceeded if the principal lacks a scope of the role. Otherwise a key with
// the scope operators:manage could invite an owner and so get every other scope.
func (p Principal) MayManage(role Role) error {
	for _, scope := range APIScopes() {
		if role.may(scope) && !p.May(scope) {
			return fault.New(fault.Denied, "scope_exceeded",
				"This credential cannot manage an operator who may do more than itself; "+
					"for the role %s it lacks the scope %s.", role, scope)
		}
	}
	return nil
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

// Account is the type argument of AccountID. The data of accounts belongs to package account.
type Account struct{}

// AccountID identifies an account.
type AccountID = id.Of[Account]

// OperatorID identifies an operator.
type OperatorID = id.Of[Operator]

// Operator is a person who administers a store. A person who administers several stores has an operator in each.
type Operator struct {
	ID        OperatorID
	StoreID   store.ID
	AccountID AccountID
	// Email, Language and CodesEnabled are members of the account.
	Email        string
	Language     string
	CodesEnabled bool
	Role         Role
	CreatedAt    time.Time
	UpdatedAt    time.Time
	// DisabledAt is when the operator was disabled; nil for one that is not.
	DisabledAt *time.Time
	// Invited is true until the person has accepted the invitation.
	Invited bool
}

// Active reports whether the operator can sign in.
func (o Operator) Active() bool { return o.DisabledAt == nil && !o.Invited }

// Actor returns the operator as the author of changes.
func (o Operator) Actor() store.Actor {
	return store.Actor{Kind: store.ByOperator, ID: o.ID.String(), Name: o.Email}
}

// Entry returns what the log says about a change of the operator.
func (o Operator) Entry(action audit.Action, changes ...audit.Change) audit.Entry {
	return audit.Entry{Action: action, Object: audit.Object{Kind: "operator", ID: o.ID.String(), Label: o.Email},
		Changes: changes}
}

// AccountEntry returns what the log says about a change that a person has made to their own account.
func (o Operator) AccountEntry(action audit.Action, changes ...audit.Change) audit.Entry {
	return audit.Entry{Action: action, Object: audit.Object{Kind: "account", ID: o.ID.String(), Label: o.Email},
		Changes: changes}
}
