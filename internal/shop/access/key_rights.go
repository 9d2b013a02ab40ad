package access

import (
	"time"

	"vitrine/internal/kit/fault"
)

// neededToIssue returns the scopes that a secret key needs to make a key of a kind with a scope: those that allow the
// same by themselves. It reports false for a scope that the kind does not have.
func neededToIssue(kind Kind, s Scope) (Scopes, bool) {
	var table map[Scope]Scopes

	switch kind {
	case SecretKey:
		table = map[Scope]Scopes{Everything: {Everything}}
		for _, scope := range APIScopes() {
			table[scope] = Scopes{scope}
		}
	case PublishableKey:
		table = map[Scope]Scopes{CatalogRead: nil, StoreRead: nil} // every visitor of the store may do this

	case ExchangeToken:
		table = map[Scope]Scopes{
			Everything:     {CatalogWrite},
			ExchangeRead:   {CatalogRead},
			ExchangeOrders: {OrdersRead, OrdersWrite},
		}
		for _, entity := range EntityScopes() {
			table[entity] = Scopes{CatalogWrite}
		}
	}

	needed, known := table[s]
	return needed, known
}

// MayIssue returns a Denied fault if a key that the principal has made may do more than the principal itself, or works
// for longer. Otherwise a key with the scope keys:manage could get every other scope, or renew itself for ever. It is
// called after the key was inserted, when its scopes are known; the error rolls the transaction back.
func (p Principal) MayIssue(issued Key) error {
	if p.Kind != SecretKey {
		return nil
	}

	for _, scope := range issued.Scopes {
		needed, known := neededToIssue(issued.Kind, scope)
		if !known {
			return errScopeExceeded(scope)
		}

		for _, n := range needed {
			if !p.May(n) {
				return errScopeExceeded(n)
			}
		}
	}

	if issued.GroupID != nil && !p.May(CatalogRead) { // its visitors see prices that others do not
		return errScopeExceeded(CatalogRead)
	}

	if p.ExpiresAt != nil && (issued.ExpiresAt == nil || issued.ExpiresAt.After(*p.ExpiresAt)) {
		return fault.New(fault.Denied, "expiry_exceeded",
			"A key that expires cannot make one that outlives it; this one expires at %s.",
			p.ExpiresAt.UTC().Format(time.RFC3339))
	}

	return nil
}

func errScopeExceeded(lacking Scope) error {
	return fault.New(fault.Denied, "scope_exceeded",
		"A key cannot make one that may do more than itself; this one lacks the scope %s.", lacking)
}
