// Package id owns identifiers: UUIDs of version 7. Their Go types say what they identify, so that an option's id cannot
// be passed as a value's id.
package id

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// Of is the identifier of an object of type Thing. The zero value identifies nothing.
type Of[Thing any] uuid.UUID

// New returns an identifier that sorts after every identifier that this process has created before.
func New[Thing any]() Of[Thing] {
	return Of[Thing](uuid.Must(uuid.NewV7()))
}

// ErrNotUUID is returned for text that is not a UUID in the usual form of 36 characters.
var ErrNotUUID = errors.New("not a UUID")

// Parse parses the form 8-4-4-4-12 with upper or lower case digits. It refuses the other forms that libraries accept:
// with braces, with urn: and without hyphens.
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

// IsZero reports whether i is the zero value.
func (i Of[Thing]) IsZero() bool { return i == Of[Thing]{} }

// CreatedAt returns the time at which New returned the identifier, in milliseconds.
func (i Of[Thing]) CreatedAt() time.Time {
	var ms int64
	for _, b := range i[:6] {
		ms = ms<<8 | int64(b)
	}
	return time.UnixMilli(ms)
}

// Bytes returns the 16 bytes that are stored in the database.
func (i Of[Thing]) Bytes() [16]byte { return i }

// Append appends the text form of 36 characters to dst and returns the extended slice.
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

// MarshalText implements encoding.TextMarshaler, which encoding/json uses.
func (i Of[Thing]) MarshalText() ([]byte, error) { return i.Append(nil), nil }

// UnmarshalText implements encoding.TextUnmarshaler. It is as strict as Parse.
func (i *Of[Thing]) UnmarshalText(text []byte) error {
	p, err := Parse[Thing](string(text))
	if err != nil {
		return err
	}
	*i = p
	return nil
}

// Value implements driver.Valuer. It returns 16 bytes, which both database engines accept (BLOB and uuid).
func (i Of[Thing]) Value() (driver.Value, error) { return i[:], nil }

// Scan implements sql.Scanner for the types in which the database engines return an identifier.
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
