// Package fault owns the kinds of failure the program tells apart. It knows nothing of HTTP:
// a surface decides which status a kind becomes. An error that is no fault is internal.
package fault

import (
	"errors"
	"fmt"
	"time"
)

// Kind says what a caller can do about a failure.
type Kind int

// The kinds. Internal is what every unknown error is.
const (
	Internal        Kind = iota
	Malformed            // the request cannot be read: syntax, a query parameter
	Unauthenticated      // no, bad, expired or revoked credential
	Denied               // a valid credential that may not do this
	NotFound             // no such thing in this store
	Conflict             // the present state forbids it
	Stale                // If-Match did not hold
	TooLarge             // the body is over its limit
	Unsupported          // a media type or content encoding that is not read here
	Invalid              // well-formed, but it breaks a rule
	TooMany              // a rate limit
	Unavailable          // the database is away, the disk is full, or it is busy
)

// Field names one place of the input that broke a rule. Message says what was wrong and what would be right.
type Field struct {
	Field   string
	Code    string
	Message string
}

// Error is a failure meant for people: Message goes to the client, Cause only to the log.
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

// New makes a fault of a kind with a stable snake_case code and a message for people.
func New(kind Kind, code, message string, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Message: fmt.Sprintf(message, args...)}
}

// Because attaches the cause for the log and returns the same error.
func (e *Error) Because(cause error) *Error {
	e.Cause = cause
	return e
}

// After sets the time after which a retry makes sense and returns the same error.
func (e *Error) After(d time.Duration) *Error {
	e.RetryAfter = d
	return e
}

// Missing is the one answer for what is not in this store; what names the thing in words.
func Missing(what string) *Error {
	return New(NotFound, "not_found", "There is no such %s in this store.", what)
}

// Fields makes an Invalid fault out of the places that broke rules; it returns nil when there are none.
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

// KindOf returns the kind of the first fault in the chain of err; Internal when there is none.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return Internal
}
