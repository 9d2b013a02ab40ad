package listview

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	"vitrine/internal/kit/contact"
)

// forgottenName is the name of a view whose name said who somebody is.
const forgottenName = "…"

// told is what somebody has told a shop: addresses and names.
type told struct {
	addresses contact.Set
	names     []string
}

// forget takes what was told out of a view, and reports whether that has changed anything.
func (t told) forget(v *View) (changed bool) {
	if t.in(v.Name) {
		v.Name, changed = forgottenName, true
	}

	query, err := url.ParseQuery(v.Query)
	if err != nil {
		query = url.Values{} // never: it was saved by View.apply
	}
	for name, values := range query {
		if slices.ContainsFunc(values, t.in) {
			query.Del(name)
			v.Query, changed = v.List.Canonical(query), true
		}
	}
	return changed
}

// in reports whether a text has an address, or is a name.
func (t told) in(text string) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	digits := strings.Map(func(c rune) rune {
		if unicode.IsDigit(c) {
			return c
		}
		return -1
	}, text)

	for _, address := range t.addresses.Words() {
		if strings.Contains(text, address) || strings.Contains(digits, address) {
			return true
		}
	}
	return slices.ContainsFunc(t.names, func(name string) bool {
		return name != "" && strings.ToLower(strings.TrimSpace(name)) == text
	})
}
