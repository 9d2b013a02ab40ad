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

// The kinds. Every error that is not a fault is Internal.
const (
	Internal        Kind = iota
	Malformed            // the request cannot be parsed: its syntax or a query parameter is wrong
	Unauthenticated      // the credential is missing, wrong, expired or revoked
	Denied               // the credential is valid, but does not permit this
	NotFound             // the store has no such object
	Conflict             // the current state does not allow it
	Stale                // the object's version is not the one that the client expects
	TooLarge             // the body exceeds its limit
	Unsupported          // the media type or content encoding is not supported
	Invalid              // the request is well-formed, but breaks a rule
	TooMany              // a rate limit is exceeded
	Unavailable          // the database or the file storage is unreachable or busy, or the disk is full
)

// Field is one place of the input that breaks a rule. Message says what is wrong and what is expected.
type Field struct {
	Field   string
	Code    string
	Message string
}

// Error is a failure with a message for the client. Cause is only logged.
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

// New returns a fault. code is stable and in snake_case; message is for people.
func New(kind Kind, code, message string, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Message: fmt.Sprintf(message, args...)}
}

// Because sets the cause, which is only logged, and returns e.
func (e *Error) Because(cause error) *Error {
	e.Cause = cause
	return e
}

// After sets the time after which a retry makes sense, and returns e.
func (e *Error) After(d time.Duration) *Error {
	e.RetryAfter = d
	return e
}

// Missing returns the NotFound fault for an object that is not in the store. what is its name in words.
func Missing(what string) *Error {
	return New(NotFound, "not_found", "There is no such %s in this store.", what)
}

// Fields returns an Invalid fault for the places that break rules, or nil if there are none.
func Fields(fields []Field) error {
	if len(fields) == 0 {
		return nil
	}
	e := New(Invalid, "validation_failed", "The request breaks %s; nothing of it was applied.", ruleCount(len(fields)))
	e.Fields = fields
	return e
}

// OneField is Fields for a single place.
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

// AddContext wraps an error in what was tried, such as "create category". A use case defers it with its named result.
// The error's chain is kept, so KindOf and errors.As still find a fault.
func AddContext(err *error, format string, args ...any) {
	if *err != nil {
		*err = fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), *err)
	}
}

// NewField returns a Field whose message is formatted.
func NewField(field, code, message string, args ...any) Field {
	return Field{Field: field, Code: code, Message: fmt.Sprintf(message, args...)}
}
