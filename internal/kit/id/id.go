// Package id owns identifiers: UUIDv7, typed by what they name, so that an option's id
// cannot be passed where a value's is wanted.
package id

import (
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/google/uuid"
)

// Of is the identifier of a Thing. The zero value names nothing.
type Of[Thing any] uuid.UUID

// New makes an identifier that sorts after every earlier one of this process.
func New[Thing any]() Of[Thing] {
	return Of[Thing](uuid.Must(uuid.NewV7()))
}

// ErrNotUUID is returned for text that is not a UUID in the usual 36 characters.
var ErrNotUUID = errors.New("not a UUID")

// Parse reads the form 8-4-4-4-12, in either case. Other forms that libraries accept
// (braces, urn:, no hyphens) are refused: one thing has one address.
func Parse[Thing any](s string) (Of[Thing], error) {
	if len(s) != 36 {
		return Of[Thing]{}, ErrNotUUID
	}
	u, err := uuid.Parse(s)
	if err != nil {
		return Of[Thing]{}, ErrNotUUID
	}
	return Of[Thing](u), nil
}

func (i Of[Thing]) String() string { return uuid.UUID(i).String() }

// IsZero reports whether i names nothing.
func (i Of[Thing]) IsZero() bool { return i == Of[Thing]{} }

// Bytes returns the 16 bytes that are stored.
func (i Of[Thing]) Bytes() [16]byte { return i }

// Append appends the 36 characters to dst.
func (i Of[Thing]) Append(dst []byte) []byte {
	const hex = "0123456789abcdef"
	for n, b := range i {
		if n == 4 || n == 6 || n == 8 || n == 10 {
			dst = append(dst, '-')
		}
		dst = append(dst, hex[b>>4], hex[b&15])
	}
	return dst
}

// MarshalText implements encoding.TextMarshaler, and so the JSON form.
func (i Of[Thing]) MarshalText() ([]byte, error) { return i.Append(nil), nil }

// UnmarshalText is the strict Parse.
func (i *Of[Thing]) UnmarshalText(text []byte) error {
	p, err := Parse[Thing](string(text))
	if err != nil {
		return err
	}
	*i = p
	return nil
}

// Value implements driver.Valuer: 16 bytes, which both engines take (BLOB and uuid).
func (i Of[Thing]) Value() (driver.Value, error) { return i[:], nil }

// Scan implements sql.Scanner for the forms in which the engines give an identifier back.
func (i *Of[Thing]) Scan(src any) error {
	switch v := src.(type) {
	case []byte:
		if len(v) == 16 {
			copy(i[:], v)
			return nil
		}
		return i.UnmarshalText(v)
	case [16]byte:
		*i = v
		return nil
	case string:
		return i.UnmarshalText([]byte(v))
	}
	return fmt.Errorf("scan an id from %T", src)
}
