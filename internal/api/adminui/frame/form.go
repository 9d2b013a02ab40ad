package frame

import (
	"errors"
	"html/template"
	"strconv"
	"strings"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
)

const (
	// maxFormBytes and maxFormFields bound a form, the other two one with pasted lines or a long table. A Cyrillic
	// letter has 6 bytes in a form.
	maxFormBytes       = 1 << 20
	maxFormFields      = 10_000
	maxLargeFormBytes  = 16 << 20
	maxLargeFormFields = 100_000
)

// ParseForm parses the body of a form into r.PostForm. It reports an error through r.Fail.
func ParseForm(r *httpapi.Request) { r.Fail(r.ReadForm(maxFormBytes, maxFormFields)) }

// ParseLargeForm is like ParseForm for a form with pasted lines or a long table. It returns the error, so that the page
// can be shown again; fault.TooLarge if the form is over its limit.
func ParseLargeForm(r *httpapi.Request) error {
	return r.ReadForm(maxLargeFormBytes, maxLargeFormFields)
}

// PositiveParam reads a query parameter that is a page number or a cursor, and returns 0 if the parameter is missing.
// The number must be positive and must not exceed the argument most; otherwise it is reported through r.Query.BadParam.
func PositiveParam(r *httpapi.Request, name string, most int64) int64 {
	text, _ := r.Query.Param(name)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 || n > most {
		r.Query.BadParam(name, "must be a whole number above 0, as in the links of the page")
	}
	return n
}

// RedirectMessage returns the message if the query has the parameter that param names, and "" otherwise. The redirect
// after a change adds that parameter.
func RedirectMessage(r *httpapi.Request, param, message string) string {
	if r.URL.Query().Has(param) {
		return message
	}
	return ""
}

// TextAreaLines splits the text of a textarea into trimmed lines and drops empty ones.
func TextAreaLines(text string) []string {
	list := []string{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}

// FieldErrors are the validation messages of a form by field name.
type FieldErrors map[string][]string

// FieldError has the validation messages of one field.
type FieldError struct {
	Name     string
	Messages []string
}

// For returns the messages of a field.
func (all FieldErrors) For(name string) FieldError {
	return FieldError{Name: name, Messages: all[name]}
}

// Attributes returns the ARIA attributes that connect a field to its hints and its messages. name and hints are not
// escaped, so they must be constants in a template, never text from a request.
func (all FieldErrors) Attributes(name string, hints ...string) template.HTMLAttr {
	attributes := ""
	if len(all[name]) > 0 {
		attributes = `aria-invalid="true" `
		hints = append(hints, name+"-wrong")
	}
	if len(hints) > 0 {
		attributes += `aria-describedby="` + strings.Join(hints, " ") + `"`
	}
	return template.HTMLAttr(attributes)
}

// NewFieldErrors groups the messages of an Invalid fault by form field, in the language. A message about a list
// element, such as cors_origins[1], is prefixed with the element. The argument lists has the elements of each list by
// field name.
func NewFieldErrors(l *Language, err error, lists map[string][]string) FieldErrors {
	var f *fault.Error
	if !errors.As(err, &f) {
		return nil
	}
	all := FieldErrors{}
	for _, field := range f.Fields {
		name, index, inList := strings.Cut(field.Field, "[")
		message := l.Fault(field.Message)
		index, _, _ = strings.Cut(index, "]")
		if i, err := strconv.Atoi(index); inList && err == nil && i < len(lists[name]) {
			message = lists[name][i] + ": " + message
		}
		all[name] = append(all[name], message)
	}
	return all
}
