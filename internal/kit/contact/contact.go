// Package contact validates and normalizes e-mail addresses and phone numbers. It checks only the syntax: whether an
// address exists is known only after a message was sent to it.
package contact

import "vitrine/internal/kit/fault"

// Codes of the faults that CheckEmail and CheckPhone return.
const (
	InvalidEmail = "invalid_email"
	InvalidPhone = "invalid_phone"
)

func invalidContact(code, message string, args ...any) *fault.Error {
	return fault.New(fault.Invalid, code, message, args...)
}
