// Package locale owns what differs between the languages of the API: labels, plural forms, the date object and the case
// folding of words for search. It does not know shops or requests, and does not choose the locale.
package locale

import (
	"fmt"
	"slices"
	"strings"
)

// Locale is a supported language, returned by Parse. It is comparable and as cheap to copy as a pointer. The methods of
// the zero value panic.
type Locale struct{ table *phraseTable }

// Parse returns the locale of a tag. It accepts exactly the tags of SupportedTags, without case folding and without
// regions, so that a stored tag has one spelling. The error lists the supported tags.
func Parse(tag string) (Locale, error) {
	for _, t := range phraseTables {
		if t.tag == tag {
			return Locale{t}, nil
		}
	}
	return Locale{}, fmt.Errorf("unknown locale %q: use one of %s", tag, strings.Join(SupportedTags(), ", "))
}

// SupportedTags returns the tags that Parse accepts, sorted. The caller may modify the slice.
func SupportedTags() []string {
	tags := make([]string, len(phraseTables))
	for i, t := range phraseTables {
		tags[i] = t.tag
	}
	slices.Sort(tags)
	return tags
}

// String returns the language tag, such as "en".
func (l Locale) String() string { return l.table.tag }

// Label returns the translation of an API constant such as "field_type.range". It panics for an unknown key: keys are
// constants in the code and never come from a request.
func (l Locale) Label(key string) string {
	label, ok := labels[key][l.table.tag]
	if !ok {
		panic("locale: no label " + key + " in " + l.table.tag)
	}
	return label
}
