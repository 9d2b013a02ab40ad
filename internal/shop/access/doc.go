// Package access owns authentication and authorization: keys and exchange tokens, scopes and roles. It turns the token
// of a key into a Principal. It knows nothing of routes, headers or cookies. Operators sign in with package account,
// and customers with package customer.
//
//   - access.go: Service. principal.go, scope.go: Principal, Operator, scopes and roles. token.go: tokens of all kinds.
//   - key*.go, shared_lookup.go: keys and exchange tokens, and their authentication. key_rights.go: who may issue them.
//   - usage*.go: times of last use. audit_entry.go: log entries.
package access
