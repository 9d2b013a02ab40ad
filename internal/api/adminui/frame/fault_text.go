package frame

import (
	"errors"
	"strings"

	"vitrine/internal/kit/fault"
)

// Fault returns the English message of a fault in the language.
func (l *Language) Fault(message string) string { return l.faults.Find(message) }

// FaultMessage returns what is wrong according to a fault: the messages of its fields, or its own message if it has no
// fields. It returns "" if err is not a fault.
func (l *Language) FaultMessage(err error) string {
	var f *fault.Error
	if !errors.As(err, &f) {
		return ""
	}

	if f.Code == "malformed_query" {
		if message := l.Fault(f.Message); message != f.Message {
			return message // about a field that a person fills in
		}
		return l.wrongAddress()
	}

	if len(f.Fields) == 0 {
		return l.Fault(f.Message)
	}

	messages := make([]string, len(f.Fields))
	for i, field := range f.Fields {
		messages[i] = l.Fault(field.Message)
	}

	return strings.Join(messages, " ")
}

// wrongAddress says that a query parameter is wrong. The message of such a fault names the parameter, which the links
// and forms of a page always write right.
func (l *Language) wrongAddress() string {
	return l.T("Something in the address of this page is not as its links and forms write it. " +
		"Open the page from the menu.")
}
