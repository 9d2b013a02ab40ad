// Package access owns authentication and authorization: keys and exchange tokens, operators and their sessions, scopes
// and roles. It turns a token into a Principal. It knows nothing of routes, headers or cookies. The logins of customers
// belong to package customer.
//
//   - access.go: Service. principal.go, scope.go: Principal, scopes and roles. token.go: tokens of all kinds.
//   - key*.go, shared_lookup.go: keys and exchange tokens, and their authentication.
//   - account.go, account_sql.go, password.go: people who sign in to the administration.
//   - session*.go, device_sql.go: sign-in, sessions and known devices. code*.go: the second step of the sign-in.
//   - lockout*.go, failure_log*.go: wrong passwords.
//   - operator*.go, invitation*.go: the operators of a store. email_change*.go: a new e-mail address.
//   - provision_service.go: the credentials of a new store. usage*.go: times of last use. audit_entry.go: log entries.
package access
