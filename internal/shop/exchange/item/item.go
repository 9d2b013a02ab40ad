// Package item turns the bytes of a push into items: it reads them one by one, notes what is wrong with each, and
// gives each the digest of what it says. It does not know how items are applied (exchange).
package item

import "vitrine/internal/kit/fault"

// Format is how the items of a push are written.
type Format string

// The formats: one document {"payload": […]}, or an item a line.
const (
	JSON   Format = "json"
	NDJSON Format = "ndjson"
)

// Item is what the items of all entities have in common: one element of a push, without its content.
type Item struct {
	Index int64
	Raw   []byte // as it was sent
	ID    string // accounting's; empty where it cannot be read
	// Subject tells it from the others of a push; two with the same are about the same thing.
	Subject string
	Errors  []fault.Field // what reading it found; nothing of it is applied then
}

// Decoded is an item with its content, which is only to be used if the item has no Errors.
type Decoded[T any] struct {
	Item
	Content T
}

// Type is how the items of an entity are decoded: into contents of type T.
type Type[T any] struct {
	maxBytes int // of one item
	decode   func(f *fields) T
	// name returns the id that people know an item by, and its Subject.
	name func(T) (id, subject string)
}

const (
	// maxItemBytes is how many bytes an item may have, maxValuesItemBytes one that brings a list of values.
	maxItemBytes       = 8 << 20
	maxValuesItemBytes = 64 << 20
)
