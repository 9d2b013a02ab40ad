// Package item turns the bytes of a push into items: it reads them one by one, notes what is wrong with each, and
// gives each the digest of what it says. It does not know how items are applied (exchange).
package item

import (
	"vitrine/internal/kit/fault"
)

// Format is how the items of a push are written.
type Format string

// The formats: one document {"payload": […]}, or an item a line.
const (
	JSON   Format = "json"
	NDJSON Format = "ndjson"
)

// Item is one element of a push.
type Item struct {
	Index int64
	Raw   []byte // as it was sent
	ID    string // accounting's; empty where it cannot be read
	// Subject tells it from the others of a push; two with the same are about the same thing.
	Subject string
	Errors  []fault.Field // what reading it found; nothing of it is applied then
	Content any
}

// Type is how the items of an entity are read.
type Type struct {
	// maxBytes is how many bytes an item may have.
	maxBytes int
	// decode reads an item into its content, ID and Subject.
	decode func(f *fields, it *Item)
}

// newType makes the type of items with contents of type T. name gives the id that people know an item by and what
// tells it from others.
func newType[T any](most int, read func(f *fields) T, name func(T) (id, subject string)) Type {
	return Type{maxBytes: most, decode: func(f *fields, it *Item) {
		content := read(f)
		it.Content = content
		it.ID, it.Subject = name(content)
	}}
}

const (
	// maxItemBytes is how many bytes an item may have, maxValuesItemBytes one that brings a list of values.
	maxItemBytes       = 8 << 20
	maxValuesItemBytes = 64 << 20
)
