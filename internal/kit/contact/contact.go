// Package contact owns how people are reached: what an e-mail address and a phone number may look like, and the one form in which each is
// kept. It asks nobody: whether somebody reads there shows only when something is sent.
package contact

import "vitrine/internal/kit/fault"

// The codes of the faults.
const (
	InvalidEmail = "invalid_email"
	InvalidPhone = "invalid_phone"
)

func invalidContact(code, message string, args ...any) *fault.Error {
	return fault.New(fault.Invalid, code, message, args...)
}
