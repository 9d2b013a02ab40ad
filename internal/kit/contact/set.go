package contact

import (
	"slices"
	"strings"
)

// Set is a set of addresses that belong to one person. E-mail addresses are compared without case, phone numbers
// without the plus. The zero value is empty.
type Set struct {
	emails []string // in lower case
	phones []string // digits only
}

// SetOf returns the set of the given addresses, each in the form that CheckEmail or CheckPhone returns. Empty texts are
// left out.
func SetOf(addresses ...string) (s Set) {
	for _, a := range addresses {
		list := &s.phones
		form := strings.TrimPrefix(a, "+")
		if strings.Contains(a, "@") {
			list = &s.emails
			form = strings.ToLower(a)
		}
		if form != "" && !slices.Contains(*list, form) {
			*list = append(*list, form)
		}
	}
	return s
}

// Has reports whether the address belongs to the set.
func (s Set) Has(address string) bool {
	return slices.Contains(s.emails, strings.ToLower(address)) ||
		slices.Contains(s.phones, strings.TrimPrefix(address, "+"))
}

// Emails returns the e-mail addresses in lower case.
func (s Set) Emails() []string { return slices.Clone(s.emails) }

// Phones returns each phone number in both forms in which it may be stored: with and without the plus.
func (s Set) Phones() (list []string) {
	for _, digits := range s.phones {
		list = append(list, digits, "+"+digits)
	}
	return list
}

// All returns what Emails and Phones return.
func (s Set) All() []string { return append(s.Emails(), s.Phones()...) }

// Words returns each address once: the e-mail addresses in lower case and the phone numbers without the plus.
func (s Set) Words() []string { return append(s.Emails(), s.phones...) }

// IsEmpty reports whether the set has no address.
func (s Set) IsEmpty() bool { return len(s.emails) == 0 && len(s.phones) == 0 }
