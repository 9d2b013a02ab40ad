// Package slug owns the addresses of products and categories: what a slug may be, what is made of a name, and which
// thing has or had which slug. Columns of products and categories have the present slug, too; package catalog writes
// them together with the rest of the thing.
//
// A slug is unique among the things of its Kind in a store, over present and former slugs. Every slug that a thing ever
// had keeps leading to it, until another thing is given it on purpose or the thing is deleted.
//
// To look things up:
//
//	Find         slug → who has it and what its present slug is; fault.NotFound if nobody has or had it
//	FindAll      the same for many slugs with one statement, for the slugs of a path
//	PresentOf    keys → present slugs, for many things with one statement
//	All          key → all slugs of the thing, the present one first
//
// A slug leads to things that are archived, too; whether these are shown is a matter of the caller. A thing that was
// made before the program knew slugs has none until a worker gives it one: then its present slug is "".
package slug

import (
	"fmt"
	"strings"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
)

// Max is the maximum length of a slug in characters.
const Max = 200

// Kind is a kind of things that have slugs. Things of different kinds may have the same slug.
type Kind string

// The kinds. Their names are those of columns, too.
const (
	Product  Kind = "product"
	Category Kind = "category"
)

// Slug is the slug of a thing. The zero Slug is none; in an edit it asks for one that is made of the name.
type Slug string

// Check is the rule of a slug that is given on purpose: 1 to 200 characters of a-z, 0-9 and hyphens.
func Check(sent string) (string, *fault.Field) {
	text := strings.TrimSpace(sent)
	switch {
	case text == "":
		return "", fault.Broken("required", "A slug may not be empty; null makes one of the name.")
	case len(text) > Max || strings.ContainsFunc(text, func(r rune) bool { return r > 0x7f || !isAllowed(byte(r)) }):
		return "", fault.Broken("invalid_slug",
			"A slug has 1 to %d of the characters a-z, 0-9 and hyphen, such as red-shirt.", Max)
	}
	return text, nil
}

func isAllowed(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' }

// Normalized returns the slug as it is stored, or the rule that it breaks. None stays none.
func (s Slug) Normalized() (Slug, *fault.Field) {
	if s == "" {
		return "", nil
	}
	text, broken := Check(string(s))
	return Slug(text), broken
}

// Read reads a slug, or null for one that is made of the name.
func Read(r *wire.Reader) (Slug, bool) {
	if r.Null() {
		return "", true
	}
	text, ok := wire.As(r, r.StringOrNumber, Check)
	return Slug(text), ok
}

// AppendJSON appends the slug as it is read, or null if there is none.
func (s Slug) AppendJSON(b []byte) []byte {
	if s == "" {
		return append(b, "null"...)
	}
	return wire.AppendString(b, string(s))
}

// OrNull returns the slug as a column value, or NULL if there is none.
func (s Slug) OrNull() any {
	if s == "" {
		return nil
	}
	return string(s)
}

// Scan implements sql.Scanner.
func (s *Slug) Scan(v any) error {
	switch text := v.(type) {
	case nil:
		*s = ""
	case string:
		*s = Slug(text)
	case []byte:
		*s = Slug(text)
	default:
		return fmt.Errorf("cannot read %T as a slug", v)
	}
	return nil
}

// Join returns slugs as people read them.
func Join(list []Slug) string {
	texts := make([]string, len(list))
	for i, s := range list {
		texts[i] = string(s)
	}
	return strings.Join(texts, ", ")
}

// Taken returns the broken rule of a slug that another thing has at present.
func Taken(s Slug) *fault.Field {
	return fault.Broken("slug_taken", "Another one has the slug %s already; slugs are unique.", s)
}
