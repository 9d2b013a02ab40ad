package access

import (
	"strings"

	"vitrine/internal/store"
)

// Principal is who makes a request, and the store that the request is about.
type Principal struct {
	Kind  Kind
	Store store.Store
	// CredentialID names the key or exchange token; zero for a session.
	CredentialID KeyID
	// Scopes are those of the credential; nil for a session, where the operator's role decides.
	Scopes Scopes
	// Operator is who signed in; nil for a credential.
	Operator *Operator
}

// May reports whether the principal may do s in its store. An exchange token may nothing of this, whatever its scopes: see MayPush.
func (p Principal) May(s Scope) bool {
	switch p.Kind {
	case PublishableKey:
		return storefrontScopes().Has(s)
	case SecretKey:
		return p.Scopes.Has(s)
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

// The roles: an owner may all, a manager all but the store's settings and its keys, a viewer may read.
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
		return s != KeysManage && s != StoreWrite
	case Viewer:
		return strings.HasSuffix(string(s), ":read")
	}
	return false
}
