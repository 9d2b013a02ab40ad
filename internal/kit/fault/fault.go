// Package fault defines the kinds of failure that the program distinguishes, with the messages that API clients see. It
// does not depend on HTTP: the HTTP surface maps each kind to a status. Some messages name HTTP headers, because they
// are written for API clients. An error that is not a fault is internal.
package fault

import (
	"errors"
	"fmt"
	"time"
)

// Kind classifies a failure by what the client can do about it.
type Kind int

// The kinds of failure. KindOf returns Internal for every error that is not a fault.
const (
	Internal        Kind = iota
	Malformed            // the request cannot be parsed: its syntax or a query parameter is wrong
	Unauthenticated      // the credential is missing, wrong, expired or revoked
	Denied               // the credential is valid, but does not permit the operation
	NotFound             // the store has no such object
	Conflict             // the current state of the data does not allow the operation
	Stale                // the object's version is not the one that the client expects
	TooLarge             // the body exceeds its limit
	Unsupported          // the media type or content encoding is not supported
	Invalid              // the request is well-formed, but breaks a rule
	TooMany              // a rate limit is exceeded
	Unavailable          // the database or the file storage is unreachable or busy, or the disk is full
	TooSlow              // the body arrives too slowly
	Gone                 // what the request refers to is no longer kept
)

// Field is an input field that breaks a rule, such as values[2].name. Message says what is wrong and what is expected.
type Field struct {
	Field   string
	Code    string
	Message string
	// Available is how much is left of what an order line asks for, as a JSON number; empty for other fields.
	Available string
}

// Error is a failure with a message for the client. Cause is only logged, never sent to the client.
type Error struct {
	Kind       Kind
	Code       string
	Message    string
	Fields     []Field
	RetryAfter time.Duration
	Cause      error
}

func (e *Error) Error() string {
	if e.Cause != nil {
		return e.Code + ": " + e.Message + ": " + e.Cause.Error()
	}
	if len(e.Fields) > 0 {
		return fmt.Sprintf("%s: %s (%s: %s)", e.Code, e.Message, e.Fields[0].Field, e.Fields[0].Message)
	}
	return e.Code + ": " + e.Message
}

func (e *Error) Unwrap() error { return e.Cause }

// New returns a fault. code is a stable identifier in snake_case; message is a format string for people.
func New(kind Kind, code, message string, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Message: fmt.Sprintf(message, args...)}
}

// Because sets Cause and returns e.
func (e *Error) Because(cause error) *Error {
	e.Cause = cause
	return e
}

// After sets RetryAfter, the time after which the client should try again, and returns e.
func (e *Error) After(d time.Duration) *Error {
	e.RetryAfter = d
	return e
}

// Missing returns the NotFound fault for an object that is not in the store. The argument what names its type, such as
// "option".
func Missing(what string) *Error {
	return New(NotFound, "not_found", "There is no such %s in this store.", what)
}

// Fields returns an Invalid fault that lists fields, or nil if there are none.
func Fields(fields []Field) error {
	if len(fields) == 0 {
		return nil
	}
	e := New(Invalid, "validation_failed", "The request breaks %s; nothing of it was applied.", ruleCount(len(fields)))
	e.Fields = fields
	return e
}

// OneField calls Fields with a single field, whose message it formats.
func OneField(field, code, message string, args ...any) error {
	return Fields([]Field{{Field: field, Code: code, Message: fmt.Sprintf(message, args...)}})
}

func ruleCount(n int) string {
	if n == 1 {
		return "a rule"
	}
	return fmt.Sprintf("%d rules", n)
}

// KindOf returns the kind of the first fault in the error chain, or Internal if there is none.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}

// AddContext adds a prefix that says what was tried, such as "create category", to *err unless it is nil. A use case
// defers the call with a pointer to its named result. KindOf and errors.As still find a wrapped fault.
func AddContext(err *error, format string, args ...any) {
	if *err != nil {
		*err = fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), *err)
	}
}

// NewField returns a Field whose message is formatted.
func NewField(field, code, message string, args ...any) Field {
	return Field{Field: field, Code: code, Message: fmt.Sprintf(message, args...)}
}

// Broken returns a broken rule as a Field without its path, which the caller adds with At.
func Broken(code, message string, args ...any) *Field {
	return new(NewField("", code, message, args...))
}

// At returns the broken rule at the field with this path.
func (f Field) At(path string) Field {
	f.Field = path
	return f
}
