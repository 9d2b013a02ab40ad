package wire

import (
	"fmt"
	"slices"
	"strings"

	"vitrine/internal/kit/fault"
)

// failures is what is wrong with a document: the error that ended the reading, or the broken rules with their paths.
type failures struct {
	// path is the path of the current value.
	path   []byte
	fields []fault.Field
	err    error
}

// Err returns the error so far: the error of malformed JSON or of Stop, else an Invalid fault with the broken rules,
// else nil.
func (f *failures) Err() error {
	if f.err != nil {
		return f.err
	}
	return fault.Fields(f.fields)
}

// Stop ends the reading with an error of the caller. An earlier error is kept.
func (f *failures) Stop(err error) {
	if f.err == nil {
		f.err = err
	}
}

// Failed reports whether reading has ended early, because the JSON is malformed or Stop was called.
func (f *failures) Failed() bool { return f.err != nil }

// Path returns the path of the current value.
func (f *failures) Path() string { return string(f.path) }

// Check records a broken rule at the current path, and reports whether there is none: broken is nil.
func (f *failures) Check(broken *fault.Field) (ok bool) { return f.CheckAt("", broken) }

// CheckAt is Check for a member of the current value.
func (f *failures) CheckAt(member string, broken *fault.Field) (ok bool) {
	if broken == nil {
		return true
	}
	f.FailAt(member, broken.Code, "%s", broken.Message)
	return false
}

// Failf records a broken rule at the current path.
func (f *failures) Failf(code, message string, args ...any) {
	f.FailAt("", code, message, args...)
}

// FailAt records a broken rule at a member of the current value.
func (f *failures) FailAt(member, code, message string, args ...any) {
	if len(f.fields) < MaxFields {
		f.fields = append(f.fields,
			fault.Field{Field: f.memberPath(member), Code: code, Message: fmt.Sprintf(message, args...)})
	}
}

// memberPath returns the path of a member of the current value, or the path of the value itself if member is "".
func (f *failures) memberPath(member string) string {
	if member == "" || len(f.path) == 0 {
		return string(f.path) + member
	}
	return string(f.path) + "." + member
}

// Broken reports whether a broken rule was recorded for a member of the current value.
func (f *failures) Broken(member string) bool {
	path := f.memberPath(member)
	return slices.ContainsFunc(f.fields, func(field fault.Field) bool { return field.Field == path })
}

// DropFailures removes the broken rules that were recorded for a member of the current value and for values inside it.
// It is for a member that turned out not to be needed.
func (f *failures) DropFailures(member string) {
	path := f.memberPath(member)
	f.fields = slices.DeleteFunc(f.fields, func(field fault.Field) bool {
		rest, within := strings.CutPrefix(field.Field, path)
		return within && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}
