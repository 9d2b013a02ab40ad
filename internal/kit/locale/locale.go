// Package locale owns what differs between the languages of the API: fixed
// words, plural forms and the date object. It knows languages, timezones and
// instants; it knows nothing of shops, requests or where a locale is chosen.
package locale

import (
	"fmt"
	"slices"
	"strings"
)

// Locale is one of the supported languages, obtained from Parse. It is
// comparable and as cheap to copy as a pointer. The zero value is not valid:
// its methods panic.
type Locale struct{ table *table }

// Parse accepts exactly the tags of Supported, with no case folding and no
// regions, so that a stored tag has one spelling. The error lists what is supported.
func Parse(tag string) (Locale, error) {
	for _, t := range tables {
		if t.tag == tag {
			return Locale{t}, nil
		}
	}
	return Locale{}, fmt.Errorf("unknown locale %q: use one of %s", tag, strings.Join(Supported(), ", "))
}

// Supported returns the tags that Parse accepts, sorted. The caller owns the slice.
func Supported() []string {
	tags := make([]string, len(tables))
	for i, t := range tables {
		tags[i] = t.tag
	}
	slices.Sort(tags)
	return tags
}

// String returns the tag, as given to Parse.
func (l Locale) String() string { return l.table.tag }

// Label returns the name of a fixed word of the API, such as
// "field_type.range". It panics on a key that is not in the table of labels:
// keys are written in code, never taken from a request.
func (l Locale) Label(key string) string {
	label, ok := labels[l.table.tag][key]
	if !ok {
		panic("locale: no label " + key + " in " + l.table.tag)
	}
	return label
}
