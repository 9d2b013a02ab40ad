package frame

import (
	"errors"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
)

const (
	// maxFormBytes limits the body of a form, and maxLargeFormBytes that of a form with pasted lines or a long table. A
	// Cyrillic letter has 6 bytes in it.
	maxFormBytes      = 1 << 20
	maxLargeFormBytes = 16 << 20
)

// ParseForm parses the body of a form into r.PostForm. It reports an error through r.Fail.
func ParseForm(w http.ResponseWriter, r *httpapi.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxFormBytes)
	err := r.ParseForm()
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		r.Fail(fault.New(fault.TooLarge, "body_too_large", "The form is over the limit of %d bytes.", maxFormBytes))
	case err != nil:
		r.Fail(fault.New(fault.Malformed, "malformed_form", "The form cannot be read.").Because(err))
	}
}

// ParseLargeForm is like ParseForm for a form with pasted lines or a long table. It returns the error, so that the page
// can be shown again; fault.TooLarge if the form is over its limit.
func ParseLargeForm(w http.ResponseWriter, r *httpapi.Request) error {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxLargeFormBytes))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return fault.New(fault.TooLarge, "body_too_large", "The form is over the limit of %d MB.", maxLargeFormBytes>>20)
	}
	if err == nil {
		r.PostForm, err = parseFields(string(body))
		r.Form = r.PostForm
	}
	if err != nil {
		return fault.New(fault.Malformed, "malformed_form", "The form cannot be read.").Because(err)
	}
	return nil
}

// fieldsAtOnce is the number of fields that parseFields parses at once; the limit of url.ParseQuery is 10,000.
const fieldsAtOnce = 5000

// parseFields parses the body of a form with any number of fields.
func parseFields(body string) (url.Values, error) {
	all := url.Values{}
	for body != "" {
		end := 0
		for range fieldsAtOnce {
			i := strings.IndexByte(body[end:], '&')
			if i < 0 {
				end = len(body)
				break
			}
			end += i + 1
		}
		fields, err := url.ParseQuery(strings.TrimSuffix(body[:end], "&"))
		if err != nil {
			return nil, err
		}
		for name, values := range fields {
			all[name] = append(all[name], values...)
		}
		body = body[end:]
	}
	return all, nil
}

// PositiveParam reads a query parameter that is a page number or a cursor, and returns 0 if the parameter is missing.
// The number must be positive and must not exceed the argument most; otherwise it is reported through r.BadParam.
func PositiveParam(r *httpapi.Request, name string, most int64) int64 {
	text, _ := r.Param(name)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 || n > most {
		r.BadParam(name, "must be a whole number above 0, as in the links of the page")
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
