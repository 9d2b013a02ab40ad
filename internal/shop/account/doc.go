// Package account owns the accounts of people who sign in to the administration: passwords, sessions, the second step
// of the sign-in, and their membership in stores as operators. It knows nothing of routes, headers or cookies. What an
// operator may do is decided by package access. The logins of customers belong to package customer.
//
//   - service.go: Service with Sessions, Operators and Profiles. account*.go: accounts. password.go: hashing.
//   - session*.go, device_sql.go: sign-in, sessions and known devices. code*.go: the second step of the sign-in.
//   - lockout*.go, failure_log*.go: wrong passwords.
//   - operator*.go, invitation*.go: the operators of a store. email_change*.go: a new e-mail address.
//   - password_reset.go, password_reset_sql.go, password_reset_message.go: forgotten passwords.
//   - provision.go: the credentials of a new store.
package account
